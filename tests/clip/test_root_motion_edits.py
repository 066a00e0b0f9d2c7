# SPDX-License-Identifier: MIT
"""Clips in place are edited, copied and saved with their root motion."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from lissom import samples, trs
from lissom.clip import ROTATION, TRANSLATION
from lissom.clip._tracks import unpacked
from root_motion_laws import BETWEEN, differ, key_times, places, walk_in_an_arc


@pytest.fixture
def bow():
    return walk_in_an_arc()


def test_markers_loop_and_name_stay(bow):
    marked = bow._edited(markers=[(0.2, "left"), (0.7, "right")], loop=True)
    for clip in (marked.extract_root_motion(), marked.extract_root_motion().restore_root_motion()):
        assert clip.markers == marked.markers
        assert clip.name == bow.name
        assert clip.loop is (clip.root_motion is not None)


def test_the_loop_is_guessed_anew(bow):
    assert bow.loop is False
    place = bow.extract_root_motion()
    assert place.loop is True
    assert place.root_motion.loop is True
    assert place.restore_root_motion().loop is False


def test_looping_in_place_is_travelling_on(bow):
    """The second turn of the clip in place, moved by its root motion, is the clip, begun at its end."""
    place = bow.extract_root_motion()
    motion, skeleton = place.root_motion, place.skeleton
    times = np.linspace(0.05, bow.duration - 0.05, 9)
    first = places(skeleton, bow.sample(times))
    second = trs.transform_point(
        motion.at(times + bow.duration)[:, None, None], places(skeleton, place.sample(times + bow.duration))
    )
    np.testing.assert_allclose(second, trs.transform_point(motion.cycle, first), atol=3e-4)


def test_other_tracks_are_as_they_were(bow):
    place = bow.extract_root_motion()
    old, new = ({(t.joint, t.path): t for t in unpacked(c.keys, c.tracks)} for c in (bow, place))
    assert old.keys() == new.keys()
    for joint, path in old.keys() - {(0, TRANSLATION), (0, ROTATION)}:
        np.testing.assert_array_equal(old[joint, path].values, new[joint, path].values)
        np.testing.assert_array_equal(old[joint, path].times, new[joint, path].times)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))])
def test_copies_have_it(bow, duplicate):
    place = bow.extract_root_motion()
    other = duplicate(place)
    times = np.linspace(-2, 2, 20)
    np.testing.assert_array_equal(other.root_motion.at(times), place.root_motion.at(times))
    assert other.root_motion.joints == ("Pelvis",)


EDITS = {
    "trimmed": lambda c: c.trimmed(0.2, 0.8),
    "reversed": lambda c: c.reversed(),
    "at_speed": lambda c: c.at_speed(1.7),
    "retimed": lambda c: c.retimed([0, 0.5, c.end], [0, 0.7, 1.5]),
    "shifted": lambda c: c.shifted(3.0),
    "mirrored": lambda c: c.mirrored(),
    "there_and_back": lambda c: c.there_and_back(),
    "resampled": lambda c: c.resampled(60),
    "renamed": lambda c: c.renamed("other"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_the_clip_in_place_is_that_of_the_clip(bow, name):
    edited = EDITS[name](bow)
    back = EDITS[name](bow.extract_root_motion()).restore_root_motion(max_error=1e-6)
    assert (back.start, back.end) == pytest.approx((edited.start, edited.end), abs=1e-6)
    assert differ(edited, back, np.linspace(edited.start, edited.end, 200)) < 2e-6


def test_turns_joined_are_turns_looped(bow):
    place = bow.extract_root_motion()
    joined = place.concatenated(place)
    times = np.linspace(0, 2 * place.duration - 0.01, 99)
    wanted = trs.transform_point(
        place.root_motion.at(times)[:, None, None], places(place.skeleton, place.sample(times))
    )
    got = places(place.skeleton, joined.restore_root_motion().sample(times, loop=False))
    np.testing.assert_allclose(got, wanted, atol=1e-5)


def test_root_motion_is_saved_and_loaded(bow, tmp_path):
    hero, place = samples.humanoid(), bow.extract_root_motion()
    lissom.save_glb(
        lissom.Character(hero.name, hero.skeleton, hero.mesh, hero.skin, [place]), tmp_path / "hero.glb"
    )
    loaded = lissom.load(tmp_path / "hero.glb").clips["walk"]
    times = np.linspace(0, 5, 40)
    np.testing.assert_allclose(loaded.root_motion.at(times), place.root_motion.at(times), atol=1e-6)
    assert differ(loaded.restore_root_motion(), bow, np.linspace(0, bow.end, 50)) < BETWEEN


def test_keys_do_not_stand_next_to_each_other(bow):
    """Times of root motion and clip that differ by rounding alone."""
    for clip in (bow, bow.extract_root_motion()):
        assert np.diff(key_times(clip)).min() > 1e-4
