"""The vocabulary from the command line: what it shows, what it changes, and that it can be taken back."""
from commonplace import CommandLineTest, main

NOTES = "\n".join(
    '{"id":"n%d","text":"note","tags":["%s","%s"]}' % (i, ["owls", "Owl", "animals/gull"][i % 3], ["a", "b"][i % 2])
    for i in range(12))


class Vocabulary(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()
        self.add("notes", self.write("notes.jsonl", NOTES))

    def vocabulary(self, *words, **options):
        return self.json("vocabulary", self.library, *words, **options)

    def tree(self, *words):
        return {each["tag"]: (each["items"], each["below"]) for each in self.vocabulary(*words)["tags"]}

    def test_shows_changes_and_takes_back(self):
        before = self.tree()
        self.assertEqual(before, {"a": (6, 6), "animals": (0, 4), "animals/gull": (4, 4), "b": (6, 6), "Owl": (4, 4),
                                  "owls": (4, 4)})
        self.assertIn("  gull", self.output("vocabulary", self.library))
        merged, nested = self.vocabulary("--merge", "owls", "owl", "--nest", "owl", "animals")["changes"]
        self.assertEqual((merged["do"], merged["tag"], merged["to"], merged["items"]), ("merge", "owls", "Owl", 4))
        self.assertEqual(nested["items"], 8)
        self.assertEqual(self.tree("--under", "animals"),
                         {"animals": (0, 12), "animals/gull": (4, 4), "animals/Owl": (8, 8)})
        self.assertEqual(self.tags_of(self.library, "notes", "n0")[0], "animals/Owl")
        self.assertEqual(len(self.json("search", self.library, "#animals/owl", "--collection", "notes")["hits"]), 8)
        described, = self.vocabulary("--describe", "animals/owl", "by night")["changes"]
        self.assertEqual(described["after"]["description"], "by night")
        history = self.vocabulary("--history")
        self.assertEqual([each["do"] for each in history["changes"]], ["describe", "nest", "merge"])
        self.assertTrue(history["changes"][0]["who"])
        undone = self.vocabulary("--undo", merged["change"])
        self.assertTrue(undone["undone"])
        self.assertEqual(self.tree()["owls"], (4, 4))
        self.vocabulary("--undo", described["change"])
        self.vocabulary("--undo", nested["change"])
        self.assertEqual(self.tree(), before)
        self.vocabulary("--restore", merged["change"])
        self.assertEqual(self.tree()["Owl"], (8, 8))

    def test_candidates_are_merged_in_bulk_and_kept_apart(self):
        found = self.vocabulary("--candidates")["candidates"]
        self.assertEqual([(each["tag"], each["into"], each["why"]) for each in found][0], ("owls", "Owl", "plural"))
        self.vocabulary("--apart", "owls", "owl")
        self.assertEqual(self.vocabulary("--merge-candidates", "--above", "0.8")["changes"], [])
        keep = self.vocabulary("--history")["changes"][0]["change"]
        self.vocabulary("--undo", keep)
        self.assertEqual(len(self.vocabulary("--merge-candidates", "--above", "0.8")["changes"]), 1)
        self.assertEqual(self.tree()["Owl"], (8, 8))

    def test_splits_hides_and_deletes(self):
        split, = self.vocabulary("--split", "a", "c", "--collection", "notes", "--items", "n0", "n2")["changes"]
        self.assertEqual((split["items"], self.tree()["c"], self.tree()["a"]), (2, (2, 2), (4, 4)))
        self.vocabulary("--delete", "b", "--hide", "a")
        self.assertNotIn("b", self.tree("--all"))
        self.assertNotIn("a", self.tree())
        self.assertIn("a", self.tree("--all"))
        self.vocabulary("--show", "a", "--manual", "a", "--colour", "a", "#AA3311")
        shown = {each["tag"]: each for each in self.vocabulary()["tags"]}["a"]
        self.assertEqual((shown["manual"], shown["colour"]), (True, "#aa3311"))

    def test_thesauri_go_out_and_come_in(self):
        self.vocabulary("--rename", "animals", "fauna")
        self.output("vocabulary", self.library, "--export", self.folder / "tags.ttl")
        self.assertIn("skos:prefLabel \"gull\"", (self.folder / "tags.ttl").read_text())
        self.assertIn("core#broader> <", self.output("vocabulary", self.library, "--export", self.folder / "tags.nt")
                      + (self.folder / "tags.nt").read_text())
        thesaurus = self.write("t.ttl", "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n"
                               "<u:bird> s:prefLabel 'Vogel'@de, 'bird'@en . "
                               "<u:owl> s:prefLabel 'Eule'@de, 'owl'@en ; s:altLabel 'owls' ; s:broader <u:bird> .")
        self.vocabulary("--import", thesaurus, "--language", "de")
        self.assertEqual(self.tree()["Vogel/Eule"], (8, 8))

    def test_says_what_is_wrong_and_changes_nothing(self):
        for words, reason in [
                (("--rename", "dodo", "x"), "no tag 'dodo'"),
                (("--rename", "owls", "owl"), "merge"),
                (("--merge", "owls", "x"), "no tag 'x'"),
                (("--nest", "animals", "animals/gull"), "below itself"),
                (("--split", "a", "c"), "--items"),
                (("--colour", "a", "red"), "#aa3311"),
                (("--undo", "99"), "no change 99"),
                (("--import", self.write("bad.ttl", "<a> <b>")), "line 1")]:
            failed = self.run_program("vocabulary", self.library, *words, code=1)
            self.assertIn(reason, failed.stderr, words)
        self.assertEqual(self.vocabulary("--history")["changes"], [])


if __name__ == "__main__":
    main()
