"""What the tests of the command line share: a program to run and a folder to run it in."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["COMMONPLACE"]


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="commonplace-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.library = self.folder / "library"

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_program(self, *arguments, code=0, **options):
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], capture_output=True, text=True, **options
        )
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        return done

    def output(self, *arguments, **options):
        return self.run_program(*arguments, **options).stdout

    def json(self, *arguments, **options):
        return json.loads(self.output(*arguments, "--json", **options))

    def json_lines(self, *arguments, **options):
        return [json.loads(line) for line in self.output(*arguments, **options).splitlines()]

    def tags_of(self, library, collection, item):
        """The names of the tags that people gave an item."""
        tags = self.json("show", library, collection, item).get("tags", [])
        return [each if isinstance(each, str) else each["name"] for each in tags]

    def make_library(self):
        self.output("init", self.library)

    def add(self, name, source, *arguments, code=0):
        return self.json("add", self.library, name, source, *arguments, code=code)


def main():
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
