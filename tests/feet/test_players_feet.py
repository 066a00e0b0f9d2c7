# SPDX-License-Identifier: MIT
"""Feet of many live characters: each as a FootPlacement of its own would have them, whatever row it is in."""

import copy
import pickle
import threading

import numpy as np
import pytest

import lissom
from hero_strides import FIELDS, GROUNDS, HERO, LEGS
from lissom import quat, trs
from lissom.ground import HeightField, Plane, TriangleMesh
from lissom.ik import FootPlacement, Leg, PlayersFeet

HILLS = HeightField(np.random.default_rng(0).uniform(0, 0.3, (60, 60)), spacing=0.5, origin=(-15, 0, -15))
SURFACES = {"hills": HILLS, "mesh": TriangleMesh(*HILLS.triangles()), "plane": Plane(normal=(0.1, 1, -0.2))}
ALL = GROUNDS | SURFACES
CORE = 1e-9  # metres and so on: sums of another order, of about 1e-15


class Walkers:
    """Players that walk, run and stand about, and where they are; a FootPlacement for each."""

    def __init__(self, count, seed=1):
        self.rng = np.random.default_rng(seed)
        self.players = lissom.Players(HERO.skeleton, count)
        self.begin(self.players.ids)
        self.places = self.somewhere(count)

    def begin(self, ids):
        for name in ("walk", "run", "idle"):
            some = ids[{"walk": 0, "run": 1, "idle": 2}[name] :: 3]
            self.players.play(some, HERO.clips[name], at=self.rng.uniform(0, 1, len(some)))

    def somewhere(self, count):
        places = trs.identity(count, np.float64)
        places[:, [0, 2]] = self.rng.uniform(-6, 6, (count, 2))
        places[:, 3:7] = quat.from_axis_angle([0.0, 1.0, 0.0], self.rng.uniform(0, 6, count))
        return places

    def step(self, dt=1 / 30):
        poses = self.players.step(dt)
        self.places = trs.compose(self.places, self.players.root_motion)
        return poses


def same(one, other, row, tolerance=CORE):
    for field in FIELDS:
        got, want = getattr(one, field)[row], getattr(other, field)
        if tolerance and want.dtype.kind == "f":
            close = 1e-6 if field == "poses" else tolerance  # of float32
            np.testing.assert_allclose(got, want, rtol=0, atol=close, err_msg=field)
        else:
            np.testing.assert_array_equal(got, want, err_msg=field)


@pytest.mark.parametrize("ground", list(ALL))
def test_each_player_gets_what_a_placement_of_its_own_gives(ground):
    walkers = Walkers(5)
    feet = PlayersFeet(FootPlacement(HERO, LEGS, ALL[ground]))
    alone = [FootPlacement(HERO, LEGS, ALL[ground]) for _ in range(5)]
    rng = np.random.default_rng(2)
    for step in range(12):
        poses, dt = walkers.step(), 1 / 30 if step % 2 else np.full(5, 1 / 30) * (1 + np.arange(5))
        contacts = rng.uniform(0, 1, (5, 2)) if step > 8 else None
        done = feet.update(poses, dt, contacts, walkers.places, ids=walkers.players.ids)
        for row, one in enumerate(alone):
            curve = None if contacts is None else contacts[row]
            seconds = float(np.broadcast_to(dt, 5)[row])
            tolerance = CORE if ground == "hills" else 0.0  # elsewhere the same bits
            same(done, one.update(poses[row], seconds, curve, walkers.places[row]), row, tolerance)


@pytest.mark.parametrize("ground", ["plane", "hills"])
def test_places_may_be_left_out_and_given_again(ground):
    walkers = Walkers(3)
    walkers.places[:, 0] += 40  # far away: a drift from there is no small one
    feet = PlayersFeet(FootPlacement(HERO, LEGS, ALL[ground]))
    alone = [FootPlacement(HERO, LEGS, ALL[ground]) for _ in range(3)]
    for step in range(12):
        poses = walkers.step()
        places = None if step // 3 % 2 else walkers.places
        done = feet.update(poses, 1 / 30, np.ones((3, 2)), places)
        for row, one in enumerate(alone):
            place = None if places is None else places[row]
            tolerance = CORE if ground == "hills" else 0.0
            same(done, one.update(poses[row], 1 / 30, np.ones(2), place), row, tolerance)


