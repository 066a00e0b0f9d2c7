# SPDX-License-Identifier: MIT
"""Finite numbers at the ends of float32 and float64: an answer or a refusal, never a warning of NumPy's.

The suite runs with warnings as errors.
"""

import inspect
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import lissom
from array_api import replaced
from array_parameters import CASES

# What takes seconds for each call, or needs a graphics driver.
SLOW = ("gpu.", "weights.", "render", "compare", "sketch", "Character.show", "ik.foot_slide", "ik.lock_feet")
# Warnings of lissom's own, documented: there is no answer for some vertices, or an answer may surprise.
OWN = ("have no answer and became NaN", "is not symmetric")
FACTORS = (1e30, 1e300, 1e-300)


def each_case() -> list[Any]:
    return [
        pytest.param(call, list(arrays), i, id=f"{path}: {name}")
        for path, call, arrays in CASES
        for i, name in zip(range(len(arrays)), inspect.signature(call).parameters, strict=False)
        if name != "out"
        and arrays[i] is not None
        and np.asarray(arrays[i]).dtype.kind == "f"
        and not path.startswith(SLOW)
    ]


@pytest.mark.parametrize(("call", "arrays", "index"), each_case())
def test_numbers_at_the_ends_of_their_range(call: Callable[..., Any], arrays: list[Any], index: int) -> None:
    arrays = deepcopy(arrays)  # some are written to
    array = np.asarray(arrays[index])
    for factor in FACTORS:
        with np.errstate(all="ignore"):
            scaled = np.where(array == 0, factor > 1, array).astype(array.dtype) * array.dtype.type(factor)
        try:
            call(*replaced(arrays, index, scaled))
        except Warning as warning:
            assert any(text in str(warning) for text in OWN)  # noqa: PT017
        except (ValueError, TypeError, AssertionError, lissom.BakeError):
            pass


def test_a_rotation_of_any_length_turns() -> None:
    skeleton = lissom.samples.twisted_bar().skeleton
    quarter = np.array([0, 0, 1, 1.0])
    expected = skeleton.rotate(skeleton.rest, "Base", quarter)
    for length in (1e-320, 1e-200, 1e200, 1e308):
        np.testing.assert_array_equal(skeleton.rotate(skeleton.rest, "Base", quarter * length), expected)


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("Leg.measure: stance", lambda hero, pose: lissom.ik.Leg.find(hero)[0].measure(hero, stance=pose)),
        ("ik.Playground: pose", lambda hero, pose: lissom.ik.Playground(hero, "Hand.L", pose=pose)),
        (
            "Inertializer.transition: pose",
            lambda hero, pose: lissom.Inertializer(hero.skeleton).transition(pose, hero.skeleton.rest),
        ),
    ],
)
def test_a_refusal_says_where_the_limit_is(what: str, call: Callable[..., Any]) -> None:
    hero = lissom.samples.humanoid()
    pose = hero.skeleton.rest.copy()
    pose[3, 1] = -2e9
    with pytest.raises(ValueError, match=rf"^{what} must hold numbers from -1e\+09 to 1e\+09, got -2e\+09$"):
        call(hero, pose)
