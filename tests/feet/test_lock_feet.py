# SPDX-License-Identifier: MIT
"""Feet that do not slide: measured on the answer, between its keys, too."""

import warnings

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import quat, samples, trs
from lissom.ik import Contacts, Leg, find_contacts, foot_slide, lock_feet
from lissom.ik._feet.sliding import holding_motions

MOST = 5e-4  # of the size: what feet may slide
CHANGES = {
    "with root motion": lambda clip: clip,
    "on the spot": lambda clip: clip._edited(root_motion=None),
    "travelling": lambda clip: clip.restore_root_motion(),
}


def locked(hero, clip, **options):
    legs = Leg.find(hero)
    contacts = find_contacts(clip, legs, character=hero)
    return legs, contacts, lock_feet(clip, legs, contacts=contacts, character=hero, **options)


@pytest.mark.parametrize("name", ["walk", "run"])
@pytest.mark.parametrize(
    ("build", "change"),
    [*(("adult", change) for change in CHANGES), ("child", "travelling"), ("giant", "with root motion")],
)
def test_feet_of_the_samples_stay_where_they_stand(name, build, change):
    hero = samples.humanoid(build)
    clip = CHANGES[change](hero.clips[name])
    legs, contacts, still = locked(hero, clip)
    before, after = (foot_slide(c, legs, contacts=contacts, character=hero) for c in (clip, still))
    assert (before > 4 * MOST * hero.size).all(), "there was something to do"
    assert (after < MOST * hero.size).all()
    assert still.loop == clip.loop
    assert still.name == clip.name
    assert still.markers == clip.markers
    assert still.root_motion == clip.root_motion or still.root_motion.distance == clip.root_motion.distance
    assert (still.start, still.end) == (clip.start, clip.end)


REAL = [
    ("kaykit/Knight.glb", "Walking_A"),
    ("kaykit/Barbarian.glb", "Running_B"),
    ("godot/player.glb", "walk"),
    ("quaternius/single_knight_pack/KnightCharacter.glb", "HumanArmature|Walking"),
    ("quaternius/mech_pack/George.glb", "Run"),
]


@pytest.mark.parametrize("case", REAL, ids=str)
def test_feet_of_real_characters_stay_where_they_stand(case):
    file, name = case
    hero = lissom.load(asset(f"characters/{file}"))
    clip = hero.clips[name]
    legs, contacts, still = locked(hero, clip)
    before, after = (foot_slide(c, legs, contacts=contacts, character=hero) for c in (clip, still))
    assert (before > 0.02 * hero.size).any()
    assert (after < MOST * hero.size).all()


def ankles(hero, clip, legs, times):
    """World matrices of the ankles, (F, L, 4, 4)."""
    poses = clip.sample(times).astype(np.float64)
    joints = [hero.skeleton.index(leg.ankle) for leg in legs]
    world = hero.skeleton.model_matrices(poses)[:, joints]
    if clip.root_motion is not None:
        world = trs.to_matrix(clip.root_motion.at(times))[:, None] @ world
    return world


@pytest.mark.parametrize("name", ["walk", "run"])
def test_feet_keep_their_height_and_tilt_and_knees_their_direction(name):
    hero = samples.humanoid()
    clip = hero.clips[name]
    legs, contacts, still = locked(hero, clip)
    # At the keys: between them the paths of two clips differ by how they bend.
    before, after = (ankles(hero, c, legs, contacts.times) for c in (clip, still))
    lowest = 1e-3 * hero.size
    np.testing.assert_allclose(after[..., 1, 3], before[..., 1, 3], atol=lowest)
    np.testing.assert_allclose(after[..., 1, :3], before[..., 1, :3], atol=2e-2)  # what is up for the foot
    axes = []
    for c in (clip, still):
        model = hero.skeleton.model_matrices(c.sample(contacts.times).astype(np.float64))
        for leg in legs:
            hip, knee, ankle = (
                model[:, hero.skeleton.index(j), :3, 3] for j in (leg.hip, leg.knee, leg.ankle)
            )
            axis = np.cross(knee - hip, ankle - knee)
            axes.append(axis / np.linalg.norm(axis, axis=1, keepdims=True))
    for a, b in ((axes[0], axes[2]), (axes[1], axes[3])):
        assert np.sum(a * b, axis=1).min() > 0.9


@pytest.mark.parametrize("name", ["walk", "run"])
def test_feet_are_let_go_and_put_down_without_a_jump(name):
    """What is added to the way of the ankles has no corner: its speed changes little by little."""
    hero = samples.humanoid()
    clip = hero.clips[name]
    legs, _, still = locked(hero, clip)
    times = clip.start + np.arange(0, 2 * clip.duration, 1 / 240)
    added = ankles(hero, still, legs, times)[..., :3, 3] - ankles(hero, clip, legs, times)[..., :3, 3]
    speed = np.diff(added, axis=0) * 240
    own = np.diff(ankles(hero, clip, legs, times)[..., :3, 3], axis=0) * 240
    most = np.linalg.norm(np.diff(own, axis=0), axis=-1).max()
    assert np.linalg.norm(added, axis=-1).max() < 0.05 * hero.size
    assert np.linalg.norm(np.diff(speed, axis=0), axis=-1).max() < most


