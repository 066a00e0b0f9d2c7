# SPDX-License-Identifier: MIT
"""Animated weights of glTF files: every interpolation and format, of several nodes, and faults."""

import json
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import ASSETS, asset
from gltf_files import File, arm, triangle
from lissom.clip import CUBICSPLINE, LINEAR, STEP

UP = np.float32([[0, 0, 0], [0, 1, 0], [0, 2, 0]])
CODES = {"STEP": STEP, "LINEAR": LINEAR, "CUBICSPLINE": CUBICSPLINE}


def morphed(count: int = 2, file: File | None = None, **mesh: Any) -> File:
    """A file whose first mesh has some morph targets."""
    file = file or triangle()
    target = file.add(UP)
    file.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": target}] * count
    file.json["meshes"][0] |= mesh
    return file


def animated(
    file: File,
    times: Any,
    values: Any,
    node: int = 0,
    interpolation: str = "LINEAR",
    dtype: str = "f4",
    **more: Any,
) -> File:
    """Add an animation of the weights of a node."""
    output = file.add(np.ravel(values), dtype, **more)
    sampler = {"input": file.add(times), "output": output, "interpolation": interpolation}
    channel = {"sampler": 0, "target": {"node": node, "path": "weights"}}
    file.push("animations", {"name": "face", "samplers": [sampler], "channels": [channel]})
    return file


def load(file: File, strict: bool = False) -> lissom.Character:
    return lissom.load(file.glb(), strict=strict)


def codes(character: lissom.Character) -> list[str]:
    return [repair.code for repair in character.repairs]


