# SPDX-License-Identifier: MIT
"""When which foot stands: against the plan of the sample gaits, and on real clips that keep to none."""

import copy
import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import samples, trs
from lissom.ik import Leg, find_contacts
from lissom.ik._feet.stances import Spans
from lissom.samples import _gait as gait

GAITS = {"walk": gait.WALK, "run": gait.RUN}
# At 60 looks a second, with the speed at a look taken from its neighbours, a beginning or end may come two
# looks early; leaving takes until the toes have speed and height: up to three.
EARLY, LATE = 2.5 / 60, 3.5 / 60


@pytest.fixture(params=["adult", "child", "giant"])
def hero(request):
    return samples.humanoid(request.param)


def found(character, clip, **options):
    return find_contacts(clip, Leg.find(character), character=character, **options)


def on_the_spot(clip):
    return clip._edited(root_motion=None)


@pytest.mark.parametrize("name", GAITS)
@pytest.mark.parametrize(
    "change",
    [lambda clip: clip, on_the_spot, lambda clip: clip.restore_root_motion()],
    ids=["with root motion", "on the spot", "travelling"],
)
def test_stances_are_those_of_the_plan(hero, name, change):
    clip = change(hero.clips[name])
    contacts = found(hero, clip)
    for leg, lands in ((0, 0.0), (1, 0.5)):
        begin, end = np.array([lands, lands + GAITS[name].stance]) * clip.duration
        stances = contacts.stances(leg)
        if clip.loop:
            assert len(stances) == 1
            first, last = stances[0]
            off = clip.duration * round((first - begin) / clip.duration)
            assert -EARLY <= first - off - begin <= EARLY
            assert -EARLY <= last - off - end <= LATE
        else:  # cut where the clip is
            times = contacts.times
            phase = (times - begin) % clip.duration
            core = (phase > EARLY) & (phase < end - begin - EARLY)
            assert (contacts.curves[core, leg] == 1).all()
            swing = (phase > end - begin + 0.1 + LATE) & (phase < clip.duration - 0.1 - EARLY)
            assert (contacts.curves[swing, leg] == 0).all()


def test_a_treadmill_is_found_to_move(hero):
    clip = on_the_spot(hero.clips["walk"])
    velocity = found(hero, clip).ground_velocity
    np.testing.assert_allclose(velocity, [0, 0, -hero.clips["walk"].root_motion.speed], atol=0.02)


def test_a_t_pose_before_the_motion_hides_no_stance(hero):
    """Recordings begin with a frame of the T-pose, somewhere else and at another height."""
    clip = hero.clips["walk"].restore_root_motion()
    seconds = np.arange(0, clip.duration, 1 / 120)
    poses = clip.sample(seconds, loop=False).astype(np.float64)
    before = hero.skeleton.rest.astype(np.float64)[None].copy()
    before[0, 0, :3] += np.array([0.2, -0.1, 0.5]) * hero.size
    plain = find_contacts((seconds, poses), Leg.find(hero), character=hero)
    times, recorded = np.append(seconds, seconds[-1] + 1 / 120), np.concatenate([before, poses])
    contacts = find_contacts((times, recorded), Leg.find(hero), character=hero)
    assert (plain.curves[2:] == 1).any(axis=0).all()
    np.testing.assert_array_equal(contacts.ground_velocity, 0)
    np.testing.assert_array_equal(contacts.curves[3:] == 1, plain.curves[2:] == 1)


def test_a_moment_in_the_ground_hides_no_stance(hero):
    """Recordings dip below their ground, wherever it is, where a marker slipped."""
    seconds = np.linspace(0, 4, 241)
    poses = on_the_spot(hero.clips["walk"]).sample(seconds).astype(np.float64)
    poses[:, 0, 1] += 0.1 * hero.size
    plain = find_contacts((seconds, poses), Leg.find(hero), character=hero)
    poses[100:102, 0, 1] -= 0.03 * hero.size
    contacts = find_contacts((seconds, poses), Leg.find(hero), character=hero)
    after = seconds > 2
    assert (plain.curves[after] == 1).any(axis=0).all()
    np.testing.assert_array_equal(contacts.curves[after] == 1, plain.curves[after] == 1)


