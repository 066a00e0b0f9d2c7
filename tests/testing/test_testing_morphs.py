# SPDX-License-Identifier: MIT
"""Asserts that know morph targets: of weights, and of meshes."""

import numpy as np
import pytest

import lissom
from lissom import Morphs
from lissom.testing import assert_morphs_close, assert_vertices_close
from morphed_characters import NAMES, faced, with_morphs

HERO = faced(lissom.samples.two_bone_tube())


def test_weights_are_compared_with_names_and_times() -> None:
    weights = np.zeros((3, 6))
    assert_morphs_close(weights, weights + 1e-6)
    other = weights.copy()
    other[1, 2] = 0.25
    with pytest.raises(AssertionError, match=r"1 of 18 morph targets, in 1 of 3 poses") as caught:
        assert_morphs_close(other, weights, of=HERO, times=[0, 0.5, 1], err_msg="the face")
    text = str(caught.value)
    assert f"{NAMES[2]!r} (2)" in text
    assert "0.5" in text
    assert "the face" in text
    assert_morphs_close(other, weights, weight=0.3)
    for of in (HERO.mesh, HERO.mesh.morphs):
        with pytest.raises(AssertionError, match="hair/smile"):
            assert_morphs_close(other, weights, of=of)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([1], [1, 2]), {}, AssertionError, r"shapes differ: actual \(1,\), desired \(2,\)"),
        (([], []), {}, AssertionError, "nothing to compare"),
        (
            ([np.nan], [1]),
            {},
            AssertionError,
            "actual is not finite in 1 of 1 places, first at morph target 0",
        ),
        (([1], [1]), {"of": HERO}, ValueError, "of must have the 1 morph targets of desired, got 6"),
        (
            ([1], [1]),
            {"of": 3},
            TypeError,
            "of must be Morphs, a Mesh or Character that has some, or a Clip, got",
        ),
        (([1], [1]), {"weight": -1}, ValueError, "weight must be"),
        ((1, 1), {}, ValueError, r"desired must have shape \(\.\.\., M\), got \(\)"),
        ((HERO.clips["bend"], [0]), {}, TypeError, "times must be the seconds of the weights"),
    ],
)
def test_what_cannot_be_compared(arguments, options, error, message: str) -> None:
    with pytest.raises(error, match=f"assert_morphs_close: {message}"):
        assert_morphs_close(*arguments, **options)


def test_meshes_are_compared_by_their_targets_too() -> None:
    mesh = HERO.mesh
    assert_vertices_close(mesh, faced(lissom.samples.two_bone_tube()).mesh)
    with pytest.raises(AssertionError, match="morph targets differ: actual has 0, desired 6"):
        assert_vertices_close(with_morphs(HERO, None).mesh, mesh)
    morphs = mesh.morphs
    arrays = {
        name: getattr(morphs, name) for name in ("offsets", "vertices", "normals", "tangents", "defaults")
    }
    renamed = Morphs(names=["a", *NAMES[1:]], positions=morphs.positions, **arrays)
    with pytest.raises(AssertionError, match="have other names: actual and desired 'a' and 'face/smile'"):
        assert_vertices_close(with_morphs(HERO, renamed).mesh, mesh)
    moved = morphs.positions.copy()
    row = int(morphs.offsets[3])
    moved[row] += [0, 0.5, 0]
    other = with_morphs(HERO, Morphs(names=NAMES, positions=moved, **arrays)).mesh
    with pytest.raises(
        AssertionError,
        match=f"'body/round' moves vertices elsewhere: 0.5 units apart at vertex {morphs.vertices[row]},",
    ):
        assert_vertices_close(other, mesh)
    assert_vertices_close(other, mesh, length=0.6)
