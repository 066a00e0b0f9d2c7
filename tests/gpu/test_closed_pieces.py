# SPDX-License-Identifier: MIT
"""Closed pieces of a mesh are drawn from outside alone: the same picture. All others are seen from behind."""

import numpy as np
import pytest

import lissom
from lissom._lod.closed_pieces import in_closed_piece
from lissom._rig.mesh import Mesh
from lissom.gpu import Crowd, Stage, plain_instances

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
FACES = np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]])  # outwards


def mesh_of(positions, triangles, rows=0):
    count = len(positions)
    return Mesh(
        positions, triangles, np.full((count, 1), rows) if np.isscalar(rows) else rows, np.ones((count, 1))
    )


def test_a_cube_is_closed_whole_and_split_at_its_edges():
    assert in_closed_piece(mesh_of(CUBE, FACES)).all()
    assert in_closed_piece(mesh_of(CUBE[FACES.ravel()], np.arange(36).reshape(12, 3))).all()


def test_split_vertices_are_welded_wherever_rounding_puts_them():
    """A weld that rounds places to a grid takes those on both sides of a cell's border for two."""
    diagonal = np.sqrt(3)
    border = 0.5e-6 * diagonal  # of cells as large as the distance of the weld
    noise = np.random.default_rng(0).uniform(-2e-7, 2e-7, (36, 3)) * diagonal
    positions = CUBE[FACES.ravel()] + border + noise
    assert in_closed_piece(mesh_of(positions, np.arange(36).reshape(12, 3))).all()


def test_what_has_a_hole_or_is_turned_inside_out_is_not():
    assert not in_closed_piece(mesh_of(CUBE, FACES[1:])).any()
    assert not in_closed_piece(mesh_of(CUBE, FACES[:, ::-1])).any()
    turned = FACES.copy()
    turned[3] = turned[3, ::-1]
    assert not in_closed_piece(mesh_of(CUBE, turned)).any()


def test_pieces_that_could_come_apart_are_not_closed():
    rows = np.zeros((36, 1), int)
    rows[:6] = 1  # two triangles follow another joint
    assert not in_closed_piece(mesh_of(CUBE[FACES.ravel()], np.arange(36).reshape(12, 3), rows)).any()


def test_each_piece_is_judged_by_itself():
    positions = np.concatenate([CUBE, CUBE + 5, CUBE - 5])
    triangles = np.concatenate([FACES, FACES[1:] + 8, FACES + 16])
    expected = np.repeat([True, False, True], [12, 11, 12])
    np.testing.assert_array_equal(in_closed_piece(mesh_of(positions, triangles)), expected)
    shuffled = np.random.default_rng(1).permutation(35)
    np.testing.assert_array_equal(
        in_closed_piece(mesh_of(positions, triangles[shuffled])), expected[shuffled]
    )


def test_meshes_without_triangles_have_none():
    assert in_closed_piece(mesh_of(CUBE, np.zeros((0, 3), int))).shape == (0,)


@pytest.fixture(scope="module")
def bake():
    return lissom.bake(lissom.samples.humanoid(), ["idle", "walk"], rate=15)


def test_a_closed_mesh_looks_the_same_from_outside_alone(context, bake):
    with Stage(240, 180, context=context) as stage, Crowd(bake, 8, stage=stage, seed=2) as crowd:
        assert [group.closed for group in crowd._meshes[0]._groups] == [True]
        camera = stage.camera(crowd)
        pictures = {}
        for two_sided in (None, True, False):
            crowd.two_sided = two_sided
            pictures[two_sided] = stage.render(crowd, camera=camera).array.astype(int)
    for two_sided in (None, False):
        apart = np.abs(pictures[two_sided] - pictures[True]).max(axis=2)
        assert (apart > 8).mean() < 0.002


def test_an_open_mesh_is_seen_from_behind_unless_that_is_left_out(context, bake):
    """The front half of a character, from behind."""
    mesh = bake.mesh
    front = mesh.positions[mesh.triangles].mean(axis=1)[:, 2] > 0
    half = Mesh(mesh.positions, mesh.triangles[front], mesh.indices, mesh.weights, normals=mesh.normals)
    with (
        Stage(120, 160, context=context) as stage,
        Crowd(bake, 1, stage=stage, mesh=half, instances=plain_instances(1)) as crowd,
    ):
        camera = stage.camera(crowd, azimuth=180)
        seen = stage.render(crowd, camera=camera, ground=False).array.astype(int)
        crowd.two_sided = True
        np.testing.assert_array_equal(stage.render(crowd, camera=camera, ground=False).array, seen)
        crowd.two_sided = False
        left = stage.render(crowd, camera=camera, ground=False).array.astype(int)
    background = seen[0, 0]
    assert (left != background).any(axis=2).sum() < 0.5 * (seen != background).any(axis=2).sum()
