# SPDX-License-Identifier: MIT
"""Prepared meshes on real characters: what the mesh itself gives, by every method and in every form."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from lissom.skinning import METHODS
from reference import skinning as twin

FILES = asset_files("characters")
# Largest difference to the mesh itself, as a share of the size: both float32, added up in another order.
POSITIONS = 1e-6
# Unit numbers, where the blend leaves a direction well over the rounding.
DIRECTIONS = 2e-5
# By how much both may differ from what float64 gives before a direction counts as lost in rounding.
CLEAR = 1e-5
# Vertices whose directions rounding decides, at most: scales of zero make most of them.
UNCLEAR = 0.02


def hero_of(path):
    """A character with a mesh, tangents made up where it has none, or none."""
    hero = lissom.load(path)
    mesh = hero.mesh
    if mesh is None:
        assert len(hero.clips) > 0, "clips alone"
        return None, None
    if mesh.tangents is None:
        normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
        across = np.cross(normals, np.roll(normals, 1, axis=1))
        length = np.linalg.norm(across, axis=1, keepdims=True)
        across = np.where(length > 1e-3, across / np.maximum(length, 1e-3), [1.0, 0, 0])
        sign = np.where(np.arange(mesh.vertex_count) % 2, -1.0, 1.0)[:, None]
        mesh = lissom.Mesh(
            mesh.positions,
            mesh.triangles,
            mesh.indices,
            mesh.weights,
            normals=normals,
            tangents=np.concatenate([across, sign], axis=1),
            uvs=mesh.uvs,
            colors=mesh.colors,
            parts=mesh.parts,
        )
    return hero, mesh


def palettes_of(hero, count=2):
    """Poses from the middle and the end of the longest clip: palettes with scale wherever the file scales."""
    poses = hero.skeleton.rest[None]
    if hero.clips:
        clip = max(hero.clips.values(), key=lambda clip: clip.duration)
        poses = clip.sample(np.linspace(clip.start, clip.end, count + 1)[1:])
    return hero.skin.palette(hero.skeleton.model_matrices(poses))


def extents(mesh):
    return [(part.name, part.vertices, part.triangles) for part in mesh.parts]


def in_double(palette):
    rows = {
        name: None if getattr(palette, name) is None else getattr(palette, name).astype(np.float64)
        for name in ("matrices", "dual_quats", "scales", "quat_trans")
    }
    return type("Rows", (), rows)


@pytest.mark.parametrize("path", FILES, ids=asset_id)
def test_a_prepared_character_moves_as_its_mesh(path) -> None:
    hero, mesh = hero_of(path)
    if hero is None:
        return
    palette = palettes_of(hero)
    size = np.linalg.norm(np.ptp(mesh.positions.astype(np.float64), axis=0)) if mesh.vertex_count else 1
    blend = np.linspace(0, 1, mesh.vertex_count, dtype=np.float32)
    stable = np.stack([~twin.unstable(mesh.indices, mesh.weights, rows) for rows in palette.dual_quats])
    prepared = {False: mesh.prepare(), True: mesh.prepare(original_order=True)}
    for method in METHODS:
        for options in ({"tangents": True}, {"normals": "cofactor"}):
            extra = options | ({"blend": blend} if method == "blended" else {})
            expected = lissom.deform(mesh, palette, method, **extra)
            exact = lissom.deform(mesh, in_double(palette), method, **extra)
            # In a pose far from the origin float32 leaves less.
            reach = max(size, float(np.abs(exact.positions).max(initial=0)))
            for original, form in prepared.items():
                order = np.arange(mesh.vertex_count) if original else form.order
                here = extra | ({"blend": blend[order]} if method == "blended" else {})
                out = tuple(np.full_like(array, np.nan) for array in expected)
                moved = lissom.deform(form, palette, method, out=out, **here)
                assert all(got is given for got, given in zip(moved, out, strict=True))
                keep = np.ones_like(stable) if method in ("linear", "quat_trans") else stable
                apart = np.abs(moved.positions - expected.positions[:, order]).max(axis=-1)
                assert apart[keep[:, order]].max(initial=0) <= POSITIONS * reach, (method, original)
                for got, wanted, true in zip(moved[1:], expected[1:], exact[1:], strict=True):
                    clear = keep & (np.abs(wanted - true).max(axis=-1) <= CLEAR)
                    assert np.mean(~clear[keep]) <= UNCLEAR, (method, options)
                    apart = np.abs(got - wanted[:, order]).max(axis=-1)
                    assert apart[clear[:, order]].max(initial=0) <= DIRECTIONS, (method, original)


@pytest.mark.parametrize("path", FILES[::7], ids=asset_id)
def test_what_goes_with_a_prepared_character(path) -> None:
    """Normals of faces, centres, single poses, and copies."""
    hero, mesh = hero_of(path)
    if hero is None:
        return
    palette = palettes_of(hero)
    for original in (False, True):
        prepared = mesh.prepare(original)
        order = np.arange(mesh.vertex_count) if original else prepared.order
        positions = lissom.deform(prepared, palette)
        faces = lissom.deform(prepared, palette, normals="faces").normals
        np.testing.assert_array_equal(faces, prepared.normals_of(positions))
        np.testing.assert_allclose(
            prepared.normals_of(mesh.positions[order]), mesh.computed_normals()[order], atol=1e-6
        )
        np.testing.assert_allclose(prepared.computed_normals(), mesh.computed_normals()[order], atol=1e-6)
        np.testing.assert_array_equal(prepared.centers_of_rotation(), mesh.centers_of_rotation()[order])
        # Given centres are read as those found by itself, in the order of the results.
        np.testing.assert_array_equal(
            lissom.deform(prepared, palette, "cor"),
            lissom.skin_cor(
                prepared, palette.dual_quats, palette.scales, centers=mesh.centers_of_rotation()[order]
            ),
        )
        np.testing.assert_array_equal(lissom.skin_linear(prepared, palette.matrices[0]), positions[0])
        for again in (copy.copy(prepared), copy.deepcopy(prepared), pickle.loads(pickle.dumps(prepared))):
            assert repr(again) == repr(prepared)
            assert extents(again.mesh) == extents(mesh)
            np.testing.assert_array_equal(again.order, prepared.order)
            np.testing.assert_array_equal(lissom.deform(again, palette), positions)
