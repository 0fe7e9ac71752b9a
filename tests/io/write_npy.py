"""Writes one .npy file for each number type, order and version into a folder; prints their names."""
import sys

import numpy
from numpy.lib import format as npy

folder = sys.argv[1]
matrix = numpy.arange(15).reshape(5, 3)
for kind in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"):
    for order in "CF":
        for version in ((1, 0), (2, 0), (3, 0)):
            name = f"{kind}_{order}_{version[0]}.npy"
            with open(f"{folder}/{name}", "wb") as file:
                npy.write_array(file, numpy.asarray(matrix, dtype=kind, order=order), version)
            print(name)
numpy.save(f"{folder}/big_endian.npy", matrix.astype(">f4"))
numpy.save(f"{folder}/vector.npy", numpy.arange(7, dtype="float32"))
numpy.save(f"{folder}/no_rows.npy", numpy.zeros((0, 9)))
numpy.save(f"{folder}/cube.npy", numpy.zeros((2, 2, 2)))
numpy.save(f"{folder}/texts.npy", numpy.array(["a", "b"]))
numpy.save(f"{folder}/records.npy", numpy.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))