def test_the_ground_stands_below_a_body_that_travels(hero):
    """Also where its feet slide, as after a change of speed: no treadmill carries the hips along."""
    clip = hero.clips["walk"].restore_root_motion()
    seconds = np.linspace(0, clip.duration, 80)
    poses = clip.sample(seconds, loop=False).astype(np.float64)
    poses[:, 0, :3] += 0.25 * (poses[:, 0, :3] - poses[0, 0, :3])
    contacts = find_contacts((seconds, poses), Leg.find(hero), character=hero)
    np.testing.assert_array_equal(contacts.ground_velocity, 0)


def test_who_stands_stands(hero):
    assert (found(hero, hero.clips["idle"]).curves == 1).all()


@pytest.mark.parametrize("slide", [0.04, 0.049, 0.051, 0.06])
def test_a_slow_foot_stands_below_a_twentieth_of_the_size_per_second(slide):
    """All of a leg slides for 0.6 of 4 seconds: no other motion makes that speed slow."""
    local = trs.identity(3).astype(np.float64)
    local[:, :3] = [[0, 0.8, 0], [0, -0.4, 0.3], [0, -0.4, -0.3]]
    leg = lissom.Skeleton(["hip", "knee", "ankle"], [-1, 0, 1], local)
    times = np.arange(241) / 60
    poses = np.repeat(local[None], len(times), axis=0)
    poses[:, 0, 2] += slide * leg.size * np.clip(times - 2, 0, 0.6)
    contacts = find_contacts((times, poses), [Leg(0, 1, 2)], character=leg)
    sliding = (times > 2.05) & (times < 2.55)
    np.testing.assert_allclose(contacts.speeds[sliding], slide * leg.size, rtol=1e-4)
    stands = contacts.curves[(times > 2.2) & (times < 2.4)]
    assert (stands == (1 if slide < 0.05 else 0)).all()


def test_curves_are_smooth_and_loops_have_no_seam(hero):
    contacts = found(hero, hero.clips["walk"])
    around = np.vstack([contacts.curves, contacts.curves[:1]])
    # A smoothstep over a tenth of a second rises at most by 1.5 * 6 of it per second.
    assert np.abs(np.diff(around, axis=0)).max() < 15.1 / 60
    assert contacts.curves.min() == 0
    assert contacts.curves.max() == 1
    period = contacts.period
    np.testing.assert_allclose(contacts.sample(0.3 + 3 * period), contacts.sample(0.3), atol=1e-9)
    np.testing.assert_array_equal(contacts.sample(contacts.times), contacts.curves)


def test_where_the_clip_begins_does_not_matter(hero):
    clip = on_the_spot(hero.clips["walk"])
    times = clip.start + np.arange(66) / 66 * clip.duration
    turned = lissom.Clip.from_poses(
        clip.skeleton, np.append(times, clip.end), clip.sample(np.append(times, clip.end) + 0.4), loop=True
    )
    here = found(hero, turned, rate=60).sample(times)
    there = found(hero, clip, rate=60).sample(times + 0.4)
    assert np.mean(np.abs(here - there)) < 0.02


def test_moving_and_turning_the_character_changes_nothing(hero):
    clip = hero.clips["walk"].restore_root_motion()
    times = np.linspace(clip.start, clip.end, 67)
    poses = clip.sample(times).astype(np.float64)
    legs = Leg.find(hero)
    plain = find_contacts((times, poses), legs, character=hero)
    move = trs.from_parts(
        translation=[3.0, 0.0, -2.0], rotation=lissom.quat.from_axis_angle([0, 1, 0], 1.1)
    ).astype(np.float64)
    moved = poses.copy()
    moved[:, 0] = trs.compose(move, poses[:, 0])
    other = find_contacts((times, moved), legs, character=hero)
    np.testing.assert_allclose(other.curves, plain.curves, atol=1e-6)


