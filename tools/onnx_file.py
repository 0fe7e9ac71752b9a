"""Writes ONNX files without any package: a model is a protobuf of few kinds of fields."""
import struct

FLOAT, INT64 = 1, 7
LEGAL = {"f": FLOAT, "q": INT64}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def whole(field, number):
    return varint(field << 3) + varint(number)


def block(field, content):
    content = content.encode() if isinstance(content, str) else bytes(content)
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name, shape, values):
    """`values` is an array.array of 'f' or 'q', or bytes of float32."""
    kind = FLOAT if isinstance(values, (bytes, bytearray)) else LEGAL[values.typecode]
    raw = bytes(values) if kind == FLOAT and isinstance(values, (bytes, bytearray)) else values.tobytes()
    return b"".join(whole(1, side) for side in shape) + whole(2, kind) + block(8, name) + block(9, raw)


def attribute(name, value):
    if isinstance(value, float):
        return block(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + whole(20, 1)
    if isinstance(value, int):
        return block(1, name) + whole(3, value) + whole(20, 2)
    if isinstance(value, str):
        return block(1, name) + block(4, value) + whole(20, 3)
    return block(1, name) + b"".join(whole(8, number) for number in value) + whole(20, 7)


def node(kind, inputs, outputs, **attributes):
    return (b"".join(block(1, name) for name in inputs) + b"".join(block(2, name) for name in outputs) + block(4, kind)
            + b"".join(block(5, attribute(name, value)) for name, value in attributes.items()))


def port(name, kind, shape):
    """A side is a number, or a name for one of any length."""
    sides = b"".join(block(1, block(2, side) if isinstance(side, str) else whole(1, side)) for side in shape)
    return block(1, name) + block(2, block(1, whole(1, kind) + block(2, sides)))


def model(nodes, tensors, inputs, outputs, opset=13):
    graph = (b"".join(block(1, each) for each in nodes) + block(2, "graph")
             + b"".join(block(5, each) for each in tensors)
             + b"".join(block(11, each) for each in inputs) + b"".join(block(12, each) for each in outputs))
    return whole(1, 8) + block(2, "commonplace") + block(7, graph) + block(8, block(1, "") + whole(2, opset))
