"""A library from Python: the same models to the bit, and the same answers, as the command line."""

import gc
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
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
    printed = subprocess.run([PROGRAM, *map(str, arguments), "--json"], capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
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


#: What differs from run to run, or is of the command line alone.
PASSING = ("seconds", "milliseconds", "seconds_left", "time", "peak_memory_bytes", "query", "of", "working")


def without_times(value):
    """An answer without what differs from run to run."""
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items()
                if key not in PASSING and not key.endswith("_seconds")}
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
    told = command("teach", folder, "flying", "--yes", "note001,note004", "--no", "note000,note002")[0]
    assert told == lib.teach("flying", yes=["note001", "note004"], no=["note000", "note002"])
    assert command("detect", folder)[0]["concepts"] == lib.concepts()
    assert tensors(folder, "detect") == tensors(lib.path, "detect")
    asked = command("detect", folder, "flying", "--limit", "6")[0]
    assert without_times(asked) == without_times(lib.detect("flying", limit=6))


def test_relate_is_the_command_lines(two):
    folder, lib = two
    command("learn", folder, "relate", "--collections", "notes/tags,notes/text")
    lib.learn("relate", "notes/tags,notes/text")
    assert tensors(folder, "relate") == tensors(lib.path, "relate")
    asked = command("relate", folder, "--tag", "boats")[0]
    assert without_times(asked) == without_times(lib.relate(tag="boats"))


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A library of small collections: English with labels, of both languages, German; papers with keywords."""
    folder = tmp_path_factory.mktemp("samples")
    subprocess.run([sys.executable, ROOT / "examples" / "sample.py", folder], check=True)
    library = folder / "library"
    command("init", library)
    for name in ("notes", "diary", "letters"):
        command("add", library, name, folder / f"{name}.jsonl")
    command("add", library, "more", folder / "notes.jsonl")
    command("add", library, "papers", folder / "papers.bib")
    command("features", library, "papers", "--plsa", "--topics", "6", "--name", "topics")
    return library


def test_transfer_is_the_command_lines(samples):
    lib = cp.Library(samples)
    asked = command("transfer", samples, "--source", "notes", "--target", "letters", "--through", "diary",
                    "--force", "--dry-run")[0]
    answer = lib.transfer("notes", "letters", through=["diary"], force=True)
    assert without_times(asked) == without_times(answer)
    ranked = command("bridges", samples, "--source", "notes", "--target", "letters")[0]
    assert without_times(ranked) == without_times(lib.bridges("notes", "letters"))


@pytest.mark.parametrize("verb, flags, given", [
    ("search", ["--target", "papers", "--no-sweep"], {"collection": "papers", "sweep": False}),
    ("suggest", ["--collection", "papers", "--methods", "tags", "--baselines", "popular,knn"],
     {"collection": "papers", "methods": "tags", "baselines": "popular,knn"}),
    ("detect", ["--collection", "papers", "--features", "topics", "--min-uses", "5", "--labelled", "5",
                "--methods", "svm,knn", "--repeat", "1"],
     {"collection": "papers", "features": "topics", "min_uses": 5, "labelled": "5", "methods": "svm,knn", "repeat": 1}),
    ("relate", ["--collections", "papers/tags,papers/text", "--methods", "commonplace,popular", "--repeat", "1"],
     {"collection": "papers/tags,papers/text", "methods": "commonplace,popular", "repeat": 1}),
    ("transfer", ["--source", "notes", "--target", "more", "--methods", "svm"],
     {"collection": "more", "source": "notes", "methods": "svm"}),
])
def test_evaluate_is_the_command_lines(samples, verb, flags, given):
    told = command("evaluate", verb, samples, *flags)[0]
    found = cp.Library(samples).evaluate(verb, **given)
    assert without_times(told) == without_times(found)
    assert found.plot.startswith("<svg") and "<table>" in found._repr_html_()
    assert len(found) == len(found.methods) == len(found.frame()) and found.columns[0] == "method"


def test_audit_is_the_command_lines(samples):
    lib = cp.Library(samples)
    told = command("audit", samples, "papers", "--limit", "7", "--folds", "4")[0]
    found = lib.audit("papers", limit=7, folds=4)
    assert without_times(told["wrong"]) == without_times(found.wrong) and len(found.wrong) <= 7
    assert without_times(told["missing"]) == without_times(found.missing)
    assert len(found) == len(found.wrong) + len(found.missing) == len(found.frame()) > 0
    assert command("audit", samples, "papers", "--last", "--limit", "7")[0]["wrong"] == told["wrong"]
    with pytest.raises(cp.Error, match="fold"):
        lib.audit("papers", folds=1)
    with pytest.raises(cp.Error, match="fold_count"):
        lib.audit("papers", fold_count=3)


def test_updates_are_the_command_lines(two):
    folder, lib = two
    for verb in ("suggest", "relate"):
        flags = ["--collection", "notes"] if verb == "suggest" else ["--collections", "notes/tags,notes/text"]
        command("learn", folder, verb, *flags)
        lib.learn(verb, "notes" if verb == "suggest" else "notes/tags,notes/text")
    command("tag", folder, "notes", "note001", "--add", "boats")
    lib.accept("notes", "note001", "boats")
    for verb in ("suggest", "relate"):
        flags = ["--collection", "notes"] if verb == "suggest" else []
        told = command("learn", folder, verb, *flags, "--update")[0]
        assert without_times(told) == without_times(lib.learn(verb, "notes", update=True))
        assert tensors(folder, verb) == tensors(lib.path, verb)
    with pytest.raises(cp.Error, match="leave out seed"):
        lib.learn("suggest", "notes", update=True, seed=2)
    assert without_times(command("status", folder)[0]) == without_times(lib.status())
    did = command("update", folder)[0]
    answer = lib.update()
    assert without_times(did) == without_times(answer) and len(answer) and not len(lib.update())
    assert "<table>" in answer._repr_html_()


def test_links_come_from_anywhere(two, tmp_path):
    folder, lib = two
    rows = [("note000", "note001", 1.0), ("note002", "note003", -0.5)]
    frame = pd.DataFrame(rows, columns=["a", "b", "weight"])
    frame.to_csv(tmp_path / "links.csv", index=False)
    told = command("link", folder, tmp_path / "links.csv", "--from", "notes")[0]
    assert told == lib.link("notes", frame)
    assert [tuple(each.values()) for each in lib.links("notes")] == rows
    assert lib.link("notes", tmp_path / "links.csv").unchanged == 2
    assert lib.link("notes", [("note000", "note001", -1), ("note004", "note005")]) == {
        "from": "notes", "to": "notes", "added": 1, "changed": 1, "unchanged": 0}
    with pytest.raises(cp.Error, match="link 2.*nobody"):
        lib.link("notes", [("note006", "note007"), ("note000", "nobody")])
    assert len(lib.links("notes")) == 3


def test_what_a_machine_wrote_is_taken_back(two):
    folder, lib = two
    for library in (folder, lib.path):
        command("learn", library, "suggest", "--collection", "notes")
    bare = [{"id": f"new{i}", "text": text} for i, text in enumerate(["the mast of a ferry", "an owl in a tree"])]
    lib.add("notes", bare)
    cp.Library(folder).add("notes", bare)
    told = command("apply", folder, "--collection", "notes", "--above", "0.2")[0]
    assert told == lib.apply("notes", above=0.2) and told["tags"] > 0
    tagged = lib.items("notes", machine_tags=True)
    assert sum(len(each.tags) for each in tagged) > sum(len(each.tags) for each in lib.items("notes"))
    (run,) = lib.runs
    assert lib.undo(run.run).changed == told["tags"]
    assert lib.items("notes", machine_tags=True) == lib.items("notes")
    assert lib.restore(run.run).changed == told["tags"]


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
    lib.add("again", lib.frame("things").reset_index())
    assert lib.items("again") == lib.items("things")


def test_columns_are_arrays(tmp_path):
    lib = cp.Library(tmp_path / "library", create=True)
    lib.add("all", [
        {"id": "a", "tags": ["x", "y"], "place": (1, 2), "labels": {"kind": "note"}},
        {"id": "b", "tags": ["x"]},
        {"id": "c"},
    ])
    lib.reject("all", "c", "y")
    columns = lib.columns("all")
    assert columns["id"].tolist() == ["a", "b", "c"] and columns["tags"][0] == ["x", "y"]
    assert columns["place"][0].tolist() == [1, 2] and np.isnan(columns["place"][1:]).all()
    assert columns["labels.kind"].tolist() == ["note", "", ""]
    tags, names = lib.tag_matrix("all")
    assert names == ["x", "y"] and tags.toarray().tolist() == [[1, 1], [1, 0], [0, -1]]
    assert lib.tag_matrix("all", min_uses=2)[1] == ["x"]


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
    words = lib.features("notes", "text")
    assert words.shape == (120, len(lib.column_names("notes", "text"))) and words.nnz > 120
    assert not words.data.flags.owndata and not words.data.flags.writeable
    lib.store_features("notes", "again", words)
    assert (lib.features("notes", "again") != words).nnz == 0
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
    from commonplace.answers import reliability_plot

    plot = reliability_plot([{"confidence": 0.2, "right": 0.25, "pairs": 10}, {"confidence": 1, "right": 0, "pairs": 0}])
    assert plot.count("<circle") == 1 and "0.20 sure, 0.25 right" in plot


def test_reports_show_how_honest_they_are(samples):
    report = cp.Library(samples).learn("suggest", "papers", name="shown")
    assert report.held_out["items"] > 0
    assert report._repr_html_().count("<circle") == sum(each.pairs > 0 for each in report.held_out.reliability) > 0


def test_errors_say_what_to_do(tmp_path):
    with pytest.raises(cp.Error):
        cp.Library(tmp_path / "none")
    lib = cp.Library(tmp_path / "library", create=True)
    with pytest.raises(cp.Error, match="expected"):
        lib.learn("dance")
    with pytest.raises(cp.Error, match="expected"):
        lib.evaluate("dance")
    with pytest.raises(cp.Error, match="colour"):
        lib.learn("suggest", "notes", colour="red")
    with pytest.raises(cp.Error, match="either"):
        lib.search()
    with pytest.raises(cp.Error):
        lib.suggest("anything")


def test_asking_leaks_nothing(two):
    _, lib = two
    lib.learn("suggest", "notes")
    lib.learn("search", "notes")
    lib.learn("relate", "notes/tags,notes/text")
    asks = [lambda: lib.suggest("a ferry"), lambda: lib.search("ferry"), lambda: lib.relate(tag="boats")]

    def ask(times):
        for _ in range(times):
            for each in asks:
                each()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = ask(300)
    assert ask(3_400) - before < 8 * 1024  # kB: less than one kB a call


def test_threads_share_a_library(two):
    _, lib = two
    lib.learn("suggest", "notes")
    expected = lib.suggest("a ferry")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: (lib.suggest("a ferry"), lib.tags("notes")), range(40)))
    assert all(answer == expected and tags == found[0][1] for answer, tags in found)


def test_others_go_on_while_it_learns(two):
    """The interpreter's lock is free: a thread that sleeps and counts gets on within one call."""
    _, lib = two
    counted, stop = [0], threading.Event()

    def count():
        while not stop.wait(0.001):
            counted[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        within = 0
        for _ in range(200):
            before = counted[0]
            lib.learn("relate", "notes/tags,notes/text")
            # Who holds the lock lets go of it before and after a call, not within it.
            within += max(0, counted[0] - before - 2)
            if within >= 10:
                return
        pytest.fail("nobody else got on")
    finally:
        stop.set()
        counter.join()


def test_an_interrupted_learner_leaves_nothing(two):
    _, lib = two

    def stop(stage, done, total, unit):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lib.learn("search", "notes", iterations=10**9, tolerance=0, shared="0", progress=stop)
    assert lib.models == []


def test_ctrl_c_ends_endless_work():
    script = """
import numpy as np, commonplace as cp
def told(*_):
    print("working", flush=True)
X = np.random.default_rng(0).random((400, 300), np.float32)
cp.SharedSubspace(n_components=20, max_iter=10**9, tol=0, progress=told).fit(X)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "working\n"
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=300)
    assert "KeyboardInterrupt" in said and child.returncode != 0


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
    grown = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert int(grown.stdout) < 256 * 1024


def test_records_are_kept():
    from commonplace.answers import Record

    assert pickle.loads(pickle.dumps(Record(a=1))).a == 1
