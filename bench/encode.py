#!/usr/bin/env python3
"""Measures sentences and pictures a second, beside the same runtime called from node (onnxruntime-node), in turns.

  bench/encode.py PROGRAM [--rounds N] [--jobs N]

The encoders minilm and resnet50 must be there (./dev models). Both sides compute batches of the same shape with the
same libonnxruntime.so; ours goes through the process that encodes, pooling and normalising included.
"""
import argparse
import json
import pathlib
import subprocess

NODE = "onnxruntime-node@1.30.0"
FOLDER = pathlib.Path("build/packages/node")


def modules():
    """Installs what is compared with, without its scripts."""
    if not (FOLDER / "node_modules" / "onnxruntime-node").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", str(FOLDER), "--no-save", "--ignore-scripts", "--no-audit",
                        "--no-fund", "--loglevel=error", NODE], check=True)
    return FOLDER.resolve() / "node_modules"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    where = modules()
    runtime = next(where.glob("onnxruntime-node/bin/napi-v*/linux/x64/libonnxruntime.so*"))
    for name, kind, noun in (("minilm", "text", "sentences"), ("resnet50", "pictures", "pictures")):
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            told = json.loads(subprocess.run(
                [arguments.program, "models", "describe", name, "--speed", "--json", "--runtime", str(runtime),
                 "--jobs", str(arguments.jobs)], check=True, capture_output=True, text=True).stdout)
            ours.append(told["speed"][kind]["a_second"])
            shape = told["speed"][kind]["batch"]
            model = next(pathlib.Path(told["folder"]).rglob("*.onnx"))
            batches = FOLDER / "batches.json"
            times = max(1, int(ours[-1] * 0.6 / shape[0]))
            batches.write_text(json.dumps([{"shape": shape, "picture": kind == "pictures"}] * times))
            lines = subprocess.run(["node", "bench/encode.mjs", str(where), str(model), str(batches),
                                    str(arguments.jobs)], check=True, capture_output=True, text=True).stdout
            theirs.append(max(float(line) for line in lines.split()))
        print(f"{name}: {max(ours):.1f} {noun} a second, onnxruntime-node {max(theirs):.1f}; "
              f"ratio {max(ours) / max(theirs):.2f} (best of {arguments.rounds} turns, batches of {shape})")


if __name__ == "__main__":
    main()
