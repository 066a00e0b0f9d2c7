# SPDX-License-Identifier: MIT
"""What every function of lissom.dual_quat does alike with arrays: shapes, precisions, out=, errors."""

import numpy as np
import pytest

from dual_quat_samples import (
    DTYPES,
    FUNCTIONS,
    KINDS,
    arguments,
    empty_outputs,
    function,
    results,
    rolled,
)
from lissom import dual_quat

EACH = pytest.mark.parametrize("name", FUNCTIONS)
ALONG_AN_AXIS = {"dlb", "align"}
WITHOUT_LOOP = {"identity", "rotation", "Screw"}


def same(got, expected):
    for one, other in zip(results(got), results(expected), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_every_public_function_is_tried_here():
    assert set(dual_quat.__all__) == set(FUNCTIONS) | ALONG_AN_AXIS | WITHOUT_LOOP


@EACH
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_alone_gives_the_same_bits(name, dtype):
    args = arguments(name, np.random.default_rng(1), 5, 7, dtype=dtype)
    batch = results(function(name)(*args))
    for kind, result in zip(FUNCTIONS[name][1], batch, strict=True):
        assert result.shape == (5, 7) + KINDS[kind][1]
        assert result.dtype == (np.bool_ if kind == "B" else dtype)
    alone = results(function(name)(*(a[3, 2] for a in args)))
    for one, many in zip(alone, batch, strict=True):
        np.testing.assert_array_equal(one, many[3, 2])


@EACH
def test_leading_axes_broadcast(name):
    args = arguments(name, np.random.default_rng(2), 4, 3)
    sparse = [a[:, :1] if i % 2 else a[:1] for i, a in enumerate(args)]
    shape = np.broadcast_shapes(*(a.shape[:2] for a in sparse))
    full = [np.broadcast_to(a, shape + a.shape[2:]).copy() for a in sparse]
    same(function(name)(*sparse), function(name)(*full))


@EACH
def test_lists_are_float64_and_precisions_mix_as_in_numpy(name):
    args = arguments(name, np.random.default_rng(3), 3)
    same(function(name)(*(a.tolist() for a in args)), function(name)(*args))
    mixed = [a.astype(np.float32) if i == 0 else a for i, a in enumerate(args)]
    wide = [a.astype(np.float64) for a in mixed]
    if len(args) > 1:
        same(function(name)(*mixed), function(name)(*wide))


@EACH
def test_layout_of_memory_does_not_matter(name):
    args = arguments(name, np.random.default_rng(4), 6)
    expected = function(name)(*args)

    def every_second(a):
        wide = np.full((12, *(2 * side for side in a.shape[1:])), np.nan)
        view = wide[tuple(slice(None, None, 2) for _ in a.shape)]
        view[...] = a
        return view

    def unaligned(a):
        return np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape)

    def read_only(a):
        a = a.copy()
        a.flags.writeable = False
        return a

    for changed in (every_second, unaligned, read_only, np.asfortranarray, lambda a: a.astype(">f8")):
        same(function(name)(*(changed(a) for a in args)), expected)


@EACH
@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_empty_gives_empty(name, shape):
    args = arguments(name, np.random.default_rng(5), *shape)
    for kind, result in zip(FUNCTIONS[name][1], results(function(name)(*args)), strict=True):
        assert result.shape == shape + KINDS[kind][1]


@EACH
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scalar_first", [False, True])
def test_out_is_written_and_returned(name, dtype, scalar_first):
    args = arguments(name, np.random.default_rng(6), 9, dtype=dtype)
    expected = results(function(name)(*args, scalar_first=scalar_first))
    out = empty_outputs(name, 9, dtype=dtype)
    got = results(function(name)(*args, out=out, scalar_first=scalar_first))
    for one, target, other in zip(got, results(out), expected, strict=True):
        assert one is target
        np.testing.assert_array_equal(one, other)
    strided = tuple(np.repeat(o, 2, axis=0)[::2] for o in results(out))
    function(name)(*args, out=strided if len(strided) > 1 else strided[0], scalar_first=scalar_first)
    same(strided, expected)