def test_a_loop_is_seamless():
    hero = samples.humanoid()
    for name in ("walk", "run", "idle"):
        _, _, still = locked(hero, hero.clips[name])
        assert still.loop is True
        first, last = still.sample([still.start, still.end], loop=False)
        assert np.abs(trs.rotation(first) - trs.rotation(last)).max() < 1e-6
        ends = still.sample([still.end - 1e-3, still.start + 1e-3]).astype(np.float64)
        joints = [hero.skeleton.index(j) for leg in Leg.find(hero) for j in (leg.hip, leg.knee, leg.ankle)]
        before = hero.clips[name].sample([still.end - 1e-3, still.start + 1e-3]).astype(np.float64)
        steps = [quat.angle_between(p[0, joints, 3:7], p[1, joints, 3:7]) for p in (ends, before)]
        assert steps[0].max() < steps[1].max() + 0.02


def straight_legs(hero, slide):
    """Both feet stand, nearly straight, and slide forwards."""
    rest = hero.skeleton.rest.astype(np.float64)
    poses = np.tile(rest, (61, 1, 1))
    hips = hero.skeleton.index("Pelvis")
    poses[:, hips, 2] += np.linspace(0, slide, 61)
    return lissom.Clip.from_poses(hero.skeleton, np.linspace(0, 1, 61), poses, name="glide", loop=False)


def standing(clip, legs):
    contacts = find_contacts(clip, legs)
    curves = np.ones_like(contacts.curves)
    return lissom.ik.Contacts(
        contacts.times, curves, contacts.names, None, contacts.heights, contacts.speeds, np.zeros(3)
    )


def test_the_body_is_lowered_where_legs_are_too_short_and_feet_give_way_where_that_is_not_enough():
    hero = samples.humanoid()
    legs = Leg.find(hero)
    clip = straight_legs(hero, 0.5)
    contacts = standing(clip, legs)
    slid = foot_slide(clip, legs, contacts=contacts)
    assert (slid > 0.4).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        still = lock_feet(clip, legs, contacts=contacts, lower=0.1)
    assert (foot_slide(still, legs, contacts=contacts) < MOST * hero.size).all()
    hips = hero.skeleton.index("Pelvis")
    times = np.linspace(0, 1, 241)
    heights = [hero.skeleton.positions(c.sample(times))[:, hips, 1] for c in (clip, still)]
    drop = heights[0] - heights[1]
    assert 0.005 < drop.max() < 0.1 * hero.size + 1e-4
    assert np.abs(np.diff(drop, 2)).max() < 2e-3 * drop.max(), "smoothly"
    with pytest.warns(
        UserWarning, match=r"lock_feet: 'Foot\.L', 'Foot\.R' still slide by .* in clip 'glide'"
    ):
        held = lock_feet(clip, legs, contacts=contacts, lower=0.0)
    assert (foot_slide(held, legs, contacts=contacts) < slid).all()
    np.testing.assert_array_equal(
        hero.skeleton.positions(held.sample(times))[:, hips],
        hero.skeleton.positions(clip.sample(times))[:, hips],
    )


@pytest.mark.parametrize("lower", [0.01, 0.02])
def test_the_body_is_lowered_no_farther_than_allowed(lower):
    """Legs that would need more stretch out; the body stays at the bound for as long as they do."""
    hero = samples.humanoid()
    legs = Leg.find(hero)
    clip = straight_legs(hero, 1.0)
    with pytest.warns(UserWarning, match=r"since legs cannot reach; a larger lower= lowers the body farther"):
        still = lock_feet(clip, legs, contacts=standing(clip, legs), lower=lower)
    hips = hero.skeleton.index("Pelvis")
    times = np.linspace(0, 1, 241)
    before, after = (hero.skeleton.positions(c.sample(times))[:, hips, 1] for c in (clip, still))
    drop = (before - after) / hero.skeleton.size  # no mesh is passed
    assert drop.max() == pytest.approx(lower, rel=1e-4)
    assert (drop > 0.999 * lower).mean() > 0.1


def test_a_foot_that_rolls_is_not_held_by_one_point():
    """A wheel rolls: no point of it stays, what carries it does not slide, and nothing is to be done."""
    spokes = np.exp(2j * np.pi * np.arange(64) / 64)
    angles = np.linspace(0, 1.5, 200)
    rim = 1j + spokes * np.exp(-1j * angles)[:, None] + angles[:, None]  # real part: forwards, imaginary: up
    weights = np.exp(-(rim.imag - rim.imag.min(axis=1, keepdims=True)) / 1e-4)
    weights /= weights.sum(axis=1, keepdims=True)
    rolling = holding_motions(rim.real.astype(complex), weights, 1.0)
    assert np.abs(rolling.translations).max() < 0.05
    skidding = holding_motions(1.3 * angles[:, None] + (rim.real - angles[:, None]) + 0j, weights, 1.0)
    slid = (skidding.translations[-1] - skidding.translations[0]).real
    assert slid == pytest.approx(-0.3 * 1.5, abs=0.05)


