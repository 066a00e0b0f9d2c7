# SPDX-License-Identifier: MIT
"""Random meshes and palettes for the GL tests, and their float64 twins."""

from dataclasses import dataclass

import numpy as np

import lissom
from lissom._rig.mesh import Mesh
from lissom.gpu._palettes import palette_texels
from reference import dual_quat, skinning, skinning_methods


@dataclass
class Rig:
    positions: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    dual_quats: np.ndarray
    scales: np.ndarray | None
    matrices: np.ndarray
    quat_trans: np.ndarray
    centers: np.ndarray
    blend: np.ndarray

    @property
    def size(self):
        return float(np.linalg.norm(np.ptp(self.positions, axis=0)))

    def mesh(self):
        return Mesh(self.positions, self.triangles, self.indices, self.weights, normals=self.normals)

    def palette_texels(self, method):
        return palette_texels(self, method)

    def twin(self, method):
        bind = self.positions, self.normals, self.indices, self.weights
        return twin(method, bind, self, centers=self.centers, blend=self.blend)


def with_twelve_influences(character):
    """The character with each vertex on its heaviest row and, a little, on eleven more."""
    mesh = character.mesh
    heaviest = np.take_along_axis(mesh.indices, mesh.weights.argmax(axis=1)[:, None], axis=1)
    rows = (heaviest + np.arange(12)) % len(character.skin)
    mesh = mesh.with_weights(rows, np.tile(np.r_[0.56, np.full(11, 0.04)], (len(rows), 1)))
    return lissom.Character("twelve", character.skeleton, mesh, character.skin, character.clips)


def twin(method, bind, palette, *, centers=None, blend=None):
    """Positions and normals in float64 of `bind`, the arrays of a mesh, by any method."""
    if method == "linear":
        return skinning.linear(*bind, palette.matrices)
    if method == "dual_quat":
        return skinning.dual_quat(*bind, palette.dual_quats, palette.scales)
    if method == "quat_trans":
        return skinning_methods.quat_trans(*bind, palette.quat_trans, palette.scales)
    if method == "cor":
        return skinning_methods.cor(*bind, palette.dual_quats, palette.scales, centers=centers)
    assert method == "blended"
    rows = palette.matrices, palette.dual_quats, palette.scales
    return skinning_methods.blended(*bind, *rows, blend=blend)


def on_cpu(method, mesh, palette, *, centers=None, blend=None):
    """The core's positions and normals by any method."""
    if method == "cor":
        return lissom.skin_cor(mesh, palette.dual_quats, palette.scales, centers=centers, normals=True)
    mixed = {"blend": blend} if method == "blended" else {}
    return lissom.deform(mesh, palette, method, normals=True, **mixed)


def random_rig(seed, *, influences, scaled, vertex_count=600, row_count=40):
    """A rig of unit size with signed and unsigned dual quaternions, and scale if wanted."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(row_count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    translations = rng.uniform(-0.3, 0.3, (row_count, 3))
    dual_quats = dual_quat.from_rotation_translation(q, translations)
    scales = None
    matrices = dual_quat.to_matrix(dual_quats)
    if scaled:
        scales = np.zeros((row_count, 3, 4), np.float32)
        stretch = rng.normal(size=(row_count, 3, 3)) * 0.2
        scales[:, :, :3] = np.eye(3) + stretch + stretch.transpose(0, 2, 1)
        scales[:, :, 3] = rng.uniform(-0.2, 0.2, (row_count, 3))
        whole = np.tile(np.eye(4), (row_count, 1, 1))
        whole[:, :3] = scales
        matrices = matrices @ whole
    weights = rng.dirichlet(np.full(influences, 0.7), vertex_count)
    if influences > 1:
        weights[:50, 1:] = 0  # rigid vertices
        weights[50:100, :2] = 0.5 * weights[50:100, :2].sum(1, keepdims=True)  # equal weights
        weights[100:150, -1] = 0  # an unused slot
        weights /= weights.sum(1, keepdims=True)
    indices = rng.integers(0, row_count, (vertex_count, influences))
    if row_count >= influences:  # shaders take it that a vertex names a row once, which uploading sees to
        indices = rng.permuted(np.tile(np.arange(row_count), (vertex_count, 1)), axis=1)[:, :influences]
    normals = rng.normal(size=(vertex_count, 3))
    positions = rng.uniform(-0.5, 0.5, (vertex_count, 3)).astype(np.float32)
    blend = np.linspace(-0.1, 1.1, vertex_count).clip(0, 1)  # some wholly linear, some wholly dual quaternion
    return Rig(
        positions=positions,
        normals=(normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32),
        triangles=rng.integers(0, vertex_count, (300, 3)).astype(np.uint32),
        indices=indices.astype(np.uint16),
        weights=weights.astype(np.float32),
        dual_quats=dual_quats.astype(np.float32),
        scales=scales,
        matrices=matrices.astype(np.float32),
        quat_trans=np.concatenate([q, translations, np.zeros((row_count, 1))], axis=1).astype(np.float32),
        centers=(0.5 * positions[::-1]).astype(np.float32),
        blend=blend.astype(np.float32),
    )
