# SPDX-License-Identifier: MIT
"""Pose textures as files: what is written comes back, what was changed is noticed, old versions load."""

import json
import re
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bake_rigs
import lissom
from baked_textures import baked_clip, texture
from layout_rigs import pose_texture, rig
from lissom._formats import safetensors
from lissom.pose_texture._layouts import LAYOUTS

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def bake():
    bones = bake_rigs.skeleton()
    return lissom.bake(
        bake_rigs.character(
            bake_rigs.waving_clip(bones),
            bake_rigs.waving_clip(bones, name="grow", start=1.5, scale=np.full((5, 3), 1.2)),
            bake_rigs.waving_clip(bones, name="Ünï", duration=0.5, loop=False),
        )
    )


def test_file_comes_back_whole(bake, tmp_path):
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    back = lissom.load_bake(path)
    assert back.texels.dtype == bake.texels.dtype
    np.testing.assert_array_equal(back.texels, bake.texels)
    assert list(back.clips) == list(bake.clips) == ["wave", "grow", "Ünï"]
    for name, clip in bake.clips.items():
        for field in ("first_frame", "frame_count", "rate", "loop", "start", "duration", "error", "markers"):
            assert getattr(back.clips[name], field) == getattr(clip, field)
        np.testing.assert_array_equal(back.clips[name].bounds, clip.bounds)
    for field in ("layout", "method", "size", "joints", "source_hash"):
        assert getattr(back, field) == getattr(bake, field)
    assert back.report.to_dict() == bake.report.to_dict()
    np.testing.assert_array_equal(back.skin.joints, bake.skin.joints)
    np.testing.assert_array_equal(back.skin.joint_from_bind, bake.skin.joint_from_bind)
    np.testing.assert_array_equal(back.parents, bake.parents)
    assert back.parents.tolist() == bake_rigs.skeleton().parents.tolist()
    assert back.methods == bake.methods == ("linear", "dual_quat")
    for field in ("positions", "normals", "uvs", "triangles", "indices", "weights", "tangents"):
        ours, theirs = getattr(bake.mesh, field), getattr(back.mesh, field)
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(bake.mesh.parts, back.mesh.parts, strict=True):
        assert (ours.name, ours.rigid, ours.texture) == (theirs.name, theirs.rigid, theirs.texture)
        assert (ours.vertices, ours.triangles) == (theirs.vertices, theirs.triangles)
        assert tuple(ours.base_color) == theirs.base_color
        np.testing.assert_array_equal(ours.model_from_source, theirs.model_from_source)
    again = tmp_path / "again.safetensors"
    back.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_vertex_colours_are_kept_and_make_the_file_a_newer_one(bake, tmp_path):
    def version(path):
        data = path.read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return header["__metadata__"]["version"], "mesh.colors" in header

    plain = bake.mesh
    arrays = {name: getattr(plain, name) for name in ("positions", "triangles", "indices", "weights", "uvs")}
    colors = np.random.default_rng(8).random((plain.vertex_count, 4), np.float32)
    mesh = lissom.Mesh(**arrays, colors=colors, parts=plain.parts)
    colored = lissom.PoseTexture(bake.texels, bake.clips, bake.joints, bake.report, mesh=mesh, skin=bake.skin)
    path = colored.save(tmp_path / "colored.safetensors")
    np.testing.assert_array_equal(lissom.load_bake(path).mesh.colors, colors)
    assert version(path) == ("3", True)
    path = bake.save(tmp_path / "plain.safetensors")
    assert lissom.load_bake(path).mesh.colors is None
    assert version(path) == ("2", False)  # which readers of version 2 open
    assert b'"unlit"' not in path.read_bytes()


def test_light_of_parts_is_kept(bake, tmp_path):
    first, second = bake.mesh.parts
    picture = lissom.Texture(b"another", "image/webp", "lamp")
    parts = [
        replace(first, emissive=(0.5, 0.25, 17.0), emissive_texture=picture),
        replace(second, unlit=True, alpha_mode="mask", alpha_cutoff=0.1),
    ]
    plain = bake.mesh
    mesh = lissom.Mesh(
        plain.positions, plain.triangles, plain.indices, plain.weights, uvs=plain.uvs, parts=parts
    )
    lit = lissom.PoseTexture(bake.texels, bake.clips, bake.joints, bake.report, mesh=mesh, skin=bake.skin)
    back = lissom.load_bake(lit.save(tmp_path / "lit.safetensors")).mesh
    for ours, theirs in zip(parts, back.parts, strict=True):
        looks = ("base_color", "texture", "unlit", "emissive", "emissive_texture")
        for name in (*looks, "alpha_mode", "alpha_cutoff", "double_sided"):
            assert getattr(ours, name) == getattr(theirs, name), name
    assert back.colors is None


