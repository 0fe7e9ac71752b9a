"""What the experiments share: where the data is, running the program, reading JSON lines."""
import gzip
import json
import os
import pathlib
import subprocess
import sys

DATA = pathlib.Path(os.environ.get("COMMONPLACE_DATA", "../shared/data"))


def run(program, *arguments):
    """The JSON that the program prints; ends this one if it fails."""
    command = [str(program), *map(str, arguments), "-q", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):  # 3: some pictures were skipped
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    return json.loads(done.stdout) if done.stdout.strip().startswith("{") else done.stdout


def has_encoders(program, *names):
    """Whether encoders of these names are installed, and a runtime for them."""
    models = run(program, "models")
    return bool(models["runtime"]) and {each["name"] for each in models["models"]} >= set(names)


def lines(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]
