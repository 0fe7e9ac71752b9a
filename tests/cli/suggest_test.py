"""Learning tags, suggesting, reviewing and applying them as a user types it."""
import fcntl
import json
import os
import random
import re
import select
import shutil
import signal
import sqlite3
import struct
import subprocess
import termios
import time

from commonplace import PROGRAM, CommandLineTest, main

TOPICS = {
    "sea/harbour": "ship sail gull wave lighthouse tide pier anchor mast rope",
    "Forest": "oak fern moss owl fox acorn bark beech badger mushroom",
    "Küche": "bread oven flour butter cake spoon apron kettle whisk dough",
    "鉄道": "railway engine station steam bridge tunnel signal carriage track whistle"}
NAMES = list(TOPICS)
NOISE = [f"noise{i}" for i in range(20)]
# Nothing is chosen on items held out, so that learning is quick.
QUICK = ("--method", "tags", "--prototypes", "40", "--length-scale", "0.7", "--noise", "0.1",
         "--weighting", "rare")
PIXEL = bytes.fromhex(
    "ffe000104a46494600010100000100010000ffdb004300" + "01" * 64 +
    "ffc0000b080001000101011100ffc4001400010000000000000000000000000000000affc40014100100"
    "000000000000000000000000000000ffda0008010100003f0037ffd9")


def planted(items=600, seed=1):
    """Note i is of topic i % 4 and has six of its words; every fifth has no tags."""
    draw = random.Random(seed)
    lines = []
    for i in range(items):
        words = draw.sample(TOPICS[NAMES[i % 4]].split(), 6) + draw.sample(NOISE, 2)
        lines.append(json.dumps({"id": f"n{i}", "title": f"Note {i}", "text": " ".join(words),
                                 "tags": [NAMES[i % 4]] if i % 5 else []}))
    return "\n".join(lines)


def photograph(caption, tags=()):
    """A JPEG of one pixel with the caption and the tags in its XMP."""
    packet = (
        "http://ns.adobe.com/xap/1.0/\0"
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<dc:description><rdf:Alt><rdf:li xml:lang="x-default">' + caption +
        "</rdf:li></rdf:Alt></dc:description>" +
        ("<dc:subject><rdf:Bag>" + "".join(f"<rdf:li>{tag}</rdf:li>" for tag in tags) +
         "</rdf:Bag></dc:subject>" if tags else "") +
        "</rdf:Description></rdf:RDF></x:xmpmeta>").encode()
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(packet) + 2) + packet + PIXEL


class SuggestTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def add_notes(self):
        self.add("notes", self.write("notes.jsonl", planted()))

    def learn(self, *arguments, **options):
        return self.json("learn", self.library, "suggest", "--collection", "notes", *QUICK,
                         *arguments, **options)

    def ready(self, *arguments):
        self.add_notes()
        self.learn(*arguments)

    def doubtful(self):
        """Makes a model that is never sure: no word tells these tags."""
        draw = random.Random(4)
        self.add("odd", self.write("odd.jsonl", "\n".join(json.dumps(
            {"id": f"o{i}", "text": " ".join(draw.sample(NOISE, 4)),
             "tags": [draw.choice(NAMES)]}) for i in range(400))))
        self.json("learn", self.library, "suggest", "--collection", "odd", "--name", "doubtful",
                  *QUICK)

    def suggest(self, *arguments):
        return self.json("suggest", self.library, *arguments)

    def tags(self, *arguments):
        return [each["tag"] for each in self.suggest(*arguments)["suggestions"]]

    def review(self, letters, *arguments, code=0):
        return self.output("review", self.library, "--collection", "notes", *arguments, code=code,
                           input="".join(letter + "\n" for letter in letters))

    def queue(self, *arguments):
        return self.json_lines("review", self.library, "--collection", "notes", "--json",
                               *arguments)

    def show(self, item):
        return self.json("show", self.library, "notes", item)

    def human(self):
        return self.output("export", self.library, "notes")

    def refused(self, *arguments, code=1):
        """The message; nothing must be printed as a result."""
        done = self.run_program(*arguments, code=code, input="")
        self.assertEqual(done.stdout, "")
        self.assertNotIn("terminate", done.stderr)
        return done.stderr