STEPS = HeightField(
    0.12 * (np.arange(120) // 3 % 4)[:, None] * np.ones(20), spacing=(1.0, 0.1), origin=(-9, 0, -6)
)
OPTIONS = [
    {},
    {"lean": 0.7, "body_time": 0.0, "lock": 0.3, "max_up": 0.2, "floor": -0.02},
    {"lean": 0.0, "max_angle": 0.2, "max_slope": 0.3, "ray_height": 1.0, "lock_radius": 0.05},
    {"body_ground": HILLS},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("ground", [HILLS, STEPS], ids=["hills", "steps"])
def test_the_core_takes_the_steps_that_python_does(ground, options):
    def sloping(origins, directions):  # which the core does not know
        return ground(origins, directions)

    walkers = Walkers(21, seed=5)
    walkers.places[:, 3:7] = quat.multiply(
        quat.from_axis_angle([0.3, 0.0, 1.0] / np.sqrt(1.09), 0.1), walkers.places[:, 3:7]
    )
    feet = PlayersFeet(FootPlacement(HERO, LEGS, ground, **options))
    other = PlayersFeet(FootPlacement(HERO, LEGS, sloping, **options))
    for step in range(15):
        poses, dt = walkers.step().astype(np.float64), 0.0 if step == 3 else 1 / 30
        done = feet.update(poses, dt, None, walkers.places)
        want = other.update(poses, dt, None, walkers.places)
        for field in FIELDS:
            np.testing.assert_allclose(
                getattr(done, field), getattr(want, field), rtol=0, atol=CORE, err_msg=field
            )
        for field in feet.state.dtype.names:
            got, ought = feet.state[field], other.state[field]
            np.testing.assert_allclose(got, ought, rtol=1e-9, atol=1e-7 if step else CORE, err_msg=field)


def test_a_player_has_the_same_bits_in_any_company_and_with_any_threads():
    walkers, count = Walkers(37), lissom.thread_count()
    steps = [(walkers.step(), walkers.places) for _ in range(5)]
    together = PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    alone = PlayersFeet(together.placement)
    try:
        for poses, places in steps:
            lissom.set_thread_count(2)
            done = together.update(np.tile(poses, (8, 1, 1)), 1 / 30, None, np.tile(places, (8, 1)))
            lissom.set_thread_count(1)
            one = alone.update(poses[36:], 1 / 30, None, places[36:])
            for field in FIELDS:
                rows = getattr(done, field)[36::37]
                np.testing.assert_array_equal(rows, np.broadcast_to(getattr(one, field), rows.shape))
    finally:
        lissom.set_thread_count(count)


def test_the_animation_of_another_axis_is_placed_in_python():
    turned = trs.from_parts(rotation=quat.from_axis_angle([1.0, 0.0, 0.0], 0.2))
    up = quat.rotate(turned[3:7], [0.0, 1.0, 0.0])
    feet = PlayersFeet(FootPlacement(HERO, LEGS, HILLS, up=up))
    alone = FootPlacement(HERO, LEGS, HILLS, up=up)
    same(feet.update(POSES, 0.1), alone.update(POSES[1], 0.1), 1, 0.0)


def test_options_and_a_ground_that_is_set_later_count():
    options = {"lean": 0.5, "body_time": 0.0, "max_up": 0.1, "lock": 0.3, "body_ground": Plane()}
    walkers, feet = Walkers(3), PlayersFeet(FootPlacement(HERO, LEGS, HILLS, **options))
    alone = [FootPlacement(HERO, LEGS, HILLS, **options) for _ in range(3)]
    for step in range(6):
        if step == 3:
            for one in (feet.placement, *alone):
                one.ground, one.body_ground = SURFACES["plane"], None
        poses = walkers.step()
        done = feet.update(poses, 1 / 30, world_from_model=walkers.places)
        for row, one in enumerate(alone):
            same(done, one.update(poses[row], 1 / 30, None, walkers.places[row]), row)


REAL = ("kaykit/Knight.glb", "quaternius/easy_enemies_pack/Spider.glb", "quaternius/animals_pack/Wolf.glb")


@pytest.mark.parametrize("name", REAL)
def test_real_characters(asset, name):
    hero = lissom.load(asset(f"characters/{name}"))
    legs = Leg.find(hero)
    clip = next(iter(hero.clips.values()))
    feet = PlayersFeet(FootPlacement(hero, legs, HILLS))
    alone = [FootPlacement(hero, legs, HILLS) for _ in range(3)]
    places = trs.identity(3, np.float64)
    places[:, 0] = [-2, 0, 3]
    for step in range(4):
        poses = clip.sample(clip.start + clip.duration * (step + np.arange(3)) / 8)
        done = feet.update(poses, 1 / 30, world_from_model=places)
        for row, one in enumerate(alone):
            same(done, one.update(poses[row], 1 / 30, None, places[row]), row)


def test_a_state_follows_its_id_and_who_comes_later_starts_fresh():
    walkers, feet = Walkers(7), PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    players = walkers.players
    alone = {int(one): FootPlacement(HERO, LEGS, HILLS) for one in players.ids}
    for step in range(10):
        if step == 4:
            stay = np.setdiff1d(players.ids, gone := players.ids[[1, 5]])
            kept = walkers.places[players.rows(stay)]
            players.remove(gone)
            new = players.add(3)
            walkers.begin(new)
            places = walkers.somewhere(len(players))
            places[players.rows(stay)] = kept
            walkers.places = places
            alone |= {int(one): FootPlacement(HERO, LEGS, HILLS) for one in new}
        order = np.random.default_rng(step).permutation(len(players))  # rows in any order
        poses = walkers.step()[order]
        ids, places = players.ids[order], walkers.places[order]
        done = feet.update(poses, 1 / 30, world_from_model=places, ids=ids)
        np.testing.assert_array_equal(feet.ids, ids)
        for row, one in enumerate(ids.tolist()):
            same(done, alone[one].update(poses[row], 1 / 30, None, places[row]), row)
    assert sorted(feet.state["steps"].tolist()) == [6, 6, 6, *[10] * 5]


def test_who_left_for_a_step_starts_fresh():
    walkers, feet = Walkers(2), PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    poses = walkers.step()
    feet.update(poses, 1 / 30, ids=[3, 9])
    feet.update(poses[:1], 1 / 30, ids=[9])
    feet.update(poses, 1 / 30, ids=[3, 9])
    np.testing.assert_array_equal(feet.state["steps"], [1, 3])


def test_reset_makes_the_next_step_a_first_one():
    walkers, feet = Walkers(3), PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    for _ in range(5):
        poses = walkers.step()
        feet.update(poses, 1 / 30, world_from_model=walkers.places, ids=[5, 6, 7])
    feet.reset([6])
    np.testing.assert_array_equal(feet.state["steps"], [5, 0, 5])
    done = feet.update(poses, 1 / 30, world_from_model=walkers.places, ids=[5, 6, 7])
    first = FootPlacement(HERO, LEGS, HILLS).update(poses[1], 1 / 30, None, walkers.places[1])
    same(done, first, 1)
    feet.reset()
    assert not feet.state["steps"].any()


def test_the_state_may_be_edited():
    walkers, feet = Walkers(2), PlayersFeet(FootPlacement(HERO, LEGS, Plane()))
    poses = walkers.step()
    feet.update(poses, 1 / 60)
    feet.state["body"][0] = [0.3, 0.0]
    done = feet.update(poses, 1 / 60)
    assert done.body_offset[0] > 0.2
    assert abs(done.body_offset[1]) < 0.05


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda feet: pickle.loads(pickle.dumps(feet))])
def test_copies_go_on_alike_and_apart(way):
    walkers, feet = Walkers(4), PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    for _ in range(3):
        feet.update(walkers.step(), 1 / 30, world_from_model=walkers.places)
    other, poses = way(feet), walkers.step()
    one = feet.update(poses, 1 / 30, world_from_model=walkers.places)
    two = other.update(poses, 1 / 30, world_from_model=walkers.places)
    for row in range(4):
        for field in FIELDS:
            np.testing.assert_array_equal(getattr(one, field)[row], getattr(two, field)[row])
    other.reset()
    assert feet.state["steps"].all()


