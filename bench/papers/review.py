#!/usr/bin/env python3
"""Simulates a reviewer: what do answers teach in each order of questions, and are the chances that are shown honest?

    bench/papers/review.py PROGRAM [--only bibtex,stackex_cs,delicious] [--answers 1000]

Needs the data that COMMONPLACE_DATA names (default ../shared/data). A fifth of the training items keep seven tenths of
their tags; the reviewer knows all tags, the model is learned anew after every hundred answers, and its quality is that
on the test items. Printed: nDCG of the first five tags before and after each fifth of the answers, the share of answers
that are yes, and the expected calibration error of the chances as they are shown and of the model's confidence alone.
"""
import argparse
import pathlib

from common import DATA, run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--only", default="bibtex,stackex_cs,delicious")
    parser.add_argument("--answers", type=int, default=1000)
    arguments = parser.parse_args()
    for name in arguments.only.split(","):
        measured = run(arguments.program, "evaluate", "review", "--train", DATA / name / "train.txt.gz",
                       "--test", DATA / name / "test.txt.gz", "--answers", arguments.answers)
        print(f"\n{name}: {measured['items']} items, {measured['tags']} tags, {measured['seconds']:.0f} s")
        for each in measured["orders"]:
            curve = each["ndcg@5"]
            shown = curve[::2] if len(curve) > 6 else curve
            print(f"  {each['order']:<10} nDCG@5 {' '.join(f'{100 * value:.1f}' for value in shown)}"
                  f"   yes {100 * each['yes']:.0f} %   ECE {100 * each['calibration_error']:.1f} %"
                  f" (the model's alone {100 * each['calibration_error_of_the_model']:.1f} %)", flush=True)


if __name__ == "__main__":
    main()
