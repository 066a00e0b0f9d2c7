# SPDX-License-Identifier: MIT
"""What a user may get wrong with chains, limits and solvers, and what is said of it.

One table: each sentence names the function and the argument, says what was expected and what came, and what
to do where that is not plain. What looks like bad input and has an answer is below: it is answered.
"""

from collections.abc import Callable

import numpy as np
import pytest

import lissom
from ik_solvers import ITERATIVE, SOLVERS, each_iterative, each_solver
from lissom import Skeleton
from lissom.ik import BallSocket, Chain, Hinge, SwingTwist
from random_rigs import random_quats
from reference import ik as twin

HERO = lissom.samples.humanoid()
RIG = HERO.skeleton
REST = RIG.rest.astype(np.float64)
ARM = Chain(RIG, "UpperArm.L", "Hand.L")
OTHER = Chain(RIG, "UpperArm.R", "Hand.R")
LOWER = RIG.index("LowerArm.L")
CHILD = lissom.samples.humanoid("child").skeleton  # joints of the same names, bones of other lengths
FOX = Skeleton(["root", "tail"], [-1, 0], np.tile(REST[:1], (2, 1)))
TARGET = np.array([0.3, 1.2, 0.3])
NAN, INF = float("nan"), float("inf")

Case = tuple[Callable[[], object], str]


def posed(joint: str, place: slice | int, value: object) -> np.ndarray:
    pose = REST.copy()
    pose[RIG.index(joint), place] = value
    return pose


# Each: a call, and the words of its ValueError; TypeErrors are below.
CHAINS: list[Case] = [
    (
        lambda: Chain(RIG, "Hand.L", "UpperArm.L"),
        "^ik.Chain: 'UpperArm.L' must be a descendant of 'Hand.L'.* exchange them",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.R"),
        "'Hand.R' must be a descendant of 'UpperArm.L'.* ancestors$",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hnd.L"),
        "^ik.Chain: no joint is named 'Hnd.L'; did you mean 'Hand.L'",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", len(RIG)),
        rf"^ik.Chain: a joint's index must be at least 0 and below {len(RIG)}",
    ),
    (lambda: Chain(RIG, 0, -1), "joint's index must be at least 0"),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.L", limits={"Head": BallSocket(1)}),
        "ik.Chain: limits must name joints of the chain from 'UpperArm.L' to 'Hand.L', got 'Head'",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.L", fixed=["Head"]),
        "ik.Chain: fixed must name joints of the chain .* got 'Head'",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.L", {"LowerArm.L": BallSocket(1)}, fixed=["LowerArm.L"]),
        "ik.Chain: limits must not name fixed joints, got 'LowerArm.L', which is in fixed=",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.L", {"LowerArm.L": BallSocket(1), LOWER: BallSocket(2)}),
        "ik.Chain: limits must name each joint once",
    ),
    (lambda: Chain(RIG, "UpperArm.L", "Hand.L", bend_axis=[0, 0, 0]), "bend_axis must not be zero"),
    (lambda: Chain(RIG, "UpperArm.L", "Hand.L", bend_axis=[0, NAN, 1]), "bend_axis must be three finite"),
    (lambda: Chain(RIG, "UpperArm.L", "Hand.L", bend_axis=[1, 0]), "bend_axis must be three finite numbers"),
]
LIMITS: list[Case] = [
    (lambda: BallSocket(90), "BallSocket: half_angle must be in radians, got 90; np.radians"),
    (lambda: BallSocket(1, (-45, 45)), "BallSocket: twist must be in radians, got -45"),
    (lambda: Hinge((1, 0, 0), 0, 150), "Hinge: low and high must be in radians, got 150"),
    (lambda: Hinge.from_rest(0, 150), "Hinge: low and high must be in radians, got 150"),
    (lambda: SwingTwist((60, 40)), "SwingTwist: half_angles must be in radians, got 60"),
    (lambda: BallSocket(-0.1), "BallSocket: half_angle must be finite and at least 0, got -0.1"),
    (lambda: BallSocket(NAN), "BallSocket: half_angle must be finite and at least 0, got nan"),
    (lambda: BallSocket(1, (0.2, -0.2)), "BallSocket: twist must have the lowest first, got 0.2 and -0.2"),
    (lambda: BallSocket(1, (0.2,)), "BallSocket: twist must be two numbers"),
    (lambda: BallSocket(1, 0.2), "BallSocket: twist must be two numbers, .* got 0.2"),
    (lambda: BallSocket(1, (-INF, 0.2)), "BallSocket: twist must be finite, got -inf"),
    (lambda: Hinge((1, 0, 0), 2.0, 1.0), "Hinge: low and high must have the lowest first, got 2.0 and 1.0"),
    (lambda: Hinge((1, 0, 0), NAN, 1.0), "Hinge: low and high must be finite, got nan"),
    (lambda: Hinge((0, 0, 0), 0, 1), "Hinge: axis must not be zero"),
    (lambda: Hinge((0, INF, 0), 0, 1), "Hinge: axis must be three finite numbers"),
    (lambda: Hinge((1, 0), 0, 1), "Hinge: axis must be three finite numbers"),
    (lambda: Hinge.from_rest(1, 0), "must have the lowest first"),
    (
        lambda: Hinge((1, 0, 0), 0, 1, clip=lissom.samples.humanoid().clips["walk"]),
        "Hinge: axis must be None beside a clip, which determines it, got both",
    ),
    (lambda: Hinge.from_rest(0, 1, zero="bent"), "Hinge: zero must be 'rest' or 'straight', got 'bent'"),
    (lambda: SwingTwist((0.5, -0.5)), "SwingTwist: half_angles must be finite and at least 0, got -0.5"),
    (lambda: SwingTwist(0.5), "SwingTwist: half_angles must be two numbers, got 0.5"),
    (lambda: SwingTwist((1, 1), (1, 0)), "SwingTwist: twist must have the lowest first"),
    (lambda: SwingTwist((1, 1), axis=(0, 0, 0)), "SwingTwist: axis must not be zero"),
    (
        lambda: SwingTwist((1, 1), axis=(0, 2, 0), across=(0, -1, 0)),
        "SwingTwist: across must not be parallel to axis",
    ),
]


