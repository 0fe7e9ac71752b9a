#!/usr/bin/env python3
"""How many requests the server answers, and how soon.

    bench/serve.py PROGRAM [--items 100000] [--seconds 10] [--minutes 10]

Makes items with titles of ten words and three tags, learns to search and to suggest, starts the server, and asks it
with wrk over 1, 8 and 64 connections for searches of two words (each time others) and for suggestions for a text.
Then it goes on with both for the given minutes and prints the server's memory at their beginning and end.
"""
import argparse
import json
import pathlib
import signal
import subprocess
import tempfile
import time

from suggest_update import run, write_items

REQUESTS = {
    "search": """
request = function()
  return wrk.format("GET", "/v1/search?limit=20&q=word" .. math.random(0, 4999) .. "+any" .. math.random(0, 4999))
end""",
    "suggest": """
request = function()
  local body = "limit=10&text=word" .. math.random(0, 4999) .. "+word" .. math.random(0, 4999) .. "+any7"
  return wrk.format("POST", "/v1/projects/suggest.things/suggest",
                    {["Content-Type"] = "application/x-www-form-urlencoded"}, body)
end"""}
REPORT = """
done = function(summary, latency, requests)
  io.write(string.format('{"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p95":%f,"p99":%f}\\n',
    summary.requests, summary.duration / 1e6,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3))
end"""


def ask(folder, address, what, connections, seconds):
    script = folder / f"{what}.lua"
    script.write_text(REQUESTS[what] + REPORT)
    done = subprocess.run(["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--timeout", "30s", "-s",
                           str(script), address], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def memory_of(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) // 1024
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--items", type=int, default=100000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=10)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="commonplace-bench-") as scratch:
        folder = pathlib.Path(scratch)
        library = folder / "library"
        write_items(folder / "items.jsonl", arguments.items)
        run(arguments.program, "init", library)
        run(arguments.program, "add", library, "things", folder / "items.jsonl")
        run(arguments.program, "learn", library, "search", "--target", "things")
        run(arguments.program, "learn", library, "suggest", "--collection", "things", "--prototypes", "2%")
        server = subprocess.Popen([arguments.program, "serve", str(library), "--port", "0", "--json", "--per-client",
                                   "1000"], stdout=subprocess.PIPE, text=True)
        try:
            address = json.loads(server.stdout.readline())["address"]
            for what in REQUESTS:  # the first one opens the models
                ask(folder, address, what, 1, 2)
            print(f"{arguments.items:,} items, milliseconds:\n"
                  "            connections  requests a second     p50     p95     p99  failed")
            for what in REQUESTS:
                for connections in (1, 8, 64):
                    found = ask(folder, address, what, connections, arguments.seconds)
                    print(f"  {what:9} {connections:11}  {found['requests'] / found['seconds']:17.0f} {found['p50']:7.1f} "
                          f"{found['p95']:7.1f} {found['p99']:7.1f}  {found['failed']:6}", flush=True)
            before, begin, asked = memory_of(server), time.monotonic(), 0
            while time.monotonic() - begin < 60 * arguments.minutes:
                for what in REQUESTS:
                    asked += ask(folder, address, what, 8, arguments.seconds)["requests"]
            print(f"memory: {before} MiB, after {asked:,} more requests in {(time.monotonic() - begin) / 60:.1f} "
                  f"minutes {memory_of(server)} MiB")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


if __name__ == "__main__":
    main()