def test_nobody():
    feet = PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    done = feet.update(np.zeros((0, len(HERO.skeleton), 10), np.float32), 0.1)
    assert done.poses.shape == (0, len(HERO.skeleton), 10)
    assert done.targets.shape == (0, 2, 3)
    assert repr(done) == "<FootResult: 0 players, 2 feet>"
    assert len(feet) == 0


def test_its_text_says_how_many():
    walkers, feet = Walkers(2), PlayersFeet(FootPlacement(HERO, LEGS, Plane()))
    done = feet.update(walkers.step(), 0.1)
    assert repr(feet).startswith("<PlayersFeet: 2 players by <FootPlacement: Foot.L, Foot.R on Plane")
    assert repr(done).startswith("<FootResult: 2 players, 2 feet; ")


POSES = HERO.clips["walk"].sample([0.0, 0.1, 0.2])
WRONG_SCALE = trs.identity(3, np.float64) * 1
WRONG_SCALE[1, 8] = 2
LONG, INFINITE = trs.identity(3, np.float64), trs.identity(3, np.float64)
LONG[2, 6], INFINITE[2, 0] = 3, np.inf


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((POSES[0], 0.1), {}, r"poses must have shape \(N, 34, 10\), got \(34, 10\); FootPlacement.update"),
        ((POSES[:2], 0.1), {}, r"poses must be those of the 3 players of the last call, got 2 without ids"),
        ((POSES, -1), {}, "dt must .* got -1"),
        ((POSES, [0.1, -0.1, 0]), {}, r"dt must lie in \[0, 1e\+09\], got -0.1"),
        ((POSES, [0.1, np.nan, 0]), {}, r"dt must lie in \[0, 1e\+09\], got nan"),
        ((POSES, [0.1, 0.1]), {}, r"dt must be one number, or one for each of 3 players, got \(2,\)"),
        ((POSES * np.nan, 0.1), {}, "poses must be finite, got NaN or infinity at joint 'Pelvis' of row 0"),
        ((POSES, 0.1, np.ones((2, 2))), {}, r"contacts must have shape \(3, 2\) for 2 legs"),
        ((POSES, 0.1, np.full((3, 2), 1.5)), {}, "contacts must"),
        ((POSES, 0.1, None, np.zeros(10)), {}, r"world_from_model must have shape \(3, 10\), got \(10,\)"),
        ((POSES, 0.1, None, WRONG_SCALE), {}, "world_from_model must be rigid, got a scale .* in row 1$"),
        ((POSES, 0.1, None, LONG), {}, "world_from_model must hold unit rotations, got length 3 in row 2$"),
        ((POSES, 0.1, None, INFINITE), {}, "world_from_model must be finite, got inf in row 2$"),
        ((POSES, 0.1), {"ids": [0, 1, 1]}, "ids must be different, got 1 twice"),
        ((POSES, 0.1), {"ids": [0, 1, -1]}, r"ids must lie in \[0, 9223372036854775807\], got -1"),
        ((POSES, 0.1), {"ids": [0, 1]}, r"ids must have shape \(3,\), got \(2,\)"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(arguments, options, message):
    feet = PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    feet.update(POSES, 0.1)
    before = feet.state.copy()
    with pytest.raises(ValueError, match=f"PlayersFeet.update: {message}"):
        feet.update(*arguments, **options)
    np.testing.assert_array_equal(feet.state, before)


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="placement must be a FootPlacement, got Character; FootPlacement"):
        PlayersFeet(HERO)
    feet = PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    with pytest.raises(TypeError, match="ids must be whole numbers, one or a list of them, got float64"):
        feet.update(POSES, 0.1, ids=[0.0, 1.0, 2.0])
    feet.update(POSES, 0.1)
    with pytest.raises(
        ValueError, match="reset: ids must be among those of the last update, 3 players, got 7"
    ):
        feet.reset([7])
    with pytest.raises(TypeError, match=r"pass players\.ids"):
        feet.reset([True, False, True])


