"""Builds the native part with CMake, from the checkout that this folder is in."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent.parent


class CMakeBuild(build_ext):
    """Compiles `_native` and the program that encoders run in, and puts both into the package. A folder
    that the environment names, COMMONPLACE_BUILD, has them already."""

    def build_extension(self, ext):
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        built = os.environ.get("COMMONPLACE_BUILD")
        folder = Path(built) if built else self.build_native()
        package = folder / "python" / "commonplace"
        self.copy_file(str(next(package.glob("_native*.so"))), str(target))
        self.copy_file(str(package / "encode-worker"), str(target.parent))

    def build_native(self):
        """Builds it, and says in which folder."""
        folder = ROOT / "build" / "release"
        subprocess.run(
            [
                "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                "-DCOMMONPLACE_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        subprocess.run(["cmake", "--build", folder, "--target", "python"], check=True)
        return folder


def version():
    found = re.search(r"project\(commonplace VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    return found.group(1)


setup(
    version=version(),
    ext_modules=[Extension("commonplace._native", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
