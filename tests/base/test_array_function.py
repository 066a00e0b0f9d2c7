# SPDX-License-Identifier: MIT
"""What every array function of the core keeps, whatever its formula: found by its signature, none by name."""

from __future__ import annotations

import contextlib
import copy
import gc
import hashlib
import itertools
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lissom import _core, dual_quat, quat, trs
from lissom._base.array_function import call

Kernel = Callable[..., Any]

KERNELS: dict[str, Kernel] = {
    name: kernel
    for name, kernel in vars(_core).items()
    if isinstance(getattr(kernel, "__self__", None), np.ufunc)
}
ROWS = 37  # more than two blocks of the widest kernel
LENGTH = 5  # of an axis that the signature leaves open
DTYPES = [np.float32, np.float64]

every_kernel = pytest.mark.parametrize("name", sorted(KERNELS))
every_dtype = pytest.mark.parametrize("dtype", DTYPES)


def ufunc_of(kernel: Kernel) -> np.ufunc:
    return kernel.__self__  # type: ignore[attr-defined, no-any-return]


def core_shapes(kernel: Kernel) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    def shapes(operands: str) -> list[tuple[int, ...]]:
        return [
            tuple(int(side) if side.isdigit() else LENGTH for side in core.split(",") if side)
            for core in re.findall(r"\((.*?)\)", operands)
        ]

    inputs, outputs = (ufunc_of(kernel).signature or "").split("->")
    return shapes(inputs), shapes(outputs)


def random_operand(rng: np.random.Generator, core: tuple[int, ...], rows: int) -> Any:
    """Mostly what a shape stands for, for kernels that check their rows; every fourth row is anything."""
    anything = rng.normal(size=(rows, *core))
    proper = anything.copy()
    if core[-1:] in [(4,), (8,), (10,)] and core != (4, 4):
        rotation = slice(3, 7) if core[-1] == 10 else slice(0, 4)
        proper[..., rotation] /= np.linalg.norm(proper[..., rotation], axis=-1, keepdims=True)
        if core[-1] == 10:
            proper[..., 7:] = 1
        if core[-1] == 8:
            real = proper[..., :4]
            proper[..., 4:] -= np.sum(real * proper[..., 4:], axis=-1, keepdims=True) * real
    elif core in [(3, 3), (4, 4)]:
        unitary, _ = np.linalg.qr(anything[..., :3, :3])
        proper[..., :3, :3] = unitary * np.linalg.det(unitary)[..., None, None]
        proper[..., 3:, :] = np.eye(4)[3] if core == (4, 4) else 0
    else:
        proper = abs(anything)
    is_proper = rng.random(rows) < 0.75
    return np.where(is_proper.reshape(-1, *(1 for _ in core)), proper, anything)


def answered_rows(name: str, dtype: Any, rows: int = ROWS) -> list[Any]:
    """The same random input for everyone, without the rows that have no answer."""
    kernel = KERNELS[name]
    rng = np.random.default_rng(list(name.encode()))
    operands = [random_operand(rng, core, 20 * rows).astype(dtype) for core in core_shapes(kernel)[0]]
    kept = []
    for row in range(20 * rows):
        try:
            kernel(*(operand[row] for operand in operands))
        except ValueError:
            continue
        kept.append(row)
        if len(kept) == rows:
            break
    assert len(kept) == rows, f"only {len(kept)} random rows have an answer"
    return [operand[kept].copy() for operand in operands]


def results_of(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple) else [results]


def same_bits(a: Any, b: Any) -> bool:
    """Both NaN, or the same bits: which NaN it is, processors decide."""
    pairs = list(zip(results_of(a), results_of(b), strict=True))
    return all(
        x.dtype == y.dtype
        and x.shape == y.shape
        and np.all((np.isnan(x) & np.isnan(y)) | ((x == y) & (np.signbit(x) == np.signbit(y))))
        for x, y in ((np.asarray(x), np.asarray(y)) for x, y in pairs)
    )


def digest() -> str:
    """Of all functions' results over random input, and of which rows they answer."""
    total = hashlib.sha256()
    for name, dtype in itertools.product(sorted(KERNELS), DTYPES):
        operands = answered_rows(name, dtype)
        total.update(f"{name} {np.dtype(dtype)}".encode())
        for array in [*operands, *results_of(KERNELS[name](*operands))]:
            total.update(np.where(np.isnan(array), np.nan, array).astype(array.dtype).tobytes())
    return total.hexdigest()


def test_there_are_array_functions() -> None:
    assert len(KERNELS) > 20


