# SPDX-License-Identifier: MIT
"""Weights of morph targets over time: against what they are by definition, and against the twin."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import lissom
from lissom import Clip
from lissom.clip import CUBICSPLINE, LINEAR, STEP, TRACK_DTYPE, TRANSLATION, WEIGHT, Loop
from lissom.clip._tracks import Track, packed
from random_rigs import random_clip, random_poses, random_skeleton
from reference import sampling
from short_clips import skeleton_of

NAMES = ["face/smile", "face/blink.L", "face/blink.R", "teeth/smile"]
# Weights up to 4, tangents up to 3 a second: a few roundings of sums of size 8.
TOLERANCE = {np.float32: 3e-6, np.float64: 1e-14}


def face(*tracks: tuple[int, int, object, object], dtype: type = np.float32, **options) -> Clip:
    """A clip of tracks of weights: morph target, interpolation, times, values."""
    entries = [
        Track(morph, WEIGHT, interpolation, np.asarray(times, float), np.asarray(values, float))
        for morph, interpolation, times, values in tracks
    ]
    options = {"morph_names": NAMES, "loop": False} | options
    return Clip("face", skeleton_of(), *packed(entries, np.dtype(dtype)), **options)


def column(*values: float) -> np.ndarray:
    return np.array(values)[:, None]


def test_a_step_takes_the_key_at_exactly_its_time() -> None:
    clip = face((1, STEP, [0.0, 0.1, 0.2], column(1, 2, 3)))
    second = float(clip.keys[1])
    times = [0.0, np.nextafter(second, 0), second, np.nextafter(second, 1), 0.15, clip.end]
    assert clip.morphs(times)[:, 1].tolist() == [1, 1, 2, 2, 2, 3]


def test_a_line_is_exact_at_its_keys_and_straight_between() -> None:
    clip = face((2, LINEAR, [1, 2, 4], column(0.1, 0.3, -0.7)))
    np.testing.assert_array_equal(clip.morphs([1, 2, 4])[:, 2], clip.keys[3:])
    np.testing.assert_allclose(clip.morphs([1.25, 3])[:, 2], [0.15, -0.2], atol=1e-7)
    np.testing.assert_array_equal(clip.morphs([0, 9])[:, 2], clip.keys[[3, 5]])


def test_a_spline_reproduces_a_cubic() -> None:
    # p(t) = t^3 - 2 t: with its derivative as tangents, per second, over intervals that are not one second.
    times = np.array([0.5, 2.5, 3.0])
    points, slopes = times**3 - 2 * times, 3 * times**2 - 2
    values = np.stack([slopes, points, slopes], axis=1)[..., None]
    clip = face((3, CUBICSPLINE, times, values), dtype=np.float64)
    seconds = np.linspace(0.5, 3, 57)
    np.testing.assert_allclose(clip.morphs(seconds)[:, 3], seconds**3 - 2 * seconds, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loop", [False, True, "ping_pong"])
@pytest.mark.parametrize("shared", [False, True])
def test_random_clips_equal_the_twin(dtype: type, loop: Loop, shared: bool) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        names = [f"node/{i}" for i in range(int(rng.integers(1, 40)))]
        clip = random_clip(rng, random_skeleton(rng, 3), dtype, bool(loop), shared, names)
        table = np.concatenate([clip.tracks, clip.weight_tracks])
        times = rng.uniform(clip.start - 2, clip.end + 2, int(rng.choice([1, 3, 5, 16, 45])))
        if seed % 2:
            times.sort()
        want = np.stack([sampling.weights_at(clip.morph_defaults, clip.keys, table, t, loop) for t in times])
        got = clip.morphs(times, loop=loop)
        assert got.dtype == dtype
        # A step is taken where double rounding of the twin's wrapped time agrees, which random times do.
        np.testing.assert_allclose(got, want, rtol=0, atol=TOLERANCE[dtype], err_msg=f"seed {seed}")
        one_by_one = np.stack([clip.morphs(t, loop=loop) for t in times])
        np.testing.assert_array_equal(got, one_by_one)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_clips_are_straight_between_frames(dtype: type) -> None:
    rng = np.random.default_rng(3)
    frames = np.arange(40) / 30
    weights = rng.normal(size=(40, 4)).astype(dtype)
    poses = random_poses(rng, 40, 1).astype(dtype)
    clip = Clip.from_poses(skeleton_of(), frames, poses, morphs=weights, morph_names=NAMES)
    uniform = clip._edited(uniform=True)
    times = rng.uniform(-0.5, 2, 400)
    for loop in (False, True, "ping_pong"):
        # Frames stored in float32 lie up to 6e-8 s off the grid, where weights change by up to 100 a second.
        np.testing.assert_allclose(
            uniform.morphs(times, loop=loop), clip.morphs(times, loop=loop), rtol=0, atol=2e-5
        )
    np.testing.assert_allclose(uniform.morphs(frames), weights, rtol=0, atol=2e-5)
    assert uniform.morphs(clip.end).tolist() == weights[-1].tolist()


def test_all_tracks_wrap_together() -> None:
    """A clip ends with its last key, be it of a joint or of a weight."""
    keys = [
        Track(0, TRANSLATION, LINEAR, np.array([0.0, 1.0]), np.array([[0.0, 0, 0], [1, 0, 0]])),
        Track(1, WEIGHT, LINEAR, np.array([0.5, 2.0]), column(0, 3)),
    ]
    clip = Clip("both", skeleton_of(), *packed(keys, np.dtype(np.float64)), morph_names=NAMES, loop=True)
    assert (clip.start, clip.end) == (0, 2)
    assert clip.morphs([1.0, 3.0, 2.0])[:, 1].tolist() == [1, 1, 0]
    assert clip.sample([0.5, 2.5, 1.5])[:, 0, 0].tolist() == [0.5, 0.5, 1]
    assert [len(clip.tracks), len(clip.weight_tracks)] == [1, 1]
    assert clip.weight_tracks["joint"].tolist() == [1]


def test_targets_without_a_track_have_their_default() -> None:
    options = {"morph_defaults": [0.1, 0.2, 0.3, 0.4]}
    clip = face((1, LINEAR, [0, 1], column(0, 1)), **options)
    np.testing.assert_array_equal(clip.morphs(0.5), np.float32([0.1, 0.5, 0.3, 0.4]))
    np.testing.assert_array_equal(clip.morph_defaults, np.float32([0.1, 0.2, 0.3, 0.4]))
    assert clip.morph_names == tuple(NAMES)
    # Of differences: none.
    assert face((1, LINEAR, [0, 1], column(0, 1)), additive=True, **options).morphs(0.5).tolist() == [
        0,
        0.5,
        0,
        0,
    ]
    walk = lissom.samples.humanoid().clips["walk"]
    assert walk.morphs([0, 1]).shape == (2, 0)
    assert (walk.morph_names, len(walk.weight_tracks)) == ((), 0)


def test_what_is_written_where() -> None:
    clip = face((0, LINEAR, [0, 1], column(0, 1)), (3, LINEAR, [0, 1], column(1, 3)))
    out = np.full((2, 3, 4), 7, np.float32)
    assert clip.morphs(np.full((2, 3), 0.5), out=out) is out
    np.testing.assert_array_equal(out, np.broadcast_to([0.5, 0, 0, 2], out.shape))
    assert clip.morphs(0.5).shape == (4,)
    for wrong, message in (
        (np.empty((2, 4)), r"Clip\.morphs: out must be float32, got float64"),
        (np.empty((2, 3), np.float32), r"Clip\.morphs: out must have shape \(\.\.\., 4\), got \(2, 3\)"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            clip.morphs([0, 1], out=wrong)
    with pytest.raises(ValueError, match=r"Clip\.morphs: times must be finite, got nan at element 1"):
        clip.morphs([0, np.nan])
    with pytest.raises(ValueError, match=r'Clip\.morphs: loop must be True, False or "ping_pong", got 3'):
        clip.morphs(0, loop=3)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((0, 4, 1, 2, 0, 2), r"track 0: path must be 0 .*, 2 \(scale\) or 3 \(weight\), got 4"),
        ((4, WEIGHT, 1, 2, 0, 2), r"joint, of a weight the number of its morph target, must lie in \[0, 4\)"),
        ((-1, WEIGHT, 1, 2, 0, 2), r"of its morph target, must lie in \[0, 4\), got -1"),
        ((1, WEIGHT, 1, 2, 0, 3), r"track 0 \(morph 1, weight\): its 2 value elements at offset 3"),
        ((1, WEIGHT, 2, 2, 0, 0), r"track 0 \(morph 1, weight\): its 6 value elements at offset 0"),
    ],
)
def test_wrong_tables_are_refused(row: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Clip(
            "wrong", skeleton_of(), np.float32([0, 1, 2, 3]), np.array([row], TRACK_DTYPE), morph_names=NAMES
        )


def test_wrong_keys_and_names_are_refused() -> None:
    with pytest.raises(ValueError, match=r"track 1 \(morph 2, weight\): an earlier track has the same morph"):
        face((2, STEP, [0], column(0)), (2, STEP, [1], column(0)))
    for call in (Clip.morphs, Clip.sample):
        with pytest.raises(
            ValueError, match=r"Clip: track 0 \(morph 2, weight\): the values of key 1 must be"
        ):
            call(face((2, LINEAR, [0, 1], column(0, np.nan))), 0)
        with pytest.raises(ValueError, match=r"Clip: track 0 \(morph 2, weight\): key times must increase"):
            call(face((2, LINEAR, [0, 0], column(0, 1))), 0)
    for options, error, message in (
        ({"morph_names": "face"}, TypeError, "morph_names must be a sequence of names, got one string"),
        ({"morph_names": ["a", 3]}, TypeError, "morph_names must be strings, got int"),
        ({"morph_names": ["a", "a"]}, ValueError, "morph_names must be different, got 'a' twice"),
        ({"morph_defaults": [0, 1]}, ValueError, r"morph_defaults must have shape \(4,\), got \(2,\)"),
        ({"morph_defaults": [0, 1, np.nan, 2]}, ValueError, "morph_defaults must be finite, got nan"),
        ({"morph_defaults": [0, 1, 1e300, 2]}, ValueError, "morph_defaults must fit float32"),
    ):
        with pytest.raises(error, match=message):
            face(**options)


def test_copies_keep_weights() -> None:
    clip = face((1, CUBICSPLINE, [0, 1], np.ones((2, 3, 1))), morph_defaults=[1, 2, 3, 4])
    times = np.linspace(0, 1, 7)
    for other in (copy.copy(clip), copy.deepcopy(clip), pickle.loads(pickle.dumps(clip)), clip.renamed("b")):
        np.testing.assert_array_equal(other.morphs(times), clip.morphs(times))
        assert other.morph_names == clip.morph_names
    assert "0 tracks for 1 joint" in repr(clip)
    assert "1 track for 4 morph targets" in repr(clip)
    assert "morph" not in repr(lissom.samples.humanoid().clips["walk"])
    assert not clip.weight_tracks.flags.writeable
    assert not clip.morph_defaults.flags.writeable


def test_clips_of_poses_pass_through_weights() -> None:
    rng = np.random.default_rng(1)
    times, poses = [0, 0.5, 2], np.tile(skeleton_of().rest, (3, 1, 1))
    weights = rng.normal(size=(3, 4)).astype(np.float32)
    weights[:, 2] = 0
    clip = Clip.from_poses(skeleton_of(), times, poses, morphs=weights, morph_names=NAMES)
    np.testing.assert_array_equal(clip.morphs(times, loop=False), weights)
    assert len(clip.tracks) == 0  # nothing but the face moves, and the clip has its times
    assert clip.weight_tracks["joint"].tolist() == [0, 1, 3]
    assert clip.key_rate == 2
    some = Clip.from_poses(skeleton_of(), times, poses, morphs={"teeth/smile": [0, 1, 0]}, morph_names=NAMES)
    assert some.morphs(0.5).tolist() == [0, 0, 0, 1]
    own = Clip.from_poses(skeleton_of(), times, poses, morphs={"b": [0, 1, 0], "a": [1, 1, 1]})
    assert own.morph_names == ("b", "a")
    still = Clip.from_poses(skeleton_of(), times, poses, morph_names=NAMES)
    assert (len(still.tracks), still.morph_names) == (1, tuple(NAMES))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"morphs": [[0.0]] * 3}, "morphs must come with morph_names"),
        ({"morphs": np.zeros((2, 4)), "morph_names": NAMES}, r"morphs must have shape \(3, 4\) for 3 times"),
        ({"morphs": {"face/smile": [0, 1]}}, r"morphs must have shape \(3,\) for 3 times, got \(2,\)"),
        (
            {"morphs": {"face/simle": [0, 1, 2]}, "morph_names": NAMES},
            "no morph target is named 'face/simle'.*face/smile",
        ),
        (
            {"morphs": {"a": [0, np.inf, 1]}},
            r"track 0 \(morph 0, weight\): the values of key 1 must be finite",
        ),
        ({"morphs": {"a": [0, 1e300, 1]}}, r"the values of key 1 must be finite, got inf"),
    ],
)
def test_wrong_weights_make_no_clip(options: dict, message: str) -> None:
    poses = np.tile(skeleton_of().rest, (3, 1, 1))
    with pytest.raises(ValueError, match=message):
        Clip.from_poses(skeleton_of(), [0, 1, 2], poses, **options)


HASHED = """
import hashlib, sys
import numpy as np
sys.path[:0] = {path!r}
from random_rigs import random_clip, random_skeleton
rng = np.random.default_rng(5)
clip = random_clip(rng, random_skeleton(rng, 3), np.float32, True, False, [f"n/{{i}}" for i in range(60)])
times = np.linspace(-1, 9, 5000)
print(hashlib.sha256(clip.morphs(times).tobytes()).hexdigest())
"""


def test_bits_are_the_same_for_every_instruction_set_in_deterministic_mode() -> None:
    hashes = set()
    for isa, threads in (("v2", "1"), ("v3", "2"), ("", "4")):
        environment = os.environ | {
            "LISSOM_DETERMINISTIC": "1",
            "LISSOM_ISA": isa,
            "LISSOM_THREADS": threads,
        }
        done = subprocess.run(
            [sys.executable, "-c", HASHED.format(path=sys.path)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if "does not run here" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        hashes.add(done.stdout)
    assert len(hashes) == 1