def of_solver(solver: Callable[..., object], iterates: bool) -> list[Case]:
    """What any solver refuses; those that iterate more."""

    def call(
        poses: object = REST, targets: object = TARGET, *args: object, chain: object = ARM, **options: object
    ):
        return lambda: solver(chain, poses, targets, *args, **options)

    cases = [
        (call(targets=[0, NAN, 1]), "targets must be finite, got nan"),
        (call(targets=[[0, 0, 1], [0, INF, 1]]), "targets must be finite, got inf at item 1"),
        (call(targets=[1, 2]), r"targets must have shape \(..., 3\), got \(2,\)"),
        (call(targets=1.0), r"targets must have shape \(..., 3\), got \(\)"),
        (
            call(targets=[[TARGET]], chain=[ARM, OTHER]),
            r"targets must have shape \(..., 2, 3\), a row for each of 2 chains, got \(1, 1, 3\)",
        ),
        (call(REST[:-1]), f"poses must have .*{len(RIG)} joints .*got {len(RIG) - 1}"),
        (call(FOX.rest), f"poses must have .*{len(RIG)} joints .*got 2"),
        (call(REST[:, :7]), r"poses must have shape \(..., J, 10\)"),
        (call(posed("UpperArm.L", 3, NAN)), "poses: joint 'UpperArm.L' must be finite"),
        (call(posed("Spine", 1, INF)), "poses: joint 'Spine' must be finite"),
        (call(posed("UpperArm.L", slice(3, 7), 0)), "poses: joint 'UpperArm.L' must have a unit rotation"),
        (call(posed("UpperArm.L", slice(3, 7), 1)), "poses: joint 'UpperArm.L' must have a unit rotation"),
        (call(posed("LowerArm.L", 8, 2)), "poses: joint 'LowerArm.L' must be scaled equally along all axes"),
        (call(posed("Spine", slice(7, 10), 0)), "poses: joint 'Spine' must not be scaled to zero"),
        (
            call(np.stack([REST, posed("UpperArm.L", 3, NAN)])),
            "poses: joint 'UpperArm.L' of pose 1 must be finite",
        ),
        (call(np.stack([REST] * 3), np.tile(TARGET, (4, 1))), "leading axes must broadcast together"),
        (call(weight=1.5), r"weight must lie in \[0, 1\], got 1.5"),
        (call(weight=-0.1), r"weight must lie in \[0, 1\], got -0.1"),
        (call(weight=NAN), r"weight must lie in \[0, 1\], got nan"),
        (call(np.stack([REST] * 3), weight=[0, 2, 1]), r"weight must lie in \[0, 1\], got 2"),
        (call(REST, TARGET, [0, 0, 0, 2.0]), "orientations must be unit quaternions .* got length 2"),
        (call(REST, TARGET, [0, 0, 0, 0.0]), "orientations must be unit quaternions .* got length 0"),
        (call(REST, TARGET, [0, NAN, 0, 1.0]), "orientations must be unit quaternions"),
        (call(REST, TARGET, [0, 0, 1.0]), r"orientations must have shape \(..., 4\), got \(3,\)"),
        (call(chain=[]), "chains must hold at least one ik.Chain, got an empty list"),
        (call(chain=[ARM, Chain(FOX, 0, 1)], targets=[TARGET] * 2), "chains must be of one skeleton"),
        (
            call(chain=[ARM, Chain(CHILD, "UpperArm.R", "Hand.R")], targets=[TARGET] * 2),
            "chains must be of one skeleton, got some whose joints or rest poses differ",
        ),
        (
            call(
                chain=[
                    Chain(RIG, "UpperArm.L", "Hand.L", {"LowerArm.L": BallSocket(1)}),
                    Chain(RIG, "LowerArm.L", "Hand.L", {"LowerArm.L": BallSocket(2)}),
                ],
                targets=[TARGET] * 2,
            ),
            "chains that share joint 'LowerArm.L' must hold the same limit for it, got two that differ",
        ),
        (call(out=np.zeros((3, *REST.shape))), "out must have shape"),
    ]
    if iterates:
        cases += [
            (call(tolerance=0.0), "tolerance must be above 0 and finite, got 0"),
            (call(tolerance=-1e-3), "tolerance must be above 0 and finite, got -0.001"),
            (call(tolerance=NAN), "tolerance must be above 0 and finite, got nan"),
            (call(max_iterations=-1), "max_iterations must be at least 0, got -1"),
            (call(start=REST[:-1]), f"start must have .*{len(RIG)} joints .*got {len(RIG) - 1}"),
            (call(start=REST[0]), r"start must have shape \(..., J, 10\), got \(10,\)"),
            (call(start=posed("UpperArm.L", 3, NAN)), "start: joint 'UpperArm.L' must be finite"),
            (call(continuous=True), "continuous must have an axis of time, .* got one pose"),
        ]
    return cases