class Help(SuggestTest):
    def test_learns_anew_after_a_tag_of_a_tagged_item_was_rejected(self):
        self.add("topics", self.write("topics.jsonl", "".join(json.dumps(
            {"id": str(i), "text": " ".join(f"{topic}{(7 * i + j) % 15}" for j in range(10)), "tags": [topic, "note"]})
            + "\n" for i in range(200) for topic in [("forest", "harbour", "kitchen", "desert")[i % 4]])))
        self.output("tag", self.library, "topics", "3", "--reject", "kitchen")
        learned = self.json("learn", self.library, "suggest", "--collection", "topics")
        self.assertEqual((learned["items"], learned["tags"]), (200, 5))

    def test_commands_have_help_with_examples(self):
        for command in (("suggest",), ("review",), ("apply",), ("learn", self.library, "suggest")):
            text = self.output(*command, "--help")
            self.assertRegex(text, rf"Examples:\n.*commonplace {command[0]}\b")
            for flag in ("--json", "--quiet", "--jobs"):
                self.assertIn(flag, text)
        top = self.output("--help")
        for command in ("suggest", "review", "apply"):
            self.assertRegex(top, rf"\n  {command}\b")

    def test_wrong_arguments(self):
        for arguments in (("suggest",), ("review",), ("apply",), ("review", self.library),
                          ("apply", self.library), ("learn", self.library, "suggest"),
                          ("suggest", self.library, "--no-such-flag"),
                          ("suggest", self.library, "--text", "x", "--limit", "many"),
                          ("review", self.library, "--collection", "notes", "--limit", "0"),
                          ("apply", self.library, "--collection", "notes", "--above", "high"),
                          ("apply", self.library, "--collection", "notes", "--undo", "--above",
                           "0.5")):
            self.assertNotEqual(self.refused(*arguments, code=2), "", arguments)


class Learning(SuggestTest):
    def test_report(self):
        self.add_notes()
        report = self.learn()
        self.assertEqual(report["model"], "suggest.notes")
        self.assertEqual((report["items"], report["tags"]), (480, 4))
        text = self.output("learn", self.library, "suggest", "--collection", "notes", *QUICK)
        self.assertIn("held out", text)
        self.assertIn("commonplace suggest", text)

    def test_an_empty_library(self):
        self.assertIn("commonplace learn", self.refused("suggest", self.library, "--text", "x"))
        for command in ("review", "apply"):
            self.assertIn("commonplace add",
                          self.refused(command, self.library, "--collection", "notes"))
        self.assertIn("commonplace add", self.refused(
            "learn", self.library, "suggest", "--collection", "notes"))
        self.assertIn("commonplace init", self.refused("suggest", self.folder / "no", "--text", "x"))
        self.add("bare", self.write("bare.jsonl", '{"id":"1","text":"words only"}'))
        self.assertIn("--min-uses", self.refused(
            "learn", self.library, "suggest", "--collection", "bare"))
        for command in ("review", "apply"):
            self.assertIn("commonplace learn",
                          self.refused(command, self.library, "--collection", "bare"))

    def test_wrong_values(self):
        self.add_notes()
        learn = ("learn", self.library, "suggest", "--collection", "notes")
        for arguments, expected in (
                (("--method", "magic"), "combined"), (("--kernel", "odd"), "odd"),
                (("--features", "nothing"), "nothing"), (("--min-uses", "0"), "min_uses is 0"),
                (("--prototypes", "some"), "some"), (("--exclude", self.folder / "no"), "no"),
                (("--synonyms", self.write("bad.tsv", "one\tForest\ntwo\n")), "bad.tsv:2")):
            self.assertIn(expected, self.refused(*learn, *arguments))
        self.assertEqual(self.json("list", self.library, "--models")["models"], [])

    def test_update_learns_a_rejection(self):
        self.ready()
        self.assertIn("Forest", self.tags("--item", "n5"))
        self.output("tag", self.library, "notes", "n5", "--reject", "forest")
        update = self.json("learn", self.library, "suggest", "--collection", "notes", "--update")
        self.assertEqual((update["new_items"], update["changed_items"]), (1, 0))
        self.assertNotIn("Forest", self.tags("--item", "n5", "-t", "0"))
        again = self.output("learn", self.library, "suggest", "--collection", "notes", "--update")
        self.assertIn("Nothing has changed", again)
        self.output("tag", self.library, "notes", "n5", "--withdraw", "FOREST")
        self.assertIn("Forest", self.tags("--item", "n5"))

    def test_update_learns_new_items_and_tags(self):
        self.ready()
        more = [{"id": f"new{i}", "text": "zebra lion giraffe", "tags": ["zoo"]} for i in range(3)]
        self.add("notes", self.write("notes.jsonl", planted() + "\n" + "\n".join(
            json.dumps(each) for each in more)))
        update = self.json("learn", self.library, "suggest", "--collection", "notes", "--update")
        self.assertEqual((update["new_items"], update["new_tags"]), (3, 1))


