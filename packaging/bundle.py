#!/usr/bin/env python3
"""Makes the archive that is unpacked anywhere and run: the program and its page, manual and completions, with a
copy of every library that it loads but the C library's, and what their authors ask to be told.

    bundle.py BUILD FOLDER     makes FOLDER/commonplace-VERSION-linux-MACHINE.tar.gz from a build folder
"""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PRIVATE = "lib/commonplace"  # below the prefix, so that it may be unpacked into /usr/local or ~/.local
# Compiled into the program, so that no library tells of them; packaging/copyright has the page's parts.
HEADERS = ["libeigen3-dev", "libspectra-dev", "libdlib-dev", "nlohmann-json3-dev", "libcli11-dev", "libboost1.74-dev"]


def said(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def package_of(file):
    """Names the Debian package that a file came with; older ones list /usr/lib as /lib."""
    for name in (str(file), str(file).removeprefix("/usr")):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(": ")[0].split(",")[0]
    sys.exit(f"{file} belongs to no package, so that nobody knows its licence.")


def libraries(program):
    """Finds what the loader loads for a program: the name it asks for, and the file."""
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", said("ldd", program), re.M):
        if not path.startswith("/"):
            sys.exit(f"{program} needs {name}, which is not here.")
        file = pathlib.Path(path).resolve()
        # Whatever implementation the administrator prefers, Debian's own is the one that runs everywhere.
        reference = file.parent.parent / "blas" / name
        yield name, reference.resolve() if name == "libblas.so.3" and reference.exists() else file


def bundle(stage):
    """Copies the libraries below the prefix and lets the program look there first; returns their packages."""
    program = stage / "bin/commonplace"
    own = stage / PRIVATE
    own.mkdir(parents=True)
    packages = {}
    for name, file in libraries(program):
        package = package_of(file)
        if package.split(":")[0] != "libc6":
            shutil.copy(file, own / name)
            packages.setdefault(package, []).append(name)
    # Unlike RUNPATH, RPATH holds for what the libraries load in turn, so that they stay as Debian made them.
    said("patchelf", "--force-rpath", "--set-rpath", f"$ORIGIN/../{PRIVATE}", program)
    return packages


def write_licences(stage, packages):
    """Puts the copyright file of each package, and the licences that they refer to, into the documentation."""
    folder = stage / "share/doc/commonplace"
    (folder / "licences").mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", folder)
    shutil.copy(ROOT / "CHANGELOG.md", folder)
    texts = {"commonplace": (ROOT / "packaging/copyright").read_text()}
    table = []
    for package in sorted([*packages, *HEADERS]):
        name, version, source = said("dpkg-query", "-W", "-f=${Package}\t${Version}\t${source:Package} ${source:Version}",
                                     package).split("\t")
        texts[name] = pathlib.Path("/usr/share/doc", name, "copyright").read_text(errors="replace")
        files = ", ".join(sorted(packages.get(package, []))) or "headers, compiled in"
        table.append(f"{name} {version}, of the source package {source}\n    {files}\n")
    common = set()
    for name, text in texts.items():
        (folder / "licences" / name).write_text(text)
        common.update(re.findall(r"/usr/share/common-licenses/([A-Z][\w.-]*\w)", text))
    for name in sorted(common):
        if (file := pathlib.Path("/usr/share/common-licenses", name)).exists():
            shutil.copy(file, folder / "licences" / f"{name}.txt")
    (folder / "LIBRARIES").write_text(
        f"The libraries in {PRIVATE} are Debian's, unchanged; each may be replaced by another of the same\n"
        "interface. licences/ has what their authors say, and, as NAME.txt, the licences in full that these name\n"
        "below /usr/share/common-licenses. Their sources are Debian's source packages:\n\n" + "".join(table))


def archive(stage, target):
    """Packs a folder; the same files give the same bytes."""
    when = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = when
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    partial = target.with_suffix("")
    with tarfile.open(partial, "w", format=tarfile.GNU_FORMAT) as tar:
        tar.add(stage, stage.name, filter=plain)  # in the order of names
    said("gzip", "-9nf", partial)


def main():
    build, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    version = said(build / "commonplace", "--version").split()[-1]
    stage = folder / f"commonplace-{version}-linux-{platform.machine()}"
    shutil.rmtree(stage, ignore_errors=True)
    said("cmake", "--install", build, "--component", "program", "--strip", "--prefix", stage.resolve())
    if not (stage / "share/commonplace/page/index.html").exists():
        sys.exit("The page has not been built.")
    packages = bundle(stage)
    write_licences(stage, packages)
    archive(stage, folder / f"{stage.name}.tar.gz")
    shutil.rmtree(stage)


if __name__ == "__main__":
    main()
