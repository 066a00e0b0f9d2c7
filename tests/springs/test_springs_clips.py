# SPDX-License-Identifier: MIT
"""Springs baked into clips: loops that close, and clips that do not loop."""

import numpy as np
import pytest

import lissom
from lissom import SpringChain, Springs, quat, trs

HERO = lissom.samples.humanoid()
STRAND = SpringChain(["Head"], stiffness=0.5, drag=0.2, gravity=0.2, end=0.2)


def springs(**options):
    return Springs(HERO, [SpringChain(["Head"], end=0.2, **options)])


def at_keys(clip):
    """Poses at the times of the keys of the head."""
    times = np.linspace(clip.start, clip.end, round(clip.duration * 60) + 1)
    return times, clip.sample(times, loop=False).astype(np.float64)


@pytest.mark.parametrize("name", ["walk", "run", "idle"])
def test_a_loop_is_closed_and_says_its_seam(name):
    made = Springs(HERO, [STRAND])
    clip = made.simulate(HERO.clips[name])
    assert clip.loop is True
    assert clip.name == name
    first, last = clip.sample([clip.start, clip.end], loop=False)
    np.testing.assert_allclose(
        first[HERO.skeleton.index("Head")], last[HERO.skeleton.index("Head")], atol=2e-7
    )
    seam = made.seams[name]
    assert 0 <= seam.angle < 1e-5
    assert seam.joint == "Head"
    assert seam.faded == 0


def test_a_loop_is_what_a_body_shows_that_has_walked_for_long():
    walk = HERO.clips["walk"]
    made = Springs(HERO, [STRAND])
    baked = made.simulate(walk)
    times, poses = at_keys(walk)
    places = walk.root_motion.at(times, loop=False)
    # Thirty cycles, each where the one before ended.
    start = trs.identity(dtype=np.float64)
    made.step(poses[0], 0, world=places[0])
    for _ in range(30):
        shown = [
            made.step(p, 1 / 60, world=trs.compose(start, w))
            for p, w in zip(poses[1:], places[1:], strict=True)
        ]
        start = trs.compose(start, places[-1])
    _, expected = at_keys(baked)
    head = HERO.skeleton.index("Head")
    apart = quat.angle_between(np.array(shown)[:, head, 3:7], expected[1:, head, 3:7])
    assert apart.max() < 1e-5
    assert quat.angle_between(expected[:, head, 3:7], poses[:, head, 3:7]).max() > 0.01


def test_what_does_not_settle_is_faded():
    """Without drag and stiffness a tail swings on, at a rate that is not the clip's."""
    made = springs(stiffness=0.02, drag=0.0, gravity=(0, 0.0, 0.003))
    clip = made.simulate(HERO.clips["walk"])
    seam = made.seams["walk"]
    assert seam.angle > 0.01
    assert seam.cycles >= 54
    assert 0.2 < seam.faded < 0.3
    _, poses = at_keys(clip)
    turns = quat.angle_between(poses[1:, :, 3:7], poses[:-1, :, 3:7]).max(axis=-1)
    assert quat.angle_between(poses[0, :, 3:7], poses[-1, :, 3:7]).max() < 1e-6
    assert turns[-15:].max() < 3 * turns[:-15].max()  # no jump


def test_a_clip_that_does_not_loop_begins_at_rest():
    wave = HERO.clips["wave"]
    made = Springs(HERO, [STRAND])
    clip = made.simulate(wave)
    assert clip.loop is False
    assert not made.seams
    _times, poses = at_keys(wave)
    live = [made.step(pose, 1 / 60 if n else 0) for n, pose in enumerate(poses)]
    _, got = at_keys(clip)
    np.testing.assert_allclose(got[..., 3:7], np.array(live)[..., 3:7], atol=2e-6)


def test_everything_else_of_a_clip_stays():
    walk = HERO.clips["walk"].with_markers([(0.2, "step")])
    clip = Springs(HERO, [STRAND]).simulate(walk)
    assert clip.markers == walk.markers
    assert clip.root_motion is walk.root_motion
    times = np.linspace(0, 1, 37)
    others = np.arange(len(HERO.skeleton)) != HERO.skeleton.index("Head")
    np.testing.assert_array_equal(clip.sample(times)[:, others], walk.sample(times)[:, others])


def test_root_motion_is_felt():
    walk = HERO.clips["walk"]
    in_place = walk._edited(root_motion=None)
    head = HERO.skeleton.index("Head")
    made = Springs(HERO, [SpringChain(["Head"], stiffness=0.3, drag=0.8, end=0.2)])
    travels, stays = (made.simulate(clip).sample(0.3)[head, 3:7] for clip in (walk, in_place))
    assert quat.angle_between(travels, stays) > 0.1  # the wind of walking


def test_a_clip_of_one_moment_hangs():
    pose = lissom.Clip.from_poses(HERO.skeleton, [0.0], HERO.skeleton.rest[None], name="pose")
    made = springs(stiffness=0.1, gravity=(1, 0, 0), drag=0.3)
    loop = made.simulate(pose, loop=True)
    assert loop.duration == 0
    head = HERO.skeleton.index("Head")
    matrix = HERO.skeleton.model_matrices(loop.sample(0.0).astype(np.float64))[head, :3, :3]
    rest = HERO.skeleton.model_matrices(HERO.skeleton.rest.astype(np.float64))[head, :3, :3]
    line = HERO.skeleton.positions(HERO.skeleton.rest.astype(np.float64))
    up = line[head] - line[HERO.skeleton.parents[head]]
    hangs = matrix @ rest.T @ (up / np.linalg.norm(up))
    # Where h stiffness u + h gravity points: a tenth up, one to the side.
    expected = 0.1 * up / np.linalg.norm(up) + [1, 0, 0]
    np.testing.assert_allclose(hangs, expected / np.linalg.norm(expected), atol=1e-5)


def test_a_character_of_float64_clips_keeps_them():
    walk = HERO.clips["walk"]
    double = lissom.Clip("walk", walk.skeleton, walk.keys.astype(np.float64), walk.tracks, loop=True)
    assert Springs(HERO, [STRAND]).simulate(double).keys.dtype == np.float64


@pytest.mark.parametrize(
    ("clip", "options", "error", "says"),
    [
        (
            np.zeros(3),
            {},
            TypeError,
            "Springs.simulate: clip must be a Clip, got ndarray; Springs.step takes poses",
        ),
        (HERO.clips["walk"], {"loop": 1}, TypeError, "Springs.simulate: loop must be True or False, got int"),
        (
            lissom.make_additive(HERO.clips["walk"], HERO.skeleton.rest),
            {},
            ValueError,
            "Springs.simulate: clip must not be additive, got 'walk'; add it to a pose first",
        ),
        (
            lissom.samples.twisted_bar().clips["bend"],
            {},
            ValueError,
            "Springs.simulate: 'bend' must be of the same skeleton, but joint 0 is ",
        ),
    ],
    ids=["array", "loop", "additive", "skeleton"],
)
def test_clips_that_do_not_fit_are_refused(clip, options, error, says):
    with pytest.raises(error) as caught:
        Springs(HERO, [STRAND]).simulate(clip, **options)
    assert str(caught.value).startswith(says)


def test_a_clip_there_and_back_is_no_loop():
    clip = HERO.clips["wave"]._edited(loop="ping_pong")
    made = Springs(HERO, [STRAND])
    assert made.simulate(clip).loop is False
    with pytest.raises(
        ValueError, match=r"there and back where it is to loop, got 'wave'; Clip\.there_and_back"
    ):
        made.simulate(clip, loop=True)
