# SPDX-License-Identifier: MIT
"""Aiming by directions in model space on rigs by others, whatever the axes of their joints; why it stops."""

import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom import ik, quat, samples
from random_rigs import random_quats
from reference import ik as twin

HEADS = {
    "characters/quaternius/animals_pack/Wolf.glb": ("Neck1", "Head"),
    "characters/quaternius/animals_pack/Horse.glb": ("Neck1", "Head"),
    "characters/khronos/Fox.glb": ("b_Neck_04", "b_Head_05"),
    "characters/kaykit/Knight.glb": ("chest", "head"),
    "characters/quaternius/single_knight_pack/KnightCharacter.glb": ("Neck", "Head"),
    "characters/raylib/robot.glb": ("Neck", "Head"),
    "wild/vrm/Godette_vrm_v4.vrm": ("neck_Armature", "head_Armature"),
    "wild/vrm/sphere.vrm": ("Neck", "Head"),
    "wild/retarget/packt/Woman.gltf": ("mixamorig:Spine1", "mixamorig:Head"),
    "wild/compressed/valid/White_M_1_Casual.glb": ("Neck", "Head"),
    "wild/retarget/bvh/walk1.bvh": ("Neck", "Head"),
}
each_rig = pytest.mark.parametrize("path", HEADS, ids=[path.rpartition("/")[2] for path in HEADS])
# Scales of files are uniform to a few units of the last place of float32, and solvers take them as uniform.
UNIFORM = 5e-6
AXIS, UP = np.array([0.0, 0, 1]), np.array([0.0, 1, 0])
HERO = samples.humanoid()
REST = HERO.skeleton.rest
EYE = (0.0, 0.1, 0.1)


def head_of(path):
    skeleton = lissom.load(asset(path)).skeleton
    names = {name.rpartition(":")[2]: name for name in skeleton.names}
    root, end = (names[name.rpartition(":")[2]] for name in HEADS[path])
    return ik.Chain(skeleton, root, end)


def rest_of(skeleton):
    rest = skeleton.rest.astype(np.float64)
    rest[:, 3:7] = quat.normalize(rest[:, 3:7])
    return rest


def carried(skeleton, joint, poses):
    """The linear part that carries directions of the rest pose along, (..., 3, 3), and the place."""
    parents = skeleton.parents
    rest = twin.model_matrices(parents, rest_of(skeleton))[joint]
    posed = twin.model_matrices(parents, np.asarray(poses, np.float64))[..., joint, :, :]
    return posed[..., :3, :3] @ np.linalg.inv(rest[:3, :3]), posed[..., :3, 3]


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def ahead(rng, place, size, count=60):
    """Targets in the half space before a head, a few sizes away."""
    ways = unit(rng.normal((0, 0, 2), 1, (count, 3)))
    ways[:, 2] = np.abs(ways[:, 2])
    return place + ways * size * rng.uniform(1, 3, (count, 1))


@each_rig
def test_directions_at_rest_meet_targets_on_rigs_by_others(path):
    chain = head_of(path)
    skeleton, end = chain.skeleton, int(chain.joints[-1])
    rest = rest_of(skeleton)
    place = skeleton.positions(rest)[end]
    size = float(np.ptp(skeleton.positions(rest), axis=0).max())
    targets = ahead(np.random.default_rng(1), place, size)
    eye = np.array([0.02, 0.05, 0.1]) * size
    for poses in (rest, rest.astype(np.float32)):
        done = ik.aim(chain, poses, targets.astype(poses.dtype), axis=AXIS, offset=eye, up=UP, behind=0)
        turn, joint = carried(skeleton, end, done.pose)
        way = targets - (joint + turn @ eye)
        ray = unit(turn @ AXIS)
        along = np.sum(way * ray, axis=1, keepdims=True)
        assert (along > 0).all()
        off = np.linalg.norm(way - along * ray, axis=1)
        assert off.max() < (UNIFORM if poses.dtype == np.float64 else 3e-5) * size
        assert done.reached.all()
        assert np.isin(done.stopped, ["reached", "already there", "degenerate up"]).all()


@each_rig
def test_one_joint_turns_axis_and_up_as_matrices_say(path):
    """Without an offset it is one rotation: of the frame of axis and up to that of target and pole."""
    chain = head_of(path)
    skeleton, end = chain.skeleton, int(chain.joints[-1])
    head = ik.Chain(skeleton, end, end)
    rest = rest_of(skeleton)
    place = skeleton.positions(rest)[end]
    targets = ahead(np.random.default_rng(2), place, 1.0)
    lines = unit(targets - place)
    targets, lines = targets[np.abs(lines @ UP) < 0.9], lines[np.abs(lines @ UP) < 0.9]
    done = ik.aim(head, rest, targets, axis=AXIS, up=UP, behind=0)
    across = unit(np.cross(UP, lines))
    expected = np.stack([across, np.cross(lines, across), lines], axis=-1)  # from axes of model space
    turn, _ = carried(skeleton, end, done.pose)
    scale = np.cbrt(np.abs(np.linalg.det(turn)))[:, None, None]
    np.testing.assert_allclose(turn / scale, expected, atol=UNIFORM)
    assert (done.stopped == "reached").all()


def test_the_wolf_of_the_how_to_looks():
    """Before, axes were those of the joint, which lie crosswise here: not reached, 0 joints at a limit."""
    wolf = lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb"))
    head = ik.limb(wolf, "Head")
    place = wolf.skeleton.positions(wolf.skeleton.rest)[head.joints[-1]]
    for way in ((0.3, 0.1, 1.0), (-0.6, 0.5, 1.0)):
        done = ik.aim(head, wolf.skeleton.rest, place + 3 * np.array(way), axis=(0, 0, 1), up=(0, 1, 0))
        assert bool(done.reached)
        assert done.stopped == "reached"


