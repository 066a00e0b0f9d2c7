# SPDX-License-Identifier: MIT
"""Arrays that objects hand out outlive these, and those that share an object's memory are read-only."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import COMMITTED

DEEPEST = 5  # attributes of attributes


def loaded() -> lissom.Character:
    return lissom.load(COMMITTED / "characters" / "kaykit" / "Knight.glb")


def loaded_bake(folder: Path) -> lissom.PoseTexture:
    path = folder / "bake.safetensors"
    lissom.bake(lissom.samples.twisted_bar(), rate=10, dtype="uint8").save(path)
    return lissom.load_bake(path)


def palette() -> lissom.Palette:
    bar = lissom.samples.twisted_bar()
    return bar.skin.palette(bar.skeleton.model_matrices(bar.clips["twist"].sample([0.1, 0.2])))


def ground() -> Any:
    mesh = lissom.samples.twisted_bar().mesh
    return lissom.ground.TriangleMesh(mesh.positions, mesh.triangles)


OWNERS: dict[str, Callable[[Path], Any]] = {
    "a sample": lambda _: lissom.samples.humanoid(),
    "a loaded character": lambda _: loaded(),
    "a bake": lambda _: lissom.bake(lissom.samples.twisted_bar(), rate=10, layout="rotations"),
    "a loaded bake": loaded_bake,
    "a prepared mesh": lambda _: lissom.samples.twisted_bar().mesh.prepare(),
    "a palette": lambda _: palette(),
    "a chain": lambda _: lissom.ik.Chain(lissom.samples.humanoid().skeleton, "UpperArm.L", "Hand.L"),
    "a ground": lambda _: ground(),
}


def arrays(owner: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, np.ndarray]]:
    """Every array that public attributes of an object lead to, with its path."""
    if isinstance(owner, np.ndarray):
        yield path, owner
    elif isinstance(owner, (tuple, list)):
        for i, item in enumerate(owner[:2]):
            yield from arrays(item, f"{path}[{i}]", depth + 1)
    elif hasattr(owner, "keys") and hasattr(owner, "values"):
        for key in list(owner)[:1]:
            yield from arrays(owner[key], f"{path}[{key!r}]", depth + 1)
    elif type(owner).__module__.startswith("lissom") and depth < DEEPEST:
        for name in dir(owner):
            if name.startswith("_") or callable(getattr(type(owner), name, None)):
                continue
            try:
                value = getattr(owner, name)
            except (AttributeError, ValueError):  # what this object does not have
                continue
            yield from arrays(value, f"{path}.{name}", depth + 1)


@pytest.mark.parametrize("owner", OWNERS)
def test_arrays_outlive_their_owner(owner: str, tmp_path: Path) -> None:
    held = dict(arrays(OWNERS[owner](tmp_path)))
    copies = {path: array.copy() for path, array in held.items()}
    gc.collect()
    # What was freed is likely to be handed out again, and then overwritten.
    churn = [np.full(max(array.nbytes, 1), 0xAA, np.uint8) for array in held.values() for _ in range(3)]
    assert len(held) >= 1
    for path, array in held.items():
        np.testing.assert_array_equal(array, copies[path], err_msg=path)
    del churn


@pytest.mark.parametrize("owner", OWNERS)
def test_arrays_that_share_memory_are_read_only(owner: str, tmp_path: Path) -> None:
    made = OWNERS[owner](tmp_path)
    first, second = dict(arrays(made)), dict(arrays(made))
    shared = {path for path in first if np.shares_memory(first[path], second[path])}
    assert {path for path in shared if first[path].flags.writeable} == set()
    assert all(first[path].base is not None or not first[path].flags.writeable for path in shared)
