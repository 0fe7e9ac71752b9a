#!/usr/bin/env python3
"""Makes expected.json: what PIL and numpy make of a few pictures, by the rules of the usual image processors.

Each case has the rules' file, the size of the picture (whose pixels are a formula of their place), and of the tensor
its shape, two sums and every so many-th number. Needs Debian's python3-pil and python3-numpy.
"""
import json
import math
import pathlib
import sys

import numpy
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tools"))
import keras_to_onnx  # noqa: E402

CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
IMAGENET = {"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
HALF = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
OPEN_CLIP = {"mode": "RGB", "mean": CLIP["image_mean"], "std": CLIP["image_std"], "fill_color": 0}
FILTERS = {"nearest": Image.NEAREST, "lanczos": Image.LANCZOS, "bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC,
           "box": Image.BOX, "hamming": Image.HAMMING}


def picture(width, height):
    y, x, c = numpy.mgrid[0:height, 0:width, 0:3]
    value = (x * x * 3 + y * y * 5 + x * y * (c + 1) + 40 * c + (x // 7 + y // 5) * 60) % 256
    return Image.fromarray(value.astype(numpy.uint8))


def by_shortest(image, edge, resample):
    width, height = image.size
    if width <= height:
        return image.resize((edge, int(edge * height / width)), resample)
    return image.resize((int(edge * width / height), edge), resample)


def centre_crop(image, height, width):
    """As transformers does it: zeros around what is too small."""
    pixels = numpy.asarray(image)
    full_height, full_width = max(height, pixels.shape[0]), max(width, pixels.shape[1])
    top = math.ceil((full_height - pixels.shape[0]) / 2)
    left = math.ceil((full_width - pixels.shape[1]) / 2)
    full = numpy.zeros((full_height, full_width, 3), pixels.dtype)
    full[top:top + pixels.shape[0], left:left + pixels.shape[1]] = pixels
    top, left = (full_height - height) // 2, (full_width - width) // 2
    return full[top:top + height, left:left + width]


def sides(size):
    return (size, size) if isinstance(size, int) else (size["height"], size["width"])


def of_processor(image, config):
    """What transformers' image processors do, the ones that use PIL."""
    kind = config.get("image_processor_type", config.get("feature_extractor_type", ""))
    size, resample = config.get("size"), config.get("resample", 2)
    shortest = size if isinstance(size, int) and kind.startswith("CLIP") else None
    if isinstance(size, dict):
        shortest = size.get("shortest_edge")
    if kind.startswith("ConvNext"):
        if shortest < 384:
            image = by_shortest(image, int(shortest / config["crop_pct"]), resample)
            image = Image.fromarray(centre_crop(image, shortest, shortest))
        else:
            image = image.resize((shortest, shortest), resample)
    elif config.get("do_resize", True) and shortest:
        image = by_shortest(image, shortest, resample)
    elif config.get("do_resize", True):
        height, width = sides(size)
        image = image.resize((width, height), resample)
    pixels = numpy.asarray(image)
    if config.get("do_center_crop"):
        pixels = centre_crop(image, *sides(config["crop_size"]))
    values = pixels.astype(numpy.float64)
    if config.get("do_flip_channel_order"):
        values = values[:, :, ::-1]
    if config.get("do_rescale", True):
        values = values * config.get("rescale_factor", 1 / 255)
    if "image_mean" in config:
        values = (values - numpy.array(config["image_mean"])) / numpy.array(config["image_std"])
    return values if config.get("data_format") == "channels_last" else values.transpose(2, 0, 1)


def of_open_clip(image, config):
    size = config["size"]
    height, width = (size, size) if isinstance(size, int) else size
    resample = FILTERS[config["interpolation"]]
    if config["resize_mode"] == "squash":
        image = image.resize((width, height), resample)
    elif config["resize_mode"] == "shortest":
        image = Image.fromarray(centre_crop(by_shortest(image, height, resample), height, width))
    else:
        ratio = max(image.size[1] / height, image.size[0] / width)
        image = image.resize((round(image.size[0] / ratio), round(image.size[1] / ratio)), resample)
        whole = Image.new("RGB", (width, height), (config["fill_color"],) * 3)
        whole.paste(image, ((width - image.size[0]) // 2, (height - image.size[1]) // 2))
        image = whole
    values = numpy.asarray(image).astype(numpy.float64) / 255
    return ((values - numpy.array(config["mean"])) / numpy.array(config["std"])).transpose(2, 0, 1)


def cases():
    clip = {"image_processor_type": "CLIPImageProcessor", "do_resize": True, "do_center_crop": True, "do_rescale": True,
            "rescale_factor": 0.00392156862745098, "do_normalize": True, "resample": 3, **CLIP}
    for width, height in [(320, 213), (213, 320), (500, 375), (17, 23), (300, 5), (224, 224)]:
        yield {**clip, "size": {"shortest_edge": 224}, "crop_size": {"height": 224, "width": 224}}, width, height
    yield {"feature_extractor_type": "CLIPFeatureExtractor", "do_resize": True, "do_center_crop": True, "size": 96,
           "crop_size": 80, "do_normalize": True, "resample": 3, **CLIP}, 111, 77
    yield {**clip, "size": {"shortest_edge": 20}, "crop_size": {"height": 33, "width": 31}}, 90, 70
    yield {**clip, "do_resize": False, "size": {"shortest_edge": 20}, "crop_size": {"height": 33, "width": 50}}, 41, 70
    vit = {"feature_extractor_type": "ViTFeatureExtractor", "do_resize": True, "do_normalize": True, "resample": 2, **HALF}
    yield {**vit, "size": 224}, 320, 200
    for resample in range(6):
        yield {**vit, "size": {"height": 57, "width": 83}, "resample": resample}, 200, 131
        yield {**vit, "size": {"height": 57, "width": 83}, "resample": resample}, 31, 20
    yield {"image_processor_type": "SiglipImageProcessor", "do_resize": True, "do_rescale": True, "do_normalize": True,
           "rescale_factor": 1 / 255, "resample": 3, "size": {"height": 256, "width": 256}, **HALF}, 300, 400
    convnext = {"image_processor_type": "ConvNextImageProcessor", "do_resize": True, "do_normalize": True, "resample": 3,
                "crop_pct": 0.875, **IMAGENET}
    yield {**convnext, "size": {"shortest_edge": 224}}, 300, 280
    yield {**convnext, "size": {"shortest_edge": 384}}, 200, 280
    yield {"image_processor_type": "BitImageProcessor", "do_resize": True, "do_center_crop": True, "resample": 3,
           "size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224}, **IMAGENET}, 320, 240
    yield {"do_resize": True, "size": {"height": 64, "width": 64}, "do_rescale": False, "do_flip_channel_order": True,
           "data_format": "channels_last", "resample": 2, "image_mean": [103.939, 116.779, 123.68],
           "image_std": [1, 1, 1]}, 100, 90
    for width, height in [(500, 375), (300, 451), (256, 300), (97, 130)]:
        yield keras_to_onnx.RULES, width, height
    for mode in ["shortest", "longest", "squash"]:
        yield {**OPEN_CLIP, "size": [96, 96], "interpolation": "bicubic", "resize_mode": mode}, 123, 87
    yield {**OPEN_CLIP, "size": 64, "interpolation": "bilinear", "resize_mode": "longest", "fill_color": 128}, 30, 51


def main():
    results = []
    for config, width, height in cases():
        make = of_open_clip if "resize_mode" in config else of_processor
        tensor = make(picture(width, height), config)
        values = tensor.ravel()
        stride = values.size // 37
        results.append({"rules": config, "width": width, "height": height, "shape": tensor.shape,
                        "mean": values.mean(), "weighted": (values * (numpy.arange(values.size) % 97)).mean(),
                        "stride": stride, "samples": [round(value, 7) for value in values[::stride]]})
    with open(pathlib.Path(__file__).parent / "expected.json", "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(result) for result in results) + "\n]\n")


if __name__ == "__main__":
    main()
