# SPDX-License-Identifier: MIT
"""Keys that are copied: decoded many accessors at a time, they are what each of them is by itself."""

import itertools

import numpy as np
import pytest

import lissom
from gltf_files import File, arm
from lissom._files.gltf import key_copies
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.weights import heaviest_first

TURNS = ("f4", "i1", "u1", "i2", "u2")
# A rotation is stored as one of 127 steps or more, and normalised in float64: what is left is float32.
TOLERANCE = 2e-7


def stored_turns(rng: np.random.Generator, dtype: str, count: int) -> np.ndarray:
    turns = rng.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    if dtype == "f4":
        return turns
    most = np.iinfo(dtype).max
    return np.rint((np.abs(turns) if dtype[0] == "u" else turns) * most)


def animated(seed: int = 0) -> tuple[File, list[np.ndarray]]:
    """Clips in which every type of rotations turns a joint, beside places in float32; and what is stored."""
    file, rng = arm(), np.random.default_rng(seed)
    file.json["animations"], stored = [], []
    for number, (dtype, kind) in enumerate(itertools.product(TURNS, ("LINEAR", "CUBICSPLINE"))):
        count = int(rng.integers(2, 9))
        times = file.add(np.cumsum(rng.uniform(0.1, 1, count)))
        turns = stored_turns(rng, dtype, count * (3 if kind == "CUBICSPLINE" else 1))
        places = rng.normal(size=(count, 3))
        outputs = (file.add(turns, dtype, normalized=dtype != "f4"), file.add(places))
        samplers = [{"input": times, "output": outputs[0], "interpolation": kind}]
        samplers.append({"input": times, "output": outputs[1]})
        paths = ("rotation", "translation")
        channels = [{"sampler": n, "target": {"node": 2, "path": path}} for n, path in enumerate(paths)]
        file.push("animations", {"name": str(number), "samplers": samplers, "channels": channels})
        stored += [places, turns / (1 if dtype == "f4" else np.iinfo(dtype).max)]
    return file, stored


def loaded(data: bytes, strict: bool = False) -> tuple[object, ...]:
    """What is loaded, or the sentence by which it is refused."""
    try:
        hero = lissom.load(data, strict=strict)
    except lissom.GltfError as error:
        return (str(error),)
    clips = [(clip.name, clip.keys.tobytes(), clip.tracks) for clip in hero.clips.values()]
    return hero.repairs, [(name, keys, np.array(tracks).tobytes()) for name, keys, tracks in clips]


def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it were unknown whether the budget is enough."""
    monkeypatch.setattr(Accessors, "compressed_bytes", 1 << 60)


def test_every_type_is_decoded_and_normalised() -> None:
    file, stored = animated()
    hero = lissom.load(file.glb())
    for clip, places, turns in zip(hero.clips.values(), stored[0::2], stored[1::2], strict=True):
        by_path = {track["path"]: track for track in clip.tracks}
        place, turn = by_path[0], by_path[1]
        got = clip.keys[place["values"] :][: places.size].reshape(-1, 3)
        np.testing.assert_array_equal(got, places.astype(np.float32))
        is_spline = len(turns) > turn["key_count"]
        expected = turns.reshape(-1, 3 if is_spline else 1, 4).copy()
        keys = expected[:, -2:-1] if is_spline else expected
        keys /= np.linalg.norm(keys, axis=2, keepdims=True)
        got = clip.keys[turn["values"] :][: turns.size].reshape(expected.shape)
        np.testing.assert_allclose(got, expected, atol=TOLERANCE)


@pytest.mark.parametrize("strict", [False, True])
def test_together_they_are_what_each_is_alone(strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where numbers are wrong: the same is refused first, and the same is mended in the same order."""
    rng = np.random.default_rng(8)
    files = []
    for seed in range(60):
        file, _ = animated(seed)
        first = file.json["bufferViews"][file.json["accessors"][6]["bufferView"]]["byteOffset"]
        for _ in range(seed % 4):
            at = int(rng.integers(first, len(file.binary) - 4)) // 4 * 4
            words = (rng.bytes(4), *np.float32([np.nan, np.inf, 0, -3e9, 0.5]))
            file.binary[at : at + 4] = bytes(words[rng.integers(len(words))])
        files.append(file.glb())
    together = [loaded(data, strict) for data in files]
    for block in (1, 5):
        with monkeypatch.context() as patch:
            patch.setattr(key_copies, "_BLOCK", block)
            assert [loaded(data, strict) for data in files] == together
    one_by_one(monkeypatch)
    assert [loaded(data, strict) for data in files] == together
    refusals = {answer[0] for answer in together if len(answer) == 1}
    assert len(refusals) > (1 if strict else 10)


