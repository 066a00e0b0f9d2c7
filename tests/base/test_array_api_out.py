# SPDX-License-Identifier: MIT
"""`out`, memory and threads of every public function of quat, dual_quat and trs."""

import itertools
import sys
import threading
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from array_api import (
    DTYPES,
    DUAL_QUAT,
    ROWS,
    TRS,
    TRUTH,
    Way,
    assert_same_bits,
    assert_says,
    each_way_where,
    replaced,
    ways,
)
from lissom import dual_quat, trs

BIG = 100_000  # rows of what is measured, all of them megabytes
# The quickest take 50 us, and a busy machine may need a hundred times that to wake a thread: about a second.
MANY_CALLS = 20_000
FEW_BYTES = 8_000  # what a call may allocate beside its results: a few Python objects

each_way = each_way_where(lambda way: way.has_out)


def as_tuple(out: Any) -> tuple[Any, ...]:
    return out if isinstance(out, tuple) else (out,)


def with_one_replaced(out: Any, index: int, value: Any) -> Any:
    replacement = tuple(value if i == index else o for i, o in enumerate(as_tuple(out)))
    return replacement if isinstance(out, tuple) else replacement[0]


def orders(way: Way) -> list[dict[str, bool]]:
    return [{}, {"scalar_first": True}] if way.takes_scalar_first else [{}]


def in_place_pairs(way: Way) -> list[tuple[int, int]]:
    """Operands that have the shape of a result."""
    return [
        (i, j)
        for i, operand in enumerate(way.operands.values())
        for j, result in enumerate(way.results)
        if operand.core == result.core and result is not TRUTH
    ]


def test_what_has_no_out_is_a_view():
    assert {way.name for way in ways() if not way.has_out} == {
        "dual_quat.rotation", "trs.rotation", "trs.scale", "trs.translation"
    }  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@each_way