def assert_refused(cases: list[Case], error: type[Exception], function: str = "") -> None:
    for call, words in cases:
        with pytest.raises(error, match=words) as caught:
            call()
        text = str(caught.value)
        assert "\n" not in text
        assert function in text, f"names the function: {text}"


def test_bad_chains_are_refused_in_a_sentence() -> None:
    assert_refused(CHAINS, ValueError)


def test_bad_limits_are_refused_in_a_sentence() -> None:
    assert_refused(LIMITS, ValueError)


@each_solver
def test_solvers_refuse_bad_values_in_a_sentence(solver) -> None:
    assert_refused(of_solver(solver, solver.iterates), ValueError)


@each_solver
def test_solvers_name_themselves(solver) -> None:
    for call, _ in of_solver(solver, solver.iterates):
        with pytest.raises(ValueError, match=rf"^ik\.{solver.function.__name__}: "):
            call()


@each_solver
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_fault_is_found_in_whichever_pose_of_a_batch(solver, dtype) -> None:
    rest = np.zeros((4, 10))
    rest[:, 6:] = 1
    rest[1:, 1] = 1
    arm = Chain(Skeleton(["a", "b", "c", "d"], [-1, 0, 1, 2], rest), "b", "d")
    for joint, place, value, words in (
        (0, slice(7, 10), 0, "'a' of pose {} must not be scaled to zero"),
        (0, 4, 0.5, "'a' of pose {} must have a unit rotation"),
        (2, 8, 1.5, "'c' of pose {} must be scaled equally"),
        (2, 4, 0.5, "'c' of pose {} must have a unit rotation"),
        (3, 2, NAN, "'d' of pose {} must be finite"),
    ):
        for at in (0, 15, 16, 30, 36):  # in groups as wide as vectors, and in what is left of them
            poses = np.tile(rest, (37, 1, 1)).astype(dtype)
            poses[at, joint, place] = value
            with pytest.raises(ValueError, match=words.format(at)):
                solver(arm, poses, np.array([0.5, 2, 0]))


