"""Teaching and detecting concepts from the command line."""
import random

from commonplace import CommandLineTest, main

GROUPS = ["owl", "Ölfass", "harbour"]


class Detect(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def add_photos(self, count=90):
        """Photo i is of group i % 3, around a direction of its own; every second one is tagged."""
        draw = random.Random(3)
        middles = [[draw.gauss(0, 1) for _ in range(6)] for _ in GROUPS]
        lines, rows = "", ""
        for i in range(count):
            tags = f'"{GROUPS[i % 3]}"' if i % 2 == 0 else ""
            lines += f'{{"id":"p{i}","tags":[{tags}]}}\n'
            rows += ",".join(f"{middle + draw.gauss(0, 0.4):.4f}" for middle in middles[i % 3]) + "\n"
        self.add("photos", self.write("photos.jsonl", lines))
        self.json("features", self.library, "photos", "--name", "look", "--from", self.write("look.csv", rows))

    def learn(self, *arguments, code=0):
        return self.json("learn", self.library, "detect", "--collection", "photos", *arguments, code=code)

    def group_of(self, found):
        return [int(each["id"][1:]) % 3 for each in found["results"]]

    def test_teaching_a_concept(self):
        self.add_photos()
        learned = self.learn("--concepts-from", "none")
        self.assertEqual((learned["items"], learned["concepts"]), (90, 0))
        taught = self.json("teach", self.library, "Round thing", "--yes", "p1,p4", "--no", "p0,p2")
        self.assertEqual((taught["shown"], taught["not_shown"]), (2, 2))
        found = self.json("detect", self.library, "round THING", "-l", "20")
        self.assertEqual(len(found["results"]), 20)
        self.assertGreaterEqual(self.group_of(found).count(1), 19)
        uncertain = self.json("detect", self.library, "round thing", "--uncertain", "-l", "5")
        self.assertEqual(len(uncertain["results"]), 5)
        self.assertNotIn("p1", [each["id"] for each in uncertain["results"]])
        self.json("teach", self.library, "round thing", "--forget", "p1,p4,p0,p2")
        self.run_program("detect", self.library, "round thing", code=1)

    def test_concepts_from_tags(self):
        self.add_photos()
        learned = self.learn("--min-uses", "5")
        self.assertEqual((learned["concepts"], learned["labelled"]), (3, 45))
        self.assertGreater(len(learned["tried"]), 5)
        listed = self.json("detect", self.library)
        self.assertEqual({each["concept"]: each["tagged"] for each in listed["concepts"]},
                         {name: 15 for name in GROUPS})
        found = self.json("detect", self.library, "ölfass", "-l", "25")
        self.assertGreaterEqual(self.group_of(found).count(1), 23)
        self.assertTrue(all(0 <= each["confidence"] <= 1 for each in found["results"]))
        text = self.output("detect", self.library, "owl", "-l", "3")
        self.assertIn("SURE", text)

    def test_update(self):
        self.add_photos(60)
        self.learn("--min-uses", "5")
        self.json("tag", self.library, "photos", "p1", "--add", "owl")
        updated = self.learn("--update")
        self.assertEqual((updated["changed_items"], updated["new_items"]), (1, 0))

    def test_update_takes_new_items_into_the_statistics(self):
        self.add_photos(60)
        self.learn("--min-uses", "5", "--representation", "axis")
        self.add_photos(63)
        updated = self.learn("--update")
        self.assertEqual((updated["new_items"], updated["statistics_items"], updated["refreshed"]), (3, 3, False))
        self.add_photos(90)
        said = self.output("learn", self.library, "detect", "--collection", "photos", "--update")
        self.assertIn("coded 27 new items, took 27 items into the statistics and refreshed the coordinates", said)
        found = self.json("detect", self.library, "owl", "-l", "25")
        self.assertGreaterEqual(self.group_of(found).count(0), 20)
        self.assertEqual(self.learn("--update")["statistics_items"], 0)

    def test_evaluate(self):
        self.add_photos()
        result = self.json("evaluate", "detect", self.library, "--collection", "photos", "--min-uses", "5",
                           "--labelled", "4", "--repeat", "1", "--methods", "auto,svm,knn",
                           "--plot", self.folder / "plot.svg")
        self.assertEqual([each["method"] for each in result["methods"]], ["auto", "svm", "knn"])
        for each in result["methods"]:
            self.assertGreater(each["miap"]["value"], 0.6)
        self.assertIn("<svg", (self.folder / "plot.svg").read_text())

    def test_mistakes(self):
        self.assertIn("commonplace add", self.run_program("teach", self.library, "x", "--yes", "a", code=1).stderr)
        self.assertIn("learn", self.run_program("detect", self.library, "x", code=1).stderr)
        self.add_photos(30)
        self.assertIn("--yes", self.run_program("teach", self.library, "x", code=1).stderr)
        self.assertIn("'nobody'", self.run_program("teach", self.library, "x", "--yes", "nobody", code=1).stderr)
        self.assertIn("no representation", self.run_program(
            "learn", self.library, "detect", "--collection", "photos", "--representation", "odd", code=1).stderr)
        self.assertIn("--features", self.run_program("evaluate", "detect", code=1).stderr)
        self.learn("--concepts-from", "none")
        self.assertIn("--yes ID", self.run_program("detect", self.library, "x", code=1).stderr)
        self.run_program("detect", self.library, "x", "-l", "0", code=1)


if __name__ == "__main__":
    main()
