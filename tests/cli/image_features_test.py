"""Features of pictures from the command line: what is printed, skipped, kept and resumed."""
import pathlib
import random
import struct
import subprocess
import time
import zlib

from commonplace import PROGRAM, CommandLineTest, main


def png(number, side=72):
    """A picture of its own for each number."""
    draw = random.Random(number)
    step = draw.randrange(3, 17)
    rows = b""
    for y in range(side):
        rows += b"\0" + bytes(
            (x * step * (number % 3 + 1) + y * (number % 5) * 7 + draw.randrange(40)) % 256
            for x in range(side) for _ in range(3))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(
            ">I", zlib.crc32(kind + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class ImageFeatures(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def add_photos(self, count, first=0):
        for i in range(first, first + count):
            self.write(f"photos/{i:04}.png", png(i))
        self.add("photos", self.folder / "photos")

    def features(self, *arguments, code=0):
        return self.json("features", self.library, "photos", *arguments, code=code)

    def test_each_kind(self):
        self.add_photos(10)
        for kind in ("sift", "rgb-sift", "surf", "gist"):
            made = self.features("--image", kind, "--dim", "4")
            self.assertEqual((made["name"], made["rows"], made["columns"]), (kind, 10, 4))
            self.assertEqual(made["model"], f"photos.{kind}")
            self.assertTrue(made["learned"])
            self.assertEqual((made["encoded"], made["kept"], made["skipped"]), (10, 0, []))
        names = [each["name"] for each in self.features()["features"]]
        self.assertEqual(names, ["gist", "rgb-sift", "sift", "surf"])

    def test_new_pictures_and_relearning(self):
        self.add_photos(8)
        before = self.features("--image", "surf", "--name", "look", "--words", "4")
        self.add_photos(3, first=8)
        made = self.features("--image", "surf", "--name", "look", "--words", "4")
        self.assertEqual((made["learned"], made["kept"], made["encoded"]), (False, 8, 3))
        self.assertEqual(made["columns"], before["columns"])
        made = self.features("--image", "surf", "--name", "look", "--words", "4", "--relearn")
        self.assertEqual((made["learned"], made["kept"], made["encoded"]), (True, 0, 11))

    def test_broken_pictures_are_reported_and_nothing_else_is_printed(self):
        self.add_photos(6)
        self.write("photos/0002.png", png(2)[:300])
        self.write("photos/0003.png", b"\xff\xd8\xff\xe0not a picture")
        arguments = ("features", self.library, "photos", "--image", "gist", "--quiet")
        done = self.run_program(*arguments, code=3)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], ["0002.png", "0003.png"])
        made = self.features("--image", "gist", code=3)
        self.assertEqual([each["id"] for each in made["skipped"]], ["0002.png", "0003.png"])
        self.assertIn("broken PNG", made["skipped"][0]["reason"])
        self.assertIn("broken JPEG", made["skipped"][1]["reason"])

    def test_wrong_use(self):
        self.add_photos(2)
        done = self.run_program("features", self.library, "photos", "--image", "clip", code=1)
        self.assertIn("sift, rgb-sift, surf or gist", done.stderr)
        self.run_program("features", self.library, "photos", "--image", "sift", "--text", code=2)
        self.run_program("features", self.library, "photos", "--text", "--relearn", code=2)
        done = self.run_program("features", self.library, "photos", "--relearn", code=1)
        self.assertIn("--image", done.stderr)
        done = self.run_program("features", self.library, "photos", "--image", "sift", "--dim", "0",
                                code=1)
        self.assertIn("dim is 0", done.stderr)

    def test_killed_runs_go_on_to_the_same_numbers(self):
        self.add_photos(300)
        arguments = ("features", self.library, "photos", "--image", "surf", "--dim", "16",
                     "--words", "8")
        begun = time.monotonic()
        fresh = pathlib.Path(self.json(*arguments)["file"]).read_bytes()
        took = time.monotonic() - begun
        killed = 0
        for share in (0.3, 0.6, 0.8):
            process = subprocess.Popen([PROGRAM, *map(str, arguments), "--relearn"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(took * share)
            process.kill()
            killed += process.wait() == -9
        self.assertGreater(killed, 0, "no run was caught alive")
        again = self.json(*arguments, "--relearn")
        self.assertEqual(pathlib.Path(again["file"]).read_bytes(), fresh)
        self.assertFalse((self.library / "unfinished").exists())


if __name__ == "__main__":
    main()
