"""Words that find pictures which nobody tagged, as a user types them; encoders are small ones made here."""
import array
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import unittest
import zlib

from commonplace import PROGRAM, CommandLineTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import onnx_file as onnx  # noqa: E402

# A word's vector: red, green and blue are directions, and so is all that has nothing to do with colours.
WORDS = {"red": (1, 0, 0, 0), "green": (0, 1, 0, 0), "blue": (0, 0, 1, 0), "crimson": (0.9, 0.1, 0, 0),
         "leaf": (0, 0.9, 0.1, 0), "sky": (0.1, 0, 0.9, 0), "invoice": (0, 0, 0, 1), "tax": (0, 0, 0.1, 0.9)}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
COLOURS = {"red": (220, 30, 30), "green": (30, 220, 30), "blue": (30, 30, 220)}
RULES = {"do_resize": True, "size": {"height": 8, "width": 8}, "resample": 2, "do_center_crop": False,
         "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": False}


def tokenizer():
    added = [{"id": i, "content": each, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": True} for i, each in enumerate(SPECIAL)]
    return json.dumps({
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100,
                  "vocab": {each: i for i, each in enumerate([*SPECIAL, *WORDS])}}})


def table():
    rows = [(0, 0, 0, 0)] * len(SPECIAL) + list(WORDS.values())
    return onnx.tensor("table", [len(rows), 4], array.array("f", [number for row in rows for number in row]))


def sentences():
    return onnx.model([onnx.node("Gather", ["table", "input_ids"], ["last_hidden_state"])], [table()],
                      [onnx.port("input_ids", onnx.INT64, ["texts", "tokens"]),
                       onnx.port("attention_mask", onnx.INT64, ["texts", "tokens"])],
                      [onnx.port("last_hidden_state", onnx.FLOAT, ["texts", "tokens", 4])])


PIXELS = ("pixel_values", onnx.FLOAT, ["pictures", 3, 8, 8])


def pictures():
    """The mean of each channel, as vector and, sharpened, as classes."""
    return onnx.model(
        [onnx.node("GlobalAveragePool", ["pixel_values"], ["pooled"]), onnx.node("Flatten", ["pooled"], ["embedding"]),
         onnx.node("Mul", ["embedding", "twenty"], ["logits"])],
        [onnx.tensor("twenty", [1], array.array("f", [20]))], [onnx.port(*PIXELS)],
        [onnx.port("embedding", onnx.FLOAT, ["pictures", 3]), onnx.port("logits", onnx.FLOAT, ["pictures", 3])])


def pair():
    """Both towers in one file: texts by their words' mean, pictures by their channels and nothing else."""
    return onnx.model(
        [onnx.node("Gather", ["table", "input_ids"], ["words"]), onnx.node("ReduceMean", ["words"], ["text_embeds"],
                                                                           axes=[1], keepdims=0),
         onnx.node("GlobalAveragePool", ["pixel_values"], ["pooled"]), onnx.node("Flatten", ["pooled"], ["channels"]),
         onnx.node("MatMul", ["channels", "widen"], ["image_embeds"])],
        [table(), onnx.tensor("widen", [3, 4], array.array("f", [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]))],
        [onnx.port("input_ids", onnx.INT64, ["texts", "tokens"]), onnx.port(*PIXELS),
         onnx.port("attention_mask", onnx.INT64, ["texts", "tokens"])],
        [onnx.port("text_embeds", onnx.FLOAT, ["texts", 4]), onnx.port("image_embeds", onnx.FLOAT, ["pictures", 4])])


def png(colour, draw, side=16):
    pixels = [[max(0, min(255, channel + draw.randint(-25, 25))) for channel in colour] for _ in range(side * side)]
    shift = [draw.randint(-25, 25) for _ in range(3)]
    rows = b"".join(b"\0" + bytes(max(0, min(255, number + shift[c])) for x in range(side)
                                  for c, number in enumerate(pixels[y * side + x])) for y in range(side))

    def chunk(kind, content):
        return (struct.pack(">I", len(content)) + kind + content
                + struct.pack(">I", zlib.crc32(kind + content)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def has_runtime():
    models = json.loads(subprocess.run([PROGRAM, "models", "--json"], check=True, capture_output=True).stdout)
    return bool(models.get("runtime"))


if "XDG_DATA_HOME" not in os.environ and (ROOT / "build" / "data").is_dir():
    os.environ["XDG_DATA_HOME"] = str(ROOT / "build" / "data")


@unittest.skipUnless(has_runtime(), "there is no ONNX Runtime")
class MeaningTest(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.make_library()
        self.encoder("sentences", sentences(), {"tokenizer.json": tokenizer()})
        self.encoder("colours", pictures(), {
            "preprocessor_config.json": json.dumps(RULES),
            "config.json": json.dumps({"id2label": {str(i): name for i, name in enumerate(COLOURS)}})})

    def encoder(self, name, model, files):
        self.write(f"{name}/onnx/model.onnx", model)
        for file, content in files.items():
            self.write(f"{name}/{file}", content)
        return self.folder / name

    def add_photos(self, name="photos", each=20, **fields):
        """Photographs of the three colours in turn, named by them."""
        draw = random.Random(name)
        lines = []
        for i in range(3 * each):
            colour = list(COLOURS)[i % 3]
            path = self.write(f"{name}/{colour}{i:02}.png", png(COLOURS[colour], draw))
            record = {"id": f"{colour}{i:02}", "image": str(path)}
            record.update({field: said(colour, i) for field, said in fields.items()})
            lines.append(json.dumps(record))
        self.add(name, self.write(f"{name}.jsonl", "\n".join(lines) + "\n"))

    def features(self, name, encoder, *arguments):
        return self.json("features", self.library, name, "--encoder", self.folder / encoder, *arguments)

    def add_notes(self):
        """The library knows its sentence encoder by these."""
        self.add("notes", self.write("notes.jsonl", "".join(
            json.dumps({"id": text, "text": text}) + "\n" for text in ("tax invoice", "green leaf", "blue sky"))))
        self.features("notes", "sentences")

    def found(self, *arguments):
        return self.json("search", self.library, *arguments, "--collection", "photos")["hits"]

    def colours_found(self, *arguments):
        return [hit["id"].rstrip("0123456789") for hit in self.found(*arguments)]


class Untagged(MeaningTest):
    def test_words_find_what_is_seen(self):
        self.add_photos()
        self.add_notes()
        self.features("photos", "colours")
        self.assertEqual(self.found("crimson"), [])
        learned = self.json("learn", self.library, "search", "--target", "photos")
        self.assertEqual([way["by"] for way in learned["meaning"]], ["pictures"])
        self.assertEqual(self.colours_found("crimson", "-l", "15"), ["red"] * 15)
        self.assertEqual(self.colours_found("leaf", "-l", "15"), ["green"] * 15)
        hit = self.found("crimson", "-l", "1", "--explain")[0]
        self.assertEqual(hit["why"]["seen"][0], "red")
        self.assertGreater(hit["meant"], 0)
        text = self.output("search", self.library, "crimson", "--collection", "photos", "--explain", "-l", "1")
        self.assertIn("seen in the picture: red", text)

    def test_what_nothing_fits_finds_nothing(self):
        self.add_photos()
        self.add_notes()
        self.features("photos", "colours")
        self.json("learn", self.library, "search", "--target", "photos")
        self.assertEqual(self.found("invoice"), [])
        self.assertEqual(self.found("crimson", "--words-only"), [])

    def test_captions_of_others_teach_what_no_class_says(self):
        # "sky" is what people write beside green pictures here.
        say = {"red": "crimson", "green": "sky", "blue": "tax"}
        self.add_photos()
        self.add_photos("captioned", text=lambda colour, _: say[colour])
        self.add_notes()
        for name in ("photos", "captioned"):
            self.features(name, "colours")
        learned = self.json("learn", self.library, "search", "--target", "photos", "--auxiliary", "captioned")
        self.assertEqual(learned["meaning"][0]["captioned"], 60)
        self.assertEqual(self.colours_found("sky", "-l", "10"), ["green"] * 10)
        queries = self.write("queries.tsv", "sky\tgreen01\ncrimson\tred00\n")
        judged = self.json("evaluate", "search", self.library, "--target", "photos", "--ask", queries)
        self.assertEqual((judged["queries"], judged["items"], judged["nothing"]), (2, 60, 0))
        self.assertLessEqual(judged["median_rank"], 20)

    def test_new_pictures_are_found_without_learning_again(self):
        self.add_photos()
        self.add_notes()
        self.features("photos", "colours")
        self.json("learn", self.library, "search", "--target", "photos")
        self.add_photos(each=25)
        made = self.features("photos", "colours")
        self.assertEqual((made["kept"], made["encoded"]), (60, 15))
        self.assertEqual(self.colours_found("crimson", "-l", "25"), ["red"] * 25)

    def test_like_a_picture(self):
        self.add_photos()
        self.features("photos", "colours")
        other = self.write("other.png", png(COLOURS["blue"], random.Random(7)))
        self.assertEqual(self.colours_found("--like-image", other, "-l", "10"), ["blue"] * 10)

    def test_without_the_encoder_words_are_searched(self):
        self.add_photos(title=lambda colour, i: f"{colour} number {i}")
        self.add_notes()
        self.features("photos", "colours")
        self.json("learn", self.library, "search", "--target", "photos", "--text")
        (self.folder / "sentences" / "tokenizer.json").write_text("{}")
        done = self.run_program("search", self.library, "red", "--collection", "photos", "-l", "5")
        self.assertIn("searched by words alone", done.stderr)
        self.assertEqual(done.stdout.count("red"), 10)


class Pair(MeaningTest):
    def test_a_pair_in_one_file(self):
        self.encoder("pair", pair(), {"tokenizer.json": tokenizer(), "preprocessor_config.json": json.dumps(RULES)})
        self.add_photos()
        self.features("photos", "pair", "--of", "pictures", "--name", "pair")
        learned = self.json("learn", self.library, "search", "--target", "photos")
        self.assertEqual([way["by"] for way in learned["meaning"]], ["pair"])
        self.assertEqual(self.colours_found("crimson", "-l", "15"), ["red"] * 15)


class Texts(MeaningTest):
    def test_texts_that_say_it_in_other_words(self):
        self.add("notes", self.write("notes.jsonl", "".join(
            json.dumps({"id": f"{text} {i}", "text": text}) + "\n"
            for i, text in enumerate(["tax invoice", "green leaf", "blue sky"] * 5))))
        self.features("notes", "sentences")
        self.json("learn", self.library, "search", "--target", "notes", "--text")
        hits = self.json("search", self.library, "crimson red", "--collection", "notes")["hits"]
        self.assertEqual(hits, [])
        hits = self.json("search", self.library, "green", "--collection", "notes", "--explain")["hits"]
        self.assertTrue(all("leaf" in hit["id"] for hit in hits[:5]))
        self.assertEqual(hits[0]["why"]["meanings"][0]["by"], "texts")


class Tags(MeaningTest):
    """Tags that are told by their names."""

    def suggested(self, *arguments):
        answer = self.json("suggest", self.library, *arguments)
        return {each["tag"]: each for each in answer["suggestions"]}

    def add_tagged_notes(self):
        said = {"red": "crimson", "green": "leaf"}
        self.add("notes", self.write("notes.jsonl", "".join(
            json.dumps({"id": f"{i}", "text": text, "tags": [said[text]]}) + "\n"
            for i, text in enumerate(["red", "green"] * 60))))
        self.features("notes", "sentences")

    def test_a_tag_that_nobody_used_is_suggested_where_what_is_said_of_it_fits(self):
        self.add_tagged_notes()
        self.json("tag", self.library, "--describe", "money", "tax")
        self.json("learn", self.library, "suggest", "--collection", "notes")
        found = self.suggested("--text", "invoice", "--explain")
        self.assertEqual(list(found)[0], "money")
        self.assertGreater(found["money"]["confidence"], 0.5)
        self.assertGreater(found["money"]["reasons"]["from_name"], 0)
        self.assertIn("its name fits", self.output("suggest", self.library, "--text", "invoice", "--explain"))
        self.assertNotIn("money", self.suggested("--text", "red"))

    def test_what_is_said_of_a_tag_later_counts_without_learning_again(self):
        self.add_tagged_notes()
        self.json("learn", self.library, "suggest", "--collection", "notes")
        self.assertNotIn("weather", self.suggested("--text", "blue"))
        self.json("tag", self.library, "--describe", "weather", "sky")
        self.assertIn("weather", self.suggested("--text", "blue"))
        updated = self.json("learn", self.library, "suggest", "--collection", "notes", "--update")
        self.assertEqual((updated["new_tags"], updated["new_names"]), (1, 1))
        self.json("tag", self.library, "--describe", "weather", "tax")
        sure = {text: self.suggested("--text", text, "--threshold", "0")["weather"]["confidence"]
                for text in ("blue", "invoice")}
        self.assertGreater(sure["invoice"], sure["blue"])

    def test_tags_of_pictures_by_the_names_of_others(self):
        said = {"red": "crimson", "green": "leaf", "blue": "blue"}
        self.add_photos(each=60, tags=lambda colour, _: [said[colour]])
        self.add_notes()
        self.features("photos", "colours")
        self.json("tag", self.library, "--describe", "azure", "sky")
        self.json("learn", self.library, "suggest", "--collection", "photos")
        found = self.suggested("--image", self.write("new.png", png(COLOURS["blue"], random.Random(3))))
        self.assertIn("azure", found)
        self.assertIn("blue", found)
        self.assertNotIn("azure", self.suggested("--image", self.write("other.png", png(COLOURS["red"],
                                                                                       random.Random(4)))))


if __name__ == "__main__":
    main()
