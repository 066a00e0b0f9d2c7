# SPDX-License-Identifier: MIT
"""Sums of short rows."""

import numpy as np
import pytest

from lissom._base.row_sums import row_sums


@pytest.mark.parametrize("columns", [0, 1, 2, 3, 4, 7, 8, 9, 20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_are_those_of_numpy_to_the_bit(columns: int, dtype: type) -> None:
    rng = np.random.default_rng(columns)
    values = (rng.normal(size=(500, columns)) * 10.0 ** rng.integers(-8, 8, (500, columns))).astype(dtype)
    sums = row_sums(values)
    assert sums.dtype == np.float64
    np.testing.assert_array_equal(sums, values.sum(axis=1, dtype=np.float64))


def test_no_rows_have_no_sums() -> None:
    assert row_sums(np.zeros((0, 4), np.float32)).shape == (0,)
