"""Faults that are planted among tags are found, asked for and answered."""
import random

from commonplace import CommandLineTest, main

TOPICS = ["harbour", "forest", "kitchen", "desert"]


class Audit(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()
        draw = random.Random(4)
        lines = []
        for i in range(320):
            topic = i % 4
            words = " ".join(f"{TOPICS[topic][:3]}word{draw.randrange(12)}" for _ in range(8))
            tags = [TOPICS[topic], "note"]
            if i < 8:  # wrong: another topic's tag
                tags[0] = TOPICS[(topic + 1) % 4]
            lines.append('{"id":"n%d","text":"%s","tags":["%s"]}' % (i, words, '","'.join(tags)))
        self.add("notes", self.write("notes.jsonl", "\n".join(lines)))

    def audit(self, *words):
        return self.json("audit", self.library, "notes", *words)

    def test_faults_come_first_and_are_answered(self):
        failed = self.run_program("audit", self.library, "notes", "--last", code=1)
        self.assertIn("leave out --last", failed.stderr)
        found = self.audit("--limit", "8")
        self.assertEqual((found["items"], found["given"]), (320, 640))
        planted = {f"n{i}" for i in range(8)}
        self.assertGreaterEqual(len({each["id"] for each in found["wrong"]} & planted), 7)
        self.assertGreaterEqual(len({each["id"] for each in found["missing"]} & planted), 7)
        first = found["wrong"][0]
        self.assertEqual(first["kind"], "wrong")
        self.assertIn("by what other items teach", first["reason"])
        self.assertLess(first["confidence"], first["usual"])
        self.assertEqual(self.audit("--last", "--limit", "8")["wrong"], found["wrong"])
        shown = self.output("audit", self.library, "notes", "--last", "--wrong", "--limit", "3")
        self.assertIn("PROBABLY WRONG", shown)
        self.assertNotIn("PROBABLY MISSING", shown)
        self.output("audit", self.library, "notes", "--last", "--wrong", "--review", input="n\ny\nq\n")
        left = self.audit("--last", "--limit", "8")["wrong"]
        answered = [(each["id"], each["tag"]) for each in found["wrong"][:2]]
        self.assertFalse({(each["id"], each["tag"]) for each in left} & set(answered))
        self.assertNotIn(answered[0][1], self.tags_of(self.library, "notes", answered[0][0]))

    def test_the_measurement_plants_and_finds(self):
        measured = self.json("evaluate", "audit", self.library, "--collection", "notes", "--repeat", "1")
        ours, cleanlab = measured["methods"][:2]
        self.assertEqual((ours["method"], cleanlab["method"]), ("commonplace", "self-confidence"))
        self.assertGreater(measured["swapped"], 10)
        self.assertGreater(ours["wrong_auc"], 0.9)
        self.run_program("evaluate", "audit", self.library, "--collection", "notes", "--swapped", "2", code=1)

    def test_a_simulated_reviewer_teaches_and_is_told_honest_chances(self):
        measured = self.json("evaluate", "review", self.library, "--collection", "notes", "--answers", "60",
                             "--batch", "30")
        orders = {each["order"]: each for each in measured["orders"]}
        self.assertEqual(set(orders), {"confident", "random", "useful"})
        for each in orders.values():
            self.assertEqual(len(each["ndcg@5"]), 3)
            self.assertTrue(0 <= each["calibration_error"] <= 1)
            self.assertTrue(0 < each["yes"] <= 1)
        self.run_program("evaluate", "review", self.library, "--collection", "notes", "--tagged", "0", code=1)
        self.json("learn", self.library, "suggest", "--collection", "notes")
        queue = self.json_lines("review", self.library, "--collection", "notes", "--order", "useful", "--json", "-t", "0",
                                "--limit", "6")
        self.assertGreaterEqual(len({each["suggestion"] for each in queue}), 3, "all tags in turn")
        self.assertEqual(len({each["id"] for each in queue}), 6)


if __name__ == "__main__":
    main()
