"""What the tests of the server share: a planted library, a running server, and requests to it."""
import http.client
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import urllib.parse
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from commonplace import PROGRAM, CommandLineTest, main  # noqa: E402, F401

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GROUPS = ["owl", "Ölfass", "harbour"]
WORDS = ["night feather", "workshop grease", "water ship"]


def png(red, green, blue, side=40):
    """A picture of one colour."""
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    row = b"\0" + bytes([red, green, blue]) * side
    head = side.to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * side))
            + chunk(b"IEND", b""))


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.bytes = response.read()

    @property
    def json(self):
        return json.loads(self.bytes)


class Server:
    """`commonplace serve` on a free port."""

    def __init__(self, library, *arguments, limit_files=None, keep=False):
        def prepare():
            if limit_files:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit_files, limit_files))
        self.process = subprocess.Popen(
            [PROGRAM, "serve", str(library), "--port", "0", "--json",
             *([] if keep else ["--no-keep"]), *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare)
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the server did not start: " + self.process.stderr.read())
        self.address = json.loads(line)["address"]
        self.port = int(self.address.rsplit(":", 1)[1])

    def connection(self, timeout=120):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, form=None, raw=None):
        headers = dict(headers or {})
        if body is not None:
            raw = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        if form is not None:
            raw = urllib.parse.urlencode(form).encode()
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        connection = self.connection()
        try:
            connection.request(method, path, body=raw, headers=headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **values):
        query = urllib.parse.urlencode(values, doseq=True)
        return self.ask("GET", path + ("?" + query if query else ""))

    def stop(self):
        """By SIGTERM; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=120)
        self.close()
        return code

    def close(self):
        self.process.stdout.close()
        self.process.stderr.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close()


class ServerTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def serve(self, *arguments, **options):
        server = Server(self.library, *arguments, **options)
        self.addCleanup(server.stop)
        return server

    def plant(self, count=150, learn=True):
        """Photo i is of group i % 3: it looks, is tagged, is called and lies like the group. Every
        third has no tag, so that there is something to suggest."""
        draw = random.Random(3)
        middles = [[draw.gauss(0, 1) for _ in range(6)] for _ in GROUPS]
        lines, rows = "", ""
        for i in range(count):
            group = i % 3
            tags = [GROUPS[group], f"detail {group}"] if i // 3 % 3 else []
            item = {"id": f"2019/p{i}.png", "title": f"{WORDS[group]} {i}", "text": f"A {WORDS[group]} <b>&",
                    "tags": tags, "image": f"2019/p{i}.png", "labels": {"group": f"g{group}"}}
            if i % 5:
                item["lat"], item["lon"] = 50 + group * 0.2 + draw.gauss(0, .002), 13 + draw.gauss(0, .002)
            lines += json.dumps(item) + "\n"
            rows += ",".join(f"{middle + draw.gauss(0, 0.4):.4f}" for middle in middles[group]) + "\n"
            self.write(f"pictures/2019/p{i}.png", png(80 * group, 255 - 80 * group, i % 256))
        self.add("photos", self.write("pictures/photos.jsonl", lines))
        self.json("features", self.library, "photos", "--name", "look", "--from", self.write("look.csv", rows))
        lender = "".join(json.dumps({"id": f"n{i}", "text": WORDS[i % 3] + " told at length",
                                     "tags": [GROUPS[i % 3], WORDS[i % 3].split()[0]]}) + "\n"
                         for i in range(90))
        self.add("notes", self.write("notes.jsonl", lender))
        if not learn:
            return
        self.json("learn", self.library, "search", "--target", "photos", "--auxiliary", "notes", "--rank", "6",
                  "--auxiliary-rank", "6", "--shared", "3")
        self.json("learn", self.library, "suggest", "--collection", "photos", "--features", "text")
        self.json("learn", self.library, "detect", "--collection", "photos", "--features", "look", "--min-uses", "5")
        self.json("learn", self.library, "relate", "--collections", "photos", "--gamma", "0.3", "--dim", "6")

    def wait_for(self, server, job):
        """Follows the events of a job to its end, and returns it."""
        connection = server.connection()
        connection.request("GET", f"/v1/jobs/{job['id']}/events")
        text = connection.getresponse().read().decode()
        connection.close()
        events = [block.split("\n") for block in text.strip().split("\n\n") if block.startswith("event:")]
        self.assertEqual(events[-1][0], "event: end")
        return json.loads(events[-1][1].removeprefix("data: "))


def encoded(text):
    return urllib.parse.quote(text, safe="")
