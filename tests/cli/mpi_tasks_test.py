"""Every command that several ranks can share, with one process and under mpirun."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

from commonplace import main
from image_features_test import png
from mpi import ENVIRONMENT, MPI_PROGRAM, TIMEOUT, MpiTest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import goes_on  # noqa: E402

GROUPS = ["owl", "Ölfass", "harbour"]
WORDS = [["night", "feather", "wood"], ["grease", "steel", "wheel"], ["water", "ship", "rope"]]
# What is measured by the clock, or names files.
OF_THE_RUN = {"seconds", "milliseconds", "train_seconds", "predict_seconds", "memory",
              "peak_memory_bytes", "file", "file_bytes"}


def items(count, seed, tags, labelled=True):
    """Lines of items, of which i is of group i % 3, and rows of numbers around a middle of each."""
    draw = random.Random(seed)
    middles = [[random.Random(group).gauss(0, 1) for _ in range(6)] for group in range(3)]
    lines, rows = "", ""
    for i in range(count):
        group = i % 3
        words = draw.sample(WORDS[group], 2)
        given = [GROUPS[group], *draw.sample(WORDS[group], tags), draw.choice(WORDS[draw.randrange(3)])]
        listed = ",".join(f'"{tag}"' for tag in dict.fromkeys(given))
        lines += (f'{{"id":"i{i}","title":"{" ".join(words)} {i % 7}","tags":[{listed}],'
                  f'"lat":{50 + group * 0.2 + draw.gauss(0, .002):.5f},'
                  f'"lon":{13 + draw.gauss(0, .002):.5f}'
                  + (f',"labels":{{"kind":"{GROUPS[group]}"}}' if labelled else "") + "}\n")
        rows += ",".join(f"{value + draw.gauss(0, 0.6):.4f}" for value in middles[group]) + "\n"
    return lines, rows


class Tasks(MpiTest):
    def setUp(self):
        super().setUp()
        self.make_library()
        for name, seed, tags in (("photos", 1, 1), ("gallery", 2, 2)):
            lines, rows = items(150, seed, tags)
            self.add(name, self.write(f"{name}.jsonl", lines))
            self.json("features", self.library, name, "--name", "look", "--from",
                      self.write(f"{name}.csv", rows))

    def assert_close(self, found, expected, relative, where=""):
        if isinstance(expected, dict):
            self.assertEqual(list(found), list(expected), where)
            for key in expected:
                if key not in OF_THE_RUN:
                    self.assert_close(found[key], expected[key], relative, f"{where}.{key}")
        elif isinstance(expected, list):
            self.assertEqual(len(found), len(expected), where)
            for i, (a, b) in enumerate(zip(found, expected)):
                self.assert_close(a, b, relative, f"{where}[{i}]")
        elif isinstance(expected, float):
            self.assertAlmostEqual(found, expected, delta=relative * max(1, abs(expected)), msg=where)
        else:
            self.assertEqual(found, expected, where)

    def compare(self, *arguments, relative=1e-5, after=()):
        """What is printed, and what `after` prints then, for 1, 2 and 4 ranks as by one process.

        The library of each is a copy of the one at hand, which is as the one process leaves it in
        the end."""
        before = self.folder / "before"
        shutil.copytree(self.library, before)
        self.addCleanup(shutil.rmtree, before, ignore_errors=True)
        expected = self.json(*arguments)
        answer = self.json(*after) if after else None
        alone = self.folder / "alone"
        self.library.rename(alone)
        for ranks in (1, 2, 4):
            shutil.copytree(before, self.library)
            done = self.mpirun(ranks, *arguments, "--json")
            self.assert_close(self.parsed(done), expected, relative, f"{arguments} on {ranks}")
            if after:
                self.assert_close(self.json(*after), answer, relative, f"{after} after {ranks}")
            shutil.rmtree(self.library)
        alone.rename(self.library)
        shutil.rmtree(before)

    def test_detect(self):
        learn = ("learn", self.library, "detect", "--collection", "photos", "--min-uses", "5")
        found = ("detect", self.library, "Ölfass", "-l", "30")
        for way in ("raw", "smoothed", "axis", "anchors"):
            self.compare(*learn, "--representation", way, "--count", "20", "--anchors", "30",
                         after=("detect", self.library), relative=1e-4)
        self.compare(*learn, after=("detect", self.library), relative=1e-4)
        self.assertEqual(len(self.json(*found)["results"]), 30)
        self.compare("evaluate", "detect", self.library, "--collection", "photos", "--min-uses", "5",
                     "--labelled", "5", "--methods", "auto,svm,knn", "--repeat", "2")

    def test_search(self):
        search = ("search", self.library, "ship rope", "-l", "20")
        learn = ("learn", self.library, "search", "--target", "photos", "--rank", "6",
                 "--auxiliary-rank", "6")
        self.compare(*learn, "--auxiliary", "gallery", after=search, relative=1e-3)
        self.compare(*learn, after=search, relative=1e-3)
        self.compare("evaluate", "search", self.library, "--target", "photos", "--auxiliary",
                     "gallery", "--rank", "6", "--auxiliary-rank", "6", "--repeat", "3")

    def test_suggest(self):
        learn = ("learn", self.library, "suggest", "--collection", "photos", "--min-uses", "3",
                 "--features", "text", "--prototypes", "30")
        self.compare(*learn, after=("suggest", self.library, "--text", "water rope", "-t", "0"),
                     relative=1e-3)
        self.compare("learn", self.library, "suggest", "--collection", "photos", "--update")
        self.compare("evaluate", "suggest", self.library, "--collection", "photos", "--min-uses",
                     "3", "--features", "text", "--prototypes", "30", "--baselines",
                     "popular,knn", relative=1e-3)

    def test_classify(self):
        _, rows = items(120, 3, 1)
        table = self.write("table.csv", "".join(
            f"{line},{GROUPS[i % 3]}\n" for i, line in enumerate(rows.splitlines())))
        self.compare("evaluate", "classify", "--csv", table, "--repeat", "3", relative=1e-3)

    def test_relate(self):
        self.compare("learn", self.library, "relate", "--collections", "photos", "--gamma", "0.3",
                     "--dim", "6", after=("relate", self.library, "i4", "-l", "3"), relative=1e-4)
        self.compare("cluster", self.library, "--k", "3", relative=1e-4)
        self.compare("learn", self.library, "relate", "--update", relative=1e-4)
        self.compare("evaluate", "relate", self.library, "--collections", "photos", "--gamma",
                     "0.3", "--dim", "6", "--repeat", "2", relative=1e-4)

    def test_transfer(self):
        lines, _ = items(90, 7, 1, labelled=False)
        self.add("letters", self.write("letters.jsonl", lines))
        ends = ("--source", "photos", "--target", "letters", "--label-field", "kind")
        self.compare("bridges", self.library, *ends, relative=1e-4)
        self.compare("transfer", self.library, *ends, "--through", "gallery", "--force",
                     after=("show", self.library, "letters", "i5"), relative=1e-4)
        self.compare("transfer", self.library, *ends, "--through", "gallery", "--undo")
        self.compare("evaluate", "transfer", self.library, "--source", "photos", "--target",
                     "gallery", "--label-field", "kind", "--methods", "commonplace,words",
                     "--repeat", "2", relative=1e-3)

    def test_features(self):
        listing = ("features", self.library, "photos")
        for what in (["--text"], ["--tags"], ["--tags", "--plsa", "--topics", "4"],
                     ["--name", "again", "--from", self.folder / "photos.csv"]):
            self.compare(*listing, *what, after=listing)
        # Topics have the same numbers: they lead to the same detector.
        self.compare("learn", self.library, "detect", "--collection", "photos", "--features",
                     "topics", "--representation", "raw", "--min-uses", "5")

    def test_features_of_pictures(self):
        for i in range(30):
            self.write(f"pictures/{i:04}.png", png(i))
        self.write("pictures/broken.png", png(30))
        self.add("pictures", self.folder / "pictures")
        self.write("pictures/broken.png", png(30)[:300])
        for image in ("gist", "sift"):
            make = ("features", self.library, "pictures", "--image", image, "--dim", "8")
            expected = self.json(*make, code=3)
            self.json("remove", self.library, "pictures", "--features", image)
            found = self.parsed(self.mpirun(3, *make, "--relearn", "--json", code=3))
            self.assert_close(found, expected, 1e-6)
            self.assertEqual(found["encoded"], 30)
            self.assertEqual([each["id"] for each in found["skipped"]], ["broken.png"])
            again = self.parsed(self.mpirun(2, *make, "--json", code=3))
            self.assertEqual((again["encoded"], again["kept"]), (0, 30))

    def long_learning(self):
        """Three ranks in the midst of a fit that would take hours."""
        return subprocess.Popen(
            ["mpirun", "-n", "3", MPI_PROGRAM, "learn", self.library, "search", "--target",
             "photos", "--shared", "0", "--iterations", "1000000000", "--tolerance", "0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)

    @staticmethod
    def ranks_of(process, seconds=0):
        """The ids of the ranks that have worked so long."""
        listed = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid=,cputimes=,args="],
                                capture_output=True, text=True).stdout.splitlines()
        return [int(line.split()[0]) for line in listed
                if "learn" in line and int(line.split()[1]) >= seconds]

    def wait_for(self, condition, what):
        end = time.monotonic() + TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def test_a_rank_killed_at_work_leaves_the_library_as_it_was(self):
        before = self.json("list", self.library)
        for victim in (0, 2):
            process = self.long_learning()
            self.wait_for(lambda: len(self.ranks_of(process, 1)) == 3, "no ranks at work")
            ranks = self.ranks_of(process)
            os.kill(ranks[victim], signal.SIGKILL)
            output, error = process.communicate(timeout=TIMEOUT)
            self.assertNotEqual(process.returncode, 0, error)
            self.assertEqual(output, "")
            for pid in ranks:
                self.assertFalse(goes_on(pid), "a rank goes on")
        self.assertEqual(self.json("list", self.library), before)
        self.assertEqual([*(self.library / "models").glob("*")], [])

    def test_a_job_that_was_killed_goes_on_from_its_checkpoint(self):
        learn = ["learn", self.library, "search", "--target", "photos", "--auxiliary", "gallery",
                 "--shared", "3", "--rank", "6", "--auxiliary-rank", "6", "--tolerance", "0",
                 "--iterations", "3000"]
        kept = self.folder / "kept"
        whole = self.parsed(self.mpirun(2, *learn, "--json"))
        keep = [*learn, "--checkpoint", kept, "--checkpoint-seconds", "0"]
        process = subprocess.Popen(["mpirun", "-n", "2", MPI_PROGRAM, *keep],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=ENVIRONMENT)
        note = kept / "shared-subspace/latest"
        self.wait_for(lambda: note.exists() and int(note.read_text().split()[0]) >= 20,
                      "no checkpoint was kept")
        ranks = self.ranks_of(process)
        os.kill(ranks[1], signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)
        for pid in ranks:
            self.assertFalse(goes_on(pid), "a rank goes on")
        self.assertTrue(note.exists(), "it had ended before it was killed")
        done = self.mpirun(3, *keep, code=1)
        self.assertIn("was kept by 2 ranks, and there are 3", done.stderr)
        resumed = self.parsed(self.mpirun(2, *learn, "--checkpoint", kept, "--json"))
        self.assertEqual(resumed["fit"], whole["fit"])
        self.assertFalse(kept.exists(), "what is learned needs no checkpoint")

    def test_what_one_rank_cannot_do_ends_all(self):
        shutil.rmtree(self.library / "models", ignore_errors=True)
        (self.library / "models").write_text("not a folder")
        done = self.mpirun(3, "learn", self.library, "detect", "--collection", "photos", "--min-uses",
                           "5", code=1)
        self.assertRegex(done.stderr, r"commonplace: rank 0 of 3 \(\S+\): .*models")
        self.assertEqual(done.stdout, "")

    def test_errors_of_all_ranks_are_told_once(self):
        done = self.mpirun(3, "learn", self.library, "detect", "--collection", "nowhere", code=1)
        self.assertEqual(done.stderr.count("there is no collection 'nowhere'"), 1, done.stderr)


if __name__ == "__main__":
    main()
