# SPDX-License-Identifier: MIT
"""The search for the lowest rate as arithmetic: which multiple it tries next, by any law of errors."""

import math

import pytest

from lissom._bake.rate_search import RateSearch


def search(error_of, allowed, most, keys_multiple=None):
    """Return the multiples tried and the smallest found to hold, None where none does."""
    state = RateSearch.after_first(allowed, most, error_of(1), 0.0, keys_multiple)
    tried, found = [], None
    while (multiple := state.next_multiple()) is not None:
        error = error_of(multiple)
        holds = error <= allowed
        found = multiple if holds else found
        tried.append(multiple)
        state = state.after(multiple, holds=holds, error=error, dtype_error=0.0)
    return tried, found


@pytest.mark.parametrize("smallest", [2, 3, 7, 16, 31, 32])
@pytest.mark.parametrize("power", [1.0, 2.0, 4.0])
def test_the_smallest_multiple_is_found_by_any_power_law(smallest, power):
    """The search expects a power of 2: others cost tries, and change nothing of the result."""
    tried, found = search(lambda multiple: (smallest / multiple) ** power, 1.0, 32)
    assert found == smallest
    assert smallest - 1 in [1, *tried]
    assert len(tried) == len(set(tried))


def test_two_tries_where_the_square_law_holds():
    tried, found = search(lambda multiple: (20 / multiple) ** 2, 1.0, 960)
    assert found == 20
    assert tried == [20, 19]


def test_bisection_where_errors_follow_no_law():
    tried, found = search(lambda multiple: 0.9 if multiple >= 700 else 1e9, 1.0, 960)
    assert found == 700
    assert len(tried) <= 4 + 2 * math.ceil(math.log2(960))


def test_the_highest_multiple_is_tried_before_giving_up():
    tried, found = search(lambda multiple: 2.0, 1.0, 12)
    assert found is None
    assert tried[-1] == 12


def test_keys_come_first_and_say_nothing_of_lower_multiples_where_they_fail():
    tried, found = search(lambda multiple: 0.5 if multiple in (5, 6) else 2.0, 1.0, 8, keys_multiple=6)
    assert tried[0] == 6
    assert found == 5
    tried, found = search(lambda multiple: 0.5 if multiple >= 3 and multiple != 6 else 1.1, 1.0, 8, 6)
    assert tried[0] == 6
    assert found == 3
