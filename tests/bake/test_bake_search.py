# SPDX-License-Identifier: MIT
"""`max_error`: the fewest frames and the narrowest type that keep it, or a refusal with the best there is."""

import re

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom._bake import bake_clip as _bake_clip
from lissom._bake.rate_search import RateSearch
from lissom.clip._frames import coarsest_rate
from lissom.pose_texture._layouts import LAYOUTS


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


@pytest.fixture
def work(monkeypatch):
    """Count how often a clip is measured in full, and how often a rate is looked at."""
    counts = {"measured": 0, "baked": 0}
    measured, store = _bake_clip._measured, _bake_clip.store

    def count_measured(*arguments):
        counts["measured"] += 1
        return measured(*arguments)

    def count_stored(*arguments):
        counts["baked"] += 1
        return store(*arguments)

    monkeypatch.setattr(_bake_clip, "_measured", count_measured)
    monkeypatch.setattr(_bake_clip, "store", count_stored)
    return counts


@pytest.mark.parametrize("max_error", [3e-3, 1e-3, 2e-4, 5e-5])
@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_max_error_is_honoured_at_any_time(bones, max_error, method):
    clip = bake_rigs.waving_clip(bones, key_count=13)
    poses, times = bake_rigs.waving_poses(bones, 13), np.linspace(0, 1, 13)
    character = bake_rigs.character(clip, method=method)
    bake = lissom.bake(character, rate=12, max_error=max_error)
    assert bake.clips["wave"].error.max_relative <= max_error
    moments = np.random.default_rng(0).uniform(0, 1, 120)
    distances = bake_rigs.twin_distances(character, bake, "wave", times, poses, moments, method)
    assert distances.max() <= 1.02 * max_error * character.size
    assert bake.report.max_error == max_error


@pytest.mark.parametrize("max_error", [2e-2, 3e-3, 1e-3, 2e-4])
def test_the_smallest_multiple_of_the_key_rate(bones, max_error, work):
    """One multiple less misses the bound, and little is measured to find out."""
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    entry = lissom.bake(character, max_error=max_error).clips["wave"]
    assert work["measured"] <= 4
    multiple = round(entry.rate / 12)
    assert entry.rate == pytest.approx(12 * multiple)
    assert entry.error.max_relative <= max_error
    if multiple > 1:
        less = lissom.bake(character, rate=12 * (multiple - 1)).clips["wave"]
        assert less.error.max_relative > max_error
    assert (multiple > 1) == (max_error < 2e-2)


def test_each_clip_has_a_rate_of_its_own(bones):
    clips = [bake_rigs.waving_clip(bones, name=n, key_count=k) for n, k in (("rough", 9), ("fine", 29))]
    entries = lissom.bake(bake_rigs.character(*clips), max_error=2e-3).clips
    assert entries["rough"].rate == pytest.approx(32)  # four times that of its keys
    assert entries["fine"].rate == pytest.approx(28)  # as many as it has keys
    assert max(entry.error.max_relative for entry in entries.values()) <= 2e-3


@pytest.mark.parametrize(
    ("key_rate", "rate"), [(24, 24), (30, 30), (59.94, 59.94), (60, 30), (120, 30), (100, 100 / 3), (8, 8)]
)
def test_where_the_search_begins(bones, key_rate, rate):
    """At the rate of the keys, at a part of it from 30 on where they are dense."""
    clip = bake_rigs.waving_clip(bones, duration=30 / key_rate, key_count=31)
    assert coarsest_rate(clip) == pytest.approx(rate, rel=1e-4)


def test_irregular_keys_begin_at_ten(bones):
    times = np.cumsum(np.random.default_rng(0).uniform(0.02, 0.09, 31)).astype(np.float32)
    clip = lissom.Clip.from_poses(bones, times, bake_rigs.waving_poses(bones), name="wave")
    baked = lissom.bake(bake_rigs.character(clip), max_error=0.5).clips["wave"]
    assert baked.rate == pytest.approx(np.ceil(10 * clip.duration - 1e-3) / clip.duration)


@pytest.mark.parametrize("max_error", [2e-2, 6e-3, 3e-3])
def test_the_smallest_multiple_for_irregular_keys(bones, max_error, work):
    """Corners between frames follow no law: the search still ends where one multiple less misses."""
    times = np.cumsum(np.random.default_rng(0).uniform(0.02, 0.09, 31)).astype(np.float32)
    clip = lissom.Clip.from_poses(bones, times, bake_rigs.waving_poses(bones), name="wave")
    character = bake_rigs.character(clip)
    entry = lissom.bake(character, max_error=max_error, dtype="float32").clips["wave"]
    assert work["measured"] <= 5 < work["baked"]  # most of what fails is seen to fail at one moment
    multiple = round((entry.frame_count - 1) / clip.duration / 10 - 0.49)
    less = lissom.bake(character, rate=10 * (multiple - 1), dtype="float32").clips["wave"]
    assert less.frame_count < entry.frame_count
    assert entry.error.max_relative <= max_error < less.error.max_relative


