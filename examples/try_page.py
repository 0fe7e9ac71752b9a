#!/usr/bin/python3
"""Starts the server on a library, asks it for the page and for a search, and stops it.

    try_page.py PROGRAM LIBRARY
"""
import json
import signal
import subprocess
import sys
import urllib.request


def main():
    program, library = sys.argv[1:]
    server = subprocess.Popen([program, "serve", library, "--port", "0", "--json"], stdout=subprocess.PIPE,
                              text=True)
    address = json.loads(server.stdout.readline())["address"]
    try:
        with urllib.request.urlopen(address + "/") as answer:
            page = answer.read()
        with urllib.request.urlopen(address + "/v1/search?q=sailing+boat&limit=3") as answer:
            found = json.load(answer)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()
    print(f"The page was served ({len(page)} bytes), and a search through it found {found['total']} items, "
          f"first '{found['hits'][0]['title']}'.")
    print(f"To see it: {program} serve {library}")


if __name__ == "__main__":
    main()
