"""Learning, searching, topics and evaluating as a user types them."""
import json
import random
import signal
import stat
import subprocess
import time
import xml.etree.ElementTree

from commonplace import PROGRAM, CommandLineTest, main

TOPICS = [words.split() for words in (
    "harbour ship sail gull wave lighthouse tide pier",
    "forest oak fern moss owl fox acorn bark",
    "railway engine station steam bridge tunnel signal carriage",
    "kitchen bread oven flour butter cake spoon apron",
    "orchestra violin cello flute drum concert stage conductor",
    "mountain glacier summit rope snow ridge valley tent")]
SMALL = ("--rank", "6", "--auxiliary-rank", "6")


def planted(first, items, tags, seed):
    """Item i is of topic i % 6 and has some words of that topic as tags."""
    draw = random.Random(seed)
    return "".join(
        json.dumps({"id": f"{first}-{i}", "title": f"Number {i}",
                    "tags": draw.sample(TOPICS[i % 6], tags)}) + "\n" for i in range(items))


class SearchTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def add_planted(self):
        self.add("photos", self.write("photos.jsonl", planted("photo", 240, 4, 1)))
        self.add("gallery", self.write("gallery.jsonl", planted("picture", 240, 6, 2)))

    def learn(self, *arguments, **options):
        return self.json("learn", self.library, "search", "--target", "photos", "--auxiliary",
                         "gallery", *SMALL, *arguments, **options)

    def found(self, *arguments):
        return [hit["id"] for hit in self.json("search", self.library, *arguments)["hits"]]

    def refused(self, *arguments, code=1):
        """The message; nothing must be printed as a result."""
        done = self.run_program(*arguments, code=code)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("terminate", done.stderr)
        return done.stderr

    def models(self):
        return [each["name"] for each in self.json("list", self.library, "--models")["models"]]


class Help(SearchTest):
    def test_commands_have_help_with_examples(self):
        for command in (("search",), ("topics",), ("learn", self.library, "search"),
                        ("evaluate", "search")):
            text = self.output(*command, "--help")
            self.assertRegex(text, rf"Examples:\n.*commonplace {command[0]}\b")
            for flag in ("--json", "--quiet", "--jobs"):
                self.assertIn(flag, text)
        top = self.output("--help")
        for command in ("learn", "search", "topics", "evaluate"):
            self.assertRegex(top, rf"\n  {command}\b")
        text = self.output("learn", self.library, "search", "--help")
        for flag in ("--rank", "--shared", "--solver", "--text", "--no-text", "--stop-words"):
            self.assertIn(flag, text)

    def test_wrong_arguments(self):
        for arguments in (("search",), ("learn",), ("learn", self.library), ("evaluate",),
                          ("learn", self.library, "search"), ("topics",),
                          ("learn", self.library, "nonsense", "--target", "photos"),
                          ("evaluate", "search", self.library),
                          ("search", self.library, "x", "--no-such-flag"),
                          ("search", self.library, "x", "--limit", "many"),
                          ("learn", self.library, "search", "--target", "photos", "--rank", "x"),
                          ("search", self.library, "x", "--jobs", "-1")):
            self.assertNotEqual(self.refused(*arguments, code=2), "", arguments)


