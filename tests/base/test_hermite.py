# SPDX-License-Identifier: MIT
"""Hermite's cubic: its values and slopes at both ends, and its slope between them."""

import numpy as np

from lissom._base.hermite import hermite


def test_both_ends_are_exact_and_the_slope_is_that_of_the_value():
    ends = np.random.default_rng(1).normal(size=(4, 5))
    begin, leaving, end, arriving = ends
    u = np.array([0.0, 1.0, 0.3, 0.3 - 1e-6, 0.3 + 1e-6])[:, None]
    value, slope = hermite(u, begin, leaving, end, arriving)
    np.testing.assert_array_equal(value[:2], [begin, end])
    np.testing.assert_array_equal(slope[:2], [leaving, arriving])
    np.testing.assert_allclose(slope[2], (value[4] - value[3]) / 2e-6, rtol=1e-7, atol=1e-8)


def test_a_cubic_is_its_own_spline():
    u = np.linspace(0, 1, 9)
    cubic = np.poly1d([2.0, -3.0, 0.5, 4.0])
    value, slope = hermite(u, *(f(x) for x in (0.0, 1.0) for f in (cubic, cubic.deriv())))
    np.testing.assert_allclose(value, cubic(u), atol=1e-14)
    np.testing.assert_allclose(slope, cubic.deriv()(u), atol=1e-14)
