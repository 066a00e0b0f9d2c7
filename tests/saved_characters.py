# SPDX-License-Identifier: MIT
"""Characters to save and load again: odd ones made in code, and what it means that two are the same."""

import io
from collections.abc import Callable

import numpy as np
from PIL import Image

import lissom
from lissom._formats.png import png_bytes
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRACK_DTYPE, TRANSLATION
from lissom.testing import assert_vertices_close
from morphed_characters import faced
from random_rigs import random_clip, random_skeleton

REST = np.array([0, 0.5, 0, 0, 0, 0, 1, 1, 1, 1], np.float32)


def skeleton(*names: str, parents=None, rest=None) -> lissom.Skeleton:
    """A chain, unless told otherwise."""
    count = len(names)
    rest = np.tile(REST, (count, 1)) if rest is None else rest
    return lissom.Skeleton(names, range(-1, count - 1) if parents is None else parents, rest)


def bound(bones: lissom.Skeleton, rows=None) -> lissom.Skin:
    """A skin of the given rows, bound at rest."""
    rows = np.arange(len(bones)) if rows is None else np.asarray(rows)
    return lissom.Skin(rows, np.linalg.inv(bones.model_matrices(bones.rest.astype(float)))[rows])


def sheet(seed: int, row_count: int, vertex_count=60, influences=3, **options) -> lissom.Mesh:
    """Random triangles of random vertices with random weights, the heaviest first."""
    rng = np.random.default_rng(seed)
    rows = np.array([rng.permutation(row_count)[:influences] for _ in range(vertex_count)])
    weights = -np.sort(-rng.uniform(0.05, 1, rows.shape))
    triangles = rng.integers(0, vertex_count, (2 * vertex_count, 3))
    return lissom.Mesh(
        rng.normal(size=(vertex_count, 3)),
        triangles,
        rows,
        weights / weights.sum(axis=1, keepdims=True),
        **options,
    )


def units(seed: int, count: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def clip_of(name: str, bones: lissom.Skeleton, *tracks, dtype=np.float32, **options) -> lissom.Clip:
    """A clip of tracks (joint, path, interpolation, times, values)."""
    keys, table, size = [], [], 0
    for joint, path, interpolation, times, values in tracks:
        times, values = np.asarray(times, dtype), np.asarray(values, dtype).ravel()
        table.append((joint, path, interpolation, len(times), size, size + len(times)))
        keys += [times, values]
        size += len(times) + len(values)
    keys = np.concatenate(keys) if keys else np.zeros(0, dtype)
    return lissom.Clip(name, bones, keys, np.array(table, TRACK_DTYPE), **options)


def picture(kind: str) -> lissom.Texture:
    pixels = np.random.default_rng(1).integers(0, 255, (8, 8, 3), np.uint8)
    if kind == "png":
        return lissom.Texture(png_bytes(pixels), "image/png", "cloth")
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind)
    return lissom.Texture(file.getvalue(), f"image/{kind}", kind)


def no_mesh() -> lissom.Character:
    """What a BVH file gives: nothing moves the ends of the limbs."""
    bones = random_skeleton(np.random.default_rng(2), 30)
    poses = np.tile(bones.rest, (5, 1, 1))
    poses[:, 3, :3] += np.arange(5)[:, None]
    return lissom.Character("no mesh", bones, None, None, [lissom.Clip.from_poses(bones, range(5), poses)])


def only_bones() -> lissom.Character:
    bones = random_skeleton(np.random.default_rng(3), 9, scaled=True)
    return lissom.Character("only bones", bones, None, None)


def one_joint() -> lissom.Character:
    bones = skeleton("all")
    return lissom.Character("one joint", bones, sheet(4, 1, influences=1), bound(bones))


def skin_without_mesh() -> lissom.Character:
    bones = skeleton(*"abcd")
    return lissom.Character("skin without mesh", bones, None, bound(bones, [3, 1]))


def many_joints() -> lissom.Character:
    """More palette rows than a byte counts, several roots, seven influences, clips of all kinds of tracks."""
    rng = np.random.default_rng(5)
    bones = random_skeleton(rng, 400)
    still = shared_times(rng, bones)
    mesh = sheet(6, 400, 500, 7, normals=units(7, 500))
    return lissom.Character("many joints", bones, mesh, bound(bones), [still])


