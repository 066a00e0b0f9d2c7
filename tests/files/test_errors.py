# SPDX-License-Identifier: MIT
"""The three error types keep their facts, also across a process boundary."""

import pickle
from pathlib import Path

import lissom


def test_gltf_error_names_place_and_code() -> None:
    error = lissom.GltfError("count is 3, expected 4", code="BAD", pointer="/accessors/3", path="hero.glb")
    assert str(error) == "hero.glb: /accessors/3: count is 3, expected 4 [BAD]"
    assert str(lissom.GltfError("not a GLB")) == "not a GLB"
    assert isinstance(error, ValueError)


def test_gltf_error_survives_pickling() -> None:
    error = lissom.GltfError("count is 3", code="BAD", pointer="/accessors/3", path="hero.glb")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.code, copy.pointer, copy.path) == ("BAD", "/accessors/3", Path("hero.glb"))
    assert str(copy) == str(error)


def test_bake_error_carries_its_report() -> None:
    error = lissom.BakeError("max_error 1e-9 was not reached", {"max": 1e-4})
    copy = pickle.loads(pickle.dumps(error))
    assert copy.report == {"max": 1e-4}
    assert str(copy) == str(error) == "max_error 1e-9 was not reached"


def test_gpu_error_is_a_runtime_error() -> None:
    assert issubclass(lissom.GpuError, RuntimeError)