def test_short_gaps_are_none(hero):
    clip = hero.clips["walk"]
    gap = (1 - gait.WALK.stance) * clip.duration
    assert (found(hero, clip, min_duration=1.1 * gap).curves == 1).all()
    assert (found(hero, clip, min_duration=0.5 * gap).curves < 1).any(axis=0).all()


def spans(text, period):
    holds = np.array([letter == "#" for letter in text])
    return Spans.of(holds, np.arange(len(text)) / 10, period)


@pytest.mark.parametrize(
    ("text", "period", "expected"),
    [
        ("..##..#.", None, [(0.2, 0.3), (0.6, 0.6)]),
        ("##....##", None, [(0.0, 0.1), (0.6, 0.7)]),
        ("##....##", 0.8, [(0.6, 0.9)]),
        ("########", 0.8, [(0.0, 0.8)]),
        ("........", 0.8, []),
    ],
)
def test_spans(text, period, expected):
    np.testing.assert_allclose(np.ravel(spans(text, period).seconds()), np.ravel(expected))


def test_spans_without_gaps_and_lasting():
    np.testing.assert_allclose(
        spans("##.##...##.", None).without_gaps(0.25).seconds(), [(0, 0.4), (0.8, 0.9)]
    )
    np.testing.assert_allclose(spans("##.##...##.", 1.1).without_gaps(0.25).seconds(), [(0.8, 1.5)])
    assert spans("..#..###.", 0.9).lasting(0.15).seconds() == [(0.5, pytest.approx(0.7))]
    # What the ends of a clip cut may have lasted.
    assert len(spans("#....#..#", None).lasting(0.15).seconds()) == 2


def test_ramps_share_the_time_between_two_stances():
    curve = spans("##....##..", 1.0).ramps(0.15)
    assert curve[[0, 1, 6, 7]].tolist() == [1, 1, 1, 1]
    np.testing.assert_allclose(curve[[2, 5]], 7 / 27)  # a third of the ramp away from its foot
    np.testing.assert_allclose(curve[[3, 4]], 0, atol=1e-12)
    np.testing.assert_allclose(curve[[8, 9]], 7 / 27)
    assert (spans("##....##..", 1.0).ramps(0.0)[[2, 8]] == 0).all()


# Share of the clip in which a foot stands, as seen in pictures of the clips: (least, most) over the feet.
REAL = {
    ("kaykit/Knight.glb", "Walking_A"): (0.55, 0.7),
    ("kaykit/Knight.glb", "Running_A"): (0.2, 0.4),
    ("khronos/Fox.glb", "Walk"): (0.3, 0.7),
    ("khronos/cesium_man.gltf", "clip_0"): (0.3, 0.65),
    ("quaternius/animals_pack/Wolf.glb", "AnimalArmature|Walk"): (0.4, 0.7),
    ("quaternius/single_knight_pack/KnightCharacter.glb", "HumanArmature|Walking"): (0.5, 0.7),
    ("quaternius/mech_pack/George.glb", "Walk"): (0.45, 0.75),
    ("quaternius/easy_enemies_pack/Spider.glb", "SpiderArmature|Spider_Walk"): (0.45, 0.7),
    ("quaternius/dinosaurs_pack/Trex.glb", "Armature|TRex_Walk"): (0.45, 0.65),
}


@pytest.mark.parametrize("case", REAL, ids=lambda c: "-".join(c))
def test_real_characters_stand_once_in_a_stride(case):
    character = lissom.load(asset(f"characters/{case[0]}"))
    contacts = found(character, character.clips[case[1]])
    least, most = REAL[case]
    stands = contacts.curves >= 1
    for leg, name in enumerate(contacts.names):
        assert least <= stands[:, leg].mean() <= most, name
        beginnings = np.count_nonzero(stands[:, leg] & ~np.roll(stands[:, leg], 1))
        assert beginnings == 1, name
    if len(contacts.names) == 2:  # by turns
        shift = len(stands) // 2
        assert np.mean(np.roll(stands[:, 0], shift) == stands[:, 1]) > 0.8