def shared_times(rng: np.random.Generator, bones: lissom.Skeleton) -> lissom.Clip:
    """A random clip, moved so that it starts at 0."""
    clip = next(clip for clip in iter(lambda: random_clip(rng, bones, shared=True), None) if clip.duration)
    keys = clip.keys.copy()
    for begin, count in {(int(t["times"]), int(t["key_count"])) for t in clip.tracks}:
        keys[begin : begin + count] -= np.float32(clip.start)
    return lissom.Clip("random", bones, keys, clip.tracks, loop=True)


def odd_names() -> lissom.Character:
    names = ["Hüfte.L", "足.R", 'a "b" \\ c', "tab\there", "🦴", "mesh", "a/b", " "]
    bones = skeleton(*names, parents=[-1, 0, 0, 1, 2, 3, 0, 1])  # not depth first
    clips = [clip_of("läuft…", bones, (1, ROTATION, STEP, [0, 0.4, 1], np.eye(4)[1:]))]
    return lissom.Character("ödd", bones, parted(sheet(8, 8)), bound(bones), clips)


def parted(mesh: lissom.Mesh) -> lissom.Mesh:
    """The mesh in three parts that keep their triangles to themselves, the last without triangles."""
    cut, count = mesh.vertex_count // 3, mesh.vertex_count
    triangles = mesh.triangles.copy()
    half = len(triangles) // 2
    triangles[:half] %= cut
    triangles[half:] = cut + triangles[half:] % cut
    source = np.array([[0, 0, 2, 1], [0, 2, 0, 0.1], [-2, 0, 0, 0], [0, 0, 0, 1.0]])
    parts = (
        lissom.Part("mesh", slice(0, cut), slice(0, half), base_color=(0.25, 0.1, 1.0, 1.0)),
        lissom.Part(
            "Körper/Stoff.001",
            slice(cut, 2 * cut),
            slice(half, len(triangles)),
            True,
            (1.0, 1.0, 1.0, 0.5),
            model_from_source=source,
            alpha_mode="blend",
        ),
        lissom.Part(
            "no triangles",
            slice(2 * cut, count),
            slice(len(triangles), len(triangles)),
            alpha_mode="mask",
            alpha_cutoff=0.1,
            double_sided=True,
        ),
    )
    return lissom.Mesh(
        mesh.positions,
        triangles,
        mesh.indices,
        mesh.weights,
        normals=mesh.normals,
        tangents=mesh.tangents,
        uvs=mesh.uvs,
        parts=parts,
    )


