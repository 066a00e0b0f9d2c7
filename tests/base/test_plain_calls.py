# SPDX-License-Identifier: MIT
"""Calls that the core takes as they are: the bits of the checked way, and nothing that it refuses."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import _core
from plain_calls import BATCHES, CALLS, HERO, JOINTS, SKELETON, SKIN, SMALL, Call, model, poses

KERNELS = sorted({"plain_palette_model", *(kernel for kernel, _ in CALLS.values())})


@pytest.fixture
def checked(monkeypatch):
    """Return a call's result by the checked way alone."""

    def run(call: Call, *args: Any, **kwargs: Any) -> Any:
        with monkeypatch.context() as patch:
            for name in KERNELS:
                patch.setattr(_core, name, lambda *_: None)
            return call(*args, **kwargs)

    return run


@pytest.fixture
def taken(monkeypatch):
    """Count the calls that a plain function took, by its name."""
    counts = dict.fromkeys(KERNELS, 0)

    def counting(name: str) -> Any:
        kernel = getattr(_core, name)

        def run(*args: Any) -> Any:
            found = kernel(*args)
            counts[name] += found is not None
            return found

        return run

    for name in KERNELS:
        monkeypatch.setattr(_core, name, counting(name))
    return counts


def parts(result: Any) -> list[Any]:
    """Return the arrays of a result, or of one of several."""
    if is_dataclass(result):
        return [getattr(result, field.name) for field in fields(result)]
    return list(result) if isinstance(result, tuple) else [result]


def same(one: Any, other: Any) -> None:
    assert type(one) is type(other)
    for a, b in zip(parts(one), parts(other), strict=True):
        assert type(a) is type(b)
        if isinstance(a, np.generic):
            assert (a.dtype, a.tobytes()) == (b.dtype, b.tobytes())
        elif a is not None:
            assert (a.dtype, a.shape, a.flags.writeable) == (b.dtype, b.shape, b.flags.writeable)
            assert a.tobytes() == b.tobytes()


def outputs(shape: Any, dtype: Any = np.float32) -> Any:
    if isinstance(shape[0] if shape else 0, tuple):
        return tuple(np.full(each, 7, dtype) for each in shape)
    return np.full(shape, 7, dtype)


def dtype_of(call: Call) -> Any:
    return parts(call())[0].dtype


@pytest.mark.parametrize("name", CALLS)
def test_gives_the_bits_of_the_checked_way(name, checked, taken):
    kernel, make = CALLS[name]
    rng = np.random.default_rng(4)
    for kind in range(60):
        call = make(rng, BATCHES[kind % len(BATCHES)] if kind > 9 else (), kind)
        before = taken[kernel]
        plain = call()
        is_scaled = kernel == "plain_skin_poses" and taken[kernel] == before  # not rigid: the checked way
        assert taken[kernel] == before + 1 or is_scaled, kind
        same(plain, checked(call))
        if call.out is None:
            continue
        dtype = parts(plain)[0].dtype
        out, other = outputs(call.out, dtype), outputs(call.out, dtype)
        result = call(out=out)
        written = parts(result)[:1] if is_dataclass(result) else parts(result)
        assert all(a is b for a, b in zip(written, parts(out), strict=True))
        assert taken[kernel] == before + 2 or is_scaled
        same(result, plain)
        same(checked(call, out=other), result)


def awkward(array: np.ndarray) -> dict[str, Any]:
    """The same numbers in arrays that need a conversion, or a look at their class."""
    wide = np.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    shifted = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    shifted[...] = array
    return {
        "a subclass": array.view(type("Own", (np.ndarray,), {})),
        "strided": wide[..., ::2],
        "byteswapped": array.astype(array.dtype.newbyteorder()),
        "unaligned": shifted,
        "a list": array.tolist(),
        "float64": array.astype(np.float64),
        "Fortran's order": np.asfortranarray(array),
    }


ARRAYS = [
    (name, argument)
    for name, (_, make) in CALLS.items()
    for argument, value in make(np.random.default_rng(0), (3,), 5).arrays.items()
    if isinstance(value, np.ndarray) and value.ndim > 1
]


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_other_arrays_go_the_checked_way(name, argument, taken):
    kernel, make = CALLS[name]
    if kernel.startswith("plain_palette"):
        kernel = "plain_palette_model"  # a palette keeps what has been converted
    call = make(np.random.default_rng(5), (3,), 5)
    expected = call()
    for kind, array in awkward(call.arrays[argument]).items():
        before = taken[kernel]
        found = call(**{argument: array})
        assert taken[kernel] == before, kind
        if kind != "float64":
            same(found, expected)


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_masked_arrays_are_refused(name, argument):
    _, make = CALLS[name]
    call = make(np.random.default_rng(5), (3,), 5)
    with pytest.raises(TypeError, match="masked"):
        call(**{argument: np.ma.masked_array(call.arrays[argument])})