def test_contacts_copy_and_pickle(hero):
    contacts = found(hero, hero.clips["walk"])
    for other in (copy.deepcopy(contacts), pickle.loads(pickle.dumps(contacts))):
        np.testing.assert_array_equal(other.curves, contacts.curves)
        assert repr(other) == repr(contacts)
    assert contacts.stances("Foot.L") == contacts.stances(0)


HERO = samples.humanoid()
WALK, LEGS = HERO.clips["walk"], Leg.find(HERO)
POSES = WALK.sample([0.0, 0.1])
BAD = [
    (
        lambda: find_contacts("walk", LEGS),
        TypeError,
        r"motion must be a Clip or a pair \(times, poses\), got",
    ),
    (
        lambda: find_contacts(([0, 1], POSES), LEGS),
        ValueError,
        "character must be .* where motion is a pair",
    ),
    (lambda: find_contacts(WALK, []), ValueError, "legs must hold at least one Leg, got none; Leg.find"),
    (lambda: find_contacts(WALK, ["Foot.L"]), TypeError, "legs must hold Leg, got str"),
    (lambda: find_contacts(WALK, "Foot.L"), TypeError, "legs must be a sequence of Leg, got str"),
    (lambda: find_contacts(WALK, [LEGS[0], LEGS[0]]), ValueError, "legs must not share joints"),
    (lambda: find_contacts(WALK, LEGS, rate=0), ValueError, "find_contacts: rate must be above zero"),
    (lambda: find_contacts(WALK, LEGS, ramp=-1), ValueError, "find_contacts: ramp must be finite and at le"),
    (
        lambda: find_contacts(WALK, LEGS, height=(0.2, 0.1)),
        ValueError,
        "height must have .enter, leave. with",
    ),
    (lambda: find_contacts(WALK, LEGS, speed=0.2), TypeError, r"speed must be a pair of numbers \(enter, l"),
    (lambda: find_contacts(WALK, LEGS, up=(0, 0, 0)), ValueError, "find_contacts: up must not be zero"),
    (
        lambda: find_contacts(([0, 0], POSES), LEGS, character=HERO),
        ValueError,
        "times must be finite and increase strictly",
    ),
    (
        lambda: find_contacts(([0, 1], POSES[:, :5]), LEGS, character=HERO),
        ValueError,
        r"poses \(F, 34, 10\), F at least 1, got \(2,\) and \(2, 5, 10\)",
    ),
    (
        lambda: find_contacts(([0, 1], POSES * np.float32(np.nan)), LEGS, character=HERO),
        ValueError,
        "poses must be finite, got NaN or infinity at joint 'Pelvis' of frame 0",
    ),
    (
        lambda: find_contacts(samples.twisted_bar().clips["twist"], LEGS, character=HERO),
        ValueError,
        "must be of the same skeleton",
    ),
    (lambda: find_contacts(WALK, LEGS).sample(np.nan), ValueError, "Contacts.sample: times must be finite"),
    (
        lambda: find_contacts(WALK, LEGS).stances("Hand"),
        ValueError,
        "Contacts.stances: no leg is named 'Hand'; there are: 'Foot.L', 'Foot.R'",
    ),
    (lambda: find_contacts(WALK, LEGS).stances(2), ValueError, r"leg must be in \[0, 2\), got 2"),
    (lambda: find_contacts(WALK, LEGS).stances(-3), ValueError, r"leg must be in \[0, 2\), got -3"),
    (lambda: find_contacts(WALK, LEGS).stances(1.0), TypeError, "leg must be a name or an index, got float"),
    (
        lambda: find_contacts(lissom.make_additive(WALK, POSES[0]), LEGS),
        ValueError,
        "find_contacts: clip 'walk.*' must hold poses, got an additive clip; add it to a pose first",
    ),
]


@pytest.mark.parametrize("case", BAD, ids=[message for *_, message in BAD])
def test_says_what_is_wrong(case):
    call, kind, message = case
    with pytest.raises(kind, match=message):
        call()
