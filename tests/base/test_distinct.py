# SPDX-License-Identifier: MIT
"""Distinct values, against ``np.unique``."""

import numpy as np
import pytest

from lissom._base.distinct import distinct


@pytest.mark.parametrize("dtype", [np.int32, np.uint16, np.int64, np.float32, np.float64, np.bool_])
@pytest.mark.parametrize("shape", [(0,), (1,), (50,), (7, 9)])
def test_distinct_values_are_sorted_and_each_is_there_once(dtype: type, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(7).integers(0, 20, shape).astype(dtype)
    before = values.copy()
    found, expected = distinct(values), np.unique(values)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(values, before)