WITH_OUT = [name for name, (_, make) in CALLS.items() if make(np.random.default_rng(0), (3,), 0).out]


@pytest.mark.parametrize("name", WITH_OUT)
def test_other_outputs_are_refused_unwritten(name, taken):
    kernel, make = CALLS[name]
    call = make(np.random.default_rng(6), (3,), 4)
    shape = call.out
    good = outputs(shape)
    call(out=good)
    before = taken[kernel]
    bad = {
        "read-only": good.copy(),
        "another type": outputs(shape, np.float64),
        "another shape": outputs((2, *shape[1:])),
        "an axis more": outputs((1, *shape)),
        "strided": np.repeat(good, 2, axis=-1)[..., ::2],
        "a list": good.tolist(),
        "masked": np.ma.masked_array(good),
        "byteswapped": good.astype(good.dtype.newbyteorder()),
    }
    bad["read-only"].flags.writeable = False
    for kind, out in bad.items():
        held = np.array(out)
        with pytest.raises((TypeError, ValueError), match="out"):
            call(out=out)
        assert taken[kernel] == before, kind
        assert np.array_equal(np.array(out), held)


@pytest.mark.parametrize("name", ["blend", "add_layer", "blend_layers", "model_matrices"])
def test_outputs_that_share_memory_with_an_input_are_refused(name):
    rng = np.random.default_rng(7)
    size = JOINTS * 16
    buffer = np.zeros(2 * size, np.float32)
    pose = buffer[: JOINTS * 10].reshape(JOINTS, 10)
    pose[...] = poses(rng)
    other = poses(rng)
    mask = buffer[JOINTS * 10 : JOINTS * 11]
    mask[...] = 0.5
    over = buffer[3 : 3 + JOINTS * 10].reshape(JOINTS, 10)
    calls = {
        "blend": [
            lambda: lissom.blend(pose, other, 0.5, out=over),
            lambda: lissom.blend(other, pose, 0.5, out=over),
            lambda: lissom.blend(other, other, 0.5, mask, out=over),
        ],
        "add_layer": [lambda: lissom.add_layer(other, pose, 0.5, out=pose)],
        "blend_layers": [
            lambda: lissom.blend_layers([other, pose], [1.0, 1.0], out=over),
            lambda: lissom.blend_layers([other], [1.0], [mask], out=over),
            lambda: lissom.blend_layers([other], [1.0], rest=pose, out=over),
        ],
        "model_matrices": [
            lambda: SKELETON.model_matrices(pose, out=buffer[5 : 5 + size].reshape(JOINTS, 4, 4))
        ],
    }
    held = buffer.copy()
    for call in calls[name]:
        with pytest.raises(ValueError, match="shares memory"):
            call()
        assert np.array_equal(buffer, held)


def refused(call: Any, checked: Any) -> str:
    """Return the message of a refusal, which is that of the checked way."""
    with pytest.raises((TypeError, ValueError)) as plain:
        call()
    with pytest.raises(plain.type) as other:
        checked(call)
    assert str(plain.value) == str(other.value)
    return str(plain.value)


def test_numbers_are_refused_by_the_words_of_the_checked_way(checked):
    a, b, out = (
        poses(np.random.default_rng(8)),
        poses(np.random.default_rng(9)),
        np.full((JOINTS, 10), 7.0, "f4"),
    )
    negative = np.full(JOINTS, 0.5, np.float32)
    negative[3] = -1
    for weight in (-0.1, 1.1, np.nan, np.inf, np.float64(2), 3, np.array(-1, np.float32), None, "1", 1j):
        refused(lambda w=weight: lissom.blend(a, b, w, out=out), checked)
        if weight not in (1.1, 2, 3):
            refused(lambda w=weight: lissom.blend_layers([a, b], [w, 0.5], out=out), checked)
    for weight in (np.nan, np.inf, -np.inf):
        refused(lambda w=weight: lissom.add_layer(a, b, w, out=out), checked)
    assert "masks[1]" in refused(
        lambda: lissom.blend_layers([a, b], [1, 1], [None, negative], out=out), checked
    )
    assert "mask" in refused(lambda: lissom.blend(a, b, 0.5, negative, out=out), checked)
    refused(lambda: lissom.blend_layers([a, b], [0, 0], out=out), checked)
    refused(lambda: lissom.blend_layers([a, b], [1.0], out=out), checked)
    refused(lambda: lissom.blend_layers([], [], out=out), checked)
    for threshold in (0.0, -1.0, np.nan, np.inf, "1", None, True):
        refused(lambda t=threshold: lissom.blend_layers([a], [1.0], threshold=t, out=out), checked)
    refused(lambda: lissom.blend(a, b[1:], 0.5, out=out), checked)
    refused(lambda: SKELETON.model_matrices(a[1:]), checked)
    refused(lambda: SKELETON.positions(a[1:]), checked)
    assert (out == 7).all()