def textured() -> lissom.Character:
    """PNG, JPEG and WebP; pictures used twice, tangents, texture coordinates, colours, light of its own."""
    bones = skeleton(*"abc")
    tangents = np.concatenate([units(9, 60), np.where(np.arange(60) % 2, 1, -1)[:, None]], axis=1)
    mesh = sheet(10, 3, normals=units(11, 60), tangents=tangents, uvs=units(12, 60)[:, :2])
    kinds = ["png", "jpeg", "webp", "png"]
    looks = [
        {"unlit": True},
        {"emissive": (0.25, 0.1, 1.0), "emissive_texture": picture("webp")},
        {"emissive": (0.3, 17.1, 2.0)},
        {"emissive": (1.0, 0.0, 0.0), "emissive_texture": picture("png")},
    ]
    triangles = mesh.triangles % 15 + 15 * (np.arange(120) // 30)[:, None]
    parts = [
        lissom.Part(
            f"part {i}",
            slice(15 * i, 15 * i + 15),
            slice(30 * i, 30 * i + 30),
            texture=picture(kind),
            **looks[i],
        )
        for i, kind in enumerate(kinds)
    ]
    whole = lissom.Mesh(
        mesh.positions,
        triangles,
        mesh.indices,
        mesh.weights,
        normals=mesh.normals,
        tangents=mesh.tangents,
        uvs=mesh.uvs,
        colors=np.random.default_rng(13).random((60, 4), np.float32),
        parts=parts,
    )
    return lissom.Character("textured", bones, whole, bound(bones))


def flat() -> lissom.Character:
    """Joints without size in some direction or all, at rest and in motion."""
    rest = np.tile(REST, (4, 1))
    rest[1, 7:] = 0
    rest[2, 7:] = (1, 0, 1)
    bones = skeleton(*"abcd", rest=rest)
    grows = clip_of("grows", bones, (1, SCALE, LINEAR, [0, 1], [[0, 0, 0], [1, 1, 1]]))
    skin = lissom.Skin([3, 2, 1, 0], np.tile(np.eye(4, dtype=np.float32), (4, 1, 1)))
    return lissom.Character("flat", bones, sheet(13, 4), skin, [grows])


def mirrored() -> lissom.Character:
    """Mirrored joints; the rest pose is not the one in which the mesh was bound."""
    rest = np.tile(REST, (4, 1))
    rest[1, 7:] = (-1, 1, 1)
    rest[2, 7:] = (-2, -0.5, -1)
    bones = skeleton(*"abcd", rest=rest)
    return lissom.Character("mirrored", bones, sheet(14, 4), bound(skeleton(*"abcd")))


def repeated_rows() -> lissom.Character:
    """One joint in several palette rows, bound differently, all in one part."""
    bones = skeleton(*"abc")
    skin = bound(bones, [1, 0, 1, 2, 1, 0])
    matrices = skin.joint_from_bind.copy()
    matrices[2:, 0, 3] += np.arange(1, 5)
    waves = clip_of("waves", bones, (1, ROTATION, LINEAR, [0, 1], [[0, 0, 0, 1], [0.6, 0, 0, 0.8]]))
    return lissom.Character("repeated", bones, sheet(15, 6), lissom.Skin(skin.joints, matrices), [waves])


def many_vertices() -> lissom.Character:
    """One part whose indices need four bytes, beside one whose need one."""
    bones = skeleton("a", "b")
    mesh = sheet(16, 2, 70_100, 2)
    triangles = mesh.triangles % 70_000
    triangles[-10:] = np.arange(70_000, 70_030).reshape(10, 3)
    triangles[0] = (0, 65_535, 69_999)
    last = len(triangles) - 10
    parts = (
        lissom.Part("large", slice(0, 70_000), slice(0, last)),
        lissom.Part("small", slice(70_000, 70_100), slice(last, last + 10)),
    )
    whole = lissom.Mesh(mesh.positions, triangles, mesh.indices, mesh.weights, parts=parts)
    return lissom.Character("many vertices", bones, whole, bound(bones))


def all_tracks() -> lissom.Character:
    """Every path in every interpolation, one-key cubic tracks, back and forth, markers, no tracks."""
    rng = np.random.default_rng(17)
    bones = random_skeleton(rng, 12, scaled=True)
    times = np.linspace(0.25, 2, 6)
    quats = rng.normal(size=(6, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    tracks = []
    for joint, (path, kind) in enumerate(
        (p, k) for p in (TRANSLATION, ROTATION, SCALE) for k in (STEP, LINEAR, CUBICSPLINE)
    ):
        points = quats if path == ROTATION else rng.normal(size=(6, 3))
        values = points
        if kind == CUBICSPLINE:
            values = np.stack([rng.normal(size=points.shape), points, rng.normal(size=points.shape)], axis=1)
        tracks.append((joint, path, kind, times, values))
    once = np.concatenate([rng.normal(size=(1, 4)), quats[:1], rng.normal(size=(1, 4))])
    tracks.append((9, ROTATION, CUBICSPLINE, [0.5], once))
    markers = [(0.25, "left"), (1.5, "rechts ↓"), (0.25, "left")]
    clips = [
        clip_of("all", bones, *tracks, loop="ping_pong", markers=markers),
        clip_of("nothing", bones, loop=False),
        clip_of("added", bones, *tracks[:4], additive=True),
        clip_of("no difference", bones, additive=True),
        clip_of("double", bones, *tracks[:2], dtype=np.float64),
    ]
    return lissom.Character("all tracks", bones, None, None, clips)


def uniform() -> lissom.Character:
    """A clip of frames on one grid, between which rotations nlerp."""
    rng = np.random.default_rng(18)
    bones = random_skeleton(rng, 5)
    turns = rng.normal(size=(5, 31, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    poses = np.tile(bones.rest, (31, 1, 1))
    poses[:, :, 3:7] = turns.swapaxes(0, 1)
    clip = lissom.Clip.from_poses(bones, np.arange(31) / 30, poses, name="grid")
    return lissom.Character("uniform", bones, None, None, [clip._edited(uniform=True)])


def painted() -> lissom.Character:
    """A method of its own, and what is painted for it on several parts."""
    character = textured()
    character.method = "blended"
    character.blend = np.linspace(0, 1, 60) ** 2
    return character


CASES: dict[str, Callable[[], lissom.Character]] = {
    "humanoid": lissom.samples.humanoid,
    "child": lambda: lissom.samples.humanoid("child"),
    "twisted_bar": lissom.samples.twisted_bar,
    "two_bone_tube": lissom.samples.two_bone_tube,
    "morphed": lambda: faced(lissom.samples.two_bone_tube(), share=0.05),
    "densely morphed": lambda: faced(lissom.samples.two_bone_tube(), share=0.95),
    **{
        make.__name__: make
        for make in (
            no_mesh,
            only_bones,
            one_joint,
            skin_without_mesh,
            many_joints,
            odd_names,
            textured,
            flat,
            mirrored,
            repeated_rows,
            many_vertices,
            all_tracks,
            uniform,
            painted,
        )
    },
}


def assert_same_character(one: lissom.Character, other: lissom.Character, times: int = 5) -> None:
    """All that a file holds is equal, to the bit; clips in sampled poses."""
    assert other.repairs == ()
    assert other.skeleton.names == one.skeleton.names
    np.testing.assert_array_equal(other.skeleton.parents, one.skeleton.parents)
    np.testing.assert_array_equal(other.skeleton.rest, one.skeleton.rest)
    assert (other.skin is None) == (one.skin is None)
    if one.skin is not None:
        np.testing.assert_array_equal(other.skin.joints, one.skin.joints)
        np.testing.assert_array_equal(other.skin.joint_from_bind, one.skin.joint_from_bind.astype(np.float32))
    assert (other.mesh is None) == (one.mesh is None)
    if one.mesh is not None:
        assert_same_mesh(one.mesh, other.mesh)
        moved = other.deform(other.skeleton.rest), one.deform(one.skeleton.rest)
        assert_vertices_close(*moved, share=1e-6, of=one)
    assert other.method == one.method
    assert (other.blend is None) == (one.blend is None)
    if one.blend is not None:
        np.testing.assert_array_equal(other.blend, one.blend)
    assert list(other.clips) == list(one.clips)
    for name in one.clips:
        assert_same_clip(one.clips[name], other.clips[name], times)


def assert_same_mesh(one: lissom.Mesh, other: lissom.Mesh) -> None:
    for name in ("positions", "normals", "tangents", "uvs", "colors", "triangles", "weights"):
        expected = getattr(one, name)
        if expected is None:
            assert getattr(other, name) is None, name
        else:
            np.testing.assert_array_equal(getattr(other, name), expected, err_msg=name)
    assert (other.morphs is None) == (one.morphs is None)
    if one.morphs is not None:
        assert other.morphs.names == one.morphs.names
        for name in ("offsets", "vertices", "positions", "normals", "tangents", "defaults"):
            np.testing.assert_array_equal(getattr(other.morphs, name), getattr(one.morphs, name))
    held = one.weights > 0  # a slot without weight may name any row
    np.testing.assert_array_equal(other.indices[held], one.indices[held])
    assert len(other.parts) == len(one.parts)
    for expected, part in zip(one.parts, other.parts, strict=True):
        looks = ("base_color", "texture", "unlit", "emissive", "emissive_texture")
        looks += ("alpha_mode", "alpha_cutoff", "double_sided")
        for name in ("name", "vertices", "triangles", "rigid", *looks):
            assert getattr(part, name) == getattr(expected, name), (name, expected.name)
        np.testing.assert_array_equal(part.model_from_source, expected.model_from_source)


def assert_same_clip(one: lissom.Clip, other: lissom.Clip, times: int) -> None:
    assert (other.name, other.loop, other.markers) == (one.name, one.loop, one.markers)
    assert (other.additive, other.uniform) == (one.additive, one.uniform)
    assert_same_motion(one.root_motion, other.root_motion)
    if one.keys.dtype != np.float32:  # files hold no more
        narrow = one.keys.astype(np.float32)
        one = lissom.Clip(one.name, one.skeleton, narrow, one.tracks, additive=one.additive)
    seconds = np.linspace(one.start, one.end, times)
    poses = one.sample(seconds, loop=False)
    np.testing.assert_array_equal(other.sample(seconds, loop=False), poses, err_msg=one.name)


def assert_same_motion(one: lissom.RootMotion | None, other: lissom.RootMotion | None) -> None:
    assert (other is None) == (one is None)
    if one is not None:
        assert (other.joints, other.error, other.loop) == (one.joints, one.error, one.loop)
        times = np.linspace(one.start, one.end + one.duration, 9)
        np.testing.assert_array_equal(other.at(times), one.at(times))