class Claims(SuggestTest):
    """What learning says of itself holds for what comes next."""

    def shifting(self):
        """Notes of 600 days; words tell the tags of the older ones only."""
        draw = random.Random(3)
        lines = []
        for i in range(600):
            tag = NAMES[i % 4] if i < 420 else draw.choice(NAMES)
            words = draw.sample(TOPICS[NAMES[i % 4]].split(), 6) + draw.sample(NOISE, 2)
            lines.append(json.dumps({"id": f"n{i}", "text": " ".join(words), "tags": [tag],
                                     "time": f"20{10 + i // 300}-{1 + i // 25 % 12:02}-{1 + i % 25:02}"}))
        draw.shuffle(lines)
        self.add("notes", self.write("notes.jsonl", "\n".join(lines)))

    def test_the_newest_items_are_held_out(self):
        self.shifting()
        held_out = self.learn()["held_out"]
        self.assertTrue(held_out["newest"])
        self.assertEqual(held_out["items"], 120)
        self.assertLess(held_out["precision@1"], 0.5)
        self.assertGreater(held_out["older_precision@1"], 0.7)
        self.assertLess(held_out["shown"]["confidence"], 0.6)
        text = self.output("learn", self.library, "suggest", "--collection", "notes", *QUICK)
        self.assertIn("the newest 120 items", text)
        self.assertIn("changes with time", text)

    def test_claimed_and_real_stand_beside_each_other(self):
        self.shifting()
        evaluate = ("evaluate", "suggest", self.library, "--collection", "notes", "--split", "time",
                    "--test-share", "0.1", "--methods", "tags", "--baselines", "none", *QUICK[2:])
        result = self.json(*evaluate)
        self.assertEqual((result["train_items"], result["test_items"]), (540, 60))
        method = result["methods"][0]
        for name in ("real_less_claimed", "right_less_confidence"):
            low, high = method["claimed"][name]["interval"]
            self.assertTrue(low <= 0 <= high, (name, method["claimed"]))
        text = self.output(*evaluate)
        self.assertIn("P@1 CLAIMED", text)

    def test_items_of_new_tags_alone_count(self):
        lines = planted(400).split("\n") + [json.dumps(
            {"id": f"r{i}", "text": "ship oak", "tags": [f"rare {i}"]}) for i in range(200)]
        self.add("notes", self.write("notes.jsonl", "\n".join(lines)))
        held_out = self.learn()["held_out"]
        self.assertGreater(held_out["strange_items"], 20)
        self.assertLess(held_out["precision@1"], 0.75)

    def test_nothing_to_tell_tags_from(self):
        self.add("bare", self.write("bare.jsonl", "\n".join(
            json.dumps({"id": str(i), "tags": ["a", "b"]}) for i in range(20))))
        learn = ("learn", self.library, "suggest", "--collection", "bare")
        self.assertIn("--features tags", self.refused(*learn))
        self.assertIn("an item without tags gets no suggestion",
                      self.output(*learn, "--features", "tags"))

    def test_baselines_on_vectors(self):
        self.add_notes()
        rows = self.write("rows.csv", "".join(
            ",".join("1" if k == i % 4 else "0" for k in range(4)) + f",{i % 7 / 10}\n"
            for i in range(600)))
        self.output("features", self.library, "notes", "--from", rows, "--name", "axes")
        methods = self.json("evaluate", "suggest", self.library, "--collection", "notes", "--features",
                            "axes", "--methods", "tags")["methods"]
        self.assertEqual([each["method"] for each in methods],
                         ["commonplace, tags", "logistic", "knn", "popular"])
        self.assertGreater(methods[2]["precision@1"], 0.9)


class Vocabulary(SuggestTest):
    def all_tags(self, item="n5"):
        return self.tags("--item", item, "-t", "0")

    def test_include_and_exclude(self):
        self.ready("--include", self.write("in.txt", "# only\nFOREST\nküche\nnobody has this\n"))
        self.assertEqual(sorted(self.all_tags()), ["Forest", "Küche"])
        self.learn("--exclude", self.write("out.txt", "forest\n"))
        self.assertEqual(sorted(self.all_tags()), ["Küche", "sea/harbour", "鉄道"])

    def test_synonyms(self):
        self.ready("--synonyms", self.write("same.tsv", "küche\tKitchen\nKitchen\tcooking\n"))
        self.assertEqual(self.tags("--text", TOPICS["Küche"])[0], "cooking")
        self.assertNotIn("cooking", self.all_tags("n2"), "n2 has it by another name")
        self.assertEqual({each["suggestion"] for each in self.queue("--tag", "Küche")}, {"cooking"})

    def test_parents(self):
        self.ready("--parents")
        answer = self.suggest("--text", TOPICS["sea/harbour"])["suggestions"]
        self.assertEqual({each["tag"] for each in answer[:2]}, {"sea", "sea/harbour"})
        self.assertNotIn("sea", self.all_tags("n4"), "n4 has it by a level below")
        self.output("tag", self.library, "notes", "n20", "--reject", "sea/harbour")
        self.assertIn("sea", self.all_tags("n20"))
        self.assertNotIn("sea/harbour", self.all_tags("n20"))

    def test_a_tag_and_its_path_are_one(self):
        lines = [json.loads(line) for line in planted().split("\n")]
        for line in lines[::8]:
            line["tags"] = [tag.replace("sea/harbour", "Harbour") for tag in line["tags"]]
        self.add("notes", self.write("notes.jsonl", "\n".join(map(json.dumps, lines))))
        self.assertEqual(self.learn()["merged_tags"], 1)
        self.assertNotIn("Harbour", self.all_tags())
        self.assertNotIn("sea/harbour", self.all_tags("n8"), "n8 has it by its last level")

    def test_min_uses(self):
        self.add("few", self.write("few.jsonl", "\n".join(json.dumps(
            {"id": str(i), "text": "oak fern" if i % 2 else "ship sail",
             "tags": ["wood" if i % 2 else "sea", f"only {i}"]}) for i in range(12))))
        report = self.json("learn", self.library, "suggest", "--collection", "few")
        self.assertEqual(report["tags"], 2)
        report = self.json("learn", self.library, "suggest", "--collection", "few",
                           "--min-uses", "1")
        self.assertEqual(report["tags"], 14)