@each_solver
def test_nothing_is_written_on_error(solver) -> None:
    out = np.full(REST.shape, 7.0)
    for call in (
        lambda: solver(ARM, REST, [0, NAN, 0], out=out),
        lambda: solver(ARM, posed("UpperArm.L", 3, NAN), TARGET, out=out),
        lambda: solver(ARM, REST, TARGET, weight=2, out=out),
    ):
        with pytest.raises(ValueError, match="must"):
            call()
    assert np.all(out == 7)


TYPES: list[Case] = [
    (lambda: Chain(HERO, "UpperArm.L", "Hand.L"), "ik.Chain: skeleton must be a Skeleton, got Character"),
    (lambda: Chain(RIG, 1.5, "Hand.L"), "a joint must be given by name or index, got float"),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.L", {"LowerArm.L": (0, 2)}),
        "ik.Chain: limits must be BallSocket, Hinge or SwingTwist, got tuple",
    ),
    (
        lambda: Chain(RIG, "UpperArm.L", "Hand.L", [BallSocket(1)]),
        "ik.Chain: limits must be a mapping of joints to limits, got list; pass",
    ),
    (
        lambda: Chain(RIG, "UpperLeg.L", "Foot.L", {"LowerLeg.L": Hinge.from_rest(0, 1, clip="walk")}),
        "Hinge: clip must be a Clip, got str",
    ),
    (lambda: BallSocket("1"), "BallSocket: half_angle must be a number, got str"),
    (lambda: BallSocket(1, ("a", "b")), "BallSocket: twist must be a number, got str"),
    (lambda: Hinge("x", 0, 1), "Hinge: axis must be an array of real numbers"),
    (lambda: Hinge((1, 0, 0), None, 1), "Hinge: low and high must be a number, got NoneType"),
    (lambda: SwingTwist(("a", 1)), "SwingTwist: half_angles must be a number, got str"),
]


def types_of_solver(solver: Callable[..., object]) -> list[Case]:
    return [
        (lambda: solver(RIG, REST, TARGET), "chains must be an ik.Chain or a list of them, got Skeleton"),
        (lambda: solver([ARM, 3], REST, [TARGET] * 2), "a list of them, got a list with int in it"),
        (lambda: solver(ARM, HERO.clips["walk"], TARGET), "poses must be .* got Clip; pass poses of it"),
        (lambda: solver(ARM, solver(ARM, REST, TARGET), TARGET), "got IkResult; pass its .pose$"),
        (lambda: solver(ARM, REST, None), "targets must be an array of real numbers, got NoneType"),
        (lambda: solver(ARM, REST, "hand"), "targets must be an array of real numbers"),
        (lambda: solver(ARM, REST, TARGET, weight="1"), "weight must be an array of real numbers"),
        (
            lambda: solver(ARM, REST, TARGET, out=np.zeros(REST.shape, np.float32)),
            "out must be an array of float64",
        ),
        (lambda: solver(ARM, REST, TARGET, out=REST.tolist()), "out must be an array of float64, got list"),
        (
            lambda: solver(ARM, np.stack([REST] * 2), TARGET, out=np.zeros((4, *REST.shape))[::2]),
            "out must be C-contiguous, got strides",
        ),
    ]


def test_bad_types_are_refused_in_a_sentence() -> None:
    assert_refused(TYPES, TypeError)


@each_solver
def test_solvers_refuse_bad_types_in_a_sentence(solver) -> None:
    assert_refused(types_of_solver(solver), TypeError)


