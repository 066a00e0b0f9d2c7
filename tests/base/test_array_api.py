# SPDX-License-Identifier: MIT
"""Every public function of quat, dual_quat and trs with every kind of input, good and bad.

The functions come from `__all__`, how they are called from `array_api.py`."""

import inspect
import re

import numpy as np
import pytest

import lissom
from array_api import (
    DTYPES,
    MAKERS,
    QUAT,
    ROWS,
    TRUTH,
    Way,
    assert_same_bits,
    assert_same_results,
    assert_says,
    each_way,
    each_way_where,
    has_quaternion,
    number_places,
    public_functions,
    replaced,
    rolled,
    ways,
)


def test_every_public_function_is_tried():
    tried = {way.name for way in ways()} | set(MAKERS)
    assert set(public_functions()) == tried


@pytest.mark.parametrize("module", ["quat", "dual_quat", "trs"])
def test_all_is_sorted_and_whole(module):
    package = getattr(lissom, module)
    assert package.__all__ == sorted(package.__all__)
    functions = {n for n, thing in vars(package).items() if inspect.isfunction(thing) and n[0] != "_"}
    assert functions <= set(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


@each_way
def test_operands_are_named_as_in_the_table(way):
    names = [name for name in inspect.signature(way.function).parameters if name in way.operands]
    assert names == list(way.operands)


@each_way
def test_options_are_keyword_only(way):
    parameters = inspect.signature(way.function).parameters
    if has_quaternion(way):
        assert parameters["scalar_first"].default is False
    assert not way.has_out or parameters["out"].default is None
    for name in {"scalar_first", "out", *way.options} & set(parameters):
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY or name in {"axis", "weights"}, name


@pytest.mark.parametrize("dtype", DTYPES)
@each_way
def test_results_have_the_shape_and_the_precision_of_the_operands(way, dtype):
    for batch in ((), (3,), (2, 0), (2, 3), (1, 2, 1, 2, 1, 2, 1, 2)):
        results = way.results_of(*way.operand_arrays(batch, dtype))
        assert [r.dtype for r in results] == way.result_dtypes(dtype)
        assert [r.shape for r in results] == [batch + kind.core for kind in way.results]
        assert all(np.isfinite(r).all() for r in results)


@each_way
def test_empty_batches_give_empty_results(way):
    for batch in ((0,), (3, 0)):
        results = way.results_of(*way.operand_arrays(batch))
        assert [r.shape for r in results] == [batch + kind.core for kind in way.results]


@pytest.mark.parametrize("dtype", DTYPES)
@each_way
def test_a_batch_is_what_its_rows_are_alone(way, dtype):
    arrays = way.operand_arrays((ROWS,), dtype)
    together = way.results_of(*arrays)
    for i in range(ROWS):
        assert_same_bits(way.results_of(*(a[i] for a in arrays)), tuple(r[i] for r in together))


@each_way_where(lambda way: len(way.operands) > 1 and way.broadcasts)
def test_operands_broadcast_against_each_other(way):
    for i in range(len(way.operands)):
        arrays = [
            kind.make(np.random.default_rng(2), (5, 1) if i == j else (4,))
            for j, kind in enumerate(way.operands.values())
        ]
        whole = [
            np.array(np.broadcast_to(a, (5, 4, *k.core)))
            for a, k in zip(arrays, way.operands.values(), strict=True)
        ]
        assert_same_bits(way.results_of(*arrays), way.results_of(*whole))
        single = replaced(whole, i, whole[i][0, 0])
        spread = replaced(whole, i, np.broadcast_to(whole[i][0, 0], whole[i].shape))
        assert_same_bits(way.results_of(*single), way.results_of(*spread))


@pytest.mark.parametrize("dtype", DTYPES)
@each_way
def test_memory_may_lie_in_any_order(way, dtype):
    arrays = way.operand_arrays((6, 4), dtype)
    expected = way.results_of(*arrays)
    for lay in (every_second, reversed_axes, backwards, fortran, unaligned, byte_swapped, read_only):
        for i in range(len(arrays)):
            laid = lay(arrays[i])
            before = laid.tobytes()
            assert_same_results(way, way.results_of(*replaced(arrays, i, laid)), expected)
            assert laid.tobytes() == before
        assert_same_results(way, way.results_of(*map(lay, arrays)), expected)


def every_second(a):
    spread = np.zeros([2 * side for side in a.shape], a.dtype)
    view = spread[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


def reversed_axes(a):
    return a.T.copy().T


def backwards(a):
    turned = tuple(slice(None, None, -1) for _ in a.shape)
    return a[turned].copy()[turned]


def fortran(a):
    return np.asfortranarray(a)


def unaligned(a):
    view = np.frombuffer(bytearray(a.nbytes + 1), np.uint8)[1:].view(a.dtype).reshape(a.shape)
    view[...] = a
    assert not view.flags.aligned
    return view


def byte_swapped(a):
    return a.astype(a.dtype.newbyteorder())


def read_only(a):
    view = a.copy()
    view.flags.writeable = False
    return view


class Derived(np.ndarray):
    pass


@each_way
def test_derived_arrays_are_arrays(way):
    arrays = way.operand_arrays((3,), np.float32)
    results = way.results_of(*(a.view(Derived) for a in arrays))
    assert_same_bits(tuple(np.asarray(r) for r in results), way.results_of(*arrays))


@each_way
def test_lists_and_whole_numbers_are_float64(way):
    values = [kind.whole for kind in way.operands.values()]
    expected = way.results_of(*(np.array(value, np.float64) for value in values))
    for given in (values, [np.array(v, np.int64) for v in values], [np.array(v, np.int32) for v in values]):
        if all(isinstance(v, int) for v in given):
            continue  # nothing but Python's own numbers
        assert_same_results(way, way.results_of(*given), expected)


@each_way_where(lambda way: way.has_out)  # a view keeps the precision of what it looks at
def test_half_precision_becomes_float32(way):
    values = [np.array(kind.whole, np.float16) for kind in way.operands.values()]
    assert_same_bits(way.results_of(*values), way.results_of(*(v.astype(np.float32) for v in values)))


@each_way_where(lambda way: len(way.operands) > 1)
def test_precisions_mix_as_in_numpy(way):
    arrays = way.operand_arrays((3,), np.float32)
    expected = way.results_of(*(a.astype(np.float64) for a in arrays))
    for i in range(len(arrays)):
        assert_same_bits(way.results_of(*replaced(arrays, i, arrays[i].astype(np.float64))), expected)
        half = replaced(arrays, i, arrays[i].astype(np.float16))
        if "matrix" not in way.operands:
            assert way.results_of(*half)[0].dtype == way.result_dtypes(np.float32)[0]


@each_way_where(lambda way: 0 < len(number_places(way)) < len(way.operands))
def test_plain_numbers_take_the_precision_of_the_arrays(way):
    numbers = number_places(way)
    for dtype in DTYPES:
        arrays = way.operand_arrays((), dtype)
        for i in numbers:
            for value in (0.25, 1, True):
                expected = way.results_of(*replaced(arrays, i, np.asarray(value, dtype)))
                assert_same_bits(way.results_of(*replaced(arrays, i, value)), expected)
    arrays = way.operand_arrays((), np.float32)
    for i in numbers:
        for wide in (np.float64(0.25), np.array(0.25)):
            assert way.results_of(*replaced(arrays, i, wide))[0].dtype == np.float64


@each_way_where(has_quaternion)
def test_scalar_first_is_rolling_by_hand(way):
    for dtype in DTYPES:
        arrays = way.operand_arrays((4, 3), dtype)
        turned = [rolled(k, a, 1) for k, a in zip(way.operands.values(), arrays, strict=True)]
        got = way.results_of(*turned, scalar_first=True)
        expected = way.results_of(*arrays)
        assert_same_bits(got, tuple(rolled(k, r, 1) for k, r in zip(way.results, expected, strict=True)))


@each_way_where(lambda way: way.refuses_nan)
def test_nan_is_refused_where_it_is_said_to_be(way):
    for i, name in enumerate(way.operands):
        arrays = way.operand_arrays((2, 3))
        arrays[i][1, 2, 0] = np.nan
        with pytest.raises(ValueError, match=r"must be finite, got .*\(1, 2\)") as caught:
            way.call(*arrays)
        assert_says(way, caught.value, name)


@each_way_where(lambda way: not way.refuses_nan)
def test_nan_goes_through_without_a_warning(way):
    clean = way.operand_arrays((ROWS,))
    expected = way.results_of(*clean)
    for i, kind in enumerate(way.operands.values()):
        for place in {0, max(0, int(np.prod(kind.core)) // 2)}:
            spoilt = clean[i].copy()
            spoilt[11].reshape(-1)[place : place + 1] = np.nan
            if kind.core == ():
                spoilt[11] = np.nan
            results = way.results_of(*replaced(clean, i, spoilt))
            rest = np.arange(ROWS) != 11
            assert_same_bits(tuple(r[rest] for r in results), tuple(e[rest] for e in expected))
        spoilt[11] = np.nan
        for dtype in DTYPES:
            arrays = [a.astype(dtype) for a in replaced(clean, i, spoilt)]
            for kept, result in zip(way.results, way.results_of(*arrays), strict=True):
                if kept is TRUTH:
                    assert not result[11]
            assert any(kept is TRUTH or np.isnan(r[11]).any()
                       for kept, r in zip(way.results, way.results_of(*arrays), strict=True))  # fmt: skip


@each_way
def test_infinity_warns_of_nothing(way):
    for dtype in DTYPES:
        for i in range(len(way.operands)):
            for value in (np.inf, -np.inf):
                arrays = way.operand_arrays((3,), dtype)
                arrays[i][1] = value
                try:
                    way.results_of(*arrays)
                except ValueError as error:
                    assert_says(way, error, got=False)


@each_way
def test_zeros_are_an_answer_or_a_sentence(way):
    """No NaN out of nothing: an error says which argument must not be zero and where."""
    errors = []
    for i, name in enumerate(way.operands):
        for dtype in DTYPES:
            arrays = way.operand_arrays((2, 3), dtype)
            arrays[i][1, 2] = 0
            try:
                results = way.results_of(*arrays)
            except ValueError as error:
                errors.append((name, error))
            else:
                assert way.zero_is_not_finite or all(np.isfinite(r).all() for r in results)
    for name, error in errors:
        assert_says(way, error, got=False)
        assert re.search(way.zero or name, str(error)), str(error)
        assert "(1, 2)" in str(error), str(error)
    assert bool(errors) == bool(way.zero)


# ---- What is refused, and in which words. ----


@each_way
def test_refuses_a_wrong_shape(way):
    for i, (name, kind) in enumerate(way.operands.items()):
        if kind.core == ():
            continue
        arrays = way.operand_arrays((2,))
        last = kind.core[-1]
        wrong = [
            np.ones((2, *kind.core[:-1], last + 1)),
            np.ones((2, *kind.core[:-1], last - 1)),
            np.ones((2, *kind.core[:-1], 0)),
            np.ones((2, *kind.core[:-1], 1)),
            np.ones((last,) if len(kind.core) == 2 and kind.name[-1] != "s" else ()),
            np.ones(()),
            1.0,
            [],
        ]
        if len(kind.core) == 2 and kind.core[0] == kind.core[1]:
            wrong.append(np.ones((2, last + 1, last)))
        for value in wrong:
            with pytest.raises(ValueError, match="must") as caught:
                way.call(*replaced(arrays, i, value))
            assert_says(way, caught.value, name)


@each_way_where(lambda way: len(way.operands) > 1 and way.broadcasts)
def test_refuses_leading_axes_that_do_not_fit(way):
    for i, name in enumerate(way.operands):
        arrays = replaced(way.operand_arrays((2, 3)), i, way.operand_arrays((4,))[i])
        with pytest.raises(ValueError, match="broadcast") as caught:
            way.call(*arrays)
        assert_says(way, caught.value, name)
        assert "(2, 3)" in str(caught.value)
        assert "(4,)" in str(caught.value)


@each_way
def test_refuses_what_is_no_array_of_real_numbers(way):
    for i, (name, kind) in enumerate(way.operands.items()):
        arrays = way.operand_arrays()
        good = np.asarray(kind.whole, np.float64)
        wrong = [
            *([] if name in way.optional else [None]),
            "text",
            b"bytes",
            object(),
            {"q": 1},
            good.astype(object),
            good.astype(complex),
            good.astype(str),
            good.astype("M8[s]"),
            np.zeros(kind.core, [("x", float)]),
        ]
        if way.has_out and np.dtype(np.longdouble) != np.dtype(np.float64):
            wrong.append(good.astype(np.longdouble))
        for value in wrong:
            with pytest.raises(TypeError) as caught:
                way.call(*replaced(arrays, i, value))
            assert_says(way, caught.value, name)
        with pytest.raises(ValueError, match="rows") as caught:
            way.call(*replaced(arrays, i, [[0.0, 1.0], [2.0]]))
        assert_says(way, caught.value, name, got=False)


@pytest.mark.parametrize("name", MAKERS)
def test_makers_take_a_shape_and_a_precision(name):
    make = public_functions()[name]
    size = {"quat": 4, "dual_quat": 8, "trs": 10}[name.split(".")[0]]
    assert make().shape == (size,)
    assert make(3).shape == (3, size)
    assert make((2, 0)).shape == (2, 0, size)
    assert make([2, 3]).shape == (2, 3, size)
    assert make().dtype == np.float32
    for dtype in DTYPES:
        assert make(2, dtype=dtype).dtype == dtype
    assert make(2).flags.writeable
    assert make(2).flags.c_contiguous
    way = Way(name, {}, (QUAT,))
    for dtype in (int, np.float16, complex, object, "text"):
        with pytest.raises(TypeError) as caught:
            make(2, dtype=dtype)
        assert_says(way, caught.value, "dtype")
    for shape in (-1, (2, -3)):
        with pytest.raises(ValueError, match="must") as caught:
            make(shape)
        assert_says(way, caught.value, "shape")
    for shape in (1.5, "text", (1.5,), None):
        with pytest.raises(TypeError) as caught:
            make(shape)
        assert_says(way, caught.value, "shape")
