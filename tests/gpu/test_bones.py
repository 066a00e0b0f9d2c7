# SPDX-License-Identifier: MIT
"""Skeletons without a mesh are drawn as bones."""

import numpy as np
import pytest

import lissom
from lissom._view.bones import skeleton_mesh


@pytest.fixture(scope="module")
def bare():
    whole = lissom.samples.humanoid()
    return lissom.Character("bare", whole.skeleton, None, None, whole.clips)


def test_bones_go_from_joint_to_joint_in_every_pose(bare):
    skeleton = bare.skeleton
    mesh, skin = skeleton_mesh(skeleton)
    pose = bare.clips["walk"].sample(0.3)
    vertices = lissom.deform(mesh, skin.palette(skeleton.model_matrices(pose))).astype(float)
    places = skeleton.positions(pose).astype(float)
    bones = vertices.reshape(-1, 24, 3)
    rows = mesh.indices.reshape(-1, 24)[:, 0]
    children = np.flatnonzero(skeleton.parents >= 0)
    for bone, row, child in zip(bones, rows, children, strict=False):
        assert row == skeleton.parents[child]
        tail, head = bone[0], bone[12]  # the first corner of the first face, and of the fifth
        np.testing.assert_allclose([tail, head], places[[row, child]], atol=1e-5)
    assert len(bones) == len(children) + len(set(range(len(skeleton))) - set(skeleton.parents))


@pytest.mark.parametrize("scale", [1e-5, 1.0, 1e4])
def test_bones_stand_at_rest_in_any_unit(bare, scale):
    rest = bare.skeleton.rest.copy()
    rest[0, 7:] = scale
    skeleton = lissom.Skeleton(bare.skeleton.names, bare.skeleton.parents, rest)
    mesh, skin = skeleton_mesh(skeleton)
    vertices = lissom.deform(mesh, skin.palette(skeleton.model_matrices(rest)))
    np.testing.assert_allclose(vertices, mesh.positions, atol=1e-5 * scale)


def test_faces_look_outwards(bare):
    mesh, _ = skeleton_mesh(bare.skeleton)
    bones = mesh.positions.astype(float).reshape(-1, 8, 3, 3)
    normals = np.cross(bones[:, :, 1] - bones[:, :, 0], bones[:, :, 2] - bones[:, :, 0])
    outwards = bones.mean(axis=2) - bones.mean(axis=(1, 2))[:, None]
    assert ((normals * outwards).sum(axis=2) >= -1e-12).all()


def test_a_character_without_a_mesh_is_rendered(context, bare):
    picture = lissom.render(bare, clip="walk", time=0.3, width=96, height=96, ground=False).array.astype(int)
    covered = (np.abs(picture - picture[0, 0]) > 30).any(axis=2)
    rows = np.flatnonzero(covered.any(axis=1))
    assert rows[-1] - rows[0] > 60
    assert 0.005 < covered.mean() < 0.3
    with pytest.raises(ValueError, match="compare: character must have a mesh, got 'bare', which has none"):
        lissom.compare(bare)
