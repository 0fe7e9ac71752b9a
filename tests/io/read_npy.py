"""Prints what NumPy sees in a .npy file, mapped as well as read."""
import sys

import numpy

array = numpy.load(sys.argv[1])
mapped = numpy.load(sys.argv[1], mmap_mode="r")
assert numpy.array_equal(array, mapped)
print(array.dtype.str, array.shape, array.flags["C_CONTIGUOUS"], mapped.offset % 64)
print(array.tolist())