@pytest.mark.parametrize(
    "look", [{"alpha_mode": "blend"}, {"alpha_cutoff": 0.25}, {"double_sided": True}, {}], ids=str
)
def test_what_alpha_does_is_kept(bake, tmp_path, look):
    plain = bake.mesh
    parts = [replace(part, **look) for part in plain.parts]
    mesh = lissom.Mesh(
        plain.positions, plain.triangles, plain.indices, plain.weights, uvs=plain.uvs, parts=parts
    )
    covered = lissom.PoseTexture(bake.texels, bake.clips, bake.joints, bake.report, mesh=mesh, skin=bake.skin)
    path = covered.save(tmp_path / "covered.safetensors")
    for ours, theirs in zip(parts, lissom.load_bake(path).mesh.parts, strict=True):
        for name in ("alpha_mode", "alpha_cutoff", "double_sided"):
            assert getattr(ours, name) == getattr(theirs, name), name
    assert (b'"version":"3"' in path.read_bytes()) == bool(look)


@pytest.mark.parametrize(
    "name", ["x.png", "x.exr", "x.ktx2", "x.json", "x.glb", "x.npz", "x.safetensors.png", "x"]
)
def test_a_name_of_another_format_is_refused(bake, tmp_path, name):
    message = "PoseTexture.save: path must end in .safetensors, or .html for a page that plays the bake, got"
    with pytest.raises(ValueError, match=re.escape(f"{message} {name!r}")):
        bake.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_endings_may_be_in_capitals(bake, tmp_path):
    bake.save(tmp_path / "X.SAFETENSORS")
    np.testing.assert_array_equal(lissom.load_bake(tmp_path / "X.SAFETENSORS").texels, bake.texels)


def test_markers_and_root_motion_come_back(bake, tmp_path):
    moves = lissom.trs.from_parts(
        translation=[[0, 0, 0], [0, 0.1, 1.5]], rotation=[[0, 0, 0, 1], [0, 0.6, 0, 0.8]]
    )
    motion = lissom.RootMotion.from_moves([1.5, 2.5], moves, loop=True)
    motion = lissom.RootMotion(motion.track, ["Hips"], 0.25)
    markers = (lissom.Marker(1.5, "left"), lissom.Marker(2.25, "réchts"))
    clips = dict(bake.clips)
    clips["grow"] = replace(clips["grow"], markers=markers, root_motion=motion)
    report = replace(bake.report, clips=clips)
    path = tmp_path / "moving.safetensors"
    lissom.PoseTexture(bake.texels, clips, bake.joints, report, skin=bake.skin).save(path)
    back = lissom.load_bake(path)
    found = back.clips["grow"]
    assert found.markers == markers
    assert (found.root_motion.joints, found.root_motion.error, found.root_motion.loop) == (
        ("Hips",),
        0.25,
        True,
    )
    times = np.linspace(0, 5, 40)
    np.testing.assert_array_equal(found.root_motion.at(times), motion.at(times))
    assert back.clips["wave"].markers == ()
    assert back.clips["wave"].root_motion is None
    again = tmp_path / "again.safetensors"
    back.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_file_without_mesh(tmp_path):
    path = tmp_path / "tube.safetensors"
    lissom.bake(bake_rigs.character(), include_mesh=False, dtype="float32").save(path)
    back = lissom.load_bake(path)
    assert back.mesh is None
    assert back.texels.dtype == np.float32


def test_file_is_a_plain_safetensors_file(bake, tmp_path):
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    arrays, metadata = safetensors.read(path)
    np.testing.assert_array_equal(arrays["texels"], bake.texels)
    assert metadata["format"] == "lissom.pose_texture"
    assert json.loads(metadata["tables"])["joints"] == list(bake.joints)
    assert "x y z w" in metadata["conventions"]