def test_what_has_no_contact_is_left_alone():
    hero = samples.humanoid()
    legs = Leg.find(hero)
    clip = hero.clips["run"]
    contacts = find_contacts(clip, legs)
    none = lissom.ik.Contacts(
        contacts.times,
        np.zeros_like(contacts.curves),
        contacts.names,
        contacts.period,
        contacts.heights,
        contacts.speeds,
        contacts.ground_velocity,
    )
    times = np.linspace(clip.start, clip.end, 50)
    same = lock_feet(clip, legs, contacts=none)
    np.testing.assert_array_equal(same.sample(times), clip.sample(times))
    assert not foot_slide(clip, legs, contacts=none).any()


def test_other_joints_keep_their_keys():
    hero = samples.humanoid()
    clip = hero.clips["walk"]
    legs, _, still = locked(hero, clip)
    moved = {hero.skeleton.index(j) for leg in legs for j in (leg.hip, leg.knee, leg.ankle)}
    moved.add(hero.skeleton.index("Pelvis"))
    times = np.random.default_rng(0).uniform(clip.start, clip.end, 100)
    others = [joint for joint in range(len(hero.skeleton)) if joint not in moved]
    np.testing.assert_array_equal(still.sample(times)[:, others], clip.sample(times)[:, others])
    smaller = still.optimized(max_error=1e-3)
    assert smaller.keys.size < 0.7 * still.keys.size


def test_a_mirrored_character_gives_the_mirrored_clip():
    """Below a joint that is scaled by -1 along x all is as it is without, in the mirror."""
    hero = samples.humanoid()
    legs, clip = Leg.find(hero.skeleton), hero.clips["walk"]
    times = np.linspace(clip.start, clip.end, 67)
    poses = clip.sample(times, loop=False).astype(np.float64)

    def below(scale):
        top = np.array([0, 0, 0, 0, 0, 0, 1, scale, 1, 1], float)
        rest = np.concatenate([top[None], hero.skeleton.rest])
        rig = lissom.Skeleton(["Top", *hero.skeleton.names], [-1, *(hero.skeleton.parents + 1)], rest)
        given = np.concatenate([np.broadcast_to(top, (len(times), 1, 10)), poses], axis=1)
        still = lock_feet(lissom.Clip.from_poses(rig, times, given, loop=False), legs)
        return rig.positions(still.sample(times, loop=False)) * [scale, 1, 1]

    np.testing.assert_allclose(below(-1), below(1), atol=1e-5)


def test_legs_that_nothing_joins_are_lowered_together():
    """Two legs, each a root of its own: both hips go down, or the body would tilt."""
    rest = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (6, 1))
    rest[[0, 3], 1], rest[[1, 2, 4, 5], 1] = 2.0, -1.0
    rest[[0, 3], 0] = -0.3, 0.3
    rig = lissom.Skeleton(list("abcdef"), [-1, 0, 1, -1, 3, 4], rest)
    times = np.linspace(0.0, 1.0, 61)
    poses = np.tile(rest, (61, 1, 1))
    poses[:, [0, 3], 2] = 0.05 * np.sin(2 * np.pi * times)[:, None]  # straight legs slide forth and back
    clip = lissom.Clip.from_poses(rig, times, poses, loop=False)
    legs = [Leg("a", "b", "c"), Leg("d", "e", "f")]
    still_feet = Contacts(times, np.ones((61, 2)), ("c", "f"), None, *np.zeros((2, 61, 2)), np.zeros(3))
    still = lock_feet(clip, legs, contacts=still_feet)
    hips = still.sample(times)[:, [0, 3], 1]
    assert hips.min() < 2 - 2e-4
    np.testing.assert_allclose(hips[:, 0], hips[:, 1], atol=1e-6)
    assert (foot_slide(still, legs, contacts=still_feet) < MOST * rig.size).all()


def test_bad_input_is_named():
    hero = samples.humanoid()
    legs, clip = Leg.find(hero), hero.clips["walk"]
    contacts = find_contacts(clip, legs, character=hero)
    with pytest.raises(TypeError, match="lock_feet: clip must be a Clip, got ndarray"):
        lock_feet(hero.skeleton.rest, legs)
    with pytest.raises(TypeError, match="lock_feet: contacts must be Contacts, got list"):
        lock_feet(clip, legs, contacts=[])
    with pytest.raises(ValueError, match=r"contacts must be of the legs Foot\.L, got Foot\.L, Foot\.R"):
        lock_feet(clip, legs[:1], contacts=contacts)
    with pytest.raises(ValueError, match="additive"):
        lock_feet(lissom.make_additive(clip, hero.skeleton.rest), legs)
    with pytest.raises(ValueError, match="blend"):
        lock_feet(clip, legs, blend=-1.0)
    with pytest.raises(ValueError, match="lower"):
        lock_feet(clip, legs, lower=-1.0)
    with pytest.raises(ValueError, match="foot_slide: rate"):
        foot_slide(clip, legs, rate=0.0)
