# SPDX-License-Identifier: MIT
"""Arrays long enough that several threads take them: the same bits, the same refusals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lissom
from lissom import quat, trs

ROWS = 200_003  # well above 60 microseconds of work, and no multiple of a vector


@pytest.fixture
def threads() -> Iterator[None]:
    before = lissom.thread_count()
    yield
    lissom.set_thread_count(before)


@pytest.mark.usefixtures("threads")
def test_threads_do_not_change_bits() -> None:
    rng = np.random.default_rng(0)
    a, b = quat.normalize(rng.normal(size=(2, ROWS, 4)).astype(np.float32))
    t = rng.uniform(size=ROWS).astype(np.float32)
    results = []
    for count in (1, 3):
        lissom.set_thread_count(count)
        results.append([quat.slerp(a, b, t), quat.multiply(a, b[0]), *quat.swing_twist(a, [0, 1, 0])])
    for one, several in zip(*results, strict=True):
        np.testing.assert_array_equal(one, several)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("row", [0, ROWS // 2, ROWS - 1])
def test_the_row_without_an_answer_is_named_and_out_is_left(row: int) -> None:
    lissom.set_thread_count(3)
    poses = np.zeros((ROWS, 10), np.float32)
    poses[:, 6:] = 1
    poses[row, 7] = 0
    out = np.full_like(poses, 7)
    with pytest.raises(ValueError, match=rf"\b{row}\b"):
        trs.inverse(poses, out=out)
    assert (out == 7).all()
