# SPDX-License-Identifier: MIT
"""What LissomBonePose.hlsl does with a folder of the form "unreal", in float64, in Unreal's axes and unit.

Files are read by rules of their own: PNG (W3C, with the filters that lissom writes), GLB (glTF 2.0), JSON.
"""

import json
import struct
import zlib

import numpy as np

from reference.godot_player import blended, matrix

UNREAL = np.array([[1.0, 0, 0], [0, 0, 1], [0, 1, 0]])
"""glTF's axes in Unreal's, as its importer of glTF takes them; times 100."""


def png(path):
    """Whole numbers of a PNG (height, width, channels)."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        assert kind in (b"IHDR", b"IDAT", b"IEND"), kind  # no sRGB, gAMA or iCCP: numbers, no colours
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    assert color == 6
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    rows = np.zeros((height, lines.shape[1] - 1), np.uint8)
    for i, (kind, *_) in enumerate(lines):
        assert kind in (0, 2)
        rows[i] = lines[i, 1:] + (rows[i - 1] if kind == 2 and i else np.uint8(0))
    return rows.view(">u2" if depth == 16 else np.uint8).reshape(height, width, 4).astype(np.int64)


def glb(path):
    """Positions, normals, both texture coordinates, and triangles of each slot."""
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    told, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def array(number):
        accessor = told["accessors"][number]
        view = told["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        kind = {5126: "<f4", 5125: "<u4", 5123: "<u2", 5121: "u1"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        assert view.get("byteStride", width * np.dtype(kind).itemsize) == width * np.dtype(kind).itemsize
        return np.frombuffer(binary, kind, accessor["count"] * width, start).reshape(-1, width)

    (mesh,) = told["meshes"]
    first = mesh["primitives"][0]["attributes"]
    keys = ("POSITION", "NORMAL", "TEXCOORD_0", "TEXCOORD_1")
    slots = [told["materials"][part["material"]].get("name", "") for part in mesh["primitives"]]
    triangles = [array(part["indices"]).reshape(-1, 3).astype(int) for part in mesh["primitives"]]
    return *(array(first[key]).astype(np.float64) for key in keys), slots, triangles


class UnrealPlayer:
    """A folder: `places`, `normals` (V, 3) in its axes, `uvs`, `points` (V, 2), `triangles` as in glTF."""

    def __init__(self, folder):
        self.table = next(path for path in folder.glob("*.json") if path.name != "lissom-export.json")
        self.told = told = json.loads(self.table.read_text())
        self.ours = told["lissom"]
        self.position, self.rotation, self.weight = (
            png(folder / told[f"Bone{key}Texture"]) for key in ("Position", "Rotation", "Weight")
        )
        self.steps = {"EightBits": 255, "SixteenBits": 65535}[told["Precision"]]
        places, normals, self.uvs, self.points, self.slots, triangles = glb(folder / told["StaticMesh"])
        self.places, self.normals = 100 * places @ UNREAL.T, normals @ UNREAL.T
        self.triangles = triangles
        self.joints, self.rows = told["NumBones"], told["BoneRowsPerFrame"]
        height, width = self.weight.shape[:2]
        column, row = np.floor(self.points * [width, height]).astype(int).T
        self.weights = self.weight[row, column] / self.steps
        self.numbers = self.weight[row + told["BoneWeightRowsPerFrame"], column]
        self.dual = self.ours["method"] == "dual_quat"
        self.pivots = self.spots(0)

    def block(self, picture, frame):
        lines = picture[frame * self.rows : (frame + 1) * self.rows]
        return lines.reshape(-1, 4)[: self.joints] / self.steps

    def spots(self, frame):
        return self.told["BoneMinBBox"] + np.multiply(
            self.told["BoneSizeBBox"], self.block(self.position, frame)[:, :3]
        )

    def play(self, clip):
        """TimeOffset, PlayRate, StartFrame, EndFrame and loop of a clip."""
        span, told = self.told["Animations"][clip], self.ours["clips"][clip]
        return [0.0, told["play_rate"], span["StartFrame"], span["EndFrame"], float(told["loop"])]

    def frames_around(self, play, time):
        offset, rate, start, end, loop = play
        intervals = end - start
        place = (time + offset) * rate * self.told["SampleRate"]
        if loop and intervals > 0:
            place -= intervals * np.floor(place / intervals)
        place = min(max(place, 0.0), intervals)
        before = min(np.floor(place), max(intervals - 1, 0))
        return int(start + before), int(start + min(before + 1, intervals)), place - before

    def dual_quats(self, play, time):
        """Real and dual parts (R, 4) about the origin, mixed, not normalised."""

        def frame(number):
            q = 2 * self.block(self.rotation, number) - 1
            q /= np.linalg.norm(q, axis=1, keepdims=True)
            turned = np.einsum("rij,rj->ri", matrix(q, np.zeros_like(q))[:, :, :3], self.pivots)
            t = self.pivots + self.spots(number) - turned
            dual = np.zeros_like(q)
            dual[:, :3] = 0.5 * (np.cross(t, q[:, :3]) + q[:, 3:] * t)
            dual[:, 3] = -0.5 * (t * q[:, :3]).sum(axis=1)
            return q, dual

        before, after, share = self.frames_around(play, time)
        return mixed(frame(before), frame(after), share)

    def vertices(self, clip, time):
        """Positions (V, 3), as seconds of a clip's own from its start."""
        return self.posed(self.play(clip), time)[0]

    def posed(self, play, time, next_play=None, fade_start=0.0, fade_seconds=0.0):
        """Positions and normals (V, 3)."""
        real, dual = self.dual_quats(play, time)
        fade = min(max((time - fade_start) / fade_seconds, 0), 1) if fade_seconds > 0 else 0
        if fade > 0:
            real, dual = mixed((real, dual), self.dual_quats(next_play, time), fade)
        rows, weights = self.numbers, self.weights
        if not self.dual:
            found = matrix(real, dual)
            normals = blended(found[rows] * [1, 1, 1, 0], weights, self.normals)
            return blended(found[rows], weights, self.places), unit(normals)
        signs = np.where(np.einsum("nki,ni->nk", real[rows], real[rows[:, 0]]) < 0, -1.0, 1.0) * weights
        one = matrix(np.einsum("nk,nki->ni", signs, real[rows]), np.einsum("nk,nki->ni", signs, dual[rows]))
        places = np.einsum("nij,nj->ni", one[:, :, :3], self.places) + one[:, :, 3]
        return places, unit(np.einsum("nij,nj->ni", one[:, :, :3], self.normals))


def mixed(one, other, share):
    """Two dual quaternions, each as its parts (R, 4), of which the second takes the sign of the first."""
    (a, c), (b, d) = one, other
    sign = np.where((a * b).sum(axis=1) < 0, -1, 1)[:, None]
    return (1 - share) * a + share * sign * b, (1 - share) * c + share * sign * d


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