def broken(faults: dict[str, float]) -> File:
    """A clip of many rotations in bytes, in which some numbers are wrong."""
    file = arm()
    times = file.add(np.array([0, faults.get("time", 1), 2]))
    turns = [file.add([[0, 0, 0, 127]] * 3, "i1", normalized=True) for _ in range(2)]
    places = file.add([[0, 0, 0], [0, faults.get("place", 1), 0], [0, 0, 0]])
    scales = file.add([[1, 1, faults.get("scale", 1)]] * 3)
    outputs = {"translation": places, "rotation": turns[0], "scale": scales}
    samplers = [{"input": times, "output": output} for output in outputs.values()]
    channels = [{"sampler": n, "target": {"node": 2, "path": path}} for n, path in enumerate(outputs)]
    late = file.add([faults.get("late", 0), 1, 2])
    samplers.append({"input": late, "output": turns[1]})
    channels.append({"sampler": 3, "target": {"node": 1, "path": "rotation"}})
    file.json["animations"] = [{"samplers": samplers, "channels": channels}]
    # Not tightly packed with the others, so that no key is used in place.
    file.json["accessors"][times] |= {"sparse": sparse(file)}
    return file


def sparse(file: File) -> dict[str, object]:
    """The last key time, once more."""
    indices, values = file.view(np.array([2], "u2").tobytes()), file.view(np.float32([2]).tobytes())
    return {
        "count": 1,
        "indices": {"bufferView": indices, "componentType": 5123},
        "values": {"bufferView": values},
    }


# The pointers of the channels in the order in which they are read: of node 1, then of node 2 by path.
FAULTS = [
    ({"late": -1}, "ACCESSOR_ANIMATION_INPUT_NEGATIVE", "samplers/3/input"),
    ({"late": np.nan}, "ACCESSOR_INVALID_FLOAT", "/accessors/"),
    ({"late": 1}, "ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "samplers/3/input"),
    ({"late": -1, "time": 0, "place": np.nan}, "ACCESSOR_ANIMATION_INPUT_NEGATIVE", "samplers/3/input"),
    ({"time": 3}, "ACCESSOR_ANIMATION_INPUT_NON_INCREASING", "samplers/0/input"),
    ({"time": np.inf, "scale": 2e9}, "ACCESSOR_INVALID_FLOAT", "/accessors/"),
    ({"place": 2e9}, "VALUE_NOT_IN_RANGE", "samplers/0/output"),
    ({"place": 2e9, "scale": np.nan}, "VALUE_NOT_IN_RANGE", "samplers/0/output"),
    ({"scale": np.nan}, "ACCESSOR_INVALID_FLOAT", "/accessors/"),
    ({"scale": -2e9}, "VALUE_NOT_IN_RANGE", "samplers/2/output"),
]


@pytest.mark.parametrize(("faults", "code", "place"), FAULTS)
def test_the_first_fault_in_the_order_of_channels_is_told(faults, code: str, place: str) -> None:
    with pytest.raises(lissom.GltfError) as caught:
        lissom.load(broken(faults).glb())
    assert caught.value.code == code
    assert place in caught.value.pointer
    lissom.load(broken({}).glb())


def test_rotations_are_mended_in_the_order_of_channels() -> None:
    file = broken({})
    for number, index in enumerate((8, 7)):  # of node 2, then of node 1
        view = file.json["bufferViews"][file.json["accessors"][index]["bufferView"]]
        for key in range(number, 3):
            file.binary[view["byteOffset"] + 4 * key + 3] = 90
    repairs = [repair for repair in lissom.load(file.glb()).repairs if "QUATERNION" in repair.code]
    said = [(repair.pointer[-18:], repair.message.split("got ")[1][:31]) for repair in repairs]
    assert said == [
        ("/samplers/3/output", "3 that are not, first key 0; th"),
        ("/samplers/1/output", "2 that are not, first key 1; th"),
    ]


@pytest.mark.parametrize("columns", [1, 2, 4, 8, 9, 12])
def test_influences_are_sorted_as_a_stable_sort_of_rows(columns: int) -> None:
    rng = np.random.default_rng(columns)
    weights = rng.integers(0, 6, (500, columns)).astype(np.float32)
    joints = rng.permutation(500 * columns).reshape(500, columns)
    order = np.argsort(-weights, axis=1, kind="stable")
    got = heaviest_first(joints, weights)
    np.testing.assert_array_equal(got[0], np.take_along_axis(joints, order, 1))
    np.testing.assert_array_equal(got[1], np.take_along_axis(weights, order, 1))
