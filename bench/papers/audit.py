#!/usr/bin/env python3
"""Exchanges 5 % of the tags at random, and sees whether `audit` finds them, beside cleanlab's ways.

    bench/papers/audit.py PROGRAM [--only bibtex,stackex_cs,oldnyc] [--repeat 3] [--work FOLDER]

Needs the data that COMMONPLACE_DATA names (default ../shared/data). Every way sees the same confidence, of models that
did not see the item: cleanlab's self-confidence (the normalised margin of two classes orders alike), its margin
adjusted by what is usual of a class, and confident learning, each tag a question of two classes.
"""
import argparse
import pathlib
import tempfile

from common import DATA, run


def trial(program, name, work):
    if name != "oldnyc":
        return ["--train", DATA / name / "train.txt.gz", "--test", DATA / name / "test.txt.gz"]
    library = work / "library"
    if not library.exists():
        run(program, "init", library)
        run(program, "add", library, "oldnyc", DATA / "oldnyc" / "photos.jsonl.gz")
    return [library, "--collection", "oldnyc", "--features", "text"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default="bibtex,stackex_cs,oldnyc")
    parser.add_argument("--repeat", default="3")
    parser.add_argument("--work", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        work = arguments.work or pathlib.Path(made)
        for name in arguments.only.split(","):
            measured = run(arguments.program, "evaluate", "audit", *trial(arguments.program, name, work),
                           "--repeat", arguments.repeat)
            print(f"\n{name}: {measured['swapped']} of {measured['given']} tags on {measured['items']} items exchanged; "
                  f"{measured['tags']} tags, {measured['seconds']:.0f} s")
            print(f"  {'':<20} {'wrong: first 100':>17} {'AUC':>7} {'missing: first 100':>19} {'AUC':>7}")
            for each in measured["methods"]:
                print(f"  {each['method']:<20} {100 * each['wrong_precision@100']:17.1f} {each['wrong_auc']:7.3f} "
                      f"{100 * each['missing_precision@100']:19.1f} {each['missing_auc']:7.3f}", flush=True)


if __name__ == "__main__":
    main()
