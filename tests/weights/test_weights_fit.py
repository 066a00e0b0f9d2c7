# SPDX-License-Identifier: MIT
"""A skeleton that misses the mesh is said, once, and one that fits is not."""

import warnings

import numpy as np
import pytest

import lissom
from lissom.weights import heat, inverse_distance
from weight_meshes import TWO_BONES, blob, capsule, horseshoe

BONES = np.array(TWO_BONES)
METHODS = [heat, inverse_distance]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("bones", "words"),
    [
        (100 * BONES, "the handles are 80 times as large as the mesh; bring both to one unit"),  # centimetres
        (0.01 * BONES, "the handles are 0.008 times as large as the mesh; bring both to one unit"),
        (BONES + np.array([0, 3, 0]), "all handles stand beside the mesh; check their scale and place"),
    ],
)
def test_other_units_and_places_are_said(method, bones, words) -> None:
    with pytest.warns(RuntimeWarning, match=words) as caught:
        method(capsule(), bones)
    assert len(caught) == 1
    assert str(caught[0].message).startswith(f"weights.{method.__name__}: ")
    assert caught[0].filename == __file__


def test_most_vertices_that_see_no_bone_are_said() -> None:
    """Between the legs: within the box of the mesh, and in the air."""
    positions, triangles = horseshoe()
    with pytest.warns(RuntimeWarning, match=rf"1[0-9][0-9] of {len(positions)} vertices see no bone"):
        heat((positions, triangles), [[[0.0, 0.5, 0], [0, 1.0, 0]], [[0.0, 1, 0], [0, 2.5, 0]]])


def test_an_island_that_is_no_eye_is_said() -> None:
    positions, triangles = capsule(33, 24)
    for count, is_said in ((40, False), (500, True)):
        extra, extra_triangles = blob(0, count)
        both = np.concatenate([positions, 0.05 * extra + [2.0, 1.3, 0.2]])
        mesh = both, np.concatenate([triangles, extra_triangles + len(positions)])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _, report = heat(mesh, TWO_BONES, report=True)
        assert report.components_without_handle == 1
        said = [f"weights.heat: {count} of {len(both)} vertices see no bone"] if is_said else []
        assert [str(one.message).split(" through")[0] for one in caught] == said


@pytest.mark.parametrize("method", METHODS)
def test_what_fits_is_not_said(method) -> None:
    for build in lissom.samples.humanoid(), lissom.samples.humanoid("child"):
        method(build.mesh, lissom.weights.bones(build.skeleton))
    method(capsule(), [[2.0, 0, 0], [2.01, 0, 0]])  # points may be near each other
    inverse_distance(capsule(), [[x, y, z] for x in (-2, 6) for y in (-2, 2) for z in (-2, 2)])  # a cage


@pytest.mark.parametrize("report", [False, True])
def test_the_report_is_the_same_with_a_warning(report) -> None:
    with pytest.warns(RuntimeWarning):
        result = heat(capsule(), BONES + np.array([0, 30, 0]), report=report)
    assert isinstance(result, tuple) == report
