# SPDX-License-Identifier: MIT
"""Morph targets in plain float64 NumPy: on arrays, and of a glTF file read by itself.

Source: glTF 2.0, 3.7.2.2 (morph targets), 3.6.2 (accessors, sparse ones), 3.7.3 (skins): base plus the sum of
weight times difference; then the joints' matrices, or the node's where the mesh has no skin.
"""

import base64
import json
import struct
from pathlib import Path

import numpy as np

DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def dense(morphs, vertex_count, attribute="positions"):
    """Differences of every target for every vertex, (M, V, 3): zeros where no row moves one."""
    shapes = np.zeros((len(morphs.names), vertex_count, 3))
    rows = getattr(morphs, attribute)
    if rows is None:
        return shapes
    for target in range(len(morphs.names)):
        for row in range(morphs.offsets[target], morphs.offsets[target + 1]):
            shapes[target, morphs.vertices[row]] = rows[row]
    return shapes


def morphed(base, shapes, weights):
    """Base arrays (V, 3 or more) with the differences (M, V, 3) of their first three numbers, weighted."""
    result = np.array(base, np.float64)
    result[:, :3] += np.einsum("m,mvi->vi", np.asarray(weights, np.float64), shapes)
    return result


class File:
    """A glTF 2.0 file. `part` moves a primitive of a node.

    What compression hides comes from outside: bytes of buffer views in `decoded`, elements of accessors in
    `elements`, by their numbers.
    """

    def __init__(self, path):
        data = Path(path).read_bytes()
        binary = b""
        if data[:4] == b"glTF":
            length = struct.unpack_from("<I", data, 12)[0]
            text = data[20 : 20 + length]
            binary = data[28 + length :]
        else:
            text = data
        self.json = json.loads(text)
        self.decoded, self.elements, self._read = {}, {}, {}
        self.buffers = []
        for buffer in self.json.get("buffers", []):
            uri = buffer.get("uri")
            if uri is None:  # of the BIN chunk, or without data where all its views are compressed
                self.buffers.append(binary)
            elif uri.startswith("data:"):
                self.buffers.append(base64.b64decode(uri.partition(",")[2]))
            else:
                self.buffers.append((Path(path).parent / uri).read_bytes())
        nodes = self.json["nodes"]
        self.parents = np.full(len(nodes), -1)
        for number, node in enumerate(nodes):
            self.parents[node.get("children", [])] = number

    def _packed(self, number, offset, count, width, dtype):
        view = self.json["bufferViews"][number]
        data, start = self.buffers[view["buffer"]], view.get("byteOffset", 0) + offset
        if number in self.decoded:
            data, start = self.decoded[number], offset
        size = np.dtype(dtype).itemsize
        strides = view.get("byteStride", size * width), size
        return np.ndarray((count, width), dtype, data, start, strides).copy()

    def accessor(self, number):
        """Elements (count, width), normalised where they are to be."""
        if number not in self._read:
            self._read[number] = self._accessor(number)
        return self._read[number]

    def _accessor(self, number):
        if number in self.elements:
            return self.elements[number]
        one = self.json["accessors"][number]
        dtype, width = np.dtype(DTYPES[one["componentType"]]), WIDTHS[one["type"]]
        values = np.zeros((one["count"], width), dtype)
        if "bufferView" in one:
            values = self._packed(one["bufferView"], one.get("byteOffset", 0), one["count"], width, dtype)
        if "sparse" in one:
            sparse = one["sparse"]
            places = self._packed(
                sparse["indices"]["bufferView"],
                sparse["indices"].get("byteOffset", 0),
                sparse["count"],
                1,
                DTYPES[sparse["indices"]["componentType"]],
            )[:, 0]
            values[places] = self._packed(
                sparse["values"]["bufferView"],
                sparse["values"].get("byteOffset", 0),
                sparse["count"],
                width,
                dtype,
            )
        values = values.astype(np.float64)
        if one.get("normalized"):
            values = np.maximum(values / np.iinfo(dtype).max, -1)
        return values

    def local(self, number, trs=None):
        node = self.json["nodes"][number]
        if trs is None and "matrix" in node:
            return np.array(node["matrix"], np.float64).reshape(4, 4).T
        if trs is None:
            trs = [
                *node.get("translation", [0, 0, 0]),
                *node.get("rotation", [0, 0, 0, 1]),
                *node.get("scale", [1, 1, 1]),
            ]
        x, y, z, w = np.array(trs[3:7], np.float64) / np.linalg.norm(trs[3:7])
        matrix = np.eye(4)
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] *= np.array(trs[7:10], np.float64)
        matrix[:3, 3] = trs[:3]
        return matrix

    def world(self, number, pose):
        """World matrix of a node; `pose` has trs of some nodes by number, others are at rest."""
        matrix = np.eye(4)
        while number >= 0:
            matrix = self.local(number, pose.get(number)) @ matrix
            number = int(self.parents[number])
        return matrix

    def part(self, node, primitive, weights, pose=None):
        """Positions and unit normals (or None) of a primitive of a node, in the world."""
        pose = pose or {}
        owner = self.json["nodes"][node]
        attributes = primitive["attributes"]
        values = {}
        for name in ("POSITION", "NORMAL"):
            if name not in attributes:
                continue
            base = self.accessor(attributes[name])
            for weight, target in zip(weights, primitive.get("targets", []), strict=False):
                if name in target and weight:
                    base = base + weight * self.accessor(target[name])
            values[name] = base
        positions, normals = values["POSITION"], values.get("NORMAL")
        matrices = self.world(node, pose)[None]
        influences, shares = np.zeros((len(positions), 1), int), np.ones((len(positions), 1))
        if "skin" in owner and "JOINTS_0" in attributes:
            skin = self.json["skins"][owner["skin"]]
            bind = np.tile(np.eye(4), (len(skin["joints"]), 1, 1))
            if "inverseBindMatrices" in skin:
                bind = self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
            matrices = np.array([self.world(j, pose) for j in skin["joints"]]) @ bind[: len(skin["joints"])]
            influences = self.accessor(attributes["JOINTS_0"]).astype(int)
            shares = self.accessor(attributes["WEIGHTS_0"])
            shares = shares / shares.sum(axis=1, keepdims=True)
        blend = np.einsum("vk,vkij->vij", shares, matrices[influences])
        moved = np.einsum("vij,vj->vi", blend[:, :3, :3], positions) + blend[:, :3, 3]
        if normals is not None:
            linear = blend[:, :3, :3]
            cofactor = np.stack(
                [
                    np.cross(linear[:, :, 1], linear[:, :, 2]),
                    np.cross(linear[:, :, 2], linear[:, :, 0]),
                    np.cross(linear[:, :, 0], linear[:, :, 1]),
                ],
                axis=2,
            )
            normals = np.einsum(
                "vij,vj->vi", cofactor * np.sign(np.linalg.det(linear))[:, None, None], normals
            )
            lengths = np.linalg.norm(normals, axis=1, keepdims=True)
            normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
        return moved, normals
