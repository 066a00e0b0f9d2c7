# SPDX-License-Identifier: MIT
"""Small characters for the tests of bakes: a tube on a chain of joints, and motions for it."""

import numpy as np

import lissom
from reference import bake as twin
from reference import palette as palette_twin

JOINT_COUNT = 5
SPACING = 0.4  # metres between joints


def skeleton():
    rest = np.zeros((JOINT_COUNT, 10), np.float32)
    rest[:, 6] = 1
    rest[:, 7:] = 1
    rest[1:, 1] = SPACING
    return lissom.Skeleton([f"joint{i}" for i in range(JOINT_COUNT)], range(-1, JOINT_COUNT - 1), rest)


def mesh(vertex_count=240):
    """A tube along the chain, each vertex between two joints."""
    rng = np.random.default_rng(7)
    angle, height = rng.uniform(0, 2 * np.pi, vertex_count), rng.uniform(0, 2, vertex_count)
    positions = np.stack([0.2 * np.cos(angle), height, 0.2 * np.sin(angle)], axis=1)
    place = np.clip(height / SPACING, 0, JOINT_COUNT - 1.001)
    row, share = place.astype(int), place % 1
    triangles = rng.integers(0, vertex_count, (vertex_count, 3))
    uvs = positions[:, :2]
    lower, faces = vertex_count * 5 // 12, vertex_count // 6
    parts = (
        lissom.Part("lower", slice(0, lower), slice(0, faces), False, (0.5, 0.25, 1.0, 1.0)),
        lissom.Part(
            "upper",
            slice(lower, vertex_count),
            slice(faces, vertex_count),
            False,
            texture=lissom.Texture(b"not really a picture", "image/png", "skin"),
            model_from_source=np.diag([2.0, 2.0, 2.0, 1.0]),
        ),
    )
    return lissom.Mesh(
        positions,
        triangles,
        np.stack([row, row + 1], axis=1),
        np.stack([1 - share, share], axis=1),
        normals=positions / np.linalg.norm(positions, axis=1, keepdims=True),
        uvs=uvs,
        parts=parts,
    )


def skin(skeleton):
    bind = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    return lissom.Skin(np.arange(len(skeleton)), np.linalg.inv(bind).astype(np.float32))


def waving_poses(skeleton, key_count=31, turns=1.0):
    """Key poses (K, J, 10) in which every joint swings about its own axis; the last is the first."""
    phase = np.linspace(0, 1, key_count) * 2 * np.pi * turns
    poses = np.repeat(skeleton.rest[None].astype(np.float64), key_count, axis=0)
    half = np.sin(phase)[:, None] * np.array([0.1, 0.3, 0.45, 0.2, 0.15])
    axis = np.array([[1.0, 0, 0], [0, 0, 1.0], [1.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]])
    poses[..., 3:6] = np.sin(half)[..., None] * axis
    poses[..., 6] = np.cos(half)
    poses[:, 0, 0] += 0.2 * np.sin(phase)
    return poses.astype(np.float32)


def waving_clip(skeleton, *, name="wave", start=0.0, duration=1.0, key_count=31, scale=None, **options):
    """`scale` (J, 3) is what the joints grow to in the middle of the clip."""
    poses = waving_poses(skeleton, key_count)
    if scale is not None:
        growth = np.sin(np.linspace(0, np.pi, key_count))[:, None, None]
        poses[..., 7:] = 1 + growth * (np.asarray(scale) - 1)
    times = start + np.linspace(0, duration, key_count)
    return lissom.Clip.from_poses(skeleton, times.astype(np.float32), poses, name=name, **options)


def spinning_clip(skeleton, *, turns=2.0, key_count=61, name="spin"):
    """The root turns about y all the way round, keys signed as they come: w passes through zero."""
    poses = np.repeat(skeleton.rest[None], key_count, axis=0)
    half = np.linspace(0, np.pi * turns, key_count)
    poses[:, 0, 4], poses[:, 0, 6] = np.sin(half), np.cos(half)
    return lissom.Clip.from_poses(skeleton, np.linspace(0, 2, key_count), poses, name=name)


def leaping_clip(skeleton, *, name="leap"):
    """From one pose to another in 0.3 ms, a third of a frame of 960 a second: no rate holds it."""
    poses = waving_poses(skeleton)[[0, 1, 8, 8]]
    times = np.array([0, 0.36213, 0.362401, 1], np.float32)
    return lissom.Clip.from_poses(skeleton, times, poses, name=name, loop=False)


def character(*clips, with_mesh=True, method="linear"):
    """A character with the given clips, which must be made on one skeleton; without clips one that waves."""
    bones = clips[0].skeleton if clips else skeleton()
    if not clips:
        clips = (waving_clip(bones),)
    result = lissom.Character(
        "tube", bones, mesh() if with_mesh else None, skin(bones), {clip.name: clip for clip in clips}
    )
    result.method = method
    return result


def source_rows(character, times, poses, time):
    """Rows of the source at one moment, in float64 from key poses."""
    pose = twin.key_poses_at(times, np.asarray(poses, np.float64), time)
    model = twin.model_matrices(character.skeleton.parents, pose)
    dual_quats, scales = palette_twin.decompose(character.skin.joints, character.skin.joint_from_bind, model)
    rigid = np.abs(scales[..., :3] - np.eye(3)).max() < 1e-4
    return dual_quats, None if rigid else scales


def twin_distances(character, bake, name, times, poses, moments, method):
    """Distances (N, V) of baked and source vertices, all in float64."""
    clip = bake.clips[name]
    result = []
    for moment in moments:
        place = (moment - clip.start) * clip.rate
        frame = min(int(place + 1e-9), max(clip.frame_count - 2, 0))
        following = min(frame + 1, clip.frame_count - 1)
        rows = twin.rows(bake.texels, clip.first_frame + frame, clip.first_frame + following, place - frame)
        baked = twin.skinned(character.mesh, *rows, method)
        expected = twin.skinned(character.mesh, *source_rows(character, times, poses, moment), method)
        result.append(np.linalg.norm(baked - expected, axis=1))
    return np.array(result)