@each_rig
def test_joint_space_is_what_the_frame_of_the_joint_says(path):
    chain = head_of(path)
    skeleton, end = chain.skeleton, int(chain.joints[-1])
    rest = rest_of(skeleton)
    model = twin.model_matrices(skeleton.parents, rest)[end, :3, :3]
    eye = np.array([0.1, 0.2, 0.3])
    targets = ahead(np.random.default_rng(3), skeleton.positions(rest)[end], 2.0)
    own = np.linalg.inv(model)
    by_joint = {"axis": own @ AXIS, "offset": own @ eye, "up": own @ UP, "space": "joint"}
    a = ik.aim(chain, rest, targets, axis=AXIS, offset=eye, up=UP)
    b = ik.aim(chain, rest, targets, **by_joint)
    np.testing.assert_allclose(a.pose, b.pose, atol=1e-9)


def test_rigs_that_differ_by_the_axes_of_their_joints_look_alike():
    """The same body with other frames: the law that model space is for."""
    rng = np.random.default_rng(4)
    skeleton = HERO.skeleton
    turns = random_quats(rng, len(skeleton))
    rest = rest_of(skeleton)
    other = rest.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        before = quat.conjugate(turns[parent]) if parent >= 0 else np.array([0, 0, 0, 1.0])
        other[joint, :3] = quat.rotate(before, rest[joint, :3])
        other[joint, 3:7] = quat.multiply(quat.multiply(before, rest[joint, 3:7]), turns[joint])
    turned = lissom.Skeleton(skeleton.names, skeleton.parents, other.astype(np.float32))
    targets = ahead(rng, np.array([0, 1.6, 0]), 1.0)
    places = []
    for each in (skeleton, turned):
        gaze = ik.Chain(each, "Spine", "Head")
        done = ik.aim(gaze, rest_of(each), targets, offset=EYE, up=UP)
        places.append(each.positions(done.pose))
    np.testing.assert_allclose(places[0], places[1], atol=1e-5)


STIFF = {name: ik.SwingTwist((0.1, 0.1), (-0.1, 0.1), axis=(0, 1, 0)) for name in ("Neck", "Head")}
STOPS = [
    ([0.5, 1.6, 2.0], {}, "reached"),
    ([0.0, 40.0, 0.0], {"up": (0, 1, 0)}, "degenerate up"),
    ([0.0, 1.56, 0.01], {}, "unreachable"),
    ([0.0, 1.6, -2.0], {}, "behind"),
    ([0.0, 1.6, -2.0], {"behind": 0.0}, "reached"),
    ([2.0, 1.6, 0.4], {"limits": STIFF, "root": "Neck"}, "limit"),
    ([2.0, 1.6, 0.4], {"limits": STIFF, "root": "Neck", "max_iterations": 1}, "limit"),
    ([2.0, 1.6, 0.2], {"weight": 0.5}, "weight"),
    ([2.0, 1.6, 0.2], {"weight": 0.0}, "weight"),
]


@pytest.mark.parametrize(("target", "options", "why"), STOPS)
def test_the_result_says_why_it_stopped(target, options, why):
    options = dict(options)
    chain = ik.Chain(HERO.skeleton, options.pop("root", "Spine"), "Head", options.pop("limits", None))
    alone = ik.aim(chain, REST, target, offset=EYE, **options)
    assert alone.stopped == why
    assert ("" if why == "reached" else f"({why})") in repr(alone)
    exact = ik.aim(chain, REST.astype(np.float64), target, offset=EYE, **options)
    assert exact.stopped == why
    both = ik.aim(chain, REST, np.array([target, [0.1, 1.6, 2.0]]), offset=EYE, **options)
    assert both.stopped[0] == why
    assert both.stopped.shape == (2,)
    again = ik.aim(chain, REST, np.array(target, np.float32), offset=EYE, **options)  # by kept axes
    assert again.stopped == why


def test_a_gaze_that_is_there_says_so():
    chain = ik.Chain(HERO.skeleton, "Spine", "Head")
    for poses in (REST, rest_of(HERO.skeleton)):
        done = ik.aim(chain, poses, [0.5, 1.6, 2.0], offset=EYE, up=UP)
        assert done.stopped == "reached"
        again = ik.aim(chain, done.pose, [0.5, 1.6, 2.0], offset=EYE, up=UP)
        assert again.stopped == "already there"
        tilted = ik.aim(chain, done.pose, [0.5, 1.6, 2.0], offset=EYE, up=UP, pole=(0.2, 1, 0))
        assert tilted.stopped == "reached"  # it rolls


def test_other_solvers_say_nothing_and_results_are_pickled():
    arm = ik.limb(HERO, "hand.l")
    done = ik.fabrik(arm, REST, [0.3, 1.3, 0.3])
    assert done.stopped is None
    gaze = ik.aim(ik.Chain(HERO.skeleton, "Spine", "Head"), REST, [[0, 1.6, 2], [0, 1.6, -2]])
    for result in (done, gaze):
        copy = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(copy.pose, result.pose)
        assert np.array_equal(copy.stopped, result.stopped)


def test_an_effector_that_is_scaled_to_nothing_has_joint_space_alone():
    rest = REST.copy()
    rest[HERO.skeleton.index("Head"), 7:] = 0
    flat = lissom.Skeleton(HERO.skeleton.names, HERO.skeleton.parents, rest)
    chain = ik.Chain(flat, "Spine", "Head")
    with pytest.raises(ValueError, match=r"^ik\.aim: space must be 'joint' where the rest pose .*Head"):
        ik.aim(chain, REST, [0, 1.6, 2])
