"""The commands as a user types them."""
import gzip
import json
import os
import pathlib
import pty
import re
import resource
import signal
import stat
import subprocess
import time

from commonplace import PROGRAM, CommandLineTest, main

COMMANDS = "init add list show tag export features link remove version completion".split()


class Help(CommandLineTest):
    def test_every_command_has_help_with_an_example(self):
        top = self.output("--help")
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", top)
            text = self.output(command, "--help")
            self.assertRegex(text, rf"Examples:\n.*commonplace {command}\b")
            for flag in ("--json", "--quiet", "--jobs"):
                self.assertIn(flag, text)

    def test_wrong_arguments_are_told_apart_from_wrong_data(self):
        self.run_program(code=2)
        self.assertIn("no command 'frobnicate'", self.run_program("frobnicate", code=2).stderr)
        self.assertIn("--frob", self.run_program("--frob", code=2).stderr)
        self.run_program("init", code=2)
        self.run_program("list", self.library, "--no-such-flag", code=2)
        self.run_program("add", self.library, "x", "y", "--format", "nonsense", code=2)
        done = self.run_program("list", self.library, code=1)
        self.assertIn("commonplace init", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_version(self):
        self.assertRegex(self.output("version"), r"^commonplace \d+\.\d+\.\d+ ")
        self.assertIn("schema", self.json("version"))
        self.assertRegex(self.output("--version"), r"^commonplace \d")

    def test_bash_completes_commands_flags_and_collections(self):
        self.make_library()
        self.add("owls", self.write("a.jsonl", '{"id":"1"}'))
        script = self.write("completion.bash", self.output("completion", "bash"))

        def complete(*words):
            quoted = " ".join(f"'{word}'" for word in words)
            return subprocess.run(
                ["bash", "-c", f"source {script}; COMP_WORDS=({quoted}); "
                 f"COMP_CWORD={len(words) - 1}; _commonplace; printf '%s\\n' \"${{COMPREPLY[@]}}\""],
                capture_output=True, text=True, check=True).stdout.split()

        self.assertEqual(complete(PROGRAM, "fea"), ["features"])
        self.assertIn("--labels-from-folders", complete(PROGRAM, "add", "--lab"))
        self.assertEqual(complete(PROGRAM, "show", self.library, "o"), ["owls"])


class Library(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()

    def test_an_empty_library_says_what_to_do(self):
        self.assertIn("commonplace add", self.output("list", self.library))
        self.assertEqual(self.json("list", self.library), {"collections": [], "links": []})
        done = self.run_program("list", self.library, "birds", code=1)
        self.assertIn("empty", done.stderr)
        self.run_program("init", self.library, code=1)

    def test_add_list_show_tag(self):
        source = self.write("birds.jsonl.gz", gzip.compress(
            '{"id":"1","title":"Eule","tags":["Vögel/Eule","Nacht"],"lat":51.5,"lon":-0.12}\n'
            '{"id":"2","tags":["vögel"]}\n'.encode()))
        self.assertEqual(self.add("birds", source)["added"], 2)
        self.assertEqual(self.add("birds", source)["unchanged"], 2)
        self.assertRegex(self.output("list", self.library), r"birds +2 +jsonl")
        self.assertRegex(self.output("list", self.library, "birds"), r"1 +Eule +Vögel/Eule, Nacht")
        tags = self.json("list", self.library, "birds", "--tags", "--parents")["tags"]
        self.assertEqual(tags[0], {"tag": "Vögel", "items": 2})
        changed = self.json("tag", self.library, "birds", "1", "--add", "Wald", "--reject", "NACHT")
        self.assertEqual([tag if isinstance(tag, str) else tag["name"] for tag in changed["tags"]],
                         ["Vögel/Eule", "Wald"])
        shown = self.json("show", self.library, "birds", "1")
        self.assertEqual([entry["verdict"] for entry in shown["decisions"]],
                         ["accepted", "rejected"])
        self.assertIn("51.5", self.output("show", self.library, "birds", "1"))
        self.add("birds", self.write("birds.jsonl", '{"id":"1","title":"Eule 2","tags":["nacht"]}'))
        self.assertEqual([tag["name"] for tag in
                          self.json("show", self.library, "birds", "1")["tags"]], ["Wald"])
        self.run_program("show", self.library, "birds", "none", code=1)
        self.run_program("tag", self.library, "birds", "1", code=1)

    def test_bad_records_are_named_and_the_exit_code_tells(self):
        source = self.write("x.jsonl", '{"id":"1"}\nnonsense\n{"id":"2","lat":100,"lon":1}\n')
        summary = self.add("x", source, code=3)
        self.assertEqual((summary["added"], summary["skipped"]), (1, 2))
        self.assertEqual([problem["line"] for problem in summary["problems"]], [2, 3])
        done = self.run_program("add", self.library, "y", source, "--strict", code=1)
        self.assertIn("x.jsonl:2", done.stderr)
        names = [entry["name"] for entry in self.json("list", self.library)["collections"]]
        self.assertEqual(names, ["x"])

    def test_field_map_and_csv(self):
        source = self.write("films.csv", "nr;overview;keywords;genre\n"
                            '7;"A man; a plan";canal|panama;drama\n')
        self.add("films", source, "--map", "id=nr,text=overview,tags=keywords,labels=genre")
        film = self.json("show", self.library, "films", "7")
        self.assertEqual(film["text"], "A man; a plan")
        self.assertEqual(film["tags"], ["canal", "panama"])
        self.assertIn("drama", json.dumps(film["labels"]))
        self.run_program("add", self.library, "z", source, "--map", "colour=x", code=1)

    def test_features_links_and_removal(self):
        self.add("birds", self.write("b.jsonl", "".join(
            f'{{"id":"{i}","text":"the owl number {word}","tags":["{word}","owl"]}}\n'
            for i, word in enumerate(["one", "two", "three", "four"]))))
        made = self.json("features", self.library, "birds", "--name", "v", "--from",
                         self.write("v.csv", "1,2\n3,4\n5,6\n7,8\n"))
        self.assertEqual((made["rows"], made["columns"], made["kind"]), (4, 2, "dense"))
        text = self.json("features", self.library, "birds", "--text", "--language", "en",
                         "--stop-words", "--stem")
        self.assertEqual(text["kind"], "sparse")
        self.assertEqual(text["model"], "birds.text")
        topics = self.json("features", self.library, "birds", "--tags", "--plsa", "--topics", "2")
        self.assertEqual((topics["rows"], topics["columns"]), (4, 2))
        likelihood = topics["report"]["objective"]
        self.assertTrue(all(b >= a - 1e-9 for a, b in zip(likelihood, likelihood[1:])))
        names = [f["name"] for f in self.json("features", self.library, "birds")["features"]]
        self.assertEqual(names, ["text", "topics", "v"])
        models = [m["name"] for m in self.json("list", self.library, "--models")["models"]]
        self.assertEqual(models, ["birds.text", "birds.topics", "birds.topics.terms"])
        self.run_program("features", self.library, "birds", "--name", "w", "--from",
                         self.write("w.csv", "1\n"), code=1)
        self.run_program("features", self.library, "birds", "--text", "--language", "klingon",
                         code=1)
        links = self.json("link", self.library, self.write("l.csv", "0,1,1\n2,3,-1\n"),
                          "--from", "birds")
        self.assertEqual(links["added"], 2)
        self.assertIn("2 links between birds and birds", self.output("list", self.library))
        self.output("remove", self.library, "birds", "--features", "v")
        self.output("remove", self.library, "birds")
        self.assertEqual(self.json("list", self.library)["collections"], [])
        self.assertEqual(list((self.library / "features").iterdir()), [])

    def test_data_cannot_steer_the_terminal(self):
        self.add("x", self.write("x.jsonl", '{"id":"1","title":"\\u001b[31mred\\u0007"}'))
        for text in (self.output("list", self.library, "x"),
                     self.output("show", self.library, "x", "1")):
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\x07", text)

    def test_a_library_that_cannot_be_written_can_be_read(self):
        self.add("x", self.write("x.jsonl", '{"id":"1"}'))
        for path in [self.library, *self.library.rglob("*")]:
            path.chmod(stat.S_IRUSR | (stat.S_IXUSR if path.is_dir() else 0))
        try:
            self.assertIn("x", self.output("list", self.library))
        finally:
            self.library.chmod(stat.S_IRWXU)

    def test_interrupting_an_import_changes_nothing(self):
        source = self.write("big.jsonl", "".join(
            f'{{"id":"{i}","tags":["a","b"]}}\n' for i in range(300_000)))
        process = subprocess.Popen([PROGRAM, "add", self.library, "big", source],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None and self.bytes_read(process) < 3_000_000:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("nothing was changed", errors)
        self.assertEqual(self.json("list", self.library)["collections"], [])

    @staticmethod
    def bytes_read(process):
        counters = pathlib.Path(f"/proc/{process.pid}/io").read_text()
        return int(re.search(r"rchar: (\d+)", counters).group(1))

    def test_a_bar_on_a_terminal_and_plain_lines_otherwise(self):
        source = self.write("big.jsonl", "".join(
            f'{{"id":"{i}","tags":["a","b","c","d"]}}\n' for i in range(200_000)))
        try:
            terminal, side = pty.openpty()
        except OSError as error:
            self.skipTest(f"there are no terminals here: {error}")
        process = subprocess.Popen([PROGRAM, "add", self.library, "big", source], stderr=side,
                                   stdout=subprocess.DEVNULL)
        os.close(side)
        shown = b""
        try:
            while chunk := os.read(terminal, 65536):
                shown += chunk
        except OSError:
            pass  # the other side closed
        os.close(terminal)
        self.assertEqual(process.wait(), 0)
        self.assertRegex(shown.decode(), r"\[#*\.*\] +\d+ %")
        done = self.run_program("add", self.library, "again", source, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertIn("tag       a", self.output("show", self.library, "again", "0", "-q"))

    def test_a_full_disk_is_an_error_and_does_no_damage(self):
        self.add("small", self.write("small.jsonl", '{"id":"1","tags":["a"]}'))
        before = self.output("export", self.library, "small")
        source = self.write("big.jsonl", "".join(
            f'{{"id":"{i}","title":"number {i}"}}\n' for i in range(100_000)))

        def limit_file_size():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))

        # Python ignores SIGXFSZ and hands that down, so that writing fails instead of killing.
        limited = {"preexec_fn": limit_file_size, "restore_signals": False}
        self.run_program("add", self.library, "big", source, code=1, **limited)
        self.assertEqual([entry["name"] for entry in self.json("list", self.library)["collections"]],
                         ["small"])
        self.assertEqual(self.output("export", self.library, "small"), before)
        self.add("big", source)
        out = self.write("out.jsonl", "precious")
        done = self.run_program("export", self.library, "big", "--out", out, code=1, **limited)
        self.assertIn("out.jsonl", done.stderr)
        self.assertEqual(out.read_text(), "precious")

    def test_two_writers_do_not_mix(self):
        source = self.write("big.jsonl", "".join(f'{{"id":"{i}"}}\n' for i in range(50_000)))
        processes = [subprocess.Popen([PROGRAM, "add", self.library, f"c{i}", source, "-q"])
                     for i in range(3)]
        self.assertEqual([process.wait() for process in processes], [0, 0, 0])
        counts = [entry["items"] for entry in self.json("list", self.library)["collections"]]
        self.assertEqual(counts, [50_000] * 3)


if __name__ == "__main__":
    main()