class Suggesting(SuggestTest):
    def test_text_file_and_input(self):
        self.ready()
        for tag, words in TOPICS.items():
            answer = self.suggest("--text", words)
            self.assertEqual(answer["suggestions"][0]["tag"], tag)
            self.assertGreater(answer["suggestions"][0]["confidence"], 0.8)
            self.assertGreater(answer["familiarity"], 0.1)
        file = self.write("a.txt", TOPICS["Forest"])
        self.assertEqual(self.tags("--file", file)[0], "Forest")
        answers = self.json_lines("suggest", self.library, "--stdin", "--json",
                                  input="\n".join(TOPICS.values()) + "\n")
        self.assertEqual([each["suggestions"][0]["tag"] for each in answers], NAMES)
        text = self.output("suggest", self.library, "--text", TOPICS["鉄道"])
        self.assertRegex(text, r"SURE +TAG\n\d+ % +鉄道")
        self.assertNotIn("Forest", self.tags("--text", TOPICS["Forest"], "--tag", "forest"))

    def test_item(self):
        self.ready()
        self.assertEqual(self.tags("--item", "n5")[0], "Forest")
        self.assertNotIn("Forest", self.tags("--item", "n1", "-t", "0"), "it has that")
        self.assertIn("'nobody'", self.refused("suggest", self.library, "--item", "nobody"))

    def test_image(self):
        self.ready()
        photo = self.write("new.jpg", photograph("An owl in the moss under an oak, fern and bark"))
        self.assertEqual(self.tags("--image", photo)[0], "Forest")
        self.assertIn("absent", self.refused("suggest", self.library, "--image",
                                             self.folder / "absent.jpg"))

    def test_explain(self):
        self.ready()
        first = self.suggest("--text", "oak fern moss owl", "--explain")["suggestions"][0]
        words = {each["word"] for each in first["reasons"]["words"]}
        self.assertTrue(words and words <= {"oak", "fern", "moss", "owl"}, words)
        for each in first["reasons"]["items"]:
            self.assertIn("Forest", [tag if isinstance(tag, str) else tag["name"]
                                     for tag in self.show(each["id"])["tags"]])
        text = self.output("suggest", self.library, "--text", "oak fern moss owl", "--explain")
        self.assertIn("because of", text)
        self.assertIn("like n", text)

    def test_nothing_fits(self):
        self.ready()
        self.assertIn("Nothing fits", self.output("suggest", self.library, "--text", "qwertz"))
        self.assertEqual(self.tags("--text", "qwertz", "-t", "0"), [])
        self.assertEqual(self.tags("--text", ""), [])

    def test_wrong_values(self):
        self.ready()
        suggest = ("suggest", self.library)
        for arguments, expected in (
                ((), "--text"), (("--text", "x", "--limit", "0"), "--limit is 0"),
                (("--text", "x", "-t", "2"), "--threshold is 2"),
                (("--text", "x", "--model", "none"), "'none'"),
                (("--file", self.folder / "absent.txt"), "absent.txt"),
                (("--text", "x", "--vector", "clip"), "NAME=FILE.npy")):
            self.assertIn(expected, self.refused(*suggest, *arguments))
        self.learn("--name", "second")
        self.assertIn("'second'", self.refused(*suggest, "--text", "x"))

    def test_a_model_of_vectors_asks_for_a_vector(self):
        self.add_notes()
        rows = self.write("rows.csv", "".join(
            ",".join("1" if k == i % 4 else "0" for k in range(4)) + f",{i % 7}\n"
            for i in range(600)))
        self.output("features", self.library, "notes", "--from", rows, "--name", "clip")
        self.learn("--features", "clip")
        self.assertIn("--vector clip=", self.refused("suggest", self.library, "--text", "oak"))
        self.assertEqual(self.tags("--item", "n5")[0], "Forest")

    def test_stored_sparse_features(self):
        self.add_notes()
        self.output("features", self.library, "notes", "--text", "--name", "words")
        self.learn("--features", "words")
        self.assertEqual(self.tags("--item", "n5")[0], "Forest")
        self.output("tag", self.library, "notes", "n5", "--add", "Forest")
        update = self.json("learn", self.library, "suggest", "--collection", "notes", "--update")
        self.assertEqual(update["new_items"], 1)


