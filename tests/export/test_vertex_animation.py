# SPDX-License-Identifier: MIT
"""Animations of vertices: sampled by the rule of bakes, with and without a skin behind them."""

import numpy as np
import pytest

import lissom


@pytest.fixture
def mesh():
    return lissom.Mesh(np.eye(3), [[0, 1, 2]])


@pytest.fixture
def animation(mesh):
    """Two clips: vertex 0 moves along x by 1 each frame."""
    positions = np.zeros((5, 3, 3))
    positions[:, 0, 0] = [0, 1, 2, 10, 11]
    clips = {"a": lissom.VertexClip(0, 3, 2.0, loop=True, start=1.0), "b": lissom.VertexClip(3, 2, 4.0)}
    return lissom.VertexAnimation(mesh, positions, clips)


def x(animation, *arguments, **options):
    return animation.sample(*arguments, **options)[..., 0, 0].tolist()


def test_times_are_mixed_wrapped_and_clamped(animation):
    assert x(animation, "a", [1.0, 1.25, 1.5, 1.75]) == [0, 0.5, 1, 1.5]
    assert x(animation, "a", [2.0, 2.25, 0.75]) == [0, 0.5, 1.5]  # half open: its end is the start
    assert x(animation, "a", [2.0, 2.25, 0.75], loop=False) == [2, 2, 0]
    assert x(animation, "b", [-1.0, 0.125, 9.0]) == [10, 10.5, 11]
    assert x(animation, "b", 0.125) == 10.5


def test_snapping_shows_the_earlier_frame(animation):
    assert x(animation, "a", [1.0, 1.49, 1.5, 1.99], playback="snap") == [0, 0, 1, 1]
    assert x(animation, "a", [2.0], loop=False, playback="snap") == [2]


def test_one_frame_stands_still(mesh):
    still = lissom.VertexAnimation(mesh, np.ones((1, 3, 3)), {"still": lissom.VertexClip(0, 1, loop=True)})
    assert x(still, "still", [-1.0, 0.0, 5.0]) == [1, 1, 1]


def test_a_bake_as_vertices_moves_as_it_does():
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, ["walk", "wave"], rate=20)
    animation = lissom.VertexAnimation.of_bake(bake)
    assert list(animation.clips) == ["walk", "wave"]
    for name, clip in bake.clips.items():
        times = clip.start + np.arange(clip.frame_count) / clip.rate
        expected = lissom.deform(hero.mesh, bake.sample(name, times, loop=False), bake.method)
        np.testing.assert_allclose(animation.sample(name, times, loop=False), expected, atol=1e-5)
        assert animation.clips[name].loop == clip.loop
    one = animation.clip("wave")
    np.testing.assert_array_equal(one.sample("wave", 0.3), animation.sample("wave", 0.3))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"mesh": None}, TypeError, "mesh must be a Mesh, got NoneType"),
        (
            {"positions": np.zeros((5, 2, 3))},
            ValueError,
            r"positions must have shape \(frames, 3, 3\), got \(5, 2, 3\)",
        ),
        (
            {"positions": np.full((5, 3, 3), np.nan)},
            ValueError,
            "positions must be finite, .* at frame 0, vertex 0",
        ),
        ({"normals": np.zeros((4, 3, 3))}, ValueError, "normals must have the 5 frames of positions, got 4"),
        ({"clips": {"a": lissom.VertexClip(0, 4)}}, ValueError, "clips must fill all 5 frames, got 4"),
        ({"clips": {"a": lissom.VertexClip(1, 4)}}, ValueError, "clip 'a' must start at frame 0"),
        ({"clips": {"a": (0, 5)}}, TypeError, "clip 'a' must be a VertexClip, got tuple"),
    ],
)
def test_wrong_arguments_are_refused(mesh, change, error, words):
    given = {"mesh": mesh, "positions": np.zeros((5, 3, 3)), "clips": {"a": lissom.VertexClip(0, 5)}} | change
    with pytest.raises(error, match=words):
        lissom.VertexAnimation(**given)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1, 5), "first_frame must be at least 0"),
        ((0, 0), "frame_count must be at least 1"),
        ((0, 5, 0.0), "rate must be above zero"),
        ((0, 5, np.nan), "rate must be"),
        ((0, 5, 30.0, False, np.inf), "start must be"),
    ],
)
def test_wrong_clips_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        lissom.VertexClip(*arguments)


def test_unknown_clips_and_playbacks(animation):
    with pytest.raises(KeyError, match="no clip is named 'c'"):
        animation.sample("c", 0.0)
    with pytest.raises(ValueError, match="playback must be one of interpolate, snap, got 'floor'"):
        animation.sample("a", 0.0, playback="floor")
    with pytest.raises(ValueError, match="times"):
        animation.sample("a", np.nan)
