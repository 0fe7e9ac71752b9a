"""Relating photographs, tags, words and places from the command line."""
import random

from commonplace import CommandLineTest, main

GROUPS = ["owl", "Ölfass", "harbour"]
WORDS = ["night feather", "workshop grease", "water ship"]


class Relate(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def add_photos(self, count=120):
        """Photo i is of group i % 3: it looks, is tagged, is called and lies like the group."""
        draw = random.Random(3)
        middles = [[draw.gauss(0, 1) for _ in range(6)] for _ in GROUPS]
        lines, rows = "", ""
        for i in range(count):
            group = i % 3
            tags = f'"{GROUPS[group]}","photo"' if i % 4 else ""
            place = f',"lat":{50 + group * 0.2 + draw.gauss(0, .002):.5f},"lon":{13 + draw.gauss(0, .002):.5f}'
            lines += f'{{"id":"p{i}","title":"{WORDS[group]}","tags":[{tags}]{place if i % 5 else ""}}}\n'
            rows += ",".join(f"{middle + draw.gauss(0, 0.4):.4f}" for middle in middles[group]) + "\n"
        self.add("photos", self.write("photos.jsonl", lines))
        self.json("features", self.library, "photos", "--name", "look", "--from", self.write("look.csv", rows))

    def learn(self, *arguments, code=0):
        return self.json("learn", self.library, "relate", "--collections", "photos", "--gamma", "0.3",
                         "--dim", "6", *arguments, code=code)

    def test_from_learning_to_answers(self):
        self.add_photos()
        learned = self.learn()
        self.assertEqual([each["kind"] for each in learned["kinds"]],
                         ["photos", "photos/text", "photos/tags", "photos/places"])
        self.assertTrue(learned["converged"])
        self.assertLess(learned["residual"], 1e-8)
        found = self.json("relate", self.library, "p4", "--explain", "-l", "3")
        kinds = {each["kind"]: each["things"] for each in found["kinds"]}
        self.assertIn("Ölfass", [each["name"] for each in kinds["photos/tags"]])
        self.assertTrue(all(int(each["name"][1:]) % 3 == 1 for each in kinds["photos"]))
        self.assertIn("photos/text", kinds["photos/tags"][0]["reasons"])
        unplaced = self.json("relate", self.library, "p5")
        self.assertAlmostEqual(unplaced["guess"]["latitude"], 50.4, delta=0.05)
        by_tag = self.json("relate", self.library, "--tag", "ölfass", "--kinds", "places", "-l", "1")
        self.assertTrue(by_tag["kinds"][0]["things"][0]["name"].startswith("50.2")
                        or by_tag["kinds"][0]["things"][0]["name"].startswith("50.19"))
        at = self.json("relate", self.library, "--at", "50.4,13", "--kinds", "tags", "-l", "2")
        self.assertIn("harbour", [each["name"] for each in at["kinds"][0]["things"]])
        text = self.output("relate", self.library, "--text", "night feather", "--kinds", "tags")
        self.assertIn("owl", text)
        self.assertIn("LIKELY", text)

    def test_answers_stand_in_the_order_of_their_figure(self):
        self.add_photos()
        self.learn()
        text = self.output("relate", self.library, "p4", "--kinds", "photos,tags,places", "-q")
        self.assertIn("photos/tags:", text)
        self.assertNotIn("as often as chance", text)
        lists, figures = [], None
        for line in text.splitlines():
            if line.startswith("SCORE"):
                figures = []
                lists.append(figures)
            elif figures is not None and line[0].isdigit():
                figures.append(float(line.split()[0]))
        self.assertEqual(len(lists), 3)
        for figures in lists:
            self.assertEqual(figures[0], 1)
            self.assertEqual(figures, sorted(figures, reverse=True))

    def test_far_away_nothing_is_near(self):
        self.add_photos()
        self.learn()
        found = self.json("relate", self.library, "--at", "46.5,10.5")
        self.assertGreater(found["nearest"], 300_000)
        self.assertTrue(all(each["things"] == [] for each in found["kinds"]))
        text = self.output("relate", self.library, "--at", "46.5,10.5", "-q")
        self.assertRegex(text, r"Nothing is near the place: .* km away")
        self.assertNotIn("harbour", text)

    def test_groups_and_map(self):
        self.add_photos()
        self.learn()
        groups = self.json("cluster", self.library, "--k", "3")["groups"]
        self.assertEqual(len(groups), 3)
        self.assertEqual(sum(each["things"] for each in groups),
                         sum(kind["things"] for each in groups for kind in each["kinds"]))
        page = self.folder / "map.html"
        self.json("map", self.library, "--out", page)
        content = page.read_text()
        self.assertIn("Ölfass", content)
        self.assertIn("<svg", content)
        self.assertIn("Group 1", self.output("cluster", self.library, "--k", "2"))

    def test_an_update(self):
        self.add_photos(90)
        self.learn()
        self.add_photos(120)
        updated = self.json("learn", self.library, "relate", "--update")
        self.assertEqual(updated["kinds"][0]["things"], 120)
        self.assertTrue(updated["converged"])

    def test_wrong_arguments(self):
        self.assertIn("no collections", self.run_program("learn", self.library, "relate", code=1).stderr)
        self.add_photos(30)
        self.assertIn("learn one", self.run_program("relate", self.library, "p1", code=1).stderr)
        self.assertIn("photos", self.run_program("learn", self.library, "relate", "--collections", "cats",
                                                 code=1).stderr)
        self.learn()
        self.assertIn("degrees", self.run_program("relate", self.library, "--at", "north", code=1).stderr)
        self.run_program("relate", self.library, "nobody", code=1)
        self.run_program("relate", self.library, "--limit", "x", "p1", code=2)
        self.run_program("map", self.library, code=2)
        for command in (("relate",), ("cluster",), ("map",), ("learn", self.library, "relate")):
            self.assertIn("commonplace", self.output(*command, "--help"))


if __name__ == "__main__":
    main()