def test_numbers_that_look_like_text_do_not_shift_the_data(tmp_path):
    """A header that runs into the data is misread where the first byte of the data is a digit."""
    path = tmp_path / "digits.safetensors"
    for digit in b'0123456789 \n{"':
        stored = np.array([[[[0, 0, 0, 1], [0, 0, 0, 0]]]], np.float16)
        stored.view(np.uint8).reshape(-1)[:2] = digit, 0x30  # about 0.13
        texture(stored, {"still": baked_clip(0, 1, duration=0.0)}).save(path)
        np.testing.assert_array_equal(lissom.load_bake(path).texels, stored)


def test_every_changed_byte_is_noticed(bake, tmp_path):
    path, broken = tmp_path / "tube.safetensors", tmp_path / "broken.safetensors"
    bake.save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(4)
    (length,) = struct.unpack("<Q", data[:8])
    spots = [*range(8), *rng.integers(8, 8 + length, 150), *rng.integers(8 + length, len(data), 150)]
    padding = len(data[8 : 8 + length].rstrip(b" ")) + 8
    for spot in spots:
        if padding <= spot < 8 + length:
            continue  # white space between header and data says nothing
        changed = bytearray(data)
        changed[spot] ^= 1 << int(rng.integers(0, 8))
        broken.write_bytes(changed)
        with pytest.raises(ValueError, match=r"broken\.safetensors") as caught:
            lissom.load_bake(broken)
        assert "\n" not in str(caught.value)


def rewritten(bake, path, change):
    """Save a bake with changed arrays or metadata and the checksum that fits them."""
    from lissom.pose_texture import _file as file

    bake.save(path)
    arrays, metadata = safetensors.read(path)
    tables = json.loads(metadata["tables"])
    change(arrays, metadata, tables)
    metadata["tables"] = tables if isinstance(tables, str) else json.dumps(tables)
    metadata["checksum"] = file._checksum(arrays, metadata)
    safetensors.write(path, arrays, metadata)
    return path


def put(where, key, value):
    where[key] = value