@EACH
@pytest.mark.parametrize("scalar_first", [False, True])
def test_out_may_be_an_input_or_overlap_it(name, scalar_first):
    ins, outs, _ = FUNCTIONS[name]
    for i, kind in enumerate(ins):
        if outs != kind:
            continue
        args = arguments(name, np.random.default_rng(7), 40)
        expected = function(name)(*args, scalar_first=scalar_first)
        mine = [a.copy() for a in args]
        got = function(name)(*mine, out=mine[i], scalar_first=scalar_first)
        assert got is mine[i]
        same(got, expected)
        buffer = np.empty((41, *args[i].shape[1:]))
        for source, target in ((buffer[1:], buffer[:-1]), (buffer[:-1], buffer[1:])):
            source[...] = args[i]
            mine = [source if j == i else a for j, a in enumerate(args)]
            same(function(name)(*mine, out=target, scalar_first=scalar_first), expected)


@EACH
def test_scalar_first_moves_w_of_what_goes_in_and_comes_out(name):
    ins, outs, _ = FUNCTIONS[name]
    args = arguments(name, np.random.default_rng(8), 6)
    expected = results(function(name)(*args))
    turned = [rolled(a, kind, 1) for a, kind in zip(args, ins, strict=True)]
    got = results(function(name)(*turned, scalar_first=True))
    assert type(got) is type(expected)
    for one, other, kind in zip(got, expected, outs, strict=True):
        np.testing.assert_array_equal(one, rolled(other, kind, 1))


@EACH
def test_nan_spreads_over_its_row_alone_and_without_a_word(name):
    ins, outs, _ = FUNCTIONS[name]
    whole = results(function(name)(*arguments(name, np.random.default_rng(9), 5)))
    for i, kind in enumerate(ins):
        args = arguments(name, np.random.default_rng(9), 5)
        args[i][2] = np.nan
        got = results(function(name)(*args))
        lost = False
        for one, other, out_kind in zip(got, whole, outs, strict=True):
            np.testing.assert_array_equal(np.delete(one, 2, 0), np.delete(other, 2, 0))
            lost |= bool(not one[2] if out_kind == "B" else np.isnan(one[2]).any())
        assert lost, kind


@EACH
def test_names_what_is_wrong(name):
    ins, outs, _ = FUNCTIONS[name]
    args = arguments(name, np.random.default_rng(10), 3)
    prefix = rf"^dual_quat\.{name}: "
    for i, kind in enumerate(ins):
        core = KINDS[kind][1]
        with pytest.raises(TypeError, match=prefix + r"\w+ must be an array of real numbers, got complex128"):
            function(name)(*(a.astype(complex) if j == i else a for j, a in enumerate(args)))
        with pytest.raises(TypeError, match=prefix + r"\w+ must be an array of real numbers, got object"):
            function(name)(*(None if j == i else a for j, a in enumerate(args)))
        if core:
            expected = (
                prefix + r"\w+ must have shape \(\.\.\., " + ", ".join(map(str, core)) + r"\), got \(3,"
            )
            with pytest.raises(ValueError, match=expected):
                function(name)(*(a[..., :-1] if j == i else a for j, a in enumerate(args)))
    if len(ins) > 1:
        with pytest.raises(ValueError, match=prefix + "leading axes must broadcast, got "):
            function(name)(*(a[:2] if j == 0 else a for j, a in enumerate(args)))
    out = results(empty_outputs(name, 3))

    def with_first(array):
        return array if len(outs) == 1 else (array, *out[1:])

    wrong = np.float64 if outs == "B" else np.float32
    with pytest.raises(TypeError, match=prefix + r"out(\[0\])? must have the precision of the result"):
        function(name)(*args, out=with_first(out[0].astype(wrong)))
    with pytest.raises(ValueError, match=prefix + r"out(\[0\])? must have shape \(3,.*\), got \(2,"):
        function(name)(*args, out=with_first(out[0][:2]))
    out[0].flags.writeable = False
    with pytest.raises(ValueError, match=prefix + r"out(\[0\])? must be writeable, got a read-only array"):
        function(name)(*args, out=with_first(out[0]))
    with pytest.raises(TypeError, match=prefix + r"out(\[0\])? must be "):
        function(name)(*args, out=with_first([0.0]))