@pytest.mark.skipif("LISSOM_ISA" in os.environ, reason="an instruction set is forced already")
def test_results_are_the_same_bits_on_every_instruction_set() -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import test_array_function as t; print(t.digest())"
    digests = {
        isa: subprocess.run(
            [sys.executable, "-c", script, os.path.dirname(__file__)],
            env={**os.environ, "LISSOM_ISA": isa},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for isa in _core.runnable_isas()
    }
    assert len(set(digests.values())) == 1, digests


@every_dtype
@every_kernel
def test_short_and_long_way_give_the_same_bits(name: str, dtype: Any) -> None:
    kernel = KERNELS[name]
    operands = answered_rows(name, dtype)
    want = kernel(*operands)
    assert same_bits(want, ufunc_of(kernel)(*operands))
    assert same_bits(want, call(kernel, name, dict(zip("abcdefgh", operands, strict=False)), no_answer="?"))


@every_dtype
@every_kernel
def test_row_has_the_same_bits_in_every_place(name: str, dtype: Any) -> None:
    kernel = KERNELS[name]
    operands = answered_rows(name, dtype)
    want = kernel(*operands)
    alone = [results_of(kernel(*(operand[row] for operand in operands))) for row in range(ROWS)]
    assert same_bits(tuple(np.stack(column) for column in zip(*alone, strict=True)), tuple(results_of(want)))
    for arrange in arrangements():
        arranged = [arrange(operand) for operand in operands]
        assert same_bits(want, kernel(*arranged)), arrange


def arrangements() -> Iterator[Callable[[Any], Any]]:
    yield np.asfortranarray
    yield lambda array: np.repeat(array, 2, axis=0)[::2]
    yield lambda array: array[::-1].copy()[::-1]
    yield lambda array: np.flip(np.flip(array).copy())
    yield lambda array: array.astype(array.dtype.newbyteorder())
    yield unaligned


def unaligned(array: Any) -> Any:
    raw = np.empty(array.nbytes + 1, np.uint8)[1:]
    copied = raw.view(array.dtype).reshape(array.shape)
    copied[...] = array
    assert not copied.flags.aligned
    return copied


@every_dtype
@every_kernel
def test_out_is_written_and_may_be_an_input(name: str, dtype: Any) -> None:
    kernel = KERNELS[name]
    operands = answered_rows(name, dtype)
    want = results_of(kernel(*operands))
    outs = tuple(np.empty_like(result) for result in want)
    got = kernel(*operands, outs if len(outs) > 1 else outs[0])
    assert all(a is b for a, b in zip(results_of(got), outs, strict=True))
    assert same_bits(outs, tuple(want))
    for index, operand in enumerate(operands):
        if operand.shape != want[0].shape or operand.dtype != want[0].dtype or len(want) > 1:
            continue
        inputs = [array.copy() for array in operands]
        got = kernel(*inputs, inputs[index])
        assert got is inputs[index]
        assert same_bits(got, want[0])


def gives_what_it_takes(kernel: Kernel) -> bool:
    """Whether the one result looks like the first input."""
    inputs, outputs = core_shapes(kernel)
    return outputs == inputs[:1] and "?" not in ufunc_of(kernel).types[0]


@pytest.mark.parametrize("name", sorted(name for name in KERNELS if gives_what_it_takes(KERNELS[name])))
def test_out_that_overlaps_an_input_is_left_to_the_long_way(name: str) -> None:
    kernel = KERNELS[name]
    operands = answered_rows(name, np.float32)
    want = results_of(kernel(*operands))
    shared = np.concatenate([operands[0], operands[0][:1]])
    shared[1:] = operands[0]
    with pytest.raises(TypeError, match="out does not fit"):
        kernel(shared[1:], *operands[1:], shared[:-1])
    names = dict(zip("abcdefgh", [shared[1:], *operands[1:]], strict=False))
    assert same_bits(call(kernel, name, names, shared[:-1]), want[0])


@every_dtype
@every_kernel
def test_empty_arrays_give_empty_results(name: str, dtype: Any) -> None:
    kernel = KERNELS[name]
    for batch in [(0,), (3, 0), (0, 2)]:
        operands = [np.empty(batch + core, dtype) for core in core_shapes(kernel)[0]]
        for result, core in zip(results_of(kernel(*operands)), core_shapes(kernel)[1], strict=True):
            assert result.shape == batch + core


@every_kernel
def test_as_many_axes_as_numpy_has_are_taken_and_more_refused(name: str) -> None:
    kernel = KERNELS[name]
    inputs, outputs = core_shapes(kernel)
    operands = [operand[0] for operand in answered_rows(name, np.float32)]
    room = 64 - max(len(core) for core in inputs)  # for leading axes
    wide = [operand.reshape((1,) * room + core) for operand, core in zip(operands, inputs, strict=True)]
    if room + max(len(core) for core in outputs) > 64:
        with pytest.raises((ValueError, RuntimeError), match="dimension"):
            kernel(*wide)
    else:
        assert results_of(kernel(*wide))[0].shape == (1,) * room + outputs[0]


@every_kernel
def test_subclasses_and_other_array_types_are_heard(name: str) -> None:
    kernel = KERNELS[name]
    operands = answered_rows(name, np.float32)

    class Sub(np.ndarray[Any, Any]):
        pass

    class Foreign:
        def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> str:
            return f"{ufunc.__name__}.{method} of {len(inputs)}"

    result = results_of(kernel(*(operand.view(Sub) for operand in operands)))[0]
    assert isinstance(result, Sub) or result.dtype == bool
    assert kernel(Foreign(), *operands[1:]) == f"{name}.__call__ of {len(operands)}"


@every_kernel
def test_wrong_calls_are_refused_and_cost_nothing(name: str) -> None:
    kernel = KERNELS[name]
    operands = answered_rows(name, np.float32)
    results = results_of(kernel(*operands))
    out = tuple(results) if len(results) > 1 else results[0]
    read_only = results[0].copy()
    read_only.flags.writeable = False
    wrong_outs = [
        np.empty((1, *results[0].shape), results[0].dtype),
        results[0].astype(np.complex64),
        results[0].astype(results[0].dtype.newbyteorder()) if results[0].dtype != bool else None,
        np.repeat(results[0], 2, axis=0)[::2],
        read_only,
        "out",
        (),
    ]
    bad: list[tuple[Any, ...]] = [
        (),
        tuple(operands[:-1]),
        (*operands, out, out),
        *((*operands, wrong) for wrong in wrong_outs if wrong is not None),
        (object(), *operands[1:]),
        (operands[0].astype(np.complex64), *operands[1:]),
        (np.empty((2, 17), np.float32), *operands[1:]),
    ]
    for args in bad:
        with pytest.raises((TypeError, ValueError)):
            kernel(*args)
    with pytest.raises(TypeError):
        kernel(*operands, out=out)  # by place only: see _array_function.call for names


def test_references_and_memory_are_given_back() -> None:
    a, b = np.ones((7, 4), np.float32), np.ones((7, 4), np.float32)
    out, zero, number = np.empty_like(a), np.zeros((7, 4), np.float32), 0.5
    watched = SimpleNamespace(a=a, b=b, out=out, zero=zero)
    calls: list[tuple[Kernel, tuple[Any, ...]]] = [
        (_core.quat_multiply, (a, b)),
        (_core.quat_multiply, (a, b, out)),
        (_core.quat_slerp, (a, b, number)),
        (_core.quat_multiply, (a, b, zero[:3])),
        (_core.quat_multiply, (a, "b")),
        (_core.quat_normalize, (zero,)),
        (_core.quat_normalize, (zero, out)),
        (_core.quat_multiply, (a.reshape((1,) * 55 + (7, 4))[..., :3], b)),
        (_core.trs_to_matrix, (np.ones((1,) * 63 + (10,), np.float32),)),
        *((kernel, tuple(answered_rows(name, np.float32))) for name, kernel in KERNELS.items()),
    ]

    def run_all(times: int) -> None:
        for kernel, args in calls:
            for _ in range(times):
                with contextlib.suppress(TypeError, ValueError, RuntimeError):
                    kernel(*args)

    run_all(10)
    gc.collect()
    counts = {name: sys.getrefcount(array) for name, array in vars(watched).items()}
    tracemalloc.start()
    try:
        run_all(10)
        before = tracemalloc.get_traced_memory()[0]
        run_all(200)
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert {name: sys.getrefcount(array) for name, array in vars(watched).items()} == counts
    assert after - before < 10_000, "bytes kept by some 10 000 calls"


def test_threads_may_share_functions_and_inputs() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 20_000, 8)).astype(np.float32)
    want = dual_quat.multiply(a, b)
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: dual_quat.multiply(a, b), range(32)):
            assert np.array_equal(got, want)


@pytest.mark.parametrize("module", [quat, dual_quat, trs])
def test_functions_can_be_copied_and_sent_to_other_processes(module: Any) -> None:
    for name in module.__all__:
        function = getattr(module, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