def test_times_and_loops_are_refused_by_the_words_of_the_checked_way(checked):
    walk = HERO.clips["walk"]
    walk.sample(0.0)
    out = np.full((JOINTS, 10), 7, np.float32)
    for time in (np.nan, np.inf, -np.inf, 2**70, "1", None, 1j, np.array(np.nan), [0.0, np.nan]):
        refused(lambda t=time: walk.sample(t, out=None if np.ndim(t) else out), checked)
    for loop in ("pingpong", 1, 0, "ping_pong\0", 2.0):
        refused(lambda mode=loop: walk.sample(0.0, mode, out=out), checked)
    assert (out == 7).all()


def test_palettes_and_vertices_are_refused_by_the_words_of_the_checked_way(checked):
    good = model(np.random.default_rng(10))
    for broken in (np.nan, np.inf):
        bad = good.copy()
        bad[4, 1, 2] = broken
        refused(lambda m=bad: SKIN.palette(m).matrices, checked)
        refused(lambda m=bad: SKIN.palette(m).dual_quats, checked)
        refused(lambda m=bad: lissom.deform(SMALL, SKIN.palette(m)), checked)
        pose = poses(np.random.default_rng(11))
        pose[3, 0] = broken
        character = lissom.Character("small", SKELETON, SMALL, SKIN)
        out = np.full((SMALL.vertex_count, 3), 7, np.float32)
        for method in ("linear", "dual_quat"):
            refused(lambda p=pose, m=method, c=character, o=out: c.deform(p, m, out=o), checked)
        assert (out == 7).all()
    projective = good.copy()
    projective[2, 3, 0] = 1
    refused(lambda: SKIN.palette(projective).matrices, checked)
    refused(lambda: SKIN.palette(good[:3]), checked)
    refused(lambda: lissom.deform(SMALL, SKIN.palette(good), "dualquat"), checked)
    refused(lambda: lissom.deform(SMALL, SKIN.palette(good), normals="sideways"), checked)
    refused(lambda: lissom.deform(SMALL, SKIN.palette(good), normals=True, out=np.empty(3)), checked)
    few = lissom.Skin(SKIN.joints[:1], SKIN.joint_from_bind[:1])
    refused(lambda: lissom.deform(SMALL, few.palette(good)), checked)


def test_a_mesh_without_vertices_has_normals_too():
    none = lissom.Mesh(
        np.zeros((0, 3)),
        np.zeros((0, 3), int),
        np.zeros((0, 1), int),
        np.zeros((0, 1)),
        normals=np.zeros((0, 3)),
    )
    hero = lissom.Character("none", SKELETON, none, SKIN)
    for method in ("linear", "dual_quat"):
        moved = hero.deform(SKELETON.rest, method, normals=True)
        assert isinstance(moved, lissom.Deformed)
        assert moved.positions.shape == moved.normals.shape == (0, 3)


def test_plain_functions_check_their_number_of_arguments():
    for name in KERNELS:
        with pytest.raises(TypeError, match="takes"):
            getattr(_core, name)()


@pytest.mark.parametrize("name", CALLS)
def test_nothing_leaks(name):
    """A thousand calls, taken and refused: references and memory are as before."""
    kernel, make = CALLS[name]
    rng = np.random.default_rng(12)
    calls = [make(rng, (), kind) for kind in range(4)]
    outs = [None if call.out is None else outputs(call.out, dtype_of(call)) for call in calls]
    held = [value for call in calls for value in (*call.arrays.values(), *call.rest.values())]
    held = [value for value in (*held, *outs) if isinstance(value, np.ndarray)]
    wrong = (None,) * {"plain_skin": 7, "plain_skin_poses": 8}.get(kernel, 0)

    def run(count: int) -> None:
        for _ in range(count):
            for call, out in zip(calls, outs, strict=True):
                call()
                if out is not None:
                    call(out=out)
            if wrong:
                getattr(_core, kernel)(*wrong)

    run(20)
    gc.collect()
    references = [sys.getrefcount(value) for value in held]
    blocks = sys.getallocatedblocks()
    run(1000)
    gc.collect()
    assert [sys.getrefcount(value) for value in held] == references
    assert sys.getallocatedblocks() - blocks < 200


@pytest.mark.parametrize("name", CALLS)
def test_works_from_several_threads(name):
    _, make = CALLS[name]
    calls = [make(np.random.default_rng(13), BATCHES[kind % 4], kind) for kind in range(8)]
    expected = [call() for call in calls]

    def run(_: int) -> None:
        for call, result in zip(calls, expected, strict=True):
            same(call(), result)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(run, range(24)))
