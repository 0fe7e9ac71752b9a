"""Asks the mutating engine, built with misbehaving.cpp, for every kind of finding."""
import pathlib
import subprocess
import sys
import tempfile

program = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    seeds = pathlib.Path(folder, "seeds")
    kept = pathlib.Path(folder, "kept")
    seeds.mkdir()

    def run(*inputs):
        for old in seeds.iterdir():
            old.unlink()
        for number, text in enumerate(inputs):
            (seeds / str(number)).write_text(text)
        command = [program, "--runs", "100", "--failed", str(kept), str(seeds)]
        return subprocess.run(command, capture_output=True, text=True, timeout=300)

    for kind in ("exception", "memory", "hidden memory", "address", "recursion"):
        kept.unlink(missing_ok=True)
        result = run("fine", kind)
        assert result.returncode != 0, f"{kind}: not noticed\n{result.stdout}"
        assert kept.exists(), f"{kind}: the input was not kept\n{result.stderr}"
        assert kept.read_text() == kind, f"{kind}: another input was kept: {kept.read_text()!r}"
    first, second = run("fine", "error"), run("fine", "error")
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout, "two runs differ"
    assert run("error").returncode != 0, "seeds that are all refused are not noticed"
    assert run().returncode != 0, "missing seeds are not noticed"
