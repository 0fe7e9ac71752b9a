"""Decisions that travel between libraries, from the command line."""
import os

from commonplace import CommandLineTest, main

NOTES = '{"id":"a","tags":["x"]}\n{"id":"b","tags":[]}'


class Decisions(CommandLineTest):
    def library_of(self, person):
        library = self.folder / person
        self.output("init", library)
        self.json("add", library, "notes", self.write("notes.jsonl", NOTES))
        return library

    def decide(self, person, library, *words):
        self.output("tag", library, "notes", *words, env={**os.environ, "COMMONPLACE_PERSON": person})

    def tags(self, library):
        return {item: sorted(self.tags_of(library, "notes", item)) for item in ("a", "b")}

    def test_two_people_come_to_the_same(self):
        ann, bob = self.library_of("ann"), self.library_of("bob")
        self.decide("Ann", ann, "a", "--add", "sea")
        self.decide("Ann", ann, "b", "--add", "sky")
        self.decide("Bob", bob, "b", "--add", "sky", "--add", "night")
        self.decide("Bob", bob, "a", "--reject", "x")
        for library, other in ((ann, bob), (bob, ann)):
            self.output("decisions", "export", other, self.folder / "log.jsonl")
            merged = self.json("decisions", "merge", library, self.folder / "log.jsonl")
            self.assertEqual(merged["read"], merged["new"] + merged["known"])
        self.assertEqual(self.tags(ann), {"a": ["sea"], "b": ["night", "sky"]})
        self.assertEqual(self.tags(bob), self.tags(ann))
        again = self.json("decisions", "merge", bob, self.folder / "log.jsonl")
        self.assertEqual((again["new"], again["conflicts"]), (0, []))
        log = self.json_lines("decisions", "export", ann)
        self.assertEqual({each["who"] for each in log}, {"Ann", "Bob"})
        self.assertEqual({each["verdict"] for each in log}, {"accepted", "rejected"})
        self.decide("Bob", bob, "a", "--reject", "sea")
        self.output("decisions", "export", bob, self.folder / "log.jsonl")
        conflict, = self.json("decisions", "merge", ann, self.folder / "log.jsonl")["conflicts"]
        self.assertEqual((conflict["item"], conflict["tag"], conflict["in_force"]), ("a", "sea", "rejected"))
        self.assertEqual([each["who"] for each in conflict["said"]], ["Bob", "Ann"])
        self.assertEqual(self.tags(ann)["a"], [])
        self.assertEqual(self.json("decisions", "conflicts", ann)["conflicts"], [conflict])
        self.assertIn("Ann accepted", self.output("decisions", "conflicts", ann))

    def test_what_is_no_log_changes_nothing(self):
        ann = self.library_of("ann")
        failed = self.run_program("decisions", "merge", ann, self.write("bad.jsonl", "{}\n"), code=1)
        self.assertIn("line 1", failed.stderr)
        self.assertEqual(self.output("decisions", "export", ann), "")


if __name__ == "__main__":
    main()