CHANGES = {
    "format": (lambda a, m, t: put(m, "format", "other"), "not a bake: its format must be"),
    "no format": (lambda a, m, t: m.pop("format"), "got none"),
    "version": (lambda a, m, t: put(m, "version", "x"), "whole number as version, got 'x'"),
    "tables": (lambda a, m, t: t.clear(), "tables that cannot be read"),
    "field type": (lambda a, m, t: put(t["clips"][0], "rate", "fast"), "tables that cannot be read"),
    "field more": (lambda a, m, t: put(t, "more", 1), "tables that cannot be read"),
    "field less": (lambda a, m, t: t.pop("joints"), "tables that cannot be read"),
    "rate": (lambda a, m, t: put(t["clips"][0], "rate", 61.0), "must have the rate"),
    "frames": (lambda a, m, t: put(t["clips"][0], "frame_count", 10**12), "must have the rate"),
    "first": (lambda a, m, t: put(t["clips"][1], "first_frame", 0), "must start at frame 61"),
    "name twice": (
        lambda a, m, t: put(t["clips"][1], "name", "wave"),
        "each clip must have a name of its own",
    ),
    "bounds": (lambda a, m, t: put(t["clips"][1], "bounds", [[1.0]]), "bounds of shape"),
    "ragged": (lambda a, m, t: put(t["clips"][1], "bounds", [[1.0], []]), "does not fit together"),
    "joints": (lambda a, m, t: t["joints"].pop(), "name each of the 5 rows, got 4"),
    "layout": (lambda a, m, t: put(t, "layout", "cubes"), "'trs', 'rotations', got 'cubes'"),
    "texels": (lambda a, m, t: a.pop("texels"), "array 'texels' is missing"),
    "texel type": (
        lambda a, m, t: put(a, "texels", a["texels"].astype(np.int16)),
        "float16, float32 or uint8 array",
    ),
    "texel shape": (lambda a, m, t: put(a, "texels", a["texels"][0]), "must have shape"),
    "texel nan": (
        lambda a, m, t: put(a, "texels", a["texels"] * np.float16(np.nan)),
        "texels must be finite",
    ),
    "texel zero": (
        lambda a, m, t: put(a, "texels", a["texels"] * np.float16(0)),
        "unit quaternions as rotations, got one of length 0 at frame 0, row 0",
    ),
    "mesh": (lambda a, m, t: a.pop("mesh.positions"), "'mesh.positions' is missing"),
    "index": (
        lambda a, m, t: put(a, "mesh.indices", a["mesh.indices"] + np.uint16(3)),
        "mesh.indices must be below",
    ),
    "part": (lambda a, m, t: put(t["parts"][0], "vertices", [0, 10**6]), "does not fit together"),
    "alpha": (lambda a, m, t: put(t["parts"][0], "alpha_mode", "hashed"), "tables that cannot be read"),
    "cutoff": (
        lambda a, m, t: put(t["parts"][0], "alpha_cutoff", -1),
        "alpha_cutoff must be finite and at least 0, got -1",
    ),
    "sides": (lambda a, m, t: put(t["parts"][0], "double_sided", 1), "tables that cannot be read"),
    "picture": (lambda a, m, t: put(t["parts"][0], "texture", 1), "must refer to one of 1 textures"),
    "skin": (lambda a, m, t: a.pop("skin.joint_from_bind"), "array 'skin.joint_from_bind' is missing"),
    "skin type": (lambda a, m, t: put(a, "skin.joints", np.zeros(5)), "joints must be integers, got float64"),
    "skin rows": (
        lambda a, m, t: put(a, "skin.joints", a["skin.joints"] + np.int32(1)),
        "skin must refer to the 5 joints, got 5",
    ),
    "rig": (lambda a, m, t: put(t, "rig", {"moving": 0, "rigid": True}), "'rig.parents' is missing"),
    "parents": (lambda a, m, t: put(t, "parents", [-1]), "parents must have one for each of 5 joints, got 1"),
    "parent": (lambda a, m, t: put(t, "parents", [-1, 0, 1, 2, 5]), "parents must be -1 or one of 5 joints"),
    "circle": (
        lambda a, m, t: put(t, "parents", [-1, 4, 1, 2, 3]),
        "parents must lead to roots, got a circle at joint 4",
    ),
    "ranges": (
        lambda a, m, t: put(a, "ranges", np.zeros(3)),
        "ranges must be None for texels of float16, got an array",
    ),
    "bytes": (
        lambda a, m, t: put(a, "texels", a["texels"].astype(np.uint8)),
        "ranges of uint8 texels must be float32 (3, 5, 3, 2, 4), got none",
    ),
    "marker": (lambda a, m, t: put(t["clips"][0], "markers", [[1.0]]), "tables that cannot be read"),
    "motion": (lambda a, m, t: put(t["clips"][0], "root_motion", {}), "tables that cannot be read"),
    "motion keys": (
        lambda a, m, t: put(
            t["clips"][0], "root_motion", {"tracks": [], "loop": True, "joints": [], "error": 0.0}
        ),
        "'root_motion.0' is missing",
    ),
    "rest": (lambda a, m, t: put(a, "more", np.zeros(3)), "nothing refers to: more"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_content_that_does_not_fit_is_refused(bake, tmp_path, name):
    change, sentence = CHANGES[name]
    path = rewritten(bake, tmp_path / "bad.safetensors", change)
    with pytest.raises(ValueError, match=r"^load_bake: .*bad\.safetensors ") as caught:
        lissom.load_bake(path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_future_version_says_what_it_needs(bake, tmp_path):
    def change(arrays, metadata, tables):
        metadata.update(version="4", made_by="lissom 9.1.0", needs="lissom 9.0.0")

    path = rewritten(bake, tmp_path / "bad.safetensors", change)
    with pytest.raises(
        ValueError, match=r"was made by lissom 9\.1\.0 and needs lissom 9\.0\.0 or later, this is lissom"
    ):
        lissom.load_bake(path)


def test_a_failed_save_leaves_the_old_file(bake, tmp_path, monkeypatch):
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    old = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        lissom.bake(bake_rigs.character()).save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_what_could_not_be_read_is_not_written(tmp_path):
    bake = lissom.bake(bake_rigs.character(), rate=10).edited()
    bake.texels[3, 1, 0, 2] = np.nan
    with pytest.raises(
        ValueError, match=r"^PoseTexture\.save: texels must be finite, got nan at frame 3, row 1$"
    ):
        bake.save(tmp_path / "bake.safetensors")
    bake.texels[3, 1, 0, :] = 0
    with pytest.raises(ValueError, match=r"^PoseTexture\.save: .* got one of length 0 at frame 3, row 1$"):
        bake.save(tmp_path / "bake.safetensors")
    bake.texels[3, 1, 0, 3] = 1
    clip = replace(bake.clips["wave"], error=replace(bake.clips["wave"].error, max=np.inf))
    wrong = lissom.PoseTexture(bake.texels, {"wave": clip}, bake.joints, bake.report, skin=bake.skin)
    with pytest.raises(ValueError, match=r"^PoseTexture\.save: report and clips must hold finite numbers: "):
        wrong.save(tmp_path / "bake.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        lissom.load_bake(tmp_path / "none")


def test_a_file_of_the_first_version_loads():
    """Made by lissom 0.1.0 from the tube of bake_rigs; every later release must read it to the same rows."""
    bake = lissom.load_bake(DATA / "pose_texture_v1.safetensors")
    assert list(bake.clips) == ["wave", "grow"]
    assert (bake.skin, bake.rig, bake.ranges) == (None, None, None)
    assert bake.palette_row_count == 5
    assert bake.mesh.vertex_count == 240
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones, name="grow", key_count=5, start=1.5, scale=np.full((5, 3), 1.2))
    palette = bake_rigs.skin(bones).palette(bones.model_matrices(clip.sample([1.75, 2.0])))
    np.testing.assert_allclose(bake.sample("grow", [1.75, 2.0]).matrices, palette.matrices, atol=4e-3)


MOVES = lissom.trs.from_parts(
    translation=[[0, 0, 0], [0, 0.1, 1.5]], rotation=[[0, 0, 0, 1], [0, 0.6, 0, 0.8]]
)


@pytest.mark.parametrize("name", [*LAYOUTS, "uint8"])
def test_files_of_the_second_version_load(name):
    """Made by data/make_pose_texture.py; every later release must read them to the same rows."""
    bake = lissom.load_bake(DATA / f"pose_texture_v2_{name}.safetensors")
    layout = "dual_quat" if name == "uint8" else name
    assert (bake.layout, bake.texels.dtype) == (layout, "uint8" if name == "uint8" else "float16")
    assert (bake.parents is None) == (bake.rig is None)  # from before they were stored
    assert (bake.ranges is not None) == (name == "uint8")
    assert list(bake.clips) == ["wave", "high"]
    assert bake.mesh.vertex_count == 24
    assert bake.joints == tuple(f"joint{i}" for i in range(5))
    high = bake.clips["high"]
    assert high.markers == (lissom.Marker(1.5, "left"), lissom.Marker(1.75, "réchts"))
    motion = lissom.RootMotion.from_moves([1.5, 2.5], MOVES, loop=True)
    np.testing.assert_array_equal(high.root_motion.at([1.5, 2.0, 9.0]), motion.at([1.5, 2.0, 9.0]))
    assert high.root_motion.joints == ("joint0",)
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones, name="high", key_count=5, start=1.5)
    palette = bake_rigs.skin(bones).palette(bones.model_matrices(clip.sample([1.75, 2.0])))
    rows = bake.sample("high", [1.75, 2.0])
    tolerance = 1e-2 if name == "uint8" else 4e-3
    np.testing.assert_allclose(rows.matrices, palette.matrices, atol=tolerance)
    assert bake.methods == (("linear",) if layout == "matrix" else ("linear", "dual_quat"))
    if layout != "matrix":
        np.testing.assert_allclose(rows.dual_quats[0], palette.dual_quats[0], atol=tolerance)
    model = bones.model_matrices(clip.sample(2.0))
    place = bake.frame_coordinate("high", 2.0)
    np.testing.assert_allclose(bake.joint_matrices(place, "joint3"), model[3], atol=tolerance)


def moving(layout, dtype=np.float16, frames=3):
    """A small bake with everything that files of version 2 hold beside a mesh."""
    bake = pose_texture(rig("plain", frames=frames), layout, dtype)
    motion = lissom.RootMotion.from_moves([0, 1], MOVES, loop=True)
    clip = replace(bake.clips["wave"], markers=(lissom.Marker(0.5, "step"),), root_motion=motion)
    report = replace(bake.report, clips={"wave": clip})
    return lissom.PoseTexture(
        bake.texels, report.clips, bake.joints, report, ranges=bake.ranges, skin=bake.skin, rig=bake.rig
    )


def test_the_rig_comes_back(tmp_path):
    source = rig("plain")
    source.poses[:, 0, :3] = source.poses[0, 0, :3]
    source.poses[:, 3, :3] += np.linspace(0, 0.1, 9)[:, None]
    bake = pose_texture(source, "rotations")
    path = tmp_path / "rig.safetensors"
    bake.save(path)
    back = lissom.load_bake(path)
    assert (back.rig.moving, back.rig.rigid) == (bake.rig.moving, bake.rig.rigid) == (3, True)
    np.testing.assert_array_equal(back.rig.parents, bake.rig.parents)
    np.testing.assert_array_equal(back.rig.local, bake.rig.local)
    np.testing.assert_array_equal(back.skin.joints, source.skin.joints)


@pytest.mark.parametrize(
    ("layout", "dtype", "step"),
    [
        pytest.param("rotations", np.uint8, 1, marks=pytest.mark.soak),
        ("rotations", np.uint8, 5),
        ("matrix", np.float16, 7),
        ("quat_trans", np.float32, 7),
        ("trs", np.uint8, 7),
    ],
)
def test_bytes_flipped_in_turn_are_noticed_or_say_nothing(layout, dtype, step, tmp_path):
    path = tmp_path / "whole.safetensors"
    moving(layout, dtype).save(path)
    data = path.read_bytes()
    assert len(data) < 9000
    broken = tmp_path / "broken.safetensors"
    for spot in range(0, len(data), step):
        changed = bytearray(data)
        changed[spot] ^= 1 << spot % 8
        broken.write_bytes(changed)
        try:
            back = lissom.load_bake(broken)
        except ValueError as error:
            assert "broken.safetensors" in str(error)  # noqa: PT017
            continue
        back.save(broken)  # white space may change and nothing else
        assert broken.read_bytes() == data


@pytest.mark.parametrize(
    ("layout", "dtype"), [("dual_quat", "uint8"), ("matrix", "float16"), ("quat_trans", "float32"),
                          ("trs", "uint8"), ("rotations", "float16")]
)  # fmt: skip
def test_whatever_a_file_holds_it_loads_or_is_refused(layout, dtype, tmp_path):
    """Arrays and tables of wrong types, shapes and values, with a checksum that fits."""
    bake = moving(layout, dtype)
    path = tmp_path / "odd.safetensors"
    bake.save(path)
    arrays, metadata = safetensors.read(path)
    strange = [
        lambda a: np.zeros((), a.dtype),
        lambda a: np.zeros((0, *a.shape[1:]), a.dtype),
        lambda a: a[..., :1],
        lambda a: np.concatenate([a, a]),
        lambda a: a.astype(np.float64) * 1e300,
        lambda a: a.astype(np.int8),
        lambda a: np.full(a.shape, np.nan),
        lambda a: a * 0 - 1 if a.dtype.kind in "if" else a + 200,
    ]
    changes = [
        lambda a, m, t, name=name, change=change: put(a, name, change(a[name]))
        for name in arrays
        for change in strange
    ]
    changes += [lambda a, m, t, name=name: a.pop(name) for name in arrays]
    for at in leaves(json.loads(metadata["tables"])):
        for value in (None, -1, 10**12, 1e300, 0.5, "x", True, [], {}, [[]]):
            changes.append(lambda a, m, t, at=at, value=value: change_leaf(t, at, value))
    refused = 0
    with np.errstate(all="ignore"):
        for change in changes:
            try:
                back = lissom.load_bake(rewritten(bake, path, change))
            except ValueError as error:
                assert str(error).startswith("load_bake: ")  # noqa: PT017
                refused += 1
                continue
            back.sample_frames([0.0, 1.5])
    assert refused > len(changes) / 2


def leaves(tables, at=()):
    """Paths of all there is in JSON."""
    inside = (
        tables.items() if isinstance(tables, dict) else enumerate(tables) if isinstance(tables, list) else ()
    )
    for key, value in inside:
        yield (*at, key)
        yield from leaves(value, (*at, key))


def change_leaf(tables, at, value):
    for key in at[:-1]:
        tables = tables[key]
    tables[at[-1]] = value
