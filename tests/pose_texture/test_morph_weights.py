# SPDX-License-Identifier: MIT
"""Weights of morph targets in pose textures: edits, copies, pages, files and asserts."""

import copy
import pickle
import struct

import numpy as np
import pytest

import lissom
import morph_faces
from lissom._formats import safetensors
from lissom.pose_texture import _file


@pytest.fixture(scope="module")
def face():
    return morph_faces.character(colors=None)


@pytest.fixture(scope="module")
def baked(face):
    return lissom.bake(face, rate=20)


@pytest.fixture
def saved(baked, tmp_path):
    return baked.save(tmp_path / "face.safetensors")


def rewritten(path, arrays=(), tables=(), drop=()):
    """Change arrays and texts of the tables in a file, with a checksum that fits."""
    held, metadata = safetensors.read(path)
    held = {name: np.array(array) for name, array in held.items() if name not in drop} | dict(arrays)
    for before, after in tables:
        assert before in metadata["tables"]
        metadata["tables"] = metadata["tables"].replace(before, after)
    metadata["checksum"] = _file._checksum(held, metadata)
    safetensors.write(path, held, metadata)


# Copies and edits.


def test_weights_are_written_by_name_or_all_at_once(baked):
    edited = baked.edited()
    assert edited.set_morphs("talk", 0.51, {"face/shape2": 0.5, "teeth/shape0": -1}) == 10
    np.testing.assert_array_equal(edited.weights[10, [2, 4]], np.float16([0.5, -1]))
    np.testing.assert_array_equal(edited.weights[10, [0, 1, 3, 5]], baked.weights[10, [0, 1, 3, 5]])
    assert edited.set_morphs(0, 0.0, np.arange(6)) == 0
    np.testing.assert_array_equal(edited.sample_morphs("talk", 0.0), np.arange(6))
    np.testing.assert_array_equal(edited.weights[1:10], baked.weights[1:10])
    assert edited.report.edited


def test_copies_keep_the_weights_and_whether_they_can_be_written(baked):
    for made in (copy.copy, copy.deepcopy, lambda bake: pickle.loads(pickle.dumps(bake))):
        for bake in (baked, baked.edited()):
            other = made(bake)
            np.testing.assert_array_equal(other.weights, bake.weights)
            assert other.morph_names == bake.morph_names
            assert other.weights.flags.writeable == bake.weights.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("fly", 0.0, [0] * 6), ValueError, "no clip"),
        (("talk", np.nan, [0] * 6), ValueError, "time must be finite"),
        (("talk", 0.0, [0] * 5), ValueError, r"weights must have shape \(6,\), got \(5,\)"),
        (("talk", 0.0, {"face/shape9": 1}), ValueError, "no morph target is named 'face/shape9'"),
        (("talk", 0.0, {"face/shape0": np.nan}), ValueError, "weights must be finite"),
        (("talk", 0.0, [1e6] * 6), ValueError, "with a magnitude up to 65504, got 1e"),
        (("talk", 0.0, {"face/shape0": "half"}), TypeError, "weights"),
    ],
)
def test_writing_what_does_not_fit_is_refused(baked, arguments, error, sentence):
    edited = baked.edited()
    with pytest.raises(error, match=f"PoseTexture.set_morphs: .*{sentence}"):
        edited.set_morphs(*arguments)
    np.testing.assert_array_equal(edited.weights, baked.weights)


def test_a_read_only_bake_and_one_without_targets_are_refused(baked):
    with pytest.raises(ValueError, match="weights must be writeable, got a read-only bake"):
        baked.set_morphs("talk", 0.0, {})
    bar = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).edited()
    with pytest.raises(ValueError, match="the bake must have morph targets, got one without"):
        bar.set_morphs("bend", 0.0, {})


def test_pages_hold_four_weights_a_texel(baked):
    pages = baked.morph_pages(side=1)
    assert pages.shape == (1, 1, 21 * 2, 4)
    assert pages.dtype == np.float16
    frames = pages.reshape(21, 8)
    np.testing.assert_array_equal(frames[:, :6], baked.weights)
    np.testing.assert_array_equal(frames[:, 6:], 0)
    with pytest.raises(ValueError, match=r"PoseTexture.morph_pages: side must be a power of two, got 3"):
        baked.morph_pages(side=3)


# What a pose texture is made of.


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"weights": None}, ValueError, "weights of 6 morph targets must be an array, got None"),
        ({"weights": np.zeros((21, 5), "f4")}, ValueError, r"weights must have shape \(21 frames, 6"),
        ({"weights": np.zeros((20, 6), "f4")}, ValueError, r"weights must have shape \(21 frames, 6"),
        (
            {"weights": np.zeros((21, 6))},
            TypeError,
            "weights must be a float16 or float32 array, got float64",
        ),
        ({"weights": [[0.0] * 6] * 21}, TypeError, "weights must be a float16 or float32 array, got list"),
        ({"morph_names": ["a"] * 6}, ValueError, "morph_names must be different"),
        ({"morph_names": list("abcdef")}, ValueError, "morph_names must be those of the mesh"),
        ({"morph_names": "abcdef"}, TypeError, "morph_names must be a sequence of str"),
        ({"morph_names": [1] * 6}, TypeError, "morph_names must be a sequence of str"),
    ],
)
def test_parts_that_do_not_fit_are_refused(baked, changes, error, sentence):
    options = {"mesh": baked.mesh, "skin": baked.skin, "weights": baked.weights}
    options |= {"morph_names": baked.morph_names} | changes
    with pytest.raises(error, match=f"PoseTexture: {sentence}"):
        lissom.PoseTexture(baked.texels, baked.clips, baked.joints, baked.report, **options)


