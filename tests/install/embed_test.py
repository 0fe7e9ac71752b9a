"""An installation as others use it: programs, page, manual, completions, and a program that embeds the library
by find_package and by pkg-config."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "embed"
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build" / "release"))
CMAKE = os.environ.get("CMAKE", "cmake")
CXX = os.environ.get("CXX", "g++")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="commonplace_install_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        first = cls.folder / "first"
        run(CMAKE, "--install", BUILD, "--prefix", first)
        # Nothing in it may depend on where it was installed to.
        cls.prefix = cls.folder / "moved"
        first.rename(cls.prefix)
        (cls.pc,) = cls.prefix.rglob("commonplace.pc")

    def check(self, program):
        lines = run(program, EXAMPLE / "notes.jsonl", self.folder / f"library of {program.parent.name} {program.name}").splitlines()
        self.assertEqual(lines[0], "added 120 items")
        suggested = [line.split() for line in lines if line.startswith("suggest")]
        self.assertEqual(suggested[0][1], "boats")
        self.assertGreater(float(suggested[0][2]), 0.5)
        detected = [line.split()[1] for line in lines if line.startswith("detect")]
        self.assertEqual(len(detected), 6)
        self.assertTrue(all(int(item[4:]) % 3 == 1 for item in detected), detected)
        found = [line.split()[1] for line in lines if line.startswith("search")]
        self.assertEqual(len(found), 2)
        self.assertTrue(all(int(item[4:]) % 3 == 1 for item in found), found)

    def build_by_cmake(self, name, *options):
        build = self.folder / name
        run(CMAKE, "-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=Release", *options)
        run(CMAKE, "--build", build)
        return build / "embed"

    def shared_library(self):
        found = sorted(self.prefix.rglob("libcommonplace.so"))
        if not found:
            self.skipTest("built with COMMONPLACE_PIC=OFF or with sanitizers: there is no shared library")
        return found[0]

    def test_found_by_cmake(self):
        program = self.build_by_cmake("static")
        self.assertNotIn("libcommonplace", run("ldd", program))
        self.check(program)

    def test_shared_found_by_cmake(self):
        library = self.shared_library()
        program = self.build_by_cmake("shared", "-DBUILD_SHARED_LIBS=ON")
        self.assertIn(str(library.parent), run("ldd", program))
        self.check(program)

    def test_shared_library_shows_the_interface_alone(self):
        shown = [line.split(maxsplit=2)[2]
                 for line in run("nm", "-DC", "--defined-only", self.shared_library()).splitlines()]
        ours = [name for name in shown if "commonplace::" in name]
        self.assertTrue(any(name.startswith("commonplace::api::suggest::learn(") for name in ours), ours[:20])
        inside = [name for name in ours if re.search(r"commonplace::(search|suggest|detect|relate|transfer)::", name)]
        self.assertEqual(inside, [])

    def test_found_by_pkg_config(self):
        path = {**os.environ, "PKG_CONFIG_PATH": str(self.pc.parent)}
        flags = run("pkg-config", "--cflags", "--libs", "commonplace", env=path).split()
        program = self.folder / "embed_by_pkg_config"
        run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror", EXAMPLE / "main.cpp", "-o", program, *flags,
            f"-Wl,-rpath,{self.pc.parent.parent}")
        self.check(program)

    def test_headers_stand_alone(self):
        """Each public header compiles by itself, and shows no header of another project."""
        include = self.prefix / "include"
        for header in sorted((include / "commonplace").glob("*.h")):
            used = run(CXX, "-std=c++20", f"-I{include}", "-M", "-x", "c++", header)
            for other in ("Eigen", "sqlite", "nlohmann", "libxml"):
                self.assertNotIn(other, used, header.name)
            run(CXX, "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-fsyntax-only", "-x", "c++",
                "-include", header, "/dev/null")

    def test_documented(self):
        page = (ROOT / "docs" / "api.md").read_text()
        for name in ("main.cpp", "CMakeLists.txt"):
            self.assertIn((EXAMPLE / name).read_text(), page)

    def test_program_says_its_version(self):
        version = run(self.prefix / "bin" / "commonplace", "--version").split()[-1]
        path = {**os.environ, "PKG_CONFIG_PATH": str(self.pc.parent)}
        self.assertEqual(run("pkg-config", "--modversion", "commonplace", env=path).strip(), version)

    def test_page(self):
        if not (BUILD / "page" / "index.html").exists():
            self.skipTest("the page was not built; ./dev build does")
        self.assertTrue((self.prefix / "share" / "commonplace" / "page" / "index.html").is_file())
        library = self.folder / "served"
        program = self.prefix / "bin" / "commonplace"
        run(program, "init", library)
        with subprocess.Popen([program, "serve", library, "--port", "0", "--json", "--no-keep"], stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                self.assertIn('"page":true', server.stdout.readline().replace(" ", ""))
            finally:
                server.terminate()
                server.communicate()

    def test_completions(self):
        share = self.prefix / "share"
        bash = share / "bash-completion" / "completions" / "commonplace"
        run("bash", "-n", bash)
        zsh = (share / "zsh" / "site-functions" / "_commonplace").read_text()
        self.assertTrue(zsh.startswith("#compdef commonplace\n"))
        fish = (share / "fish" / "vendor_completions.d" / "commonplace.fish").read_text()
        for text in (bash.read_text(), zsh, fish):
            for word in ("suggest", "transfer", "limit"):
                self.assertIn(word, text)
        for shell, script in (("zsh", share / "zsh" / "site-functions" / "_commonplace"),
                              ("fish", share / "fish" / "vendor_completions.d" / "commonplace.fish")):
            if shutil.which(shell):
                run(shell, "-n", script)

    def test_service(self):
        text = (self.prefix / "lib" / "systemd" / "user" / "commonplace.service").read_text()
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not here")
        # systemd looks for programs in /usr and /usr/local alone.
        unit = self.folder / "commonplace.service"
        unit.write_text(text.replace("=commonplace ", f"={self.prefix}/bin/commonplace "))
        said = subprocess.run(["systemd-analyze", "--user", "--man=no", "verify", unit], capture_output=True, text=True,
                              env={**os.environ, "XDG_RUNTIME_DIR": str(self.folder)})
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_manual(self):
        manual = (self.prefix / "share" / "man" / "man1" / "commonplace.1").read_text()
        self.assertTrue(manual.startswith(".TH COMMONPLACE 1"))
        for heading in (".SH NAME", ".SH COMMANDS", ".SS commonplace suggest", ".SS commonplace learn relate"):
            self.assertIn(heading, manual)
        if shutil.which("man"):
            complaints = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z",
                                         self.prefix / "share/man/man1/commonplace.1"], capture_output=True, text=True)
            self.assertEqual(complaints.stderr, "")


if __name__ == "__main__":
    unittest.main()
