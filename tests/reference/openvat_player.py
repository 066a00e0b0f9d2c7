# SPDX-License-Identifier: MIT
"""A twin of OpenVAT's shader for Godot in float64, which reads files with other libraries."""

import json

import numpy as np
import pytest

from glb_contents import contents


def pixels_of(path):
    if path.suffix == ".png":
        oiio = pytest.importorskip("OpenImageIO")
        return oiio.ImageInput.open(str(path)).read_image("uint16").astype(np.float64) / 65535
    channels = pytest.importorskip("OpenEXR").File(str(path)).channels()
    return np.asarray(channels["RGB"].pixels, np.float64)


def attribute(data, name):
    """An attribute of the only node's first primitive, which all share, as it stands in the file."""
    root = contents(data)
    (node,) = root["nodes"]
    assert set(node) <= {"name", "mesh"}  # no transform
    one = root["accessors"][root["meshes"][node["mesh"]]["primitives"][0]["attributes"][name]]
    view = root["bufferViews"][one["bufferView"]]
    width = int(one["type"][-1])
    binary = data[20 + int.from_bytes(data[12:16], "little") + 8 :]
    start = (
        view["byteOffset"] + one.get("byteOffset", 0) if "byteOffset" in view else one.get("byteOffset", 0)
    )
    return np.frombuffer(binary, "<f4", one["count"] * width, start).reshape(-1, width).astype(np.float64)


class OpenVatPlayer:
    """What VertexAnimationPBR-GLSL.gdshader of OpenVAT does with VERTEX, in float64."""

    def __init__(self, folder):
        (json_file,) = folder.glob("*-remap_info.json")
        self.name = json_file.name.removesuffix("-remap_info.json")
        (texture,) = folder.glob(f"{self.name}_vat.*")
        glb = (folder / f"{self.name}.glb").read_bytes()
        told = json.loads(json_file.read_text())["os-remap"]
        self.low, self.high = np.array(told["Min"]), np.array(told["Max"])
        self.frame_count = told["Frames"]
        self.vertex, self.uv2 = attribute(glb, "POSITION"), attribute(glb, "TEXCOORD_1")
        self.normal = attribute(glb, "NORMAL")
        self.pixels = pixels_of(texture)
        self.folder = folder

    def fetch(self, pixels, frame):
        """texture() at UV2 + (0, frame / Y_resolution), nearest."""
        height, width = pixels.shape[:2]
        u, v = self.uv2[:, 0], self.uv2[:, 1] + frame / height
        return pixels[np.floor(v * height).astype(int), np.floor(u * width).astype(int)]

    def vertices(self, frame_time):
        frame_time %= self.frame_count
        current = int(frame_time)
        following = (current + 1) % self.frame_count
        blend = frame_time - current
        found = self.fetch(self.pixels, current) * (1 - blend) + self.fetch(self.pixels, following) * blend
        found = self.low + found * (self.high - self.low)
        return self.vertex + np.stack([found[:, 0], found[:, 2], -found[:, 1]], axis=1)

    def normals(self, frame):
        (picture,) = self.folder.glob(f"{self.name}-vnrm.*")
        found = 2 * self.fetch(pixels_of(picture), frame) - 1
        return np.stack([found[:, 0], found[:, 2], -found[:, 1]], axis=1)