@each_iterative
def test_numbers_that_are_none_are_refused(solver) -> None:
    for options, words in (
        ({"tolerance": "1"}, "tolerance must be a number, got str"),
        ({"tolerance": None}, "tolerance must be a number, got NoneType"),
        ({"max_iterations": "7"}, "max_iterations must be a whole number, got str"),
        ({"max_iterations": 1.5}, "max_iterations must be a whole number, got float"),
        ({"max_iterations": True}, "max_iterations must be a whole number, got bool"),
    ):
        with pytest.raises(TypeError, match=rf"^ik\.{solver.function.__name__}: {words}$"):
            solver(ARM, REST, TARGET, **options)


@each_iterative
def test_numbers_of_other_types_count(solver) -> None:
    plain = solver(ARM, REST, TARGET, tolerance=1.0, max_iterations=3)
    for options in ({"tolerance": 1, "max_iterations": np.int64(3)}, {"tolerance": np.float32(1)}):
        other = solver(ARM, REST, TARGET, **{"max_iterations": 3, **options})
        np.testing.assert_array_equal(other.pose, plain.pose)
    most = solver(ARM, REST, TARGET, max_iterations=10**12)
    np.testing.assert_array_equal(most.pose, solver(ARM, REST, TARGET, max_iterations=2**31 - 1).pose)


def test_bounds_may_be_arrays() -> None:
    assert BallSocket(1, np.array([-1.0, 0.5])) == BallSocket(1, (-1, 0.5))
    assert SwingTwist(np.array([1.0, 0.5])) == SwingTwist((1, 0.5))


# What looks bad and has an answer.


def test_axes_of_any_length_are_normalised() -> None:
    assert Hinge((0, 0, 1e-30), 0, 1) == Hinge((0, 0, 5), 0, 1) == Hinge((0, 0, 1e200), 0, 1)
    assert SwingTwist((1, 1), axis=(0, 3, 0)).axis == (0, 1, 0)


def straight(bones: list[list[float]]) -> Skeleton:
    rest = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (len(bones) + 1, 1))
    rest[1:, :3] = bones
    return Skeleton([f"j{i}" for i in range(len(rest))], list(range(-1, len(bones))), rest)


@each_solver
def test_bones_without_length_stay_put(solver) -> None:
    """Nothing can move the effector: it is told how far it is, and nothing breaks."""
    rig = straight([[0, 0, 0], [0, 0, 0]])
    done = solver(Chain(rig, 0, 2), rig.rest, [0, 2.0, 0])
    assert np.isfinite(done.pose).all()
    assert done.residual == pytest.approx(2)
    assert not done.reached
    assert solver(Chain(rig, 0, 2), rig.rest, [0.0, 0, 0]).residual == 0


@each_solver
def test_a_limit_of_a_bone_without_length_is_refused_with_what_to_do(solver) -> None:
    rig = straight([[0, 0, 0], [0, 0, 0]])
    with pytest.raises(
        ValueError, match=r"^ik\.Chain: joint 'j0' must have a bone .* use SwingTwist with axis="
    ):
        Chain(rig, 0, 2, limits={0: BallSocket(1)})
    chain = Chain(rig, 0, 2, limits={0: SwingTwist((1, 0.5), (-1, 1), axis=(0, 0, 1))})
    assert np.isfinite(solver(chain, rig.rest, [0, 2.0, 0]).pose).all()


@each_iterative
def test_a_chain_of_one_joint_reports_how_far_it_is(solver) -> None:
    chain = Chain(RIG, "Hand.L", "Hand.L")
    at = RIG.positions(REST)[RIG.index("Hand.L")]
    done = solver(chain, REST, at + np.array([0, 0.5, 0]))
    assert done.pose.tobytes() == REST.tobytes()
    assert done.residual == pytest.approx(0.5)
    assert not done.reached


@each_iterative
def test_a_chain_whose_joints_are_all_fixed_reports_how_far_it_is(solver) -> None:
    chain = Chain(RIG, "UpperArm.L", "Hand.L", fixed=["UpperArm.L", "LowerArm.L"])
    done = solver(chain, REST, TARGET)
    assert done.pose.tobytes() == REST.tobytes()
    away = np.linalg.norm(RIG.positions(REST)[RIG.index("Hand.L")] - TARGET)
    assert done.residual == pytest.approx(away)


