#!/usr/bin/env python3
"""Breaks each rule of check_layers.py in a copy of the house, and looks whether that is seen."""
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import check_layers  # noqa: E402

SRC = "src/commonplace"
# (what is wrong, file, its text or what is added to it, a part of what is said)
PLANTED = [
    ("a room includes another", f"{SRC}/search/planted.h", '#include "commonplace/suggest/ask.h"', "search may not know suggest"),
    ("and its core", f"{SRC}/detect/ask.cpp", '#include "commonplace/relate/core/rules.h"', "detect may not know relate"),
    ("with blanks and pointed brackets", f"{SRC}/search/planted.h", "  #  include <commonplace/suggest/ask.h>", "may not know suggest"),
    ("a floor includes a higher one", f"{SRC}/base/planted.h", '#include "commonplace/io/npy.h"', "base may not know io"),
    ("a floor includes a room", f"{SRC}/learn/planted.h", '#include "commonplace/suggest/ask.h"', "learn may not know suggest"),
    ("a shared floor includes the library", f"{SRC}/learn/planted.h", '#include "commonplace/library/library.h"', "learn may not know library"),
    ("a room includes the front door", f"{SRC}/suggest/planted.h", "#include <commonplace/suggest.h>", "public headers"),
    ("a room includes a program", f"{SRC}/suggest/planted.h", '#include "app/cli/command.h"', "not named from the root"),
    ("a header is named by where it lies", f"{SRC}/suggest/core/planted.h", '#include "../ask.h"', "not named from the root"),
    ("the same beside it", f"{SRC}/suggest/planted.h", '#include "ask.h"', "not named from the root"),
    ("a folder nobody knows", f"{SRC}/attic/planted.h", "", "is not in the table"),
    ("core includes the library", f"{SRC}/search/core/planted.h", '#include "commonplace/library/library.h"', "core/ may not know library"),
    ("core includes rows", f"{SRC}/relate/core/planted.h", '#include "commonplace/rows/row_table.h"', "core/ may not know rows"),
    ("core includes its room", f"{SRC}/transfer/core/planted.h", '#include "commonplace/transfer/ask.h"', "core/ may not know"),
    ("core includes SQLite", f"{SRC}/detect/core/planted.h", "#include <sqlite3.h>", "sqlite3.h belongs to library"),
    ("asking includes learning", f"{SRC}/search/ask.h", '#include "commonplace/search/learn.h"', "ask reaches learn"),
    ("asking reaches it by another header", f"{SRC}/search/terms.h", '#include "commonplace/search/learn.h"', "ask reaches learn"),
    ("asking includes evaluating", f"{SRC}/detect/ask.cpp", '#include "commonplace/detect/evaluate.h"', "ask reaches evaluate"),
    ("learning includes evaluating", f"{SRC}/suggest/learn.cpp", '#include "commonplace/suggest/evaluate.h"', "learn reaches evaluate"),
    ("learning includes a rival", f"{SRC}/relate/learn.cpp", '#include "commonplace/relate/rivals/methods.h"', "learn reaches evaluate"),
    ("updating includes evaluating", f"{SRC}/suggest/update.cpp", '#include "commonplace/suggest/evaluate.h"', "update reaches evaluate"),
    ("explaining includes learning", f"{SRC}/search/explain.cpp", '#include "commonplace/search/learn.h"', "explain reaches learn"),
    ("a model includes learning", f"{SRC}/suggest/model.h", '#include "commonplace/suggest/learn.h"', "model reaches learn"),
    ("SQL in a room", f"{SRC}/suggest/tags.cpp", 'auto sql = "SELECT 1";', "SQL belongs to library"),
    ("SQL in a raw string", f"{SRC}/keep/plan.cpp", 'auto sql = R"sql(  DELETE FROM item)sql";', "SQL belongs to library"),
    ("a statement in a program", "app/cli/planted_list.h", "Statement statement;", "SQL belongs to library"),
    ("SQLite in a program", "app/server/planted.h", "#include <sqlite3.h>", "sqlite3.h belongs to library"),
    ("the database in a program", "app/cli/planted.h", '#include "commonplace/library/database.h"', "belongs to library"),
    ("SQL in the Python module", "python/native/planted.h", 'auto sql = "UPDATE item SET row = 0";', "SQL belongs to library"),
    ("MPI outside comm", f"{SRC}/learn/planted.h", "#include <mpi.h>", "mpi.h belongs to comm"),
    ("dlopen outside encode", f"{SRC}/rows/planted.h", "#include <dlfcn.h>", "dlfcn.h belongs to encode"),
    ("a .cpp without a header", f"{SRC}/learn/planted.cpp", "", "has no header of its own"),
    ("the same in a program", "app/server/planted.cpp", "", "has no header of its own"),
    ("a cout", f"{SRC}/learn/kernel.cpp", "void f() { std::cout << 1; }", "does not print"),
    ("a printf", f"{SRC}/learn/kernel.cpp", 'void f() { std::printf("1"); }', "does not print"),
    ("an fprintf", f"{SRC}/learn/kernel.cpp", 'void f() { fprintf(stderr, "1"); }', "does not print"),
    ("an exit", f"{SRC}/learn/kernel.cpp", "void f() { std::exit(1); }", "does not print"),
    ("an abort", f"{SRC}/learn/kernel.cpp", "void f() { abort(); }", "does not print"),
    ("a public header with a type of others", "include/commonplace/run.h", "#include <Eigen/Core>", "a public header may not know"),
    ("a public header that includes the inside", "include/commonplace/search.h", '#include "commonplace/search/ask.h"', "a public header may not know"),
]


class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for top in ("src", "app/cli", "app/server", "include", "python/native"):
            shutil.copytree(ROOT / top, self.root / top)
        (self.root / "tests").mkdir()

    def found(self):
        check_layers.includes.cache_clear()
        return list(check_layers.problems(self.root))

    def test_the_house_keeps_its_rules(self):
        self.assertEqual(self.found(), [])

    def test_each_broken_rule_is_seen(self):
        for wrong, name, text, said in PLANTED:
            with self.subTest(wrong):
                path = self.root / name
                before = path.read_text() if path.exists() else None
                path.parent.mkdir(exist_ok=True)
                path.write_text((before or "") + "\n" + text + "\n")
                found = self.found()
                self.assertTrue(any(said in each for each in found), found)
                if before is not None:
                    path.write_text(before)
                else:
                    path.unlink()
        shutil.rmtree(self.root / SRC / "attic")
        self.assertEqual(self.found(), [])

    def test_a_long_way_to_an_equation_is_seen(self):
        for name in ("learn.h", "learn.cpp", "model.h"):
            path = self.root / SRC / "relate" / name
            path.write_text(path.read_text().replace("relate/core/", "relate/rows.h//"))
        self.assertTrue(any("from the front door" in each for each in self.found()))

    def test_a_full_folder_is_seen(self):
        for number in range(51):
            (self.root / "include/commonplace" / f"planted{number}.h").write_text("")
        self.assertTrue(any("more than 50" in each for each in self.found()))


if __name__ == "__main__":
    unittest.main()
