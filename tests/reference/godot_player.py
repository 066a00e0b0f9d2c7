# SPDX-License-Identifier: MIT
"""What the shader of the form "godot" does with a folder's files, in float64 and vertex by vertex.

Its steps are those of docs/howto/play-a-bake-elsewhere.md: frames around a time, rows of both mixed with the
sign of the first, two clips mixed by a fade, then linear or dual quaternion skinning.
"""

import re

import numpy as np

from lissom._formats.godot_resource import decode

COLOR, UV, CUSTOM = 8, 16, 64


def image(path):
    told = decode(path.read_bytes())[0].properties["data"]
    kind = {"RGBAHalf": "<f2", "RGBAFloat": "<f4"}[told["format"]]
    return np.frombuffer(told["data"], kind).astype(np.float64).reshape(told["height"], told["width"], 4)


class GodotPlayer:
    """A folder of the form: `surfaces` have positions, triangles (clockwise), rows and weights, unsorted."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        text = (folder / f"{name}_pose.gdshaderinc").read_text()
        self.defines = dict(re.findall(r"^#define (\w+) (\d+)$", text, re.MULTILINE))
        self.row_count, self.texel_count = (int(self.defines[key]) for key in ("ROWS", "TEXELS"))
        self.by_matrix = "LAYOUT_MATRIX" in self.defines
        self.dual = "METHOD_DUAL_QUAT" in self.defines
        self.texels = image(folder / f"{name}_poses.res").reshape(-1, 4)
        self.clips = image(folder / f"{name}_clips.res").reshape(-1, 4)
        self.mesh = decode((folder / f"{name}_mesh.res").read_bytes())[-1].properties
        self.surfaces = [self.surface(told) for told in self.mesh["_surfaces"]]

    def surface(self, told):
        count, flags = told["vertex_count"], told["format"]
        places = np.frombuffer(told["vertex_data"], "<f4", 3 * count).reshape(count, 3)
        start = 4 * bool(flags & COLOR) + 8 * bool(flags & UV)
        numbers = np.frombuffer(told["attribute_data"], np.uint8).reshape(count, -1)[:, start:]
        four = np.ascontiguousarray(numbers).view("<f4").reshape(count, -1, 4).astype(np.float64)
        kind = "<u2" if count <= 65536 else "<u4"
        triangles = np.frombuffer(told["index_data"], kind).reshape(-1, 3)
        rows = four[:, 0::2].reshape(count, -1).astype(int)
        return places.astype(np.float64), triangles, rows, four[:, 1::2].reshape(count, -1)

    def frames_around(self, clip, local):
        first, intervals, seconds, loop = self.clips[clip]
        if seconds <= 0:
            return int(first), int(first), 0.0
        if loop:
            local -= seconds * np.floor(local / seconds)
        place = min(max(local / seconds, 0.0), 1.0) * intervals
        before = min(np.floor(place), max(intervals - 1, 0))
        return int(first + before), int(first + min(before + 1, intervals)), place - before

    def frame(self, number):
        size = self.row_count * self.texel_count
        return self.texels[number * size : (number + 1) * size].reshape(self.row_count, self.texel_count, 4)

    def mixed(self, a, b, share):
        """Rows (R, T, 4) of two frames or clips; the second takes the sign of the first."""
        b = b.copy()
        if not self.by_matrix:
            b[:, :2] *= np.where((a[:, 0] * b[:, 0]).sum(axis=-1) < 0, -1.0, 1.0)[:, None, None]
        return (1 - share) * a + share * b

    def rows(self, clip, local, next_clip=0, next_local=0.0, fade=0.0):
        before, after, share = self.frames_around(clip, local)
        now = self.mixed(self.frame(before), self.frame(after), share)
        if fade == 0:
            return now
        return self.mixed(now, self.rows(next_clip, next_local), fade)

    def vertices(self, surface, clip, local, **fade):
        """Positions (N, 3) of a surface."""
        places, _, rows, weights = self.surfaces[surface]
        found = self.rows(clip, local, **fade)
        if self.by_matrix:
            return blended(found.reshape(-1, 3, 4)[rows], weights, places)
        scale = np.zeros((len(found), 3, 4))
        scale[:] = np.eye(3, 4)
        if self.texel_count == 3:
            scale[:, :, :3] *= found[:, 2, 3, None, None]
            scale[:, :, 3] = found[:, 2, :3]
        elif self.texel_count == 5:
            scale = found[:, 2:]
        real, dual = found[:, 0], found[:, 1]
        if not self.dual:
            rigid = matrix(real, dual)
            whole = rigid[:, :, :3] @ scale
            whole[:, :, 3] += rigid[:, :, 3]
            return blended(whole[rows], weights, places)
        places = blended(scale[rows], weights, places)
        heaviest = real[rows[np.arange(len(rows)), weights.argmax(axis=1)]]
        signs = np.where(np.einsum("nki,ni->nk", real[rows], heaviest) < 0, -1.0, 1.0) * weights
        one = matrix(np.einsum("nk,nki->ni", signs, real[rows]), np.einsum("nk,nki->ni", signs, dual[rows]))
        return np.einsum("nij,nj->ni", one[:, :, :3], places) + one[:, :, 3]


def blended(matrices, weights, places):
    """Points moved by the weighted sum of 3x4 matrices (N, K, 3, 4)."""
    one = np.einsum("nk,nkij->nij", weights, matrices)
    return np.einsum("nij,nj->ni", one[:, :, :3], places) + one[:, :, 3]


def matrix(real, dual):
    """The 3x4 of dual quaternions (N, 4), (N, 4) of any length but zero."""
    length = np.linalg.norm(real, axis=-1, keepdims=True)
    real, dual = real / length, dual / length
    x, y, z, w = real.T
    turned = np.stack(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)
    vector = real[:, :3]
    moved = 2 * (real[:, 3:] * dual[:, :3] - dual[:, 3:] * vector + np.cross(vector, dual[:, :3]))
    return np.concatenate([turned, moved[:, :, None]], axis=2)