@each_solver
def test_targets_far_away_are_pointed_at(solver) -> None:
    """As far as the precision tells the hand's own way in the distance."""
    for dtype, far in ((np.float32, 1e3), (np.float32, 1e6), (np.float64, 1e12)):
        done = solver(ARM, REST.astype(dtype), (far * TARGET).astype(dtype))
        assert np.isfinite(done.pose).all()
        assert not done.reached
        hand = RIG.positions(done.pose.astype(np.float64))[[ARM.joints[0], ARM.joints[-1]]]
        way, wanted = hand[1] - hand[0], TARGET / np.linalg.norm(TARGET)
        assert way @ wanted > 0.95 * ARM.length


def test_a_pole_on_the_axis_leaves_the_limb_as_it_bends() -> None:
    """No side is told: the answer is finite, meets the target, and is the one without a pole."""
    root = RIG.positions(REST)[ARM.joints[0]]
    pole = root + 0.5 * (TARGET - root)
    done = SOLVERS["two_bone"](ARM, REST, TARGET, pole=pole)
    assert np.isfinite(done.pose).all()
    assert done.residual < 1e-6
    free = SOLVERS["two_bone"](ARM, REST, TARGET)
    np.testing.assert_allclose(done.pose, free.pose, atol=1e-6)


@each_iterative
def test_contradicting_targets_meet_in_the_middle(solver) -> None:
    """Two chains that end in one hand: half way between their targets is the least sum of squares."""
    both = [ARM, Chain(RIG, "LowerArm.L", "Hand.L")]
    shoulder, hand = RIG.positions(REST)[[ARM.joints[0], ARM.joints[-1]]]
    targets = shoulder + 0.7 * (hand - shoulder) + np.array([[0.0, 0.1, 0.1], [0.0, -0.1, 0.1]])
    done = solver(both, REST, targets, max_iterations=200)
    assert done.residual.shape == done.reached.shape == (2,)
    assert not done.reached.any()
    at = twin.positions(RIG.parents, done.pose)[ARM.joints[-1]]
    np.testing.assert_allclose(done.residual, np.linalg.norm(at - targets, axis=1), atol=1e-12)
    assert np.sum(done.residual**2) < 2 * 0.1**2 * 1.01


@each_iterative
def test_two_hands_of_one_chest_reach_what_both_can(solver) -> None:
    rng = np.random.default_rng(0)
    arms = [Chain(RIG, "Spine", "Hand.L"), Chain(RIG, "Spine", "Hand.R")]
    poses = np.tile(REST, (30, 1, 1))
    for chain in arms:
        poses[:, chain.joints[:-1], 3:7] = lissom.quat.slerp(
            poses[:, chain.joints[:-1], 3:7], random_quats(rng, 30, len(chain.joints) - 1), 0.15
        )
    ends = [int(chain.joints[-1]) for chain in arms]
    targets = twin.positions(RIG.parents, poses)[:, ends]
    most = 300 if solver.name == "ccd" else 100
    done = solver(arms, REST, targets, tolerance=1e-3, max_iterations=most)
    got = twin.positions(RIG.parents, done.pose)[:, ends]
    np.testing.assert_allclose(done.residual, np.linalg.norm(got - targets, axis=-1), atol=1e-12)
    assert done.reached.all(axis=1).mean() >= 0.9


def test_every_solver_is_here() -> None:
    assert set(ITERATIVE) | {"two_bone"} >= set(SOLVERS)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_bad_pose_is_named_whatever_thread_meets_one(threads: int) -> None:
    rest = np.zeros((4, 10), np.float32)
    rest[:, 6:] = 1
    rest[1:, 1] = 1
    skeleton = lissom.Skeleton(["a", "b", "c", "d"], [-1, 0, 1, 2], rest)
    chain = Chain(skeleton, "b", "d")
    poses = np.repeat(rest[None], 40_000, axis=0)
    for pose in (31_000, 39_999, 20_017):
        poses[pose, 2, 7] = np.nan
    before = lissom.thread_count()
    lissom.set_thread_count(threads)
    try:
        with pytest.raises(ValueError, match=r"joint 'c' of pose 20017 must be finite"):
            lissom.ik.two_bone(chain, poses, [0.5, 2, 0])
    finally:
        lissom.set_thread_count(before)