def test_out_is_written_and_given_back(way, dtype):
    for batch, more in itertools.product([(), (3,), (2, ROWS), (0,)], orders(way)):
        arrays = way.operand_arrays(batch, dtype)
        expected = way.results_of(*arrays, **more)
        out = way.new_out(batch, dtype)
        given = way.call(*arrays, out=out, **more)
        assert len(as_tuple(given)) == len(as_tuple(out))
        assert all(g is o for g, o in zip(as_tuple(given), as_tuple(out), strict=True))
        assert_same_bits(as_tuple(out), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@each_way
def test_out_may_lie_in_any_order(way, dtype):
    arrays = way.operand_arrays((6, 4), dtype)
    expected = way.results_of(*arrays)
    for lay in (spread, turned, transposed, unaligned):
        out = tuple(lay(o) for o in as_tuple(way.new_out((6, 4), dtype)))
        way.call(*arrays, out=out if len(out) > 1 else out[0])
        assert_same_bits(out, expected)


def spread(a):
    return np.zeros([2 * side for side in a.shape], a.dtype)[tuple(slice(None, None, 2) for _ in a.shape)]


def turned(a):
    return a[tuple(slice(None, None, -1) for _ in a.shape)]


def transposed(a):
    return np.asfortranarray(a)


def unaligned(a):
    return np.frombuffer(bytearray(a.nbytes + 1), np.uint8)[1:].view(a.dtype).reshape(a.shape)


@each_way
def test_only_the_rows_of_out_are_written(way):
    arrays = way.operand_arrays((ROWS,), np.float32)
    wide = [np.full((3 * ROWS, *kind.core), 7, dtype)
            for kind, dtype in zip(way.results, way.result_dtypes(np.float32), strict=True)]  # fmt: skip
    before = [w.copy() for w in wide]
    out = tuple(w[ROWS : 2 * ROWS] for w in wide)
    way.call(*arrays, out=out if len(out) > 1 else out[0])
    for now, then in zip(wide, before, strict=True):
        np.testing.assert_array_equal(now[:ROWS], then[:ROWS])
        np.testing.assert_array_equal(now[2 * ROWS :], then[2 * ROWS :])


@pytest.mark.parametrize("dtype", DTYPES)
@each_way_where(lambda way: way.has_out and bool(in_place_pairs(way)))
def test_out_may_be_an_operand(way, dtype):
    for rows in (1, ROWS):
        for operand, result in in_place_pairs(way):
            arrays = way.operand_arrays((rows,), dtype)
            expected = way.results_of(*arrays)
            out = with_one_replaced(way.new_out((rows,), dtype), result, arrays[operand])
            way.call(*arrays, out=out)
            assert_same_bits(as_tuple(out), expected)


@each_way_where(lambda way: way.has_out and bool(in_place_pairs(way)))
def test_out_may_overlap_an_operand(way):
    for dtype in DTYPES:
        for (operand, result), shift in itertools.product(in_place_pairs(way), [-3, -1, 1, 3]):
            arrays = way.operand_arrays((ROWS,), dtype)
            expected = way.results_of(*arrays)
            memory = np.zeros((ROWS + 6, *arrays[operand].shape[1:]), dtype)
            moved = memory[3 : 3 + ROWS]
            moved[...] = arrays[operand]
            target = memory[3 + shift : 3 + shift + ROWS]
            out = with_one_replaced(way.new_out((ROWS,), dtype), result, target)
            way.call(*replaced(arrays, operand, moved), out=out)
            assert_same_bits(as_tuple(out), expected)


@each_way_where(lambda way: way.has_out and bool(in_place_pairs(way)))
def test_out_may_be_an_operand_that_broadcasts(way):
    """One row of `out` is an operand of all rows: it is read before it is written."""
    for operand, result in in_place_pairs(way):
        if len(way.operands) == 1:
            continue
        arrays = way.operand_arrays((ROWS,))
        arrays[operand] = arrays[operand][0]
        expected = way.results_of(*arrays)
        out = with_one_replaced(way.new_out((ROWS,), np.float64), result, np.zeros_like(expected[result]))
        as_tuple(out)[result][1] = arrays[operand]
        way.call(*replaced(arrays, operand, as_tuple(out)[result][1]), out=out)
        assert_same_bits(as_tuple(out), expected)


@each_way
def test_refuses_an_out_that_does_not_fit(way):
    for dtype, other in zip(DTYPES, DTYPES[::-1], strict=True):
        for more in orders(way):
            arrays = way.operand_arrays((ROWS,), dtype)
            before = [a.copy() for a in arrays]
            good = way.new_out((ROWS,), dtype)
            for i, one in enumerate(as_tuple(good)):
                locked = one.copy()
                locked.flags.writeable = False
                wrong = [
                    (TypeError, one.astype(int)),
                    (TypeError, one.astype(object)),
                    (TypeError, one.astype(np.float16)),
                    (TypeError, one.tolist()),
                    (TypeError, 1.0),
                    (TypeError, "text"),
                    (ValueError, one[:-1].copy()),
                    (ValueError, one[:1].copy()),
                    (ValueError, one[None].copy()),
                    (ValueError, np.stack([one, one])),
                    (ValueError, locked),
                ]
                if way.results[i] is not TRUTH:
                    wrong += [
                        (TypeError, one.astype(other)),
                        (TypeError, one.astype(one.dtype.newbyteorder())),
                    ]
                for expected, value in wrong:
                    kept = np.array(value, copy=True)
                    with pytest.raises(expected) as caught:
                        way.call(*arrays, out=with_one_replaced(good, i, value), **more)
                    assert_says(way, caught.value, "out", got=True)
                    np.testing.assert_array_equal(np.asarray(value), kept)
            now, then = (*arrays, *as_tuple(good)), (*before, *as_tuple(way.new_out((ROWS,), dtype)))
            for array, kept in zip(now, then, strict=True):
                np.testing.assert_array_equal(array, kept)


@each_way
def test_refuses_an_out_of_another_count(way):
    arrays = way.operand_arrays((3,))
    out = way.new_out((3,), np.float64)
    wrong = [out[:-1], (*out, out[0]), list(out), out[0]] if isinstance(out, tuple) else [(out, out)]
    for value in wrong:
        with pytest.raises(TypeError) as caught:
            way.call(*arrays, out=value)
        assert_says(way, caught.value, "out")


@each_way
def test_writes_nothing_on_an_error(way):
    """A wrong operand, or a row without an answer among good ones, leaves `out` and the operands alone."""
    for i, kind in enumerate(way.operands.values()):
        good = way.operand_arrays((ROWS,))
        for_zero = good[i].copy()
        for_zero[ROWS - 2] = 0
        wrong = [good[i].astype(complex), "text"]
        wrong += [np.ones((ROWS, *kind.core[:-1], kind.core[-1] + 1))] if kind.core else []
        wrong += [for_zero] if way.zero else []
        for value in wrong:
            for more in orders(way):
                arrays = replaced(good, i, value)
                before = [np.array(a, copy=True) for a in arrays]
                out = way.new_out((ROWS,), np.float64)
                try:
                    way.call(*arrays, out=out, **more)
                except (TypeError, ValueError):
                    expected = way.new_out((ROWS,), np.float64)
                    assert_same_bits(as_tuple(out), as_tuple(expected))
                else:
                    assert value is for_zero
                for array, then in zip(arrays, before, strict=True):
                    np.testing.assert_array_equal(array, then)


@pytest.mark.parametrize("dtype", DTYPES)
@each_way_where(lambda way: way.has_out and not way.allocates)
def test_contiguous_operands_are_not_copied(way, dtype):
    arrays = way.operand_arrays((7,), dtype)
    arrays = [np.tile(a, (BIG // 7, *[1] * (a.ndim - 1))) for a in arrays]
    out = way.new_out((len(arrays[0]),), dtype)
    way.call(*arrays, out=out)
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        way.call(*arrays, out=out)
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert peak < FEW_BYTES


@each_way
def test_other_threads_run_during_a_big_call(way):
    """Shown without a clock: with the switch interval at an hour, the other thread gets its turn only where
    this one gives its own away, and nothing in the loop below does unless the call lets go of Python."""
    arrays = way.operand_arrays((50_000,), np.float32)
    out = way.new_out((50_000,), np.float32)
    turns = [0]
    has_stopped = threading.Event()

    def take_turns() -> None:
        while not has_stopped.is_set():
            turns[0] += 1
            time.sleep(0)  # lets the other thread run

    other = threading.Thread(target=take_turns)
    interval = sys.getswitchinterval()
    other.start()
    try:
        sys.setswitchinterval(3600)
        for _ in range(MANY_CALLS):
            before = turns[0]
            way.call(*arrays, out=out)
            if turns[0] > before:
                return
        pytest.fail(f"in {MANY_CALLS} calls the other thread never had a turn")
    finally:
        sys.setswitchinterval(interval)
        has_stopped.set()
        other.join()


# ---- Views. ----


@each_way_where(lambda way: not way.has_out)
def test_views_write_through_and_keep_their_owner(way):
    for dtype in DTYPES:
        (array,) = way.operand_arrays((3, 2), dtype)
        view = way.call(array)
        assert np.shares_memory(view, array)
        view[1, 1] = 0.5
        assert (way.call(array)[1, 1] == 0.5).all()
        (big,) = way.operand_arrays((BIG // 10,), dtype)
        tracemalloc.start()
        view = way.call(big)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < FEW_BYTES
        kept = view.copy()
        del big
        np.testing.assert_array_equal(view, kept)


def test_views_scalar_first():
    """Of a trs, whose order is glTF's, a copy; of a dual quaternion, whose halves are in either, a view."""
    pose, motion = TRS.make(np.random.default_rng(1), (2,)), DUAL_QUAT.make(np.random.default_rng(1), (2,))
    given = trs.rotation(pose, scalar_first=True)
    assert not np.shares_memory(given, pose)
    np.testing.assert_array_equal(given, pose[:, [6, 3, 4, 5]])
    given = dual_quat.rotation(motion, scalar_first=True)
    assert np.shares_memory(given, motion)
    np.testing.assert_array_equal(given, motion[:, :4])
