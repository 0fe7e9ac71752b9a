"""Writes a safetensors file as others do: no checksum, no padding, tensors of any type, unaligned."""
import json
import struct
import sys

tensors = [
    ("flags", "BOOL", [3], struct.pack("<3?", True, False, True)),
    ("weights", "F32", [2, 3], struct.pack("<6f", 1.5, -2.0, 0.0, 3.25, 1e-30, -7.0)),
    ("halves", "F16", [1], struct.pack("<e", 0.5)),
    ("counts", "I64", [2], struct.pack("<2q", -(2**62), 5)),
    ("nothing", "F64", [0, 4], b""),
    ("precise", "F64", [2, 1], struct.pack("<2d", 0.1, -0.2)),
    ("scalar", "I32", [], struct.pack("<i", 42)),
]
header = {"__metadata__": {"format": "pt", "author": "söme øne"}}
data = b""
for name, dtype, shape, content in tensors:
    header[name] = {"data_offsets": [len(data), len(data) + len(content)], "shape": shape, "dtype": dtype}
    data += content
text = json.dumps(header, indent=1).encode()
text += b" " * (1 - len(text) % 2)  # an odd length, so that nothing is aligned
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
