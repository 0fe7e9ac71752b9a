"""A library from Python: the same models to the bit, and the same answers, as the command line."""

import gc
import json
import os
import pickle
import resource
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import commonplace as cp

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("COMMONPLACE", str(ROOT / "build" / "release" / "commonplace"))
NOTES = ROOT / "examples" / "embed" / "notes.jsonl"


def command(*arguments):
    """What the program prints with --json."""
    printed = subprocess.run([PROGRAM, *map(str, arguments), "--json"], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in printed.stdout.splitlines()]


def tensors(library, model):
    """The tensors of a model's files, without the metadata that say when it was made."""
    found = {}
    for file in (library / "models").iterdir():
        if file.name.startswith(model):
            raw = file.read_bytes()
            size = int.from_bytes(raw[:8], "little")
            for name, each in json.loads(raw[8:8 + size]).items():
                if name != "__metadata__":
                    begin, end = each["data_offsets"]
                    found[file.name.partition("-")[0], name] = raw[8 + size + begin:8 + size + end]
    assert found
    return found


@pytest.fixture
def two(tmp_path):
    """The same library twice: one for the command line, one for Python."""
    by_command, by_python = tmp_path / "command", tmp_path / "python"
    command("init", by_command)
    command("add", by_command, "notes", NOTES)
    lib = cp.Library(by_python, create=True)
    lib.add("notes", NOTES)
    return by_command, lib


def without_times(value):
    """An answer without what differs from run to run."""
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items()
                if key not in ("seconds", "milliseconds", "query", "of") and not key.endswith("_seconds")}
    if isinstance(value, list):
        return [without_times(each) for each in value]
    return value


def test_suggest_is_the_command_lines(two):
    folder, lib = two
    told = command("learn", folder, "suggest", "--collection", "notes", "--seed", "3")[0]
    report = lib.learn("suggest", "notes", seed=3)
    assert without_times(told) == without_times(report)
    assert tensors(folder, "suggest") == tensors(lib.path, "suggest")
    asked = command("suggest", folder, "--text", "the mast of a ferry", "--explain")[0]
    assert without_times(asked) == without_times(lib.suggest("the mast of a ferry", explain=True))


def test_search_is_the_command_lines(two):
    folder, lib = two
    command("learn", folder, "search", "--target", "notes")
    lib.learn("search", "notes")
    assert tensors(folder, "search") == tensors(lib.path, "search")
    asked = command("search", folder, "owl #birds", "--explain")[0]
    assert without_times(asked) == without_times(lib.search("owl #birds", explain=True))


def test_detect_is_the_command_lines(two):
    folder, lib = two
    command("features", folder, "notes", "--plsa", "--topics", "4", "--name", "topics")
    lib.make_features("notes", "topics", topics=4)
    command("learn", folder, "detect", "--collection", "notes")
    lib.learn("detect", "notes")
    command("teach", folder, "flying", "--yes", "note001,note004", "--no", "note000,note002")
    lib.teach("flying", yes=["note001", "note004"], no=["note000", "note002"])
    asked = command("detect", folder, "flying", "--limit", "6")[0]
    assert without_times(asked) == without_times(lib.detect("flying", limit=6))


def test_relate_is_the_command_lines(two):
    folder, lib = two
    command("learn", folder, "relate", "--collections", "notes/tags,notes/text")
    lib.learn("relate", "notes/tags,notes/text")
    asked = command("relate", folder, "--tag", "boats")[0]
    assert without_times(asked) == without_times(lib.relate(tag="boats"))


def test_transfer_is_the_command_lines(tmp_path):
    folder = tmp_path / "samples"
    subprocess.run(["python3", ROOT / "examples" / "sample.py", folder], check=True)
    library = tmp_path / "library"
    command("init", library)
    for name in ("notes", "diary", "letters"):
        command("add", library, name, folder / f"{name}.jsonl")
    asked = command("transfer", library, "--source", "notes", "--target", "letters", "--through", "diary",
                    "--force", "--dry-run")[0]
    answer = cp.Library(library).transfer("notes", "letters", through=["diary"], force=True)
    assert without_times(asked) == without_times(answer)


