# SPDX-License-Identifier: MIT
"""What calls tell of how far they are: the stages that the docs list, each from 0 up, and a last word."""

import re

import numpy as np
import pytest

from lissom import weights
from lissom.weights._progress import part_of
from tet_bars import bar, border
from weight_meshes import TWO_BONES, capsule

NODES, TETS = bar(1, 1, 12)
ROD = NODES, border(TETS)
ENDS = NODES[[0, 26, 51]]


def volume(**options):
    return weights.bounded_biharmonic(ROD, ENDS, tetrahedra=(NODES, TETS), tolerance=1e-6, **options)


def reduced(**options):
    spread = weights.inverse_distance(capsule(), [*TWO_BONES, [1.0, 0.5, 0], [3.0, 0.5, 0]], power=1)
    return weights.reduce(spread, 2, **options)


def lattice(**options):
    return weights.bounded_biharmonic(capsule(), TWO_BONES, **options)


CALLS = {
    "tetrahedra": ("bounded_biharmonic", volume, {}, ["assembling", "ordering", "factorising", "iterating"]),
    "polished": ("bounded_biharmonic", volume, {"polish": True}, ["iterating", "polishing"]),
    "lattice": ("bounded_biharmonic", lattice, {"cells": 8}, ["counting", "lattice", "assembling"]),
    "heat": (
        "heat",
        lambda **options: weights.heat(capsule(), TWO_BONES, **options),
        {},
        ["visibility", "Delaunay", "factorising", "solving"],
    ),
    "reduce": ("reduce", reduced, {"surface": capsule()}, ["reducing"]),
    "reduce without a surface": ("reduce", reduced, {}, []),
}


def documented(method):
    """The stages of a method, in the order of the table in the docs."""
    text = re.search(rf"^`{method}`  (.*?)(?:^`|^===)", weights.__doc__, re.M | re.S).group(1)
    return re.findall(r'``"(\w+)"``', text)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CALLS)
def test_stages_are_the_listed_ones_and_the_last_word_is_done(name) -> None:
    method, call, options, expected = CALLS[name]
    seen = []
    call(**options, progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen[-1] == ("done", 1.0)
    stages = list(dict.fromkeys(stage for stage, _ in seen))
    listed = documented(method)
    assert stages == [stage for stage in listed if stage in stages]
    assert [stage for stage in stages if stage in expected] == expected
    assert ("polishing" in stages) == (name == "polished")
    begun: list[str] = []
    last: dict[str, float] = {}
    for stage, fraction in seen:
        assert 0 <= fraction <= 1
        comes = not begun or begun[-1] != stage
        if comes:
            assert stage not in begun or stage in ("factorising", "iterating")
            begun.append(stage)
        if stage != "factorising" or not comes:
            assert fraction >= last.get(stage, 0)
        last[stage] = fraction
    assert begun.count("factorising") <= 4
    if name == "tetrahedra":
        assert begun.count("factorising") > 1  # else this shows little


def test_counting_of_cubes_is_one_stage() -> None:
    told = []

    def until_lattice(stage, fraction):
        if stage == "lattice":
            raise StopIteration
        told.append((stage, fraction))

    with pytest.raises(StopIteration):
        lattice(progress=until_lattice)
    assert {stage for stage, _ in told} == {"counting"}
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions)
    for begin in (0, 1 / 3, 2 / 3):  # two looks at the surface to choose a size, and one to check it
        assert begin in fractions


def test_done_is_told_with_a_report_too_and_what_it_raises_ends_the_call() -> None:
    for name in ("tetrahedra", "heat"):
        _, call, options, _ = CALLS[name]
        seen = []
        call(**options, report=True, progress=lambda stage, _part, seen=seen: seen.append(stage))
        assert seen[-1] == "done"

    def stop(stage, fraction):
        if stage == "done":
            raise KeyError(stage)

    for _, call, options, _ in CALLS.values():
        with pytest.raises(KeyError, match="done"), np.errstate(all="raise"):
            call(**options, progress=stop)


def test_parts_of_a_stage() -> None:
    seen = []
    part = part_of(lambda stage, fraction: seen.append((stage, fraction)), 1, 4)
    part("counting", 0.0)
    part("counting", 1.0)
    assert seen == [("counting", 0.25), ("counting", 0.5)]
    assert part_of(None, 1, 4) is None
