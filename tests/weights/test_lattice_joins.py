# SPDX-License-Identifier: MIT
"""Parts without a handle are joined with the nearest that has one, one after the other."""

import numpy as np
import pytest

from lattice_surfaces import box, joined
from lissom.weights import bounded_biharmonic


def bar(begin, end, half=0.05):
    return box((begin, -half, -half), (end, half, half))


@pytest.mark.parametrize(("button", "weights"), [((1.03, 1.055), [0, 1]), ((1.005, 1.03), [1, 0])])
def test_a_button_between_two_goes_with_the_nearer(button, weights) -> None:
    surface = joined(bar(0, 1), bar(1.06, 2.06), bar(*button, half=0.02))
    found, report = bounded_biharmonic(surface, [[0.2, 0, 0], [1.8, 0, 0]], cells=9, report=True)
    np.testing.assert_allclose(found[-8:], [weights] * 8, atol=1e-6)
    assert report.notes == ("parts without a handle that were joined with parts that they touch: 1",)
    assert not len(report.unreached_vertices)
    assert report.components_without_handle == 0


def test_parts_in_a_row_are_joined_each_with_the_one_before() -> None:
    row = [bar(0, 1), bar(1.03, 1.25), bar(1.28, 1.5)]
    handles = [[0.1, 0, 0], [0.9, 0, 0]]
    found, report = bounded_biharmonic(joined(*row), handles, cells=8, report=True)
    assert report.notes == ("parts without a handle that were joined with parts that they touch: 2",)
    assert not len(report.unreached_vertices)
    np.testing.assert_allclose(found[8:, 1], 1, atol=0.02)
    # The other way round the last is the first to be met.
    other, report = bounded_biharmonic(joined(*row[::-1]), handles, cells=8, report=True)
    assert report.notes[0].endswith(": 2")
    np.testing.assert_allclose(other.reshape(3, 8, 2)[::-1].reshape(-1, 2), found, atol=1e-3)


def test_parts_that_nothing_reaches_are_counted_and_follow_the_nearest_vertex() -> None:
    apart = [box((3, y, -0.05), (3.2, y + 0.2, 0.05)) for y in (0, 1)]
    handles = [[0.1, 0, 0], [0.9, 0, 0]]
    found, report = bounded_biharmonic(joined(bar(0, 1), *apart), handles, cells=30, report=True)
    assert report.components_without_handle == 2
    assert report.unreached_vertices.tolist() == list(range(8, 24))
    nearest = found[[np.argmax(found[:8, 1])]]
    np.testing.assert_allclose(found[8:], np.repeat(nearest, 16, axis=0), atol=0.02)
    assert "16 vertices in 2 parts that no handle reaches have the weights of the nearest" in report.notes[-1]