def test_items_come_from_anywhere(tmp_path):
    lib = cp.Library(tmp_path / "library", create=True)
    lib.add("dicts", [{"id": "a", "title": "Fähre", "tags": ["schiff/fähre"], "place": (53.5, 9.9), "time": "1904-05"}])
    lib.add("things", [cp.Item("b", tags=["x"], labels={"kind": "note"})])
    lib.add("frame", pd.DataFrame({"text": ["one", "two"], "tags": [["t"], []]}, index=["c", "d"]))
    (first,) = lib.items("dicts")
    assert first.tags == ["schiff/fähre"] and first.place == (53.5, 9.9) and first.time == "1904-05"
    assert lib.items("things")[0].labels == {"kind": "note"}
    assert list(lib.frame("frame").index) == ["c", "d"] and lib.tags("frame") == {"t": 1}
    with pytest.raises(cp.Error, match="colour"):
        lib.add("frame", pd.DataFrame({"id": ["e"], "colour": ["red"]}))
    with pytest.raises(cp.Error):
        lib.add("dicts", [{"id": "a"}, {"id": ""}])


def test_decisions_are_remembered(two):
    _, lib = two
    lib.learn("suggest", "notes")
    lib.add("notes", [{"id": "new", "text": "the mast of a ferry in the harbour"}])
    best = lib.suggest(item="new", threshold=0)[0].tag
    lib.reject("notes", "new", best)
    assert best not in [each.tag for each in lib.suggest(item="new", threshold=0)]
    (decision,) = lib.decisions("notes")
    assert (decision.item, decision.tag, decision.verdict) == ("new", best, -1)
    lib.accept("notes", "new", best)
    assert best in lib.items("notes")[-1].tags


def test_features_are_mapped_not_copied(two):
    _, lib = two
    rows = np.arange(120 * 5, dtype=np.float32).reshape(120, 5)
    lib.store_features("notes", "numbers", rows)
    found = lib.features("notes", "numbers")
    assert isinstance(found, np.memmap) and np.array_equal(found, rows)
    lib.make_features("notes", "text")
    assert lib.features("notes", "text").shape[0] == 120
    with pytest.raises(cp.Error, match="numbers"):
        lib.features("notes", "nothing")


def test_answers_show_themselves(two):
    _, lib = two
    answer = lib.search("owl", limit=3)
    assert len(answer) == 3 and answer[0].id == answer.hits[0].id
    shown = answer._repr_html_()
    assert shown.count("<tr>") == 4 and "note" in shown
    assert list(answer.frame().columns)[:2] == ["collection", "id"]
    lib.add("notes", [{"id": "<b>", "text": "owl owl owl owl"}])
    assert "<b>" not in lib.search("owl owl", limit=30)._repr_html_()
    assert lib._repr_html_()


def test_errors_say_what_to_do(tmp_path):
    with pytest.raises(cp.Error):
        cp.Library(tmp_path / "none")
    lib = cp.Library(tmp_path / "library", create=True)
    with pytest.raises(cp.Error, match="expected"):
        lib.learn("dance")
    with pytest.raises(cp.Error):
        lib.suggest("anything")


def test_asking_leaks_nothing(two):
    _, lib = two
    lib.learn("suggest", "notes")
    for _ in range(300):
        lib.suggest("a ferry")
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10_000):
        lib.suggest("a ferry")
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024


def test_a_large_matrix_is_not_copied():
    """1 GB goes through an estimator that reads it in blocks, in less than a quarter more."""
    script = """
import resource, numpy as np, commonplace as cp
X = np.zeros((2_000_000, 128), np.float32)
X[:, :4] = np.random.default_rng(0).normal(size=(2_000_000, 4))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cp.ApproximateLaplacianEigenmaps(n_components=4).fit(X)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    if os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 3 << 30:
        pytest.skip("needs 3 GB of memory")
    grown = subprocess.run(["/usr/bin/python3", "-c", script], check=True, capture_output=True, text=True)
    assert int(grown.stdout) < 256 * 1024


def test_records_are_kept():
    from commonplace.answers import Record

    assert pickle.loads(pickle.dumps(Record(a=1))).a == 1
