# SPDX-License-Identifier: MIT
"""Weights of one call are what the next one takes: meshes, what reduce gives, and pairs, compact ones too."""

import numpy as np
import pytest

import lissom
from lissom.weights import heat, reduce, transfer
from weight_meshes import TWO_BONES, capsule

POSITIONS, TRIANGLES = capsule()
WEIGHTS = heat((POSITIONS, TRIANGLES), TWO_BONES)
HALF = {np.uint8: 0.5 / 255, np.uint16: 0.5 / 65535}  # the largest rounding of a weight


def spread(indices, weights, count):
    dense = np.zeros((len(indices), count))
    np.add.at(dense, (np.arange(len(indices))[:, None], indices), weights)
    return dense


def compact(weights, dtype):
    """Weights of two as normalised integers whose rows sum to the most."""
    most = np.iinfo(dtype).max
    first = np.rint(weights[:, 0] * most).astype(np.int64)
    return np.stack([first, most - first], axis=1).astype(dtype)


def same_forms():
    """WEIGHTS as all forms of influences, each with how far it is from them."""
    indices = np.tile(np.array([5, 2], np.uint8), (len(WEIGHTS), 1))
    pair = indices, WEIGHTS.astype(np.float32)
    yield "pair", pair, 1e-7
    yield "list", list(pair), 1e-7
    yield "lists", [part.tolist() for part in pair], 1e-7
    yield "mesh", lissom.Mesh(POSITIONS, TRIANGLES, *pair), 1e-7
    yield "reduced", reduce(spread(*pair, 6), 2), 2e-3  # by its threshold
    for dtype, error in HALF.items():
        packed = compact(WEIGHTS, dtype)
        yield f"{dtype.__name__} pair", (indices, packed), error
        yield f"{dtype.__name__} list", [indices, packed], error
        yield f"{dtype.__name__} mesh", lissom.Mesh(POSITIONS, TRIANGLES, indices, packed), error


FORMS = {name: (form, error) for name, form, error in same_forms()}
WANTED = spread(np.tile([5, 2], (len(WEIGHTS), 1)), WEIGHTS, 6)


@pytest.mark.parametrize("name", FORMS)
def test_transfer_takes(name) -> None:
    form, error = FORMS[name]
    indices, weights = transfer((POSITIONS, TRIANGLES), form, POSITIONS)
    assert (indices.dtype, weights.dtype) == (np.uint16, np.float32)
    np.testing.assert_allclose(spread(indices, weights, 6), WANTED, atol=error + 1e-6)


@pytest.mark.parametrize("name", FORMS)
def test_reduce_takes(name) -> None:
    form, error = FORMS[name]
    given = reduce(form, 2, threshold=0)
    np.testing.assert_allclose(spread(given.indices, given.weights, 6), WANTED, atol=error + 1e-6)
    one = reduce(form, 1)
    clear = np.abs(WEIGHTS[:, 0] - 0.5) > 0.01
    assert clear.sum() > 60
    np.testing.assert_array_equal(one.indices[clear, 0], np.where(WEIGHTS[:, 0] > 0.5, 5, 2)[clear])
    np.testing.assert_array_equal(one.weights, 1)


def test_a_mesh_goes_from_one_call_to_the_next() -> None:
    first = reduce(WEIGHTS, 2)
    mesh = lissom.Mesh(POSITIONS, TRIANGLES, first.indices, first.weights)
    indices, weights = transfer(mesh, mesh, POSITIONS)
    np.testing.assert_allclose(spread(indices, weights, 2), WEIGHTS, atol=2e-3)
    again = reduce((indices, weights), 1)
    np.testing.assert_array_equal(again.indices, reduce(mesh, 1).indices)


def test_rows_of_numbers_are_no_pair() -> None:
    """Two vertices of two handles in plain lists or tuples are weights, as they are of three vertices."""
    for rows in ([[0.25, 0.75], [1, 0]], ((0.25, 0.75), (1, 0)), [(0.25, 0.75), np.array([1, 0])]):
        np.testing.assert_array_equal(reduce(rows, 2).weights, [[0.75, 0.25], [1, 0]])
    np.testing.assert_array_equal(reduce([[0.25, 0.75], [1, 0], [0, 1]], 2).indices, [[1, 0], [0, 0], [1, 0]])
    np.testing.assert_array_equal(reduce(np.array([[0, 1], [1, 0]], np.uint8), 1).indices, [[1], [0]])


def test_an_empty_slot_may_name_anything() -> None:
    for weights in (np.array([[1.0, 0]]), np.array([[255, 0]], np.uint8)):
        given = reduce((np.array([[3, 2**31]]), weights), 1)
        np.testing.assert_array_equal(given.indices, [[3]])


BYTES = np.full((1, 2), 127, np.uint8)
INDICES = np.array([[0, 1]])


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        (
            (INDICES, BYTES),
            ValueError,
            "uint8 weights count in 255ths, so rows must sum to 255, got 254 for vertex 0; pass other",
        ),
        (
            (INDICES.repeat(2, axis=0), np.array([[65535, 0], [1, 0]], np.uint16)),
            ValueError,
            "uint16 weights count in 65535ths, so rows must sum to 65535, got 1 for vertex 1; pass other",
        ),
        (
            (INDICES, BYTES, BYTES),
            TypeError,
            r"must be an array, a Mesh or a pair \(indices, weights\), got a tuple of 3",
        ),
        ([INDICES], TypeError, r"must be an array, a Mesh or a pair \(indices, weights\), got a list of 1"),
        (lissom.samples.twisted_bar(), TypeError, r"a Mesh or a pair .* got Character; pass its \.mesh"),
        ((INDICES * 1.0, [[0.5, 0.5]]), TypeError, "indices must be integers, got float64"),
        (([[0], [1, 2]], np.array([[1.0]])), ValueError, "indices must be an array of equally long rows"),
        ((INDICES, np.ones((1, 1))), ValueError, r"must have the same shape, got \(1, 2\) and \(1, 1\)"),
        ((INDICES + 65535, [[0.5, 0.5]]), ValueError, r"indices must be in \[0, 65536\), got 65535 to 65536"),
        ((INDICES, [[0.5, np.nan]]), ValueError, "finite and not negative, got nan for vertex 0"),
    ],
)
def test_refuses(weights, error, words) -> None:
    with pytest.raises(error, match=rf"^weights\.reduce: weights.*{words}"):
        reduce(weights)
    with pytest.raises(error, match=rf"^weights\.transfer: source_weights.*{words}"):
        transfer((POSITIONS, TRIANGLES), weights, POSITIONS)
