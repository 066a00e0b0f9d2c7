# SPDX-License-Identifier: MIT
"""What the core reads at once, where nothing is odd, is what the checked way reads; the odd is said alike."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import asset
from glb_contents import contents, with_contents
from gltf_files import File, arm
from lissom import _core
from lissom.errors import GltfError

PLAIN = {
    "plain_channel_columns", "plain_channel_tracks", "plain_float_rows", "plain_index_rows", "plain_indices",
    "plain_normalize_rotations", "plain_rest", "plain_skin_frame", "plain_views_fit", "plain_within",
}  # fmt: skip
NUMBERS = (-1, 0, 1, 2, 3, 7, 5121, 5126, 2**40, 1e-7, 0.5, 1.0000001, 1.001, 1.5, 2e9, 1e300)
WORDS = ("SCALAR", "VEC3", "VEC4", "MAT4", "VEC9", "rotation", "scale", "weights", "CUBICSPLINE", "LINEAR")


def loaded(data: bytes, strict: bool = False) -> Any:
    """All that a load gives, as what can be compared: or how it was refused."""
    try:
        one = lissom.load(data, strict=strict)
    except GltfError as error:
        return (error.code, error.pointer, error.message)
    arrays = [one.skeleton.parents, one.skeleton.rest, one.skeleton.source_nodes]
    if one.skin is not None:
        arrays += [one.skin.joints, one.skin.joint_from_bind]
    if one.mesh is not None:
        mesh = one.mesh
        arrays += [mesh.positions, mesh.triangles, mesh.indices, mesh.weights]
        arrays += [part.model_from_source for part in mesh.parts]
    for clip in one.clips.values():
        arrays += [clip.keys, clip.tracks.view(np.uint8), clip.weight_tracks.view(np.uint8)]
    return one.skeleton.names, list(one.clips), one.repairs, [(x.dtype, x.shape, x.tobytes()) for x in arrays]


def checked(data: bytes, strict: bool, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same with nothing taken as it is."""
    with monkeypatch.context() as patch:
        for name in PLAIN:
            patch.setattr(_core, name, lambda *args: None)
        return loaded(data, strict)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every number and word of a document, as what holds it and its place there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, Any]] = []
    for place, one in pairs:
        found += places(one) if isinstance(one, (dict, list)) else [(value, place)]
    return found


def animated() -> File:
    """Two joints that a skin binds, with channels of each path and of splines."""
    file = arm()
    times = file.add([0, 0.5, 1])
    turns = np.tile([0, 0, 0.6, 0.8], (3, 1))
    spline = np.zeros((9, 4))
    spline[1::3] = turns
    outputs = [file.add(turns), file.add(np.ones((3, 3))), file.add(np.zeros((3, 3))), file.add(spline)]
    paths = ["rotation", "scale", "translation", "rotation"]
    samplers = [{"input": times, "output": output} for output in outputs]
    samplers[3]["interpolation"] = "CUBICSPLINE"
    targets = [{"node": i // 3, "path": path} for i, path in enumerate(paths)]
    channels = [{"sampler": i, "target": target} for i, target in enumerate(targets)]
    file.push("animations", {"name": "one", "channels": channels[::-1], "samplers": samplers})
    return file


def test_a_sound_file_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = dict.fromkeys(PLAIN, 0)

    def counted(name: str) -> Any:
        real = getattr(_core, name)

        def call(*args: Any) -> Any:
            result = real(*args)
            taken[name] += result is not None
            return result

        return call

    data = animated().glb()
    expected = loaded(data)
    assert len(expected) == 4, expected
    with monkeypatch.context() as patch:
        for name in PLAIN:
            patch.setattr(_core, name, counted(name))
        assert loaded(data) == expected
    assert all(taken.values()), taken
    assert checked(data, False, monkeypatch) == expected


@pytest.mark.parametrize("name", ["kaykit/Knight.glb", "quaternius/animals_pack/Wolf.glb"])
def test_characters_are_the_same_both_ways(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = asset(f"characters/{name}").read_bytes()
    assert loaded(data) == checked(data, False, monkeypatch)


@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_odd_files_are_the_same_both_ways(strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    data = animated().glb()
    refused = 0
    for _ in range(150):
        root = copy.deepcopy(contents(data))
        for _ in range(rng.choice((1, 1, 2))):
            holder, place = rng.choice(places(root))
            holder[place] = rng.choice(WORDS if isinstance(holder[place], str) else NUMBERS)
        odd = with_contents(data, root)
        expected = checked(odd, strict, monkeypatch)
        assert loaded(odd, strict) == expected, root
        refused += len(expected) == 3
    assert 20 < refused < 145, refused


@pytest.mark.parametrize("strict", [False, True], ids=["default", "strict"])
def test_odd_numbers_are_the_same_both_ways(strict: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(8)
    file = animated()
    for _ in range(150):
        broken = copy.deepcopy(file)
        numbers = np.frombuffer(broken.binary, np.float32)
        numbers[rng.randrange(len(numbers))] = rng.choice(
            (np.nan, np.inf, -1, 0, 0.5, 1.005, 1.02, 2e9, 1e-40)
        )
        data = broken.glb()
        assert loaded(data, strict) == checked(data, strict, monkeypatch)


def test_matrices_at_rest_are_those_of_the_transforms() -> None:
    rng = np.random.default_rng(9)
    local = rng.normal(size=(9, 10))
    local[:, 3:7] /= np.linalg.norm(local[:, 3:7], axis=1, keepdims=True)
    parents = np.array([-1, 0, 1, 1, -1, 4, 2, 6, 5])
    matrices, depths = _core.rest_matrices(local, parents)
    expected = lissom.trs.to_matrix(local)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            expected[joint] = expected[parent] @ expected[joint]
    np.testing.assert_allclose(matrices, expected, atol=1e-12)
    assert depths.tolist() == [0, 1, 2, 2, 0, 1, 3, 4, 2]