@pytest.mark.parametrize(
    ("field", "value", "ought"), [("body", np.nan, "finite"), ("steps", -1, "at least 0")]
)
def test_a_state_that_cannot_be_is_refused(field, value, ought):
    feet = PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    feet.update(POSES, 0.1)
    feet.state[field][1] = value
    with pytest.raises(ValueError, match=rf"state\['{field}'\] must be {ought}, got .* in row 1"):
        feet.update(POSES, 0.1)


def test_feet_that_cannot_rotate_are_refused_as_of_one():
    feet = PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    feet.update(POSES, 0.1)
    before, wrong = feet.state.copy(), POSES.copy()
    wrong[1, HERO.skeleton.index("Foot.L"), 7:] = 0
    with pytest.raises(ValueError, match=r"poses must not scale feet to zero, got that at joint .* of row 1"):
        feet.update(wrong, 0.1)
    np.testing.assert_array_equal(feet.state, before)


def test_a_ground_that_fails_leaves_the_states():
    walkers, feet = Walkers(3), PlayersFeet(FootPlacement(HERO, LEGS, HILLS))
    poses = walkers.step()
    feet.update(poses, 1 / 30, world_from_model=walkers.places)
    before = feet.state.copy()

    def broken(origins, directions):
        raise ArithmeticError("no ground today")

    feet.placement.ground = broken
    with pytest.raises(ArithmeticError, match="no ground today"):
        feet.update(poses, 1 / 30, world_from_model=walkers.places)
    np.testing.assert_array_equal(feet.state, before)


def test_a_second_call_meanwhile_is_refused():
    feet, refused = PlayersFeet(FootPlacement(HERO, LEGS, HILLS)), []

    def ground(origins, directions):
        def call():
            try:
                feet.update(POSES, 0.1)
            except RuntimeError as error:
                refused.append(str(error))

        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        return HILLS(origins, directions)

    feet.placement.ground = ground
    feet.update(POSES, 0.1)
    assert refused
    assert set(refused) == {
        "PlayersFeet.update: another call of these feet is under way; make one call at a time"
    }