class Learning(SearchTest):
    def test_report(self):
        self.add_planted()
        report = self.learn()
        self.assertEqual(report["model"], "search.photos")
        self.assertEqual(report["items"], 240)
        self.assertEqual(report["terms"], 48)
        held_out = report["held_out"]
        self.assertGreater(held_out["borrowed"]["map"], held_out["words"]["map"])
        self.assertIn(report["lending"], ("target", "auxiliaries", "all"))
        self.assertIn("search.photos", self.models())

        text = self.output("learn", self.library, "search", "--target", "photos", *SMALL,
                           "--name", "alone")
        self.assertIn("own words alone", text)
        self.assertIn("Nothing to borrow from was named", text)
        self.assertIn("commonplace search", text)
        quiet = self.output("learn", self.library, "search", "--target", "photos", *SMALL, "-q")
        self.assertNotIn("Try:", quiet)

    def test_says_that_nothing_is_shared_when_that_does_not_help(self):
        draw = random.Random(3)
        words = sum(TOPICS, [])
        self.add_planted()
        self.add("noise", self.write("noise.jsonl", "".join(
            json.dumps({"id": f"n-{i}", "tags": draw.sample(words, 6)}) + "\n"
            for i in range(240))))
        arguments = ("learn", self.library, "search", "--target", "photos", "--auxiliary",
                     "noise", *SMALL)
        report = self.json(*arguments)
        self.assertEqual((report["lending"], report["shared"]), ("target", 0))
        self.assertIn("nothing is shared", self.output(*arguments))

    def test_sharing_by_number_rule_and_rank(self):
        self.add_planted()
        self.assertEqual(self.learn("--shared", "3")["shared"], 3)
        self.assertEqual(self.learn("--shared", "rule")["shared"], 5)
        self.assertIn(self.learn("--shared", "rank")["shared"], range(1, 7))

    def test_wrong_data_changes_nothing(self):
        self.add_planted()
        self.add("bare", self.write("bare.jsonl", '{"id":"1","text":"words only"}'))
        before = self.json("list", self.library)
        learn = ("learn", self.library, "search", "--target")
        self.assertIn("'nobody'", self.refused(*learn, "nobody"))
        self.assertIn("borrow from itself", self.refused(*learn, "photos", "--auxiliary", "photos"))
        self.assertIn("--text", self.refused(*learn, "bare"))
        self.assertIn("--text", self.refused(*learn, "photos", "--auxiliary", "gallery,bare"))
        self.assertIn("auto", self.refused(*learn, "photos", "--shared", "some"))
        self.assertIn("rank is 0", self.refused(*learn, "photos", "--rank", "0"))
        self.assertIn("hals", self.refused(*learn, "photos", "--solver", "magic"))
        self.assertEqual(self.json("list", self.library), before)
        self.assertEqual(self.models(), [])

    def test_interrupted(self):
        source = self.write("many.jsonl", planted("photo", 12000, 6, 1))
        self.add("photos", source)
        self.add("gallery", self.write("gallery.jsonl", planted("picture", 6000, 6, 2)))
        for pause in (0.2, 0.6):
            process = subprocess.Popen(
                [PROGRAM, "learn", self.library, "search", "--target", "photos", "--auxiliary",
                 "gallery", "--rank", "24", "--auxiliary-rank", "24", "--tolerance", "0"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(pause)
            process.send_signal(signal.SIGINT)
            output, message = process.communicate()
            self.assertEqual(process.returncode, 130, message)
            self.assertEqual(output, "")
            self.assertIn("nothing was changed", message)
            self.assertEqual(self.models(), [])
            self.assertEqual(list((self.library / "models").iterdir()), [])


class Searching(SearchTest):
    def test_an_empty_library(self):
        self.assertIn("commonplace add", self.refused("search", self.library, "owl"))
        self.assertIn("commonplace learn", self.refused("topics", self.library))
        self.assertIn("commonplace init", self.refused("search", self.folder / "none", "owl"))

    def test_by_words_alone(self):
        self.add("notes", self.write("notes.jsonl", "\n".join((
            '{"id":"1","title":"Night owl","tags":["Birds/Snowy Owl"],"time":"1904"}',
            '{"id":"2","text":"An owl in a long story about trains and other things"}',
            '{"id":"3","tags":["train"],"time":"1950"}'))))
        answer = self.json("search", self.library, "owl")
        self.assertEqual([hit["id"] for hit in answer["hits"]], ["1", "2"])
        first = answer["hits"][0]
        self.assertEqual(first["collection"], "notes")
        self.assertEqual(first["title"], "Night owl")
        self.assertEqual(first["tags"], ["Birds/Snowy Owl"])
        self.assertEqual(first["borrowed"], 0)
        self.assertNotIn("why", first)
        self.assertEqual(self.found("#birds"), ["1"])
        self.assertEqual(self.found("after:1905"), ["3"])
        self.assertEqual(self.found("owl -night"), ["2"])
        self.assertEqual(self.found("owl", "-l", "1"), ["1"])
        self.assertEqual(self.found("--like", "1"), ["2"])
        why = self.json("search", self.library, "owl", "--explain")["hits"][0]["why"]
        self.assertEqual(why["words"], [{"word": "owl", "in_tags": True, "in_text": True}])
        kept = list((self.library / "models").iterdir())
        self.assertEqual(len(kept), 1, "the index of words is kept from the first search on")
        self.assertEqual(self.json("list", self.library, "--models")["models"], [])

        text = self.output("search", self.library, "owl")
        self.assertRegex(text, r"SCORE +BY +COLLECTION +ITEM +TITLE +TAGS")
        self.assertIn("Night owl", text)
        done = self.run_program("search", self.library, "zebra")
        self.assertIn("zebra", done.stderr)
        self.assertIn("Nothing was found", done.stdout)
        done = self.run_program("search", self.library, "zebra", "-q")
        self.assertEqual(done.stdout, "")
        self.assertIn("Night owl", self.output("search", self.library, "owl", "--explain", "-q"))
        self.assertEqual(self.json("search", self.library, "zebra owl")["unknown"], ["zebra"])
        self.assertEqual(list((self.library / "models").iterdir()), kept)

    def test_a_model_finds_what_lacks_the_word(self):
        self.add_planted()
        lacking = [item["id"] for item in map(json.loads, planted("photo", 240, 4, 1).splitlines())
                   if int(item["id"].split("-")[1]) % 6 == 0 and "harbour" not in item["tags"]]
        self.assertEqual(set(self.found("harbour", "--collection", "photos", "-l", "500"))
                         & set(lacking), set())
        self.learn("--shared", "4")
        found = self.found("harbour", "--collection", "photos", "-l", "40")
        self.assertEqual([id for id in found if int(id.split("-")[1]) % 6], [])
        self.assertGreater(len(set(found) & set(lacking)), 10)
        words = self.found("harbour", "--collection", "photos", "-l", "500", "--words-only")
        self.assertEqual(set(words) & set(lacking), set())
        self.assertEqual(set(words), set(found) & set(words))

        hits = self.json("search", self.library, "harbour", "-l", "500", "--explain")["hits"]
        self.assertEqual({hit["collection"] for hit in hits}, {"photos", "gallery"})
        self.assertEqual([hit["score"] for hit in hits],
                         sorted((hit["score"] for hit in hits), reverse=True))
        why = next(hit["why"] for hit in hits if hit["id"] == lacking[0])
        self.assertEqual(why["words"], [])
        self.assertTrue(why["associations"] or why["neighbours"] or why["topics"])
        text = self.output("search", self.library, "harbour", "--explain", "-l", "500",
                           "--collection", "photos")
        self.assertIn("has 'harbour' in its tags", text)
        self.assertIn("is like 'picture-", text)
        self.assertNotIn("photo-6", self.found("--like", "photo-6"))

    def test_new_items_are_found_and_the_index_is_kept(self):
        self.add_planted()
        self.learn("--shared", "4")
        self.add("photos", self.write("new.jsonl", '{"id":"new","tags":["gull","pier","tide"]}'))
        files = sorted(path.name for path in (self.library / "models").iterdir())
        self.assertIn("new", self.found("harbour", "-l", "500"))
        after = sorted(path.name for path in (self.library / "models").iterdir())
        self.assertEqual(len(after), len(files) + 1, "the words of the gallery, which has no model, are kept too")
        stamps = {path: path.stat().st_mtime_ns for path in (self.library / "models").iterdir()}
        self.assertIn("new", self.found("harbour", "-l", "500"))
        self.assertEqual(
            stamps, {path: path.stat().st_mtime_ns for path in (self.library / "models").iterdir()})

    def test_a_tag_that_was_rejected_is_not_borrowed(self):
        self.add_planted()
        self.learn("--shared", "4")
        found = self.json("search", self.library, "harbour", "--collection", "photos",
                          "-l", "500")["hits"]
        borrowed = next(hit["id"] for hit in found if hit["own"] == 0)
        self.output("tag", self.library, "photos", borrowed, "--reject", "harbour")
        self.assertNotIn(borrowed, self.found("harbour", "-l", "500"))

    def test_wrong_queries(self):
        self.add_planted()
        for query in ("\"harbour", "(owl", "owl and", "before:yesterday", ""):
            self.assertIn("commonplace: ", self.refused("search", self.library, query))
        self.assertIn("--like", self.refused("search", self.library))
        self.assertIn("--like", self.refused("search", self.library, "owl", "--like", "photo-1"))
        self.assertIn("'nobody'", self.refused("search", self.library, "--like", "nobody"))
        self.assertIn("--limit", self.refused("search", self.library, "owl", "--limit", "0"))
        self.assertIn("'x'", self.refused("search", self.library, "owl", "--collection", "x"))
        self.assertIn("'x'", self.refused("search", self.library, "owl", "--model", "x"))
        self.add("copies", self.write("copies.jsonl", '{"id":"photo-1","tags":["owl"]}'))
        message = self.refused("search", self.library, "--like", "photo-1")
        self.assertIn("copies", message)
        self.assertIn("--collection", message)

    def test_words_of_others_cannot_steer_the_terminal(self):
        self.add("odd", self.write("odd.jsonl", json.dumps(
            {"id": "a\u001b[2Jb", "title": "owl \u001b]0;x\u0007", "tags": ["owl\u001b[31m"]})))
        for arguments in ((), ("--explain",)):
            self.assertNotIn("\x1b", self.output("search", self.library, "owl", *arguments))

    def test_a_library_that_cannot_be_written_is_still_searched(self):
        self.add_planted()
        self.learn("--shared", "4")
        self.add("photos", self.write("new.jsonl", '{"id":"new","tags":["gull","pier","tide"]}'))
        models = self.library / "models"
        models.chmod(stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(models.chmod, stat.S_IRWXU)
        self.assertIn("new", self.found("harbour", "-l", "500"))


class Topics(SearchTest):
    def test_topics(self):
        self.add_planted()
        self.learn("--shared", "4")
        (model,) = self.json("topics", self.library, "--terms", "3", "--examples", "2")["models"]
        self.assertEqual(model["model"], "search.photos")
        topics = model["topics"]
        self.assertEqual(len(topics), 8)
        self.assertEqual([len(topic["collections"]) for topic in topics], [2] * 4 + [1] * 4)
        self.assertAlmostEqual(sum(topic["share"] for topic in topics), 1, places=5)
        items = {"photos": range(240), "gallery": range(240)}
        for topic in topics:
            self.assertEqual(len(topic["terms"]), 3)
            for example in topic["examples"]:
                self.assertIn(int(example["id"].split("-")[1]), items[example["collection"]])
        text = self.output("topics", self.library)
        self.assertRegex(text, r"TOPIC +SHARE +TERMS +EXAMPLES")
        self.assertIn("shared 1", text)
        self.assertIn("'x'", self.refused("topics", self.library, "--model", "x"))
        self.assertIn("search model",
                      self.refused("topics", self.library, "--model", "search.photos.index"))

    def test_when_the_model_is_removed(self):
        self.add_planted()
        self.learn("--shared", "4")
        self.output("remove", self.library, "--model", "search.photos")
        self.assertEqual(self.models(), [])
        self.assertEqual(list((self.library / "models").iterdir()), [])
        self.assertTrue(self.found("harbour"))

    def test_when_a_collection_is_gone(self):
        self.add_planted()
        self.learn("--shared", "4")
        self.output("remove", self.library, "gallery")
        self.assertEqual(len(self.json("topics", self.library)["models"][0]["topics"]), 8)
        self.assertTrue(self.found("harbour"))
        self.output("remove", self.library, "photos")
        self.assertIn("photos", self.refused("topics", self.library))
        self.assertIn("commonplace add", self.refused("search", self.library, "harbour"))


class Evaluating(SearchTest):
    def evaluate(self, *arguments):
        return ("evaluate", "search", self.library, "--target", "photos", "--auxiliary",
                "gallery", *SMALL, *arguments)

    def test_report_and_plot(self):
        self.add_planted()
        before = self.json("list", self.library)
        plot = self.folder / "plot.svg"
        result = self.json(*self.evaluate("--plot", plot))
        quality = {each["method"]: each for each in result["methods"] if "shared" not in each}
        self.assertGreaterEqual(quality["commonplace"]["map"]["value"],
                                quality["own words"]["map"]["value"])
        self.assertIn("shared", result["methods"][-2])
        self.assertEqual(self.json("list", self.library), before)
        self.assertEqual(self.models(), [])
        root = xml.etree.ElementTree.parse(plot).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        text = self.output(*self.evaluate("--no-sweep", "--repeat", "2"))
        self.assertIn("commonplace, the target alone", text)
        self.assertIn("95 % interval", text)
        self.assertNotIn("K = ", text)

    def test_judgements(self):
        self.add_planted()
        good = self.write("good.tsv", "".join(f"harbour\tphoto-{i}\n" for i in range(0, 240, 6)))
        result = self.json(*self.evaluate("--judgements", good, "--no-sweep"))
        self.assertEqual(result["asked"], 1)
        bad = self.write("bad.tsv", "harbour photo-1\n")
        self.assertIn("bad.tsv:1", self.refused(*self.evaluate("--judgements", bad)))
        self.assertIn("absent", self.refused(*self.evaluate("--judgements", self.folder / "absent")))

    def test_wrong_values(self):
        self.add_planted()
        self.assertIn("repeat is 0", self.refused(*self.evaluate("--repeat", "0")))
        self.assertIn("2", self.refused(*self.evaluate("--hide", "2")))
        self.assertIn("borrow from itself", self.refused(
            "evaluate", "search", self.library, "--target", "photos", "--auxiliary", "photos"))
        self.assertIn("nowhere", self.refused(*self.evaluate(
            "--plot", self.folder / "nowhere" / "plot.svg")))


if __name__ == "__main__":
    main()
