# SPDX-License-Identifier: MIT
"""Faults of those who write joints: planted into the texels or the mesh of a bake, before it is exported.

`PLANTED` and `MORE` name them as the judge should, in any form that holds joints.
"""

from dataclasses import replace

import numpy as np

import lissom
from lissom._verify.other_side import other_sides

Y_FOR_Z = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
Z_UP = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])


class JointBake:
    """A sound bake of some clips of a character, and what becomes of it."""

    def __init__(self, character, clips, **options):
        self.character = character
        self.sound = lissom.bake(character, clips, rate=30, **{"dtype": "float32", **options})

    @property
    def rows(self):
        """Names of the joints of the palette rows."""
        return [self.sound.joints[joint] for joint in self.sound.skin.joints]

    def matrices(self):
        """Of all clips, one after another."""
        found = []
        for name, clip in self.sound.clips.items():
            times = clip.start + np.arange(clip.frame_count) / clip.rate if clip.rate else [clip.start]
            found.append(np.asarray(self.sound.sample(name, times, loop=False).matrices, np.float64))
        return np.concatenate(found)

    def of_matrices(self, matrices):
        """The bake with other matrices, as dual quaternions or as they are."""
        copy = self.sound.edited()
        count = copy.texels.shape[1]
        if copy.layout == "matrix":
            copy.texels[...] = matrices[..., :3, :]
        else:
            skin = lissom.Skin(np.arange(count), np.tile(np.eye(4), (count, 1, 1)))
            dual_quats = skin.palette(matrices.astype(np.float32)).dual_quats
            copy.texels[:, :, :2] = np.reshape(dual_quats, (*dual_quats.shape[:2], 2, 4))
        return copy

    def of_texels(self, change):
        copy = self.sound.edited()
        copy.texels[...] = change(np.array(copy.texels))
        return copy

    def of_clips(self, change):
        """The bake with other numbers in its table of clips."""
        return self.made(clips={name: change(clip) for name, clip in self.sound.clips.items()})

    def made(self, texels=None, clips=None, mesh=None):
        sound = self.sound
        return lissom.PoseTexture(
            sound.texels if texels is None else texels,
            clips or dict(sound.clips),
            sound.joints,
            sound.report,
            mesh=mesh or sound.mesh,
            skin=sound.skin,
            parents=sound.parents,
        )


def _changed(clip, **fields):
    return replace(clip, **fields)


def row_off_by_one(subject):
    return subject.of_texels(lambda texels: np.roll(texels, 1, axis=0))


def flipped_v(subject):
    return subject.of_texels(lambda texels: texels[::-1])


def column_off_by_one(subject):
    return subject.of_texels(lambda texels: np.roll(texels, -1, axis=1))


def frame_count(subject):
    """Baked at 30 frames a second, labelled 24."""
    return subject.of_clips(lambda clip: _changed(clip, rate=24.0, duration=clip.duration * clip.rate / 24.0))


def missing_last_frame(subject):
    """The frames are spread over the clip without its last one."""

    def resampled(name, clip):
        times = clip.start + np.arange(clip.frame_count) / clip.rate * (1 - 1 / (clip.frame_count - 1))
        return subject.sound.sample(name, times, loop=False)

    rows = [np.asarray(resampled(name, clip).matrices) for name, clip in subject.sound.clips.items()]
    return subject.of_matrices(np.concatenate(rows).astype(np.float64))


def gamma(subject):
    def brighter(values):
        high = 1.055 * np.maximum(values, 0) ** (1 / 2.4) - 0.055
        return np.where(values <= 0.0031308, 12.92 * values, high)

    return subject.of_texels(brighter)


def clamped_range(subject):
    """Numbers from -0.4 to 0.4 alone are stored."""
    return subject.of_texels(lambda texels: np.clip(texels, -0.4, 0.4))


def axes(subject):
    """Joints with z up, of a mesh with y up."""
    return subject.of_matrices(Z_UP @ subject.matrices() @ Z_UP.T)


def handedness(subject):
    """Joints whose y and z are exchanged, of a mesh as it is."""
    return subject.of_matrices(Y_FOR_Z @ subject.matrices() @ Y_FOR_Z.T)


def wrong_bind(subject):
    """A mesh in a pose, in place of the one at rest."""
    mesh = subject.sound.mesh
    name, clip = next(iter(subject.sound.clips.items()))
    posed = lissom.deform(mesh, subject.sound.sample(name, clip.start + clip.duration / 3))
    return subject.made(mesh=lissom.Mesh(posed, mesh.triangles, mesh.indices, mesh.weights))


def no_inverse_bind(subject):
    """Matrices of the joints, without what takes vertices to them."""
    binds = np.asarray(subject.sound.skin.joint_from_bind, np.float64)
    return subject.of_matrices(subject.matrices() @ np.linalg.inv(binds))


def lost_joint(subject):
    matrices, mesh = subject.matrices(), subject.sound.mesh
    heaviest = mesh.indices[range(mesh.vertex_count), mesh.weights.argmax(axis=1)]
    rows, counts = np.unique(heaviest, return_counts=True)
    rows = rows[counts >= max(8, 0.01 * mesh.vertex_count)]
    moved = [np.abs(matrices[:, row] - matrices[0, row]).max() for row in rows]
    matrices[:, rows[int(np.argmax(moved))]] = np.eye(4)
    return subject.of_matrices(matrices)


def transposed(subject):
    """Rotations the other way round, translations as they are."""
    matrices = subject.matrices()
    matrices[..., :3, :3] = np.swapaxes(matrices[..., :3, :3], -1, -2).copy()
    return subject.of_matrices(matrices)


def quaternion_order(subject):
    def scalar_first(texels):
        texels[:, :, :2] = np.roll(texels[:, :, :2], 1, axis=-1)
        return texels

    return subject.of_texels(scalar_first)


def units(subject):
    """Joints in centimetres, the mesh in metres."""
    matrices = subject.matrices()
    matrices[..., :3, 3] *= 100
    return subject.of_matrices(matrices)


def whole_units(subject):
    """All in centimetres."""
    mesh, matrices = subject.sound.mesh, subject.matrices()
    matrices[..., :3, 3] *= 100
    texels = subject.of_matrices(matrices).texels
    large = lissom.Mesh(100 * mesh.positions, mesh.triangles, mesh.indices, mesh.weights)
    return subject.made(texels, mesh=large)


def mirrored_skin(subject):
    """The weights of the left side are those of the right one."""
    mesh = subject.sound.mesh
    return subject.made(mesh=mesh.with_weights(other_sides(subject.rows)[mesh.indices], mesh.weights))


def joint_order(subject):
    """Rows in the order of names, not of the skin."""
    order = np.argsort(subject.rows, kind="stable")
    return subject.of_texels(lambda texels: texels[:, order])


def offset(subject):
    matrices = subject.matrices()
    matrices[..., 0, 3] += 2.0
    return subject.of_matrices(matrices)


def wrong_clip(subject):
    """Two clips with each other's names."""
    names = list(subject.sound.clips)
    return subject.made(clips=dict(zip(names[::-1], subject.sound.clips.values(), strict=True)))
