#!/usr/bin/env python3
"""Runs what the documents show, and follows their links.

    COMMONPLACE=build/release/commonplace tests/docs/docs_test.py [-v] [Run.test_guide]
    COMMONPLACE=build/release/commonplace tests/docs/docs_test.py --write guide README

A block after `<!-- run -->` holds `$ command` lines, each followed by what it prints; `<!-- run: command -->` prepares
something out of sight. All commands of a document run one after the other in one empty folder, which is their home
too and is shown as /home/you, with `commonplace` on the path and `examples` in it, and end with 0. What is printed (not
progress and messages: standard error) must be what stands there, but:
`...` stands for any text in a line, and alone for any lines; seconds and rates may differ; blanks count as one; a number with
decimals or per cent may differ by one in its last digit, as processors round differently. On one without AVX2 and FMA
only failures count. `--write` puts what was printed into the documents. Code after `<!-- compile -->` must compile, after `<!-- same as FILE -->` be that file's.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = {path.stem if path.parent != ROOT else path.name[:-3]: path
             for path in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
             if path != ROOT / "docs" / "README.md"}
MUST_RUN = ["README", "guide", "search", "suggest", "detect", "relate", "transfer"]
MOST_LINES_OF_README = 130
PIECE = re.compile(r"<!-- run: (?P<hidden>.*?) -->|<!-- run -->\n+```sh\n(?P<shown>.*?)^```$", re.DOTALL | re.MULTILINE)
FIGURE = re.compile(r"(?P<any>\.\.\.)|(?P<time>\d[\d,]*(?:\.\d+)?(?= (?:s|ms|seconds?|\w+ a second)\b))"
                    r"|(?P<inexact>-?\d[\d,]*\.\d+|-?\d[\d,]*(?= %))")


def rounds_as_the_documents():
    """Whether the processor is of the kind that the documents were written on, as for tests/golden."""
    cpu = pathlib.Path("/proc/cpuinfo")
    return not cpu.exists() or {"avx2", "fma"} <= set(re.findall(r"\w+", cpu.read_text()))


def value(text):
    return float(text.replace(",", ""))


def same_line(expected, actual):
    """Whether a line is as expected, but for what may differ."""
    expected, actual = " ".join(expected.split()), " ".join(actual.split())
    pattern, end, inexact = "", 0, []
    for found in FIGURE.finditer(expected):
        pattern += re.escape(expected[end:found.start()])
        end = found.end()
        if found["inexact"]:
            inexact.append(found["inexact"])
            pattern += r"(-?\d[\d,]*(?:\.\d+)?)"
        else:
            pattern += ".*" if found["any"] else r"\d[\d,.]*"
    matched = re.fullmatch(pattern + re.escape(expected[end:]), actual)
    if not matched:
        return False
    for number, other in zip(inexact, matched.groups()):
        digits = len(number.partition(".")[2])
        if len(other.partition(".")[2]) != digits or abs(value(number) - value(other)) > 1.01 * 10 ** -digits:
            return False
    return True


def same(expected, actual):
    if not expected:
        return not actual
    if expected[0].strip() == "...":
        return any(same(expected[1:], actual[skipped:]) for skipped in range(len(actual) + 1))
    return bool(actual) and same_line(expected[0], actual[0]) and same(expected[1:], actual[1:])


def commands_of(block):
    """Yields (command, lines that it should print)."""
    command, expected = None, []
    for line in block.splitlines():
        if command is not None and command.endswith("\\"):
            command += "\n" + line
        elif line.startswith("$ "):
            if command is not None:
                yield command, expected
            command, expected = line[2:], []
        else:
            assert command is not None, f"a block that is run begins with '$ ', not with '{line}'"
            expected.append(line)
    yield command, expected


class Folder:
    """An empty home in which the commands of one document run."""

    def __enter__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="commonplace-docs-"))
        self.home = self.path / "home"
        (self.path / "bin").mkdir()
        self.home.mkdir()
        (self.path / "bin" / "commonplace").symlink_to(pathlib.Path(os.environ["COMMONPLACE"]).resolve())
        (self.home / "examples").symlink_to(ROOT / "examples")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def run(self, command):
        """What the command prints to its standard output, as lines; the last tells of a failure."""
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.home, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            env={"PATH": f"{self.path / 'bin'}:{os.environ['PATH']}", "HOME": str(self.home), "LC_ALL": "C.UTF-8",
                 "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1"})
        lines = [line.rstrip().replace(str(self.home), "/home/you") for line in done.stdout.splitlines()]
        return lines + ([*done.stderr.splitlines(), f"(ended with {done.returncode})"] if done.returncode else [])


def differences(text):
    """Runs a document; yields (command, expected, printed) where they differ."""
    with Folder() as folder:
        for piece in PIECE.finditer(text):
            if piece["hidden"]:
                printed = folder.run(piece["hidden"])
                if printed and printed[-1].startswith("(ended with"):
                    yield piece["hidden"], [], printed
                continue
            for command, expected in commands_of(piece["shown"]):
                printed = folder.run(command)
                if not same(expected, printed):
                    yield command, expected, printed


def write(names):
    for name in names or DOCUMENTS:
        text = path_text = DOCUMENTS[name].read_text()
        for command, expected, printed in differences(text):
            old = "\n".join([f"$ {command}", *expected]) + "\n"
            assert path_text.count(old) >= 1, f"{name}: {command} failed out of sight:\n" + "\n".join(printed)
            path_text = path_text.replace(old, "\n".join([f"$ {command}", *printed]) + "\n", 1)
            print(f"{name}: $ {command}")
        DOCUMENTS[name].write_text(path_text)


class Run(unittest.TestCase):
    """Has a test for each document with something to run."""

    def check(self, name):
        wrong = [f"$ {command}\n-- the document has:\n" + "\n".join(expected) + "\n-- printed was:\n" + "\n".join(printed)
                 for command, expected, printed in differences(DOCUMENTS[name].read_text())
                 if rounds_as_the_documents() or printed[-1:] and printed[-1].startswith("(ended with")]
        self.assertFalse(wrong, f"{DOCUMENTS[name].name}: what it shows is not what is printed\n\n" + "\n\n".join(wrong))


for each in DOCUMENTS:
    if PIECE.search(DOCUMENTS[each].read_text()):
        setattr(Run, f"test_{each}", lambda self, name=each: self.check(name))


class Text(unittest.TestCase):
    """Needs no program."""

    def test_each_verb_is_run(self):
        for name in MUST_RUN:
            self.assertTrue(hasattr(Run, f"test_{name}"), f"{name} shows nothing that is run")

    def test_every_marked_block_is_understood(self):
        for name, path in DOCUMENTS.items():
            text = path.read_text()
            self.assertEqual(len(PIECE.findall(text)), text.count("<!-- run"), f"{name}: a mark without a sh block")

    def test_readme_is_short(self):
        self.assertLessEqual(len(DOCUMENTS["README"].read_text().splitlines()), MOST_LINES_OF_README)

    def test_contents_name_every_document(self):
        contents = (ROOT / "docs" / "README.md").read_text()
        for path in (ROOT / "docs").glob("*.md"):
            self.assertTrue(path.name == "README.md" or f"({path.name})" in contents, f"docs/README.md lacks {path.name}")

    def test_links_lead_somewhere(self):
        for path in [ROOT / "README.md", ROOT / "HACKING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md"),
                     *(ROOT / "src").rglob("README.md")]:
            text = path.read_text()
            for link in re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)):
                target, _, heading = "".join(link).partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                file = path.parent / target if target else path
                self.assertTrue(file.exists(), f"{path.relative_to(ROOT)} links to {target}, which is not there")
                if heading:
                    slugs = {re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
                             for line in file.read_text().splitlines() if line.startswith("#")}
                    self.assertIn(heading, slugs, f"{path.relative_to(ROOT)} links to a heading that {file.name} lacks")

    def test_code_is_that_of_the_examples(self):
        marked = [(name, found) for name, path in DOCUMENTS.items()
                  for found in re.findall(r"<!-- same as (\S+) -->\n+```\w*\n(.*?)^```$", path.read_text(), re.S | re.M)]
        self.assertTrue(marked)
        for name, (file, code) in marked:
            self.assertEqual(code, (ROOT / file).read_text(), f"{name} shows another {file}")

    def test_code_compiles(self):
        codes = [code for path in DOCUMENTS.values()
                 for code in re.findall(r"<!-- compile -->\n+```cpp\n(.*?)^```$", path.read_text(), re.S | re.M)]
        self.assertTrue(codes)
        for code in codes:
            done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
                                   f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", "-xc++", "-"], input=code, text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)


class Comparison(unittest.TestCase):
    """What may differ and what may not."""

    def test_lines(self):
        for expected, actual in [("in 0.3 s.", "in 12 s."), ("a  b", "a b"), ("50 % owl", "51 % owl"), ("0.512", "0.511"),
                                 ("at ... now", "at 12:30 now"), ("1,200 items in 3 ms", "1,200 items in 1,000 ms"),
                                 ("35.0 pictures a second", "9 pictures a second")]:
            self.assertTrue(same_line(expected, actual), (expected, actual))
        for expected, actual in [("12 items", "13 items"), ("50 % owl", "50 % bee"), ("50 % owl", "53 % owl"),
                                 ("0.512", "0.514"), ("0.5", "0.51"), ("at ... now", "at 12:30"), ("a", "a b")]:
            self.assertFalse(same_line(expected, actual), (expected, actual))

    def test_whole_outputs(self):
        self.assertTrue(same(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(same(["..."], []))
        for expected, actual in [(["a"], []), ([], ["a"]), (["a", "..."], ["b"]), (["...", "d"], ["d", "e"])]:
            self.assertFalse(same(expected, actual), (expected, actual))

    def test_commands(self):
        self.assertEqual(list(commands_of("$ a \\\n  b\nx\ny\n$ c\n")), [("a \\\n  b", ["x", "y"]), ("c", [])])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2:])
    else:
        unittest.main()
