"""Labels across collections that share nothing, from the command line."""
import random

from commonplace import CommandLineTest, main

CLASSES = ["gut", "schlecht é"]


class Transfer(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def lines(self, name, block, labelled, count=100):
        """Items of two classes; a collection has the words of blocks `block` and `block` + 1."""
        draw = random.Random(f"{name}{block}")
        result = ""
        for i in range(count):
            words = []
            for _ in range(14):
                of_class = i % 2 if draw.random() > 0.2 else draw.randrange(2)
                words.append(f"w{block + draw.randrange(2)}c{of_class}n{draw.randrange(10)}x")
            label = f',"label":"{CLASSES[i % 2]}"' if labelled else ""
            result += f'{{"id":"{name}{i}","text":"{" ".join(words)}"{label}}}\n'
        return result

    def add_chain(self):
        for block, name in enumerate(["letters", "diaries", "notes"]):
            self.add(name, self.write(f"{name}.jsonl", self.lines(name, block, block == 0)))

    def right(self, predictions):
        return sum(CLASSES.index(each["label"]) == int(each["item"][5:]) % 2
                   for each in predictions) / len(predictions)

    def test_from_bridges_to_labels_and_back(self):
        self.add_chain()
        ends = ["--source", "letters", "--target", "notes"]
        ranked = self.json("bridges", self.library, *ends)
        self.assertEqual(ranked["bridges"][0]["name"], "diaries")
        self.assertTrue(ranked["bridges"][0]["only_way"])
        self.assertIn("trials", ranked["forecast_quality"])
        self.assertIn("the only way", self.output("bridges", self.library, *ends))
        found = self.json("transfer", self.library, *ends)
        self.assertEqual(found["through"], ["diaries"])
        self.assertEqual(found["written"], 100)
        self.assertGreater(self.right(found["predictions"]), 0.9)
        shown = self.json("show", self.library, "notes", "notes1")["machine_labels"]
        self.assertEqual(shown[0]["model"], "letters-to-notes")
        self.assertIn("(machine: letters-to-notes", self.output("show", self.library, "notes", "notes1"))
        self.assertEqual(self.json("transfer", self.library, *ends, "--undo")["removed"], 100)
        self.assertNotIn("machine_labels", self.json("show", self.library, "notes", "notes1"))

    def test_refuses_and_is_forced(self):
        self.add_chain()
        ends = ["--source", "letters", "--target", "notes", "--direct"]
        refused = self.run_program("transfer", self.library, *ends, code=4)
        self.assertIn("hardly a feature in common", refused.stderr)
        self.assertTrue(self.json("transfer", self.library, *ends, code=4)["refused"])
        self.assertIn("Against advice",
                      self.run_program("transfer", self.library, *ends, "--force").stderr)

    def test_chain(self):
        self.add_chain()
        self.add("scraps", self.write("scraps.jsonl", self.lines("notes", 3, False)))
        found = self.json("transfer", self.library, "--source", "letters", "--target", "scraps",
                          "--chain", "auto", "--dry-run")
        self.assertEqual(found["through"], ["diaries", "notes"])
        self.assertEqual((found["sure"], found["written"]), (len(found["predictions"]), 0))
        self.assertGreater(self.right(found["predictions"]), 0.9)

    def test_evaluation_of_files(self):
        files = [self.write(f"{name}.jsonl", self.lines(name, block, True))
                 for block, name in enumerate(["letters", "diaries", "notes"])]
        plot = self.folder / "plot.svg"
        found = self.json("evaluate", "transfer", "--source", files[0], "--intermediate", files[1],
                          "--target", files[2], "--cluster-counts", "4,8", "--plot", plot,
                          "--methods", "commonplace,svm")
        self.assertEqual([(each["method"], each["clusters"]) for each in found["methods"]],
                         [("commonplace", 4), ("svm", 4), ("commonplace", 8), ("svm", 8)])
        self.assertGreater(found["methods"][0]["accuracy"], 0.9)
        self.assertIn("<svg", plot.read_text())
        text = self.output("evaluate", "transfer", "--source", files[0], "--intermediate", files[1],
                           "--target", files[2], "--methods", "naive-bayes")
        self.assertIn("RIGHT, %", text)

    def test_a_plot_is_never_the_end_of_an_evaluation(self):
        files = [self.write(f"{name}.jsonl", self.lines(name, block, True))
                 for block, name in enumerate(["letters", "diaries", "notes"])]
        ends = ["evaluate", "transfer", "--source", files[0], "--intermediate", files[1], "--target"]
        plot = self.folder / "plot.svg"
        text = self.output(*ends, files[2], "--methods", "naive-bayes", "--plot", plot)
        self.assertIn("RIGHT, %", text)
        self.assertIn("<svg", plot.read_text())
        # A file that cannot be written is told before anything is read.
        done = self.run_program(*ends, self.folder / "absent", "--plot",
                                self.folder / "nowhere" / "plot.svg", code=1)
        self.assertIn("plot.svg", done.stderr)
        self.assertIn("is a folder", self.run_program(*ends, files[2], "--plot", self.folder, code=1).stderr)

    def test_quiet_keeps_the_result(self):
        self.add_chain()
        ends = ["transfer", self.library, "--source", "letters", "--target", "notes",
                "--through", "diaries", "--dry-run"]
        self.assertIn("REACHED", self.output(*ends))
        quiet = self.output(*ends, "-q")
        self.assertIn("Would write", quiet)
        self.assertNotIn("REACHED", quiet)

    def test_wrong_arguments(self):
        self.add_chain()
        for arguments, message in [
            (["--source", "letters", "--target", "nowhere"], "no collection 'nowhere'"),
            (["--source", "notes", "--target", "letters"], "no labels to transfer"),
            (["--source", "letters", "--target", "notes", "--above", "2"], "expected 0 to 1"),
            (["--source", "letters", "--target", "letters"], "named twice"),
        ]:
            self.assertIn(message, self.run_program("transfer", self.library, *arguments, code=1).stderr)
        self.run_program("transfer", self.library, code=2)
        self.assertIn("Examples", self.output("transfer", "--help"))
        empty = self.folder / "empty"
        self.output("init", empty)
        self.assertIn("no collection", self.run_program(
            "transfer", empty, "--source", "a", "--target", "b", code=1).stderr)


if __name__ == "__main__":
    main()
