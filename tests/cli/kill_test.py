"""Kill -9 at random moments of imports and exports: the state before or after, nothing between."""
import hashlib
import json
import random
import sqlite3
import subprocess
import time

from commonplace import PROGRAM, CommandLineTest, main

ROUNDS = 50


class Kill(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()
        self.random = random.Random(7)
        self.killed = 0

    def state(self):
        """All that a library says, but for when it was changed."""
        listing = self.json("list", self.library)
        for entry in listing["collections"]:
            entry.pop("changed")
            entry["content"] = self.output("export", self.library, entry["name"])
        for path in sorted((self.library / "features").iterdir()):
            listing[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return json.dumps(listing)

    def seconds(self, *arguments):
        begun = time.monotonic()
        self.run_program(*arguments)
        return time.monotonic() - begun

    def kill_at_random(self, limit, *arguments):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(self.random.uniform(0, limit))
        process.kill()
        self.killed += process.wait() == -9

    def source(self, name, version):
        return self.write(name, "8000 50 20\n" + "".join(
            f"{i % 20},{(i + version) % 20} {i % 50}:{version}\n" for i in range(8000)))

    def test_imports(self):
        sources = [self.source(f"{version}.xc", version) for version in (1, 2)]
        states = []
        for source in sources:
            self.output("add", self.library, "data", source, "--format", "xc")
            state = self.state()
            states.append(state.replace(str(source), "SOURCE"))
        took = self.seconds("add", self.library, "data", sources[0], "--format", "xc")
        for i in range(ROUNDS):
            source = sources[(i + 1) % 2]
            self.kill_at_random(took * 1.1, "add", self.library, "data", source, "--format", "xc")
            state = self.state()
            for each in sources:
                state = state.replace(str(each), "SOURCE")
            names = [name for name, known in zip("ab", states) if self.same(known, state)]
            self.assertEqual(len(names), 1, f"round {i}: a state between")
        check = sqlite3.connect(self.library / "library.db")
        self.assertEqual(check.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        self.assertEqual(check.execute("PRAGMA foreign_key_check").fetchall(), [])
        check.close()
        self.output("add", self.library, "data", sources[0], "--format", "xc")
        left = [path.name for path in (self.library / "features").iterdir()]
        self.assertEqual(len(left), 1, f"what killed imports left is swept: {left}")
        self.assertGreater(self.killed, ROUNDS // 4, "hardly any run was caught alive")

    @staticmethod
    def same(known, state):
        """Feature files are numbered anew each time; what they hold is what counts."""
        def strip(text):
            value = json.loads(text)
            files = sorted(v for k, v in value.items() if k.endswith(".safetensors"))
            return value["collections"], files
        # A killed writer may leave a file that no record names; the next writer sweeps it.
        (collections, files), (other, others) = strip(known), strip(state)
        return collections == other and set(files) <= set(others)

    def test_exports(self):
        self.output("add", self.library, "data", self.source("1.xc", 1), "--format", "xc")
        for form, name in (("jsonl", "out.jsonl"), ("xc", "out-xc")):
            target = self.folder / name
            arguments = ("export", self.library, "data", "--format", form, "--out", target)
            took = self.seconds(*arguments)
            whole = self.snapshot(target)
            for i in range(ROUNDS // 2):
                self.kill_at_random(took * 1.1, *arguments)
                self.assertEqual(self.snapshot(target), whole, f"{form}, round {i}")
            self.output(*arguments)
            left = [path.name for path in self.folder.iterdir() if path.name.startswith(".")]
            self.assertEqual(left, [], "temporaries of killed exports are swept")
        self.assertGreater(self.killed, ROUNDS // 4, "hardly any run was caught alive")

    @staticmethod
    def snapshot(path):
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        return [(str(file), file.read_bytes()) for file in files]

    def test_sidecars(self):
        pixel = bytes.fromhex(
            "ffd8ffe000104a46494600010100000100010000ffdb004300" + "01" * 64 +
            "ffc0000b080001000101011100ffc4001400010000000000000000000000000000000affc40014100100"
            "000000000000000000000000000000ffda0008010100003f0037ffd9")
        for i in range(60):
            self.write(f"photos/{i:03}.jpg", pixel)
        self.output("add", self.library, "photos", self.folder / "photos")
        ids = [f"{i:03}.jpg" for i in range(60)]
        whole = {}
        for number in range(ROUNDS // 2):
            self.output("tag", self.library, "photos", *ids, "--add", f"tag {number}", "-q")
            before = self.sidecars()
            self.kill_at_random(0.15, "export", self.library, "photos", "--xmp")
            now = self.sidecars()
            self.output("export", self.library, "photos", "--xmp", "-q")
            whole = self.sidecars()
            for name, content in now.items():
                self.assertIn(content, (before.get(name), whole[name]), f"{name} is between")
        self.assertEqual(len(whole), 60)
        left = [path for path in (self.folder / "photos").iterdir() if path.name.startswith(".")]
        self.assertEqual(left, [])

    def sidecars(self):
        return {path.name: path.read_bytes() for path in (self.folder / "photos").glob("*.xmp")}


if __name__ == "__main__":
    main()