# Files.


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
def test_a_file_holds_targets_and_weights(face, dtype, tmp_path):
    bake = lissom.bake(face, rate=20, dtype=dtype)
    path = bake.save(tmp_path / "face.safetensors")
    loaded = lissom.load_bake(path)
    lissom.testing.assert_bakes_close(loaded, bake, level="bytes")
    np.testing.assert_array_equal(loaded.weights, bake.weights)
    for name in ("offsets", "vertices", "positions", "normals", "defaults"):
        np.testing.assert_array_equal(getattr(loaded.mesh.morphs, name), getattr(face.mesh.morphs, name))
    assert loaded.mesh.morphs.names == bake.morph_names
    assert loaded.report.morph_count == 6
    assert not loaded.weights.flags.writeable


def test_a_file_without_mesh_keeps_names_and_weights(face, tmp_path):
    bake = lissom.bake(face, rate=20, include_mesh=False)
    loaded = lissom.load_bake(bake.save(tmp_path / "face.safetensors"))
    assert loaded.morph_names == bake.morph_names
    np.testing.assert_array_equal(loaded.weights, bake.weights)


def test_bakes_without_targets_are_of_the_version_before(saved, tmp_path):
    plain = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).save(tmp_path / "bar.safetensors")
    assert safetensors.read(plain)[1]["version"] == "2"
    assert safetensors.read(saved)[1]["version"] == "3"


def test_weights_that_are_not_finite_are_not_saved(baked, tmp_path):
    edited = baked.edited()
    edited.weights[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"weights must be finite, got nan at frame 3, morph target 2"):
        edited.save(tmp_path / "face.safetensors")
    assert not list(tmp_path.iterdir())


MORPHS = '"morphs":["face/shape0","face/shape1","face/shape2","face/shape3","teeth/shape0","teeth/shape1"]'


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda path, own: rewritten(path, drop=["weights"]), "the array 'weights' is missing"),
        (lambda path, own: rewritten(path, drop=["morphs.offsets"]), "the array 'morphs.offsets' is missing"),
        (lambda path, own: rewritten(path, drop=["morphs.vertices"]), "'morphs.vertices' is missing"),
        (
            lambda path, own: rewritten(path, {"weights": own["weights"][:5].copy()}),
            "weights must have shape",
        ),
        (
            lambda path, own: rewritten(path, {"weights": np.full((21, 6), np.inf, np.float16)}),
            "weights must be finite, got inf at frame 0",
        ),
        (
            lambda path, own: rewritten(path, {"morphs.vertices": own["morphs.vertices"] + np.uint32(10**6)}),
            "must move vertices",
        ),
        (
            lambda path, own: rewritten(path, {"morphs.vertices": own["morphs.vertices"][::-1].copy()}),
            "vertices must increase within a target",
        ),
        (
            lambda path, own: rewritten(path, {"morphs.offsets": own["morphs.offsets"] * 2}),
            "offsets must rise from 0",
        ),
        (
            lambda path, own: rewritten(path, {"morphs.positions": own["morphs.positions"] * np.nan}),
            "positions must be finite",
        ),
        (
            lambda path, own: rewritten(path, {"morphs.normals": own["morphs.normals"][:1].copy()}),
            "normals must have shape",
        ),
        (
            lambda path, own: rewritten(path, tables=[("face/shape1", "face/shape0")]),
            "must be different",
        ),
        (
            lambda path, own: rewritten(path, tables=[(MORPHS, '"morphs":[]')]),
            "arrays that nothing refers to",
        ),
        (lambda path, own: rewritten(path, tables=[(MORPHS, '"morphs":7')]), "tables that cannot be read"),
        (lambda path, own: rewritten(path, tables=[("," + MORPHS, "")]), "arrays that nothing refers to"),
    ],
)
def test_a_file_that_lies_is_refused_in_one_sentence(saved, change, sentence):
    change(saved, {name: np.array(array) for name, array in safetensors.read(saved)[0].items()})
    with pytest.raises(ValueError, match=rf"load_bake: .*{sentence}") as refused:
        lissom.load_bake(saved)
    assert "\n" not in str(refused.value)


def test_a_file_cut_short_is_refused(saved):
    data = saved.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    for end in {0, 7, start - 1, start, (start + len(data)) // 2, len(data) - 1}:
        saved.write_bytes(data[:end])
        with pytest.raises(ValueError, match=r"load_bake|safetensors file"):
            lissom.load_bake(saved)


# Asserts.


def test_the_assert_for_bakes_names_the_weight_that_differs(baked):
    edited = baked.edited()
    edited.set_morphs("talk", 0.5, {"face/shape3": 0.25})
    lissom.testing.assert_bakes_close(edited, baked, weight=0.3)
    with pytest.raises(
        AssertionError, match=r"'face/shape3' of clip 'talk' at 0.5 s: actual 0.25, desired 0;"
    ):
        lissom.testing.assert_bakes_close(edited, baked)


def test_the_assert_for_bakes_names_targets_that_differ(baked):
    others = lissom.bake(morph_faces.character(seed=8), rate=20)
    with pytest.raises(AssertionError, match=r"mesh.morphs: move other vertices"):
        lissom.testing.assert_bakes_close(others, baked)
    more = lissom.bake(morph_faces.character(target_count=7), rate=20)
    with pytest.raises(AssertionError, match=r"morph_names: actual 7, desired 6"):
        lissom.testing.assert_bakes_close(more, baked, level="shown")