@pytest.mark.parametrize("interpolation", CODES)
@pytest.mark.parametrize("count", [1, 2, 5])
def test_each_target_gets_a_track(interpolation: str, count: int) -> None:
    """Keys hold all targets, of a spline all in-tangents, then all values, then all out-tangents."""
    rng = np.random.default_rng(count)
    times = np.float32([0, 0.5, 2])
    parts = 3 if interpolation == "CUBICSPLINE" else 1
    values = rng.normal(size=(3, parts, count)).astype(np.float32)
    hero = load(animated(morphed(count), times, values, interpolation=interpolation), strict=True)
    clip = hero.clips["face"]
    assert clip.morph_names == hero.mesh.morphs.names == tuple(f"flag/{i}" for i in range(count))
    assert len(clip.tracks) == 0
    assert clip.weight_tracks["joint"].tolist() == list(range(count))
    assert set(clip.weight_tracks["interpolation"].tolist()) == {CODES[interpolation]}
    np.testing.assert_array_equal(clip.morphs(times, loop=False), values[:, parts // 2])
    if interpolation == "CUBICSPLINE":  # glTF 2.0, appendix C.4, in the middle of the first interval
        want = (
            0.5 * values[0, 1] + 0.125 * 0.5 * values[0, 2] + 0.5 * values[1, 1] - 0.125 * 0.5 * values[1, 0]
        )
        np.testing.assert_allclose(clip.morphs(0.25), want, atol=1e-6)
    else:
        want = values[0, 0] if interpolation == "STEP" else values[:2, 0].mean(axis=0)
        np.testing.assert_allclose(clip.morphs(0.25), want, atol=1e-6)


@pytest.mark.parametrize(("dtype", "largest"), [("u1", 255), ("i1", 127), ("u2", 65535), ("i2", 32767)])
def test_integers_are_normalised(dtype: str, largest: int) -> None:
    stored = np.array([[0, largest], [largest // 2, 1]])
    file = animated(morphed(), [0, 1], stored, dtype=dtype, normalized=True)
    clip = load(file, strict=True).clips["face"]
    np.testing.assert_allclose(clip.morphs([0, 1], loop=False), stored / largest, atol=1e-7)


def test_a_single_target_is_read_in_place() -> None:
    clip = load(animated(morphed(1), [0, 1], [0.25, 0.75])).clips["face"]
    assert not clip.keys.flags.owndata
    np.testing.assert_array_equal(clip.morphs([0, 1, 0.5], loop=False), np.float32([[0.25], [0.75], [0.5]]))


def test_joints_and_faces_move_in_one_clip() -> None:
    file = morphed(2, arm(), weights=[0.5, 0.125], extras={"targetNames": ["smile", "blink"]})
    animation = file.json["animations"][0]
    sampler = {"input": animation["samplers"][0]["input"], "output": file.add([0, 1, 2, 3])}
    animation["samplers"].append(sampler)
    animation["channels"].insert(0, {"sampler": 1, "target": {"node": 3, "path": "weights"}})
    file.push(
        "animations",
        {
            "name": "still",
            "samplers": [dict(animation["samplers"][0])],
            "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}],
        },
    )
    hero = load(file, strict=True)
    bend, still = hero.clips["bend"], hero.clips["still"]
    assert bend.morph_names == still.morph_names == ("body/smile", "body/blink")
    assert (len(bend.tracks), len(bend.weight_tracks)) == (1, 2)
    assert bend.morphs(0.5, loop=False).tolist() == [1, 2]
    # A clip that leaves the face alone knows it, too.
    assert still.morphs(0.5).tolist() == [0.5, 0.125]
    np.testing.assert_array_equal(bend.sample(0.7, loop=False), still.sample(0.7, loop=False))


def test_weights_belong_to_nodes() -> None:
    file = morphed(2)
    file.push("nodes", {"name": "other", "mesh": 0, "weights": [0.1, 0.2]})
    file.json["scenes"][0]["nodes"] = [0, 1]
    animated(file, [0, 1], [[1, 2], [3, 4]], node=1)
    hero = load(file, strict=True)
    clip = hero.clips["face"]
    assert clip.morph_names == ("flag/0", "flag/1", "other/0", "other/1")
    np.testing.assert_allclose(clip.morphs(0.5, loop=False), [0, 0, 2, 3])
    assert clip.weight_tracks["joint"].tolist() == [2, 3]
    # One sampler for both nodes: keys are stored once.
    animation = file.json["animations"][0]
    animation["channels"].append({"sampler": 0, "target": {"node": 0, "path": "weights"}})
    both = load(file, strict=True).clips["face"]
    np.testing.assert_allclose(both.morphs(0.5, loop=False), [2, 3, 2, 3])
    assert len(set(both.weight_tracks["values"].tolist())) == 2


def test_meshes_of_other_counts_read_one_accessor_each_in_its_own_way() -> None:
    file = morphed(2)
    file.push("meshes", {"primitives": [dict(file.json["meshes"][0]["primitives"][0])]})
    file.json["meshes"][1]["primitives"][0]["targets"] = (
        file.json["meshes"][0]["primitives"][0]["targets"] * 3
    )
    file.push("nodes", {"name": "six", "mesh": 1})
    file.json["scenes"][0]["nodes"] = [0, 1]
    values = np.arange(6.0)
    animated(file, [0, 1, 2], values)
    animation = file.json["animations"][0]
    animation["samplers"].append({"input": file.add([0]), "output": animation["samplers"][0]["output"]})
    animation["channels"].append({"sampler": 1, "target": {"node": 1, "path": "weights"}})
    clip = load(file, strict=True).clips["face"]
    assert clip.morphs(1.0, loop=False).tolist() == [2, 3, *values]


def test_a_target_that_weights_move_is_no_joint_for_that() -> None:
    """The node of a skinned mesh is left out of skeletons: glTF ignores its transform."""
    file = morphed(1, arm())
    names = load(file).skeleton.names
    assert load(animated(file, [0, 1], [0, 1], node=3)).skeleton.names == names


@pytest.mark.parametrize(
    ("values", "interpolation", "code", "message"),
    [
        (
            [0, 1, 2],
            "LINEAR",
            "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
            "2 key times and 2 morph targets",
        ),
        ([0, 1], "LINEAR", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", "got 2"),
        ([0] * 4, "CUBICSPLINE", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", "got 4"),
        ([0] * 12, "LINEAR", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", "got 12"),
        ([0, 1, np.nan, 3], "LINEAR", "ACCESSOR_INVALID_FLOAT", "must be finite, got nan"),
        ([0, np.inf, 2, 3], "STEP", "ACCESSOR_INVALID_FLOAT", "must be finite, got inf"),
        (np.zeros((4, 3)), "LINEAR", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", "SCALAR"),
    ],
)
def test_wrong_keys_are_refused(values: Any, interpolation: str, code: str, message: str) -> None:
    for strict in (False, True):
        file = animated(morphed(), [0, 1], values, interpolation=interpolation)
        if np.ndim(values) == 2:
            file.json["animations"][0]["samplers"][0]["output"] = file.add(values)
        with pytest.raises(lissom.GltfError, match=message) as error:
            load(file, strict)
        assert error.value.code == code
        assert error.value.pointer.startswith(("/animations/0/samplers/0", "/accessors/"))


def test_plain_values_of_one_target_are_checked_as_well() -> None:
    with pytest.raises(lissom.GltfError, match=r"component 0 of value 1 must be finite, got nan"):
        load(animated(morphed(1), [0, 1], [0, np.nan]))
    with pytest.raises(lissom.GltfError, match=r"must be normalized|weights SCALAR alike"):
        load(animated(morphed(1), [0, 1], [0, 1], dtype="u1"))
    with pytest.raises(lissom.GltfError, match=r"a cubic spline must have at least 2 keys, got 1"):
        load(animated(morphed(1), [0], [0, 1, 2], interpolation="CUBICSPLINE"))
    with pytest.raises(lissom.GltfError, match=r"key times must increase"):
        load(animated(morphed(2), [0, 0], [0, 1, 2, 3]))


def test_two_channels_of_one_face_are_refused() -> None:
    file = animated(morphed(), [0, 1], [0, 1, 2, 3])
    file.json["animations"][0]["channels"] *= 2
    with pytest.raises(lissom.GltfError, match=r"channels must animate different properties, got 0 and 1"):
        load(file)


def test_weights_of_nodes_without_targets_are_left_out() -> None:
    file = animated(triangle(), [0, 1], [0, 1])
    hero = load(file)
    assert not hero.clips
    assert "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS" in codes(hero)
    assert "CLIP_LEFT_OUT" in codes(hero)
    with pytest.raises(
        lissom.GltfError, match=r"node 0 must have morph targets, as its weights are animated"
    ):
        load(file, strict=True)


def test_weights_of_nodes_outside_the_scene_are_left_out() -> None:
    file = morphed(2)
    file.push("nodes", {"name": "elsewhere", "mesh": 0})
    hero = load(animated(file, [0, 1], [0, 1, 2, 3], node=1))
    assert not hero.clips
    assert "CHANNEL_LEFT_OUT" in codes(hero)


def test_a_buffer_without_data_has_no_weights() -> None:
    file = animated(morphed(), [0, 1], [0, 1, 2, 3])
    file.json["buffers"] = [{"byteLength": len(file.binary)}, {"byteLength": 64}]
    output = file.json["animations"][0]["samplers"][0]["output"]
    view = file.push("bufferViews", {"buffer": 1, "byteLength": 16})
    file.json["accessors"][output]["bufferView"] = view
    hero = load(file)
    assert not hero.clips
    assert "BUFFER_WITHOUT_DATA" in codes(hero)


def test_keys_that_are_declared_and_not_there_are_not_made() -> None:
    """A hundred million weights without data, and a thousand nodes that share a megabyte of them."""
    file = animated(morphed(1), [0], [0])
    accessor = file.json["accessors"][file.json["animations"][0]["samplers"][0]["output"]]
    accessor["count"] = 10**8
    del accessor["bufferView"]
    with pytest.raises(lissom.GltfError):
        load(file)
    file = morphed(1)
    keys = 1 << 18
    animated(file, np.arange(keys), np.zeros(keys))
    channel = file.json["animations"][0]["channels"][0]
    for node in range(1, 1001):
        file.push("nodes", {"mesh": 0})
        file.json["animations"][0]["channels"].append(
            {"sampler": 0, "target": channel["target"] | {"node": node}}
        )
    file.json["scenes"][0]["nodes"] = list(range(1001))
    with pytest.raises(lissom.GltfError, match=r"it uses the same data too many times") as error:
        load(file)
    assert error.value.code == "LIMIT_EXCEEDED"


RECORD = ASSETS / "wild" / "wild.json"
REFERENCES = [
    (entry["file"], reference)
    for entry in (json.loads(RECORD.read_text("utf-8"))["files"] if RECORD.exists() else ())
    for reference in entry.get("reference", {}).get("morph", ())
    if reference["clip_index"] is not None and "weights_rule" not in reference
    if len({part["node"] for part in reference["primitives"]}) == 1
]


@pytest.mark.skipif(not REFERENCES, reason="the files of others are not there")
@pytest.mark.parametrize(("name", "reference"), REFERENCES)
def test_files_of_others_have_the_weights_that_others_computed(name: str, reference: dict[str, Any]) -> None:
    hero = lissom.load(asset(f"wild/{name}"))
    clip = list(hero.clips.values())[reference["clip_index"]]
    # Times of the record have eight digits, and weights change by up to 10 a second.
    np.testing.assert_allclose(
        clip.morphs(reference["t"], loop=False), reference["primitives"][0]["weights"], rtol=0, atol=2e-6
    )