def test_types_that_are_too_narrow_are_not_measured(bones, work):
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    lissom.bake(character, max_error=2e-4, dtype="float32")
    measured = work["measured"]
    assert lissom.bake(character, max_error=2e-4, dtype="uint8").texels.dtype == np.float32
    assert work["measured"] == 2 * measured


def test_a_given_rate_is_where_the_search_begins(bones):
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    generous = lissom.bake(character, rate=50, max_error=0.5)
    np.testing.assert_array_equal(generous.texels, lissom.bake(character, rate=50).texels)
    assert not generous.report.notes
    raised = lissom.bake(character, rate=7, max_error=1e-3).clips["wave"].rate
    assert raised % 7 == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("max_error", "wanted", "stored"),
    [
        (0.05, "uint8", "uint8"),
        (2e-3, "uint8", "float16"),
        (1e-4, "uint8", "float32"),
        (1e-4, "float16", "float32"),
    ],
)
def test_types_widen_only_where_they_must(bones, max_error, wanted, stored):
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    bake = lissom.bake(character, max_error=max_error, dtype=wanted)
    assert bake.texels.dtype == stored
    assert bake.report.max_relative <= max_error
    widened = [note for note in bake.report.notes if "is stored instead of" in note]
    assert bool(widened) == (wanted != stored)
    if stored != "float32":
        loss = bake.clips["wave"].error.at_frames.max / character.size
        assert loss <= 0.75 * max_error
    if widened:
        assert f"{stored} is stored instead of " in widened[0]
        assert f"max_error={max_error:g}" in widened[0]


def test_bytes_that_hold_few_frames_widen_when_there_are_more(bones):
    """Two frames are the ends of a range, which bytes hold exactly; those between are not."""
    poses = bake_rigs.waving_poses(bones)[[0, 8]]
    clip = lissom.Clip.from_poses(bones, [0, 1], poses, name="wave", loop=False)
    bake = lissom.bake(bake_rigs.character(clip), max_error=1e-4, dtype="uint8")
    assert bake.clips["wave"].frame_count > 2
    assert bake.texels.dtype == np.float32
    assert bake.report.max_relative <= 1e-4


def test_one_clip_widens_the_type_of_all(bones):
    poses = bake_rigs.waving_poses(bones)
    poses[:, 0, 0] += 20.0
    far = lissom.Clip.from_poses(bones, np.linspace(0, 1, 31), poses, name="far")
    bake = lissom.bake(bake_rigs.character(bake_rigs.waving_clip(bones), far), max_error=1e-3)
    assert bake.texels.dtype == np.float32
    assert bake.report.notes[0].startswith(
        "float32 is stored instead of float16: in 'far' float16 alone costs"
    )
    assert (
        lissom.bake(bake_rigs.character(bake_rigs.waving_clip(bones)), max_error=1e-3).texels.dtype
        == np.float16
    )


def test_one_interval_of_a_short_clip_is_no_raised_rate(bones):
    clip = bake_rigs.waving_clip(bones, duration=0.05)
    bake = lissom.bake(bake_rigs.character(clip), rate=10)
    assert (bake.clips["wave"].frame_count, bake.clips["wave"].rate) == (2, pytest.approx(20))
    assert not bake.report.notes


def test_raised_rates_are_reported(bones):
    bake = lissom.bake(bake_rigs.character(), max_error=2e-5)
    rate = bake.clips["wave"].rate
    assert (
        f"The rate of 'wave' was raised from 30 to {rate:g} frames per second to reach max_error=2e-05."
        in bake.report.notes
    )
    clips = [bake_rigs.waving_clip(bones, name=f"wave {i}", duration=0.5 + 0.1 * i) for i in range(9)]
    notes = lissom.bake(bake_rigs.character(*clips), max_error=1e-4, dtype="float32").report.notes
    assert len(notes) == 1
    assert notes[0].startswith(
        "The rates of 9 of 9 clips were raised to reach max_error=0.0001, that of 'wave 0' most"
    )


