# SPDX-License-Identifier: MIT
"""Faults planted into sound exports of the form "unreal": its pictures, its table, its mesh or its joints.

`PLANTED` names them as the judge should.
"""

import json
import shutil

import numpy as np

import lissom
from lissom._export.glb_vertices import read_vertices
from lissom._export.still_glb import still_glb
from lissom._formats.png import png_bytes
from reference.unreal_player import png

Z_UP = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])


class UnrealFolder:
    """A folder whose numbers can be changed."""

    def __init__(self, folder):
        self.folder = folder
        (self.table,) = (path for path in folder.glob("*.json") if path.name != "lissom-export.json")
        self.told = json.loads(self.table.read_text())
        self.steps = {"EightBits": 255, "SixteenBits": 65535}[self.told["Precision"]]
        keys = ("BonePositionTexture", "BoneRotationTexture")
        self.paths = [folder / self.told[key] for key in keys]
        self.model = folder / self.told["StaticMesh"]

    def change(self, function, which=(0, 1)):
        """Change the numbers, 0 to 1, of textures of poses."""
        kind = np.uint8 if self.steps == 255 else np.uint16
        for path in (self.paths[number] for number in which):
            shares = np.clip(function(png(path) / self.steps), 0, 1)
            path.write_bytes(png_bytes(np.ascontiguousarray(np.rint(shares * self.steps), kind)))

    def write(self):
        self.table.write_text(json.dumps(self.told))


class Subject:
    """A character and one of its clips, its bake, and a sound export, made once."""

    def __init__(self, character, clip, folder, **options):
        self.character, self.clip, self.folder, self.options = character, clip, folder, options
        self.bake = lissom.bake(character, clip, rate=30, method="linear", dtype="float32")
        self.sound = folder / "sound"
        self.bake.export("unreal", self.sound, **options)

    def changed(self, change):
        """A copy of the sound export with changed files."""
        target = self.folder / "planted"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.sound, target)
        folder = UnrealFolder(target)
        change(folder)
        folder.write()
        return self.character, target

    def matrices(self):
        clip = self.bake.clips[self.clip]
        times = clip.start + np.arange(clip.frame_count) / clip.rate
        return np.asarray(self.bake.sample(self.clip, times, loop=False).matrices, np.float64)

    def of_matrices(self, matrices):
        """An export of other matrices."""
        copy = self.bake.edited()
        count = copy.texels.shape[1]
        skin = lissom.Skin(np.arange(count), np.tile(np.eye(4), (count, 1, 1)))
        dual_quats = skin.palette(matrices.astype(np.float32)).dual_quats
        copy.texels[:, :, :2] = np.reshape(dual_quats, (*dual_quats.shape[:2], 2, 4))
        copy.export("unreal", self.folder / "planted", **self.options)
        return self.character, self.folder / "planted"


def row_off_by_one(subject):
    return subject.changed(lambda it: it.change(lambda shares: np.roll(shares, 1, axis=0)))


def column_off_by_one(subject):
    return subject.changed(lambda it: it.change(lambda shares: np.roll(shares, 1, axis=1)))


def clamped_range(subject):
    """Places beyond a box that is too small, of a texture that ends there."""
    return subject.changed(lambda it: it.change(lambda shares: np.clip(shares, 0.25, 0.75), which=(0,)))


def frame_count(subject):
    """The clip is said to end earlier than it does."""

    def change(it):
        it.told["Animations"][0]["EndFrame"] -= 4

    return subject.changed(change)


def missing_last_frame(subject):
    def change(it):
        it.told["Animations"][0]["EndFrame"] -= 1

    return subject.changed(change)


def gamma(subject):
    """Textures that were imported with sRGB on, and written again."""

    def darker(shares):
        return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)

    return subject.changed(lambda it: it.change(darker))


def flipped_v(subject):
    return subject.changed(lambda it: it.change(lambda shares: shares[::-1]))


def axes(subject):
    """Joints with z up, of a mesh with y up."""
    return subject.of_matrices(Z_UP @ subject.matrices() @ Z_UP.T)


def wrong_bind(subject):
    """The mesh was exported in a pose."""

    def change(it):
        mesh, uvs = read_vertices(it.model)
        clip = subject.bake.clips[subject.clip]
        pose = subject.bake.sample(subject.clip, clip.start + clip.duration / 3)
        posed = lissom.deform(subject.bake.mesh, pose, "linear")
        it.model.write_bytes(still_glb("x", lissom.Mesh(posed, mesh.triangles), uvs))

    return subject.changed(change)


def lost_joint(subject):
    """The joint with vertices that moves most stays at rest."""
    matrices, mesh = subject.matrices(), subject.bake.mesh
    heaviest = mesh.indices[range(mesh.vertex_count), mesh.weights.argmax(axis=1)]
    rows, counts = np.unique(heaviest, return_counts=True)
    rows = rows[counts >= max(8, 0.01 * mesh.vertex_count)]
    moved = [np.abs(matrices[:, row] - matrices[0, row]).max() for row in rows]
    matrices[:, rows[int(np.argmax(moved))]] = np.eye(4)
    return subject.of_matrices(matrices)


PLANTED = {
    "row_off_by_one": row_off_by_one,
    "column_off_by_one": column_off_by_one,
    "axes": axes,
    "clamped_range": clamped_range,
    "frame_count": frame_count,
    "missing_last_frame": missing_last_frame,
    "gamma": gamma,
    "flipped_v": flipped_v,
    "wrong_bind": wrong_bind,
    "lost_joint": lost_joint,
}