class Reviewing(SuggestTest):
    def test_letters_with_undo(self):
        self.ready()
        queue = self.queue()
        self.assertGreaterEqual(len(queue), 100)
        sure = [each["confidence"] for each in queue]
        self.assertEqual(sure, sorted(sure, reverse=True))
        text = self.review(["y", "n", "u", "s", "A", "x", "", "?", "q", "y"])
        self.assertIn("2 accepted, 0 rejected, 1 skipped", text)
        self.assertIn("% sure", text)
        self.assertIn("no tags yet", text)
        self.assertIn("commonplace apply", text)
        self.assertIn("learned", text)
        self.assertIn(queue[0]["suggestion"], json.dumps(self.show(queue[0]["id"])["tags"],
                                                         ensure_ascii=False))
        verdicts = [each["verdict"] for each in self.show(queue[1]["id"])["decisions"]]
        self.assertEqual(verdicts, ["rejected", "withdrawn"])
        self.assertEqual(len(self.queue()), len(queue) - 2)
        update = self.json("learn", self.library, "suggest", "--collection", "notes", "--update")
        self.assertEqual(update["changed_items"] + update["new_items"], 0, "it was kept")

    def test_a_rejected_tag_is_not_asked_again(self):
        self.ready()
        first = self.queue("-t", "0")[0]
        self.review("n", "-t", "0")
        self.assertNotIn((first["id"], first["suggestion"]),
                         [(each["id"], each["suggestion"]) for each in self.queue("-t", "0")])

    def test_orders_and_one_tag(self):
        self.ready()
        doubt = [abs(each["confidence"] - 0.5) for each in self.queue("--order", "uncertain")]
        self.assertEqual(doubt, sorted(doubt))
        tags = [each["suggestion"] for each in self.queue("--order", "tag")]
        self.assertEqual(tags, sorted(tags, key=lambda tag: tag.encode()))
        forest = self.queue("--tag", "forest", "--limit", "7", "--explain")
        self.assertEqual([each["suggestion"] for each in forest], ["Forest"] * 7)
        self.assertTrue(all(each["reasons"]["words"] for each in forest))
        review = ("review", self.library, "--collection", "notes")
        self.assertIn("Forest", self.refused(*review, "--tag", "forrest"))
        self.assertIn("uncertain", self.refused(*review, "--order", "loud"))
        self.assertIn("--threshold is 3", self.refused(*review, "-t", "3"))
        self.assertIn("nobody", self.refused("review", self.library, "--collection", "nobody"))
        self.doubtful()
        self.assertIn("nothing to review", self.output(*review, "--model", "doubtful", "-t", "1",
                                                       input=""))

    def test_surest_first_is_no_order_of_names(self):
        self.ready()
        sure = [each["confidence"] for each in self.queue("--tag", "Forest")]
        self.assertGreater(len(set(sure)), len(sure) / 2, "confidence is no step function")
        self.assertEqual(sure, sorted(sure, reverse=True))
        self.assertLess(sure[0], 0.995)

    def test_json_changes_nothing(self):
        self.ready()
        before = self.human(), sorted(path.name for path in (self.library / "models").iterdir())
        self.queue()
        self.assertEqual(before, (self.human(), sorted(
            path.name for path in (self.library / "models").iterdir())))

    def test_killed_between_decisions(self):
        self.ready()
        queue = self.queue()
        process = subprocess.Popen(
            [PROGRAM, "review", self.library, "--collection", "notes"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for letter, word in (("y", "-> accepted"), ("n", "-> rejected"), ("y", "-> accepted")):
            process.stdin.write(letter + "\n")
            process.stdin.flush()
            while word not in process.stdout.readline():
                pass
        process.kill()
        process.communicate()
        for entry, verdict in zip(queue, ("accepted", "rejected", "accepted")):
            self.assertEqual([each["verdict"] for each in self.show(entry["id"])["decisions"]],
                             [verdict])
        self.assertEqual(len(self.queue()), len(queue) - 3)
        check = sqlite3.connect(self.library / "library.db")
        self.assertEqual(check.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        check.close()

    def test_terminated_while_asking(self):
        self.ready()
        process = subprocess.Popen(
            [PROGRAM, "review", self.library, "--collection", "notes"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write("y\n")
        process.stdin.flush()
        while "-> accepted" not in process.stdout.readline():
            pass
        while "% sure" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertIn("1 accepted", output)


class Terminal:
    """A review in a pseudo terminal."""

    def __init__(self, library):
        self.outer, self.inner = os.openpty()
        self.settings = termios.tcgetattr(self.inner)
        self.text = ""
        self.seen = 0
        # Its own session, so that the terminal is its own and Ctrl-C reaches it.
        self.process = subprocess.Popen(
            [PROGRAM, "review", library, "--collection", "notes"], stdin=self.inner,
            stdout=self.inner, stderr=self.inner, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def read_until(self, word, seconds=60):
        end = time.monotonic() + seconds
        while word not in self.text[self.seen:]:
            ready, _, _ = select.select([self.outer], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"{word} did not come: {self.text}")
            self.text += os.read(self.outer, 65536).decode(errors="replace")
        self.seen = self.text.index(word, self.seen) + len(word)

    def send(self, keys):
        os.write(self.outer, keys)

    def local_flags(self):
        return termios.tcgetattr(self.inner)[3]

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.inner)
        os.close(self.outer)


class InATerminal(SuggestTest):
    def open(self):
        try:
            terminal = Terminal(self.library)
        except OSError as error:
            self.skipTest(f"there are no pseudo terminals: {error}")
        self.addCleanup(terminal.close)
        terminal.read_until("% sure")
        deadline = time.monotonic() + 10
        while terminal.local_flags() & termios.ICANON and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(terminal.local_flags() & (termios.ICANON | termios.ECHO))
        return terminal

    def closed(self, terminal, code):
        self.assertEqual(terminal.process.wait(timeout=60), code, terminal.text)
        self.assertEqual(termios.tcgetattr(terminal.inner), terminal.settings,
                         "the terminal is as it was")

    def setUp(self):
        super().setUp()
        self.ready()

    def decisions(self):
        check = sqlite3.connect(self.library / "library.db")
        self.addCleanup(check.close)
        return [row[0] for row in check.execute("SELECT verdict FROM decision ORDER BY id")]

    def test_keys(self):
        terminal = self.open()
        for key, word in ((b"y", "accepted"), (b"r", "rejected"), (b" ", "skipped"),
                          (b"u", "taken back"), (b"?", "this help")):
            terminal.send(key)
            terminal.read_until(word)
            terminal.read_until("% sure")
        terminal.send(b"\x1b[A")  # an arrow, which ends with the letter of accept
        terminal.send(b"n")
        terminal.read_until("-> ")
        terminal.read_until("rejected")
        terminal.read_until("% sure")
        terminal.send(b"q")
        terminal.read_until("To go on")
        self.closed(terminal, 0)
        self.assertEqual(self.decisions(), [1, -1, -1])

    def test_interrupted_and_terminated(self):
        terminal = self.open()
        terminal.send(b"y")
        terminal.read_until("-> accepted")
        terminal.read_until("% sure")
        terminal.send(b"\x03")
        terminal.read_until("1 accepted, 0 rejected")
        self.closed(terminal, 130)
        self.assertEqual(self.decisions(), [1])

        terminal = self.open()
        terminal.process.send_signal(signal.SIGTERM)
        terminal.read_until("0 accepted, 0 rejected")
        self.closed(terminal, 130)


class Applying(SuggestTest):
    def apply(self, *arguments, **options):
        return self.json("apply", self.library, "--collection", "notes", *arguments, **options)

    def machine(self, item):
        return [tag["name"] for tag in self.show(item)["tags"]
                if isinstance(tag, dict) and "model" in tag]

    def test_apply_and_undo(self):
        self.ready()
        before = self.human()
        planned = self.apply("--above", "0.8", "--dry-run")
        self.assertGreaterEqual(planned["tagged_items"], 100)
        self.assertEqual(self.output("export", self.library, "notes", "--machine-tags"), before)

        done = self.apply("--above", "0.8")
        self.assertEqual((done["tags"], done["tagged_items"], done["replaced"]),
                         (planned["tags"], planned["tagged_items"], 0))
        self.assertEqual(sum(each["items"] for each in done["uses"]), done["tags"])
        self.assertEqual(self.human(), before, "what humans said is untouched")
        self.assertNotEqual(self.output("export", self.library, "notes", "--machine-tags"), before)
        self.assertEqual(self.apply("--above", "0.8")["replaced"], done["tags"])

        text = self.output("show", self.library, "notes", "n5")
        self.assertRegex(text, r"tag +Forest  \(machine: suggest.notes, [01](\.\d+)?\)")
        listed = self.output("list", self.library, "notes", "--limit", "7")
        self.assertIn("Forest?", listed)
        self.assertRegex(listed, r"n1 .*Forest\b(?!\?)")
        self.assertNotIn("Forest", self.human().splitlines()[5])

        removed = self.apply("--undo")
        self.assertEqual(removed["removed"], done["tags"])
        self.assertEqual(self.output("export", self.library, "notes", "--machine-tags"), before)

    def photographs(self):
        """A collection of photographs with captions; what a model is sure of is applied."""
        for line in planted(items=400).splitlines():
            note = json.loads(line)
            self.write(f"photos/{note['id']}.jpg",
                       photograph(note["text"], [tag.split("/")[-1] for tag in note["tags"]]))
        self.add("photos", self.folder / "photos")
        self.output("learn", self.library, "suggest", "--collection", "photos", *QUICK)
        return self.json("apply", self.library, "--collection", "photos", "--above", "0.5")

    def exported(self, *arguments, collection="photos", library=None):
        return self.output("export", library or self.library, collection, *arguments)

    def test_machine_tags_do_not_become_peoples_by_way_of_files(self):
        applied = self.photographs()
        self.assertGreater(applied["tags"], 10)
        people, all_tags = self.exported(), self.exported("--machine-tags", "-t", "0")
        before = sorted(path.name for path in (self.folder / "photos").iterdir())
        written = self.json("export", self.library, "photos", "--xmp", "--machine-tags", "-t", "0")
        self.assertEqual(written["changed"], applied["tagged_items"])

        self.assertEqual(self.add("photos", self.folder / "photos")["updated"],
                         applied["tagged_items"])
        self.assertEqual(self.exported(), people, "in the same collection")
        self.assertEqual(self.exported("--machine-tags", "-t", "0"), all_tags)

        shutil.copytree(self.folder / "photos", self.folder / "copy")
        self.add("copy", self.folder / "copy")
        self.assertEqual(self.exported(collection="copy"), people, "in a copy")
        other = self.folder / "other"
        self.output("init", other)
        self.output("add", other, "photos", self.folder / "copy")
        self.assertEqual(self.exported(library=other), people, "in another library")
        self.assertEqual(self.exported("--machine-tags", "-t", "0", library=other), all_tags)

        # Another program that keeps the lists and loses the marks.
        sidecar = next((self.folder / "photos").glob("*.xmp"))
        content = sidecar.read_text()
        marks = re.compile(r"<commonplace:MachineTags>.*</commonplace:MachineTags>", re.DOTALL)
        self.assertRegex(content, marks)
        sidecar.write_text(marks.sub("", content))
        self.add("photos", self.folder / "photos")
        self.assertEqual(self.exported(), people, "without the marks")
        sidecar.write_text(content)
        self.add("photos", self.folder / "photos")

        undone = self.json("apply", self.library, "--collection", "photos", "--undo")
        self.assertEqual(undone["removed"], applied["tags"])
        self.assertEqual((undone["removed_from_files"], undone["sidecars"]),
                         (applied["tags"], applied["tagged_items"]))
        self.assertEqual(sorted(path.name for path in (self.folder / "photos").iterdir()), before)
        self.add("photos", self.folder / "photos")
        self.assertEqual(self.exported("--machine-tags", "-t", "0"), people)

    def test_what_a_person_accepts_is_theirs_in_sidecars_too(self):
        self.photographs()
        self.json("export", self.library, "photos", "--xmp", "--machine-tags", "-t", "0")
        self.add("photos", self.folder / "photos")
        given = {item["id"]: [tag["name"] for tag in item.get("tags", []) if isinstance(tag, dict)]
                 for item in map(json.loads, self.exported("--machine-tags", "-t", "0").splitlines())}
        accepted, rejected = [item for item, tags in given.items() if tags][:2]
        yes, no = given[accepted][0], given[rejected][0]
        self.output("tag", self.library, "photos", accepted, "--add", yes)
        self.output("tag", self.library, "photos", rejected, "--reject", no)
        changes = self.json("export", self.library, "photos", "--xmp")["changes"]
        self.assertEqual(sorted((each["accepts"], each["removes"]) for each in changes),
                         sorted([([yes], []), ([], [no])]))
        self.assertEqual(self.json("export", self.library, "photos", "--xmp")["changed"], 0)
        self.output("apply", self.library, "--collection", "photos", "--undo")
        self.add("photos", self.folder / "photos")
        shown = self.json("show", self.library, "photos", accepted)["tags"]
        self.assertEqual(shown, [yes], "the source's now, because a person wrote it there")

    def test_undo_while_the_pictures_are_away(self):
        self.photographs()
        people = self.exported()
        self.json("export", self.library, "photos", "--xmp", "--machine-tags", "-t", "0")
        self.add("photos", self.folder / "photos")
        (self.folder / "photos").rename(self.folder / "unplugged")
        undone = self.json("apply", self.library, "--collection", "photos", "--undo")
        self.assertEqual(undone["sidecars"], 0)
        self.assertGreater(undone["sidecars_away"], 10)
        (self.folder / "unplugged").rename(self.folder / "photos")
        self.add("photos", self.folder / "photos")
        self.assertEqual(self.exported("--machine-tags", "-t", "0"), people, "it stays undone")
        taken = self.json("export", self.library, "photos", "--xmp")
        self.assertEqual(taken["changed"], undone["sidecars_away"])
        self.assertEqual(list((self.folder / "photos").glob("*.xmp")), [])

    def test_undo_reaches_into_pictures_when_asked(self):
        """Another program has put what the sidecars say into the pictures, and removed the sidecars."""
        self.photographs()
        people = self.exported()
        untouched = {path: path.read_bytes() for path in (self.folder / "photos").iterdir()}
        self.json("export", self.library, "photos", "--xmp", "--machine-tags", "-t", "0")
        sidecars = sorted((self.folder / "photos").glob("*.xmp"))
        for sidecar in sidecars:
            picture = sidecar.with_suffix("")
            own = b"http://ns.adobe.com/xap/1.0/\0" + sidecar.read_bytes()
            segment = b"\xff\xe1" + (len(own) + 2).to_bytes(2, "big") + own
            content = picture.read_bytes()
            picture.write_bytes(content[:2] + segment + content[2:])
            sidecar.unlink()
        self.add("photos", self.folder / "photos")
        self.assertEqual(self.exported(), people)
        undo = ("apply", self.library, "--collection", "photos", "--undo")
        self.assertEqual(len(self.json(*undo)["inside_pictures"]), len(sidecars))
        done = self.json(*undo, "--in-pictures")
        self.assertEqual((done["pictures"], done["inside_pictures"]), (len(sidecars), []))
        self.assertEqual(self.json(*undo, "--in-pictures")["pictures"], 0)
        self.add("photos", self.folder / "photos")
        self.assertEqual(self.exported("--machine-tags", "-t", "0"), people)
        other = self.folder / "other"
        self.output("init", other)
        self.output("add", other, "photos", self.folder / "photos")
        self.assertEqual(self.exported("--machine-tags", "-t", "0", library=other), people)
        for path, content in untouched.items():
            self.assertTrue(path.read_bytes().endswith(content[2:]), "pixels are as they were")

    def test_other_exports_keep_machine_tags_apart(self):
        self.ready()
        self.apply("--above", "0.8")
        people = self.human()
        everything = self.output("export", self.library, "notes", "--machine-tags")
        for form in ("jsonl", "csv", "tsv"):
            out = self.folder / f"out.{form}"
            self.output("export", self.library, "notes", "--machine-tags", "--format", form,
                        "--out", out)
            self.add(form, out)
            self.assertEqual(self.exported(collection=form), people, form)
            self.assertEqual(self.exported("--machine-tags", collection=form), everything, form)
        self.run_program("export", self.library, "notes", "--machine-tags", "--format", "xc",
                         "--out", self.folder / "xc", code=1)

    def test_words(self):
        self.ready()
        self.doubtful()
        text = self.output("apply", self.library, "--collection", "notes", "--above", "0.8",
                           "--model", "suggest.notes")
        self.assertRegex(text, r"Wrote \d+ machine tags to \d+ of 600 items\.")
        self.assertRegex(text, r"ITEMS +TAG\n\d+ ")
        self.assertIn("--undo", text)
        undo = re.search(r"commonplace (apply .* --undo)", text).group(1).split()
        self.assertIn("Removed", self.output(*undo))
        self.assertIn("smaller --above", self.output(
            "apply", self.library, "--collection", "notes", "--above", "1", "--model", "doubtful"))

    def test_rejected_tags_are_never_written(self):
        self.ready()
        self.output("tag", self.library, "notes", "n5", "--reject", "forest")
        self.apply("--above", "0", "--limit-per-item", "9")
        check = sqlite3.connect(self.library / "library.db")
        names = [row[0] for row in check.execute(
            "SELECT t.name FROM machine_tag m JOIN tag t ON t.id = m.tag "
            "JOIN item i ON i.id = m.item WHERE i.key = 'n5'")]
        check.close()
        self.assertEqual(sorted(names), ["Küche", "sea/harbour", "鉄道"])

    def test_wrong_values(self):
        self.ready()
        apply = ("apply", self.library, "--collection")
        self.assertIn("1.5", self.refused(*apply, "notes", "--above", "1.5"))
        self.assertIn("nobody", self.refused(*apply, "nobody"))
        self.assertIn("limit", self.refused(*apply, "notes", "--limit-per-item", "0"))
        self.assertIn("'none'", self.refused(*apply, "notes", "--undo", "--model", "none"))


if __name__ == "__main__":
    main()