def test_unreachable_max_error_carries_the_best_report(bones, work):
    with pytest.raises(lissom.BakeError, match="max_error=1e-09 was not reached by 1 of 1 clips") as caught:
        lissom.bake(bake_rigs.character(), max_error=1e-9)
    assert re.search(
        r"at best, at 960 frames per second in float32 and layout 'dual_quat'; allow more or bake",
        str(caught.value),
    )
    report = caught.value.report
    assert report.dtype == "float32"
    assert report.max_relative == report.clips["wave"].error.max_relative < 1e-5
    assert report.clips["wave"].rate == 960
    # Hopeless rates are not tried one by one, in this layout or in another that might hold the clip.
    assert work["measured"] <= 3 * len(LAYOUTS)
    assert work["baked"] <= 8 * len(LAYOUTS)


def test_what_no_rate_reaches_names_the_layouts_that_do(bones, work):
    """Blends of matrices cut off 20 turns a second; all others blend rotations."""
    character = bake_rigs.character(bake_rigs.spinning_clip(bones, turns=40.0, key_count=401))
    with pytest.raises(lissom.BakeError, match=r"'spin', has .* frames per second in float32") as caught:
        lissom.bake(character, max_error=1e-4, dtype="float32", layout="matrix")
    assert (
        "and layout 'matrix'; take layout='dual_quat' or 'quat_trans' or 'trs' or 'rotations' or bake it by "
    ) in str(caught.value)
    assert work["measured"] <= 5 * len(LAYOUTS)
    assert lissom.bake(character, max_error=1e-4, layout="trs").report.max_relative <= 1e-4


def test_the_error_of_a_refusal_is_the_best_that_was_tried(bones, monkeypatch):
    """A leap within less than a frame, which no rate holds: how frames lie around it is a matter of luck."""
    clip = bake_rigs.leaping_clip(bones)
    tried, store = set(), _bake_clip.store
    monkeypatch.setattr(_bake_clip, "store", lambda *given: tried.add(given[1]) or store(*given))
    with pytest.raises(lissom.BakeError) as caught:
        lissom.bake(bake_rigs.character(clip), max_error=1e-3, dtype="float32")
    stated = caught.value.report.clips["leap"].error.max_relative
    reports = [lissom.bake(bake_rigs.character(clip), rate=rate, dtype="float32").report for rate in tried]
    errors = {report.clips["leap"].rate: report.max_relative for report in reports}
    best = min(errors, key=errors.get)
    assert stated == errors[best]
    assert min(errors) < best < max(errors)


def test_a_still_clip_has_one_try(bones):
    still = lissom.Clip.from_poses(bones, [0.5], bake_rigs.waving_poses(bones)[8:9], name="still")
    assert lissom.bake(bake_rigs.character(still), max_error=1e-3).clips["still"].frame_count == 1
    with pytest.raises(lissom.BakeError, match=r"'still', has .* at 0 frames per second in float32"):
        lissom.bake(bake_rigs.character(still), max_error=1e-12)


@pytest.mark.parametrize("layout", ["dual_quat", "matrix", "quat_trans", "trs", "rotations"])
def test_every_layout_keeps_the_bound(bones, layout):
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    report = lissom.bake(character, max_error=1e-3, layout=layout).report
    assert report.layout == layout
    assert report.max_relative <= 1e-3


@pytest.mark.parametrize("rate", [1e-300, 0.01, 0.9])
def test_a_rate_of_less_than_an_interval_is_searched_from_one_interval(bones, rate, work):
    """The clip takes 1 s: all these rates are one interval, and each number of intervals can be reached."""
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    entry = lissom.bake(character, rate=rate, max_error=2e-3).clips["wave"]
    assert entry.error.max_relative <= 2e-3
    assert work["baked"] < 20
    fewer = lissom.bake(character, rate=entry.frame_count - 2).clips["wave"]
    assert fewer.frame_count == entry.frame_count - 1
    assert fewer.error.max_relative > 2e-3


def test_a_search_that_the_law_misleads_halves_its_range(bones, work, monkeypatch):
    monkeypatch.setattr(RateSearch, "_guess", lambda search: 1)
    character = bake_rigs.character(bake_rigs.waving_clip(bones, key_count=13))
    entry = lissom.bake(character, rate=0.5, max_error=5e-4).clips["wave"]
    assert entry.error.max_relative <= 5e-4
    assert work["baked"] < 30


def test_a_multiple_whose_frames_are_the_keys_is_tried_first(bones):
    """Keys that all are frames of 360 a second, and of nothing less, have corners."""
    places = np.array([0, 7, 60, 83, 150, 181, 250, 299, 360])
    poses = bake_rigs.waving_poses(bones, len(places))
    poses[1::2, :, 3:7] = poses[0, :, 3:7]
    times = (places / 360).astype(np.float32)
    clip = lissom.Clip.from_poses(bones, times, poses, name="corners")
    assert not clip.key_rate
    entry = lissom.bake(bake_rigs.character(clip), max_error=1e-3).clips["corners"]
    assert entry.rate == pytest.approx(360)
