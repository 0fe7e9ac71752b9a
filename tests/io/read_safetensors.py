"""Prints a safetensors file: a reader written from the format's description alone."""
import json
import struct
import sys

CODES = {"F32": "f", "F64": "d", "I32": "i", "I64": "q", "U8": "B"}
MASK = 2**64 - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def step(lane, word):
    return rotate((lane + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    at = 0
    total = P5
    if len(data) >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        for at in range(0, len(data) - 31, 32):
            lanes = [step(a, b) for a, b in zip(lanes, struct.unpack_from("<4Q", data, at))]
        at += 32
        total = sum(rotate(a, n) for a, n in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            total = ((total ^ step(0, lane)) * P1 + P4) & MASK
    total = (total + len(data)) & MASK
    while at + 8 <= len(data):
        total = (rotate(total ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= len(data):
        word = struct.unpack_from("<I", data, at)[0] * P1 & MASK
        total = (rotate(total ^ word, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        total = rotate(total ^ byte * P5 & MASK, 11) * P1 & MASK
    total = (total ^ total >> 33) * P2 & MASK
    total = (total ^ total >> 29) * P3 & MASK
    return total ^ total >> 32


def checksum(metadata, tensors, data):
    parts = []
    for key in sorted(metadata, key=str.encode):
        if key != "checksum":
            parts += [key, metadata[key]]
    for name in sorted(tensors, key=str.encode):
        entry = tensors[name]
        parts += [name, entry["dtype"], *map(str, entry["shape"]), str(entry["data_offsets"][0])]
    text = "".join(part + "\0" for part in parts)
    return f"xxh64:{xxh64(text.encode() + data):016x}"


content = open(sys.argv[1], "rb").read()
(length,) = struct.unpack_from("<Q", content)
tensors = json.loads(content[8 : 8 + length])
data = content[8 + length :]
metadata = tensors.pop("__metadata__", {})
for key in sorted(metadata):
    if key != "checksum":
        print(key, "=", metadata[key])
for name, entry in sorted(tensors.items()):
    begin, end = entry["data_offsets"]
    code = CODES[entry["dtype"]]
    values = struct.unpack(f"<{(end - begin) // struct.calcsize(code)}{code}", data[begin:end])
    print(name, entry["dtype"], entry["shape"], list(values))
print("data at a multiple of 64:", (8 + length) % 64 == 0)
print("checksum holds:", metadata.get("checksum") == checksum(metadata, tensors, data))
