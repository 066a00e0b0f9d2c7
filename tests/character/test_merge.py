# SPDX-License-Identifier: MIT
"""Several characters as one."""

import itertools
import pickle

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom._character.equal_size import rest_height
from lissom.gpu import heading, plain_instances
from lissom.player._morphs import _expressions
from morphed_characters import faced
from props import FAR, linear, matrix, whip
from random_rigs import random_poses
from vrm_avatars import avatar

OTHERS = [
    "characters/kaykit/Knight.glb",
    "characters/quaternius/mech_pack/George.glb",
    "characters/quaternius/modular_men/Worker.glb",
    "characters/khronos/CesiumMan.glb",
    "characters/godot/player.glb",
    "characters/khronos/Fox.glb",
    "characters/quaternius/animals_pack/Wolf.glb",
    "characters/raylib/greenman.glb",
]


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def child():
    return lissom.samples.humanoid("child")


def placed(rng, count):
    """Rigid trs with one scale each."""
    result = random_poses(rng, count)
    result[:, 7:] = rng.uniform(0.5, 2, (count, 1))
    return result


def vertices_of(pair, character, member):
    """Where the vertices of a member begin and end in a merge of it and another."""
    count = character.mesh.vertex_count
    return slice(0, count) if member == 0 else slice(pair.mesh.vertex_count - count, None)


def test_each_moves_as_alone_where_it_is_placed(hero):
    rng = np.random.default_rng(3)
    prop = whip()
    places = placed(rng, 2)
    pair = lissom.merge([hero, prop], places, names=["a", "b"])
    for name, character, member in (("a", hero, 0), ("b", prop, 1)):
        for clip in character.clips:
            time = character.clips[clip].start + 0.3
            pose = character.clips[clip].sample(time).astype(np.float64)
            weights = character.clips[clip].morphs(time)
            own = linear(character, pose, _morphed(character, weights))
            want = own @ matrix(places[member])[:3, :3].T + places[member, :3]
            whole = pair.clips[f"{name}/{clip}"]
            got = pair.deform(whole.sample(time).astype(np.float64), "linear", morphs=whole.morphs(time))
            away = np.abs(got[vertices_of(pair, character, member)] - want).max()
            assert away < FAR * pair.size, (name, clip)


def _morphed(character, weights):
    morphs = character.mesh.morphs
    points = character.mesh.positions.astype(np.float64)
    for target in range(0 if morphs is None else len(morphs)):
        rows = morphs.rows(target)
        points[morphs.vertices[rows]] += weights[target] * morphs.positions[rows].astype(np.float64)
    return points


def test_others_rest_meanwhile(hero, child):
    pair = lissom.merge([hero, child], names=["a", "b"])
    rest = pair.skeleton.rest
    poses = pair.clips["a/run"].sample([0.1, 0.2])
    own = 1 + len(hero.skeleton)
    np.testing.assert_array_equal(poses[:, own:], np.broadcast_to(rest[own:], (2, *rest[own:].shape)))
    np.testing.assert_array_equal(poses[:, 1:own], hero.clips["run"].sample([0.1, 0.2]))
    assert pair.clips["a/run"].root_motion is None  # it would move both
    assert pair.clips["a/run"].loop == hero.clips["run"].loop


def test_by_default_they_stand_side_by_side(hero, child):
    three = lissom.merge([hero, child, hero])
    parts = {part.name.split("/")[0]: [] for part in three.mesh.parts}
    assert list(parts) == ["humanoid_adult", "humanoid_child", "humanoid_adult_2"]
    for part in three.mesh.parts:
        parts[part.name.split("/")[0]].append(three.mesh.positions[part.vertices])
    boxes = [(np.concatenate(each).min(axis=0), np.concatenate(each).max(axis=0)) for each in parts.values()]
    widths = [high[0] - low[0] for low, high in boxes]
    gap = 0.1 * np.mean(widths)
    for (_, high), (low, _) in itertools.pairwise(boxes):
        assert low[0] - high[0] == pytest.approx(gap, abs=1e-5)
    for low, _ in boxes:
        assert low[1] == pytest.approx(0, abs=1e-6)
    assert boxes[0][0][0] == pytest.approx(-boxes[-1][1][0], abs=1e-5)


@pytest.mark.parametrize("form", ["trs", "dual_quat", "matrix", "positions", "instances"])
def test_placements_take_the_forms_of_transforms_and_instances(hero, child, form):
    turn = heading([0.3, -1.2]).astype(np.float64)
    spots = np.array([[1, 0, 2], [-1, 0.5, 0.0]])
    scale = np.array([1.0, 1.0]) if form in ("dual_quat", "positions") else np.array([2.0, 0.5])
    if form == "positions":
        turn = np.tile([0.0, 0, 0, 1], (2, 1))
    places = lissom.trs.from_parts(spots, turn, scale[:, None] * np.ones(3))
    instances = plain_instances(2)
    instances["position"], instances["rotation"], instances["scale"] = spots, 3 * turn, scale
    given = {
        "trs": places,
        "dual_quat": lissom.dual_quat.from_trs(places) if form == "dual_quat" else None,
        "matrix": lissom.trs.to_matrix(places),
        "positions": spots,
        "instances": instances,
    }[form]
    pair = lissom.merge([hero, child], given)
    roots = np.flatnonzero(pair.skeleton.parents < 0)
    np.testing.assert_allclose(pair.skeleton.rest[roots], places, atol=1e-6)


def test_all_get_the_height_of_the_first_or_a_number():
    others = [lissom.load(asset(file)) for file in OTHERS]
    for equal, height in ((True, rest_height(others[0])), (1.7, 1.7)):
        all_of = lissom.merge(others, equal_size=equal)
        vertices, last = all_of.deform(all_of.skeleton.rest.astype(np.float64)), -np.inf
        ends = np.cumsum([0, *(character.mesh.vertex_count for character in others)])
        for begin, end in itertools.pairwise(ends):
            low, high = vertices[begin:end].min(axis=0), vertices[begin:end].max(axis=0)
            assert high[1] - low[1] == pytest.approx(height, rel=1e-5)
            assert low[1] == pytest.approx(0, abs=1e-5 * height)
            assert low[0] > last
            last = high[0]
    twice = lissom.merge(
        others[:2], lissom.trs.from_parts([[0, 0, 0], [9, 0, 0]], scale=[2, 2, 2]), equal_size=True
    )
    heights = twice.deform(twice.skeleton.rest)[:, 1]
    tall = [np.ptp(each) for each in np.split(heights, [others[0].mesh.vertex_count])]
    np.testing.assert_allclose(tall, 2 * rest_height(others[0]), rtol=1e-5)


def test_bones_have_a_height_too(hero):
    bones = lissom.Character("bones", hero.skeleton, None, None)
    assert rest_height(bones) == pytest.approx(np.ptp(hero.skeleton.positions(hero.skeleton.rest)[:, 1]))
    point = lissom.Character(
        "point", lissom.Skeleton(["a"], [-1], [[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]), None, None
    )
    with pytest.raises(
        ValueError, match="equal_size must be False where a character has no height, got 'poi"
    ):
        lissom.merge([hero, point], equal_size=True)


def test_clips_are_played_together(hero, child):
    pair = lissom.merge(
        [hero, child], names=["a", "b"], clips={"meet": ["wave", "walk"], "still": [None, None]}
    )
    meet, wave, walk = pair.clips["meet"], hero.clips["wave"], child.clips["walk"]
    assert list(pair.clips)[:2] == ["meet", "still"]
    assert (meet.start, meet.end) == (0, pytest.approx(wave.duration))
    own = 1 + len(hero.skeleton)
    times = np.linspace(0, wave.duration, 50)
    poses = meet.sample(times)
    np.testing.assert_allclose(poses[:, 1:own], wave.sample(wave.start + times), atol=2e-6)
    np.testing.assert_allclose(poses[:, own + 1 :], walk.sample(walk.start + times, loop=True), atol=2e-3)
    assert meet.loop is False  # the wave does not
    assert pair.clips["still"].duration == 0
    np.testing.assert_array_equal(pair.clips["still"].sample(0.0), pair.skeleton.rest)


def test_loops_that_fit_loop_together(hero):
    walk = hero.clips["walk"]
    half = walk.at_speed(2.0)
    pair = lissom.merge([hero, hero], clips={"both": [walk, half], "odd": [walk, walk.at_speed(1.3)]})
    assert pair.clips["both"].loop is True
    assert pair.clips["both"].duration == pytest.approx(walk.duration)
    assert pair.clips["odd"].loop is False
    back = walk._edited(loop="ping_pong")
    swung = lissom.merge([hero, hero], clips={"swing": [walk.at_speed(0.5), back]}).clips["swing"]
    times = np.linspace(0, 2 * walk.duration, 40, endpoint=False)
    mine = swung.sample(times)[:, len(hero.skeleton) + 2 :]
    np.testing.assert_allclose(mine, back.sample(back.start + times), atol=2e-3)
    assert swung.loop is True
    alone = lissom.merge([hero], clips={"swing": [back]}).clips["swing"]
    assert alone.duration == pytest.approx(2 * walk.duration)


def test_weights_are_played_together(hero):
    prop = whip()
    names = hero.clips["walk"], prop.clips["crack"]
    pair = lissom.merge([faced(hero), prop], clips={"both": list(names)})
    both, crack = pair.clips["both"], prop.clips["crack"]
    assert both.morph_names == pair.mesh.morphs.names
    times = np.linspace(0, crack.duration, 20)
    np.testing.assert_allclose(
        both.morphs(times, loop=False)[:, -2:], crack.morphs(crack.start + times, loop=False), atol=1e-5
    )


def test_a_clip_has_its_own_defaults(hero):
    face = faced(hero)
    poses = np.tile(hero.skeleton.rest, (2, 1, 1))
    grin = lissom.Clip.from_poses(hero.skeleton, [0, 1], poses, name="grin")
    grin = grin._edited(morph_names=face.mesh.morphs.names, morph_defaults=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    pair = lissom.merge([face, face], clips={"both": [None, grin]})
    usual = face.mesh.morphs.defaults
    np.testing.assert_array_equal(pair.clips["both"].morphs(0.5), [*usual, *grin.morph_defaults])


def test_names_and_faces_stay_apart(hero):
    one, two = faced(hero), faced(hero, seed=4)
    for face in (one, two):
        face.expressions = lissom.Expressions(face.mesh.morphs, [lissom.Expression("happy", {"smile": 1})])
    pair = lissom.merge([one, two], names=["a", "a"])
    assert pair.expressions.names == ("a/happy", "a_2/happy")
    moved = pair.expressions.weights({"a_2/happy": 1.0}) != pair.mesh.morphs.defaults
    names = [name for name, moves in zip(pair.mesh.morphs.names, moved, strict=True) if moves]
    assert names == ["a_2/face/smile", "a_2/hair/smile"]
    assert pair.only("a_2").mesh.vertex_count == two.mesh.vertex_count
    assert {name.split("/")[0] for name in pair.skeleton.names} == {"a", "a_2"}
    assert pickle.loads(pickle.dumps(pair)).skeleton.names == pair.skeleton.names


def test_expressions_override_those_of_their_own_character_alone(hero):
    """Of VRM 1: "happy" takes the blink away, "sad" halves mouths; here in one of two faces, then in both."""
    faces = [faced(hero), faced(hero, seed=4)]
    said = [
        lissom.Expression("happy", {"face/smile": 1}, override_blink="block"),
        lissom.Expression("sad", {"face/smile": 0.25}, override_mouth="blend"),
        lissom.Expression("blink", {"face/blink": 1}, override_mouth="block"),
        lissom.Expression("aa", {"body/round": 1}),
        lissom.Expression("look/blink", {"body/thin": 1}),  # of no kind, whatever it ends with
    ]
    for face in faces:
        face.expressions = lissom.Expressions(face.mesh.morphs, said)
    pair = lissom.merge(faces, names=["x", "y"])
    again = lissom.merge([pair], names=["all"])
    for character, before in (
        (pair, ""),
        (pickle.loads(pickle.dumps(pair)), ""),
        (lissom.load(lissom.save_glb(pair, clips=[])), ""),
        (again, "all/"),
    ):
        weights = character.expressions.weights(
            {
                f"{before}{name}": weight
                for name, weight in {
                    "x/happy": 1,
                    "x/blink": 1,
                    "x/aa": 1,
                    "x/look/blink": 1,
                    "y/sad": 0.5,
                    "y/blink": 0,
                    "y/aa": 0.5,
                }.items()
            }
        )
        got = dict(zip(character.expressions.morph_names, weights.tolist(), strict=True))
        wanted = {
            "x/face/smile": 1.0,
            "x/face/blink": 0.0,  # blocked by x/happy
            "x/body/round": 0.0,  # blocked by x/blink, whose own weight counts before it is blocked
            "x/body/thin": 1.0,
            "y/face/smile": 0.125,
            "y/face/blink": 0.0,
            "y/body/round": 0.25,  # halved by y/sad, and not blocked by x/blink
        }
        assert {name: got[before + name] for name in wanted} == wanted
    shown = _expressions(pair.mesh.morphs, pair.expressions)  # what pages read
    kinds = {each["name"]: (each["group"], each["kinds"]) for each in shown}
    assert kinds["y/blink"] == ("y/", ["blink"])
    assert kinds["x/look/blink"] == ("x/", [])
    prop = whip()
    prop.expressions = lissom.Expressions(
        prop.mesh.morphs, [lissom.Expression("happy", {"curl": 1}, override_blink="block")]
    )
    armed = lissom.attach(faces[0], "Head", prop)
    given = {"whip/happy": 1, "blink": 1}
    got = dict(zip(armed.expressions.morph_names, armed.expressions.weights(given).tolist(), strict=True))
    assert (got["face/blink"], got["whip/lash/curl"]) == (1, 1)


def test_names_stand_beside_each_other(hero):
    """A name below another's would be that of one of its joints."""
    pair = lissom.merge([hero, hero, hero], names=["a", "a/Pelvis", "a_Pelvis"])
    roots = [pair.skeleton.names[joint] for joint in np.flatnonzero(pair.skeleton.parents < 0)]
    assert roots == ["a", "a_Pelvis", "a_Pelvis_2"]
    assert {"a/Pelvis", "a_Pelvis/Pelvis"} <= set(pair.skeleton.names)


def test_methods_that_differ_become_linear(hero):
    other = hero.without()
    other.method = "dual_quat"
    assert lissom.merge([hero, other]).method == "linear"
    assert lissom.merge([other, other]).method == "dual_quat"
    painted = hero.without()
    painted.blend = 0.25
    mixed = lissom.merge([painted, other, hero]).blend
    count = hero.mesh.vertex_count
    assert [set(mixed[i * count : (i + 1) * count]) for i in range(3)] == [{0.25}, {1.0}, {0.0}]


def test_those_that_look_to_the_other_side_are_turned_round():
    looks = [lissom.load(avatar(version).glb()) for version in (1, 0)]
    pair = lissom.merge(looks)
    roots = np.flatnonzero(pair.skeleton.parents < 0)
    turned = lissom.quat.rotate(pair.skeleton.rest[roots, 3:7], [[0, 0, 1], [0, 0, -1]])
    np.testing.assert_allclose(turned, [[0, 0, 1]] * 2, atol=1e-6)


def test_merges_are_drawn_baked_and_saved(hero, child):
    pair = lissom.merge([hero, child], names=["a", "b"], clips={"meet": ["idle", "walk"]})
    bake = lissom.bake(pair, ["meet"], rate=10)
    assert bake.palette_row_count == len(hero.skin) + len(child.skin)
    again = lissom.load(lissom.save_glb(pair, clips=["meet"]))
    pose = pair.clips["meet"].sample(0.5)
    loaded = again.clips["meet"].sample(0.5)
    np.testing.assert_allclose(again.deform(loaded, "linear"), pair.deform(pose, "linear"), atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((), {}, ValueError, "merge: characters must be one or more, got none"),
        (("a",), {}, TypeError, "merge: characters must hold Characters, got str; lissom.load"),
        ((0,), {"names": ["a", "b"]}, ValueError, "merge: names must be one for each of 1 character"),
        ((0,), {"names": "ab"}, TypeError, "merge: names must be a sequence of str, got str"),
        ((0,), {"names": [1]}, TypeError, "merge: names must hold str, got int"),
        ((0,), {"name": 1}, TypeError, "merge: name must be a str, got int"),
        ((0,), {"clips": ["walk"]}, TypeError, "merge: clips must be a mapping of names to clips, got list"),
        ((0,), {"clips": {"a": "walk"}}, TypeError, r"merge: clips\['a'\] must be a sequence, one for each"),
        ((0,), {"clips": {1: ["walk"]}}, TypeError, "merge: clips must be named by str, got int"),
        ((0,), {"clips": {"a": []}}, ValueError, r"merge: clips\['a'\] must be one for each of 1 character"),
        ((0,), {"clips": {"a": ["wlak"]}}, ValueError, r"merge: clips\['a'\]: no clip is named 'wlak'; did"),
        (
            (0,),
            {"clips": {"h/walk": ["walk"]}, "names": ["h"]},
            ValueError,
            "merge: clips must have names of",
        ),
        ((0,), {"equal_size": 0.0}, ValueError, "merge: equal_size must be above zero"),
        ((0,), {"equal_size": "yes"}, TypeError, "merge: equal_size must be"),
        ((0, 0), {"placements": [[0, 0, 0]]}, ValueError, "placements must be one for each of 2 characters"),
        ((0,), {"placements": [[0, 0]]}, ValueError, r"merge: placements must have shape \(1, 10\) as trs"),
        ((0,), {"placements": [[0, 0, np.nan]]}, ValueError, "merge: placements must be finite"),
        (
            (0,),
            {"placements": plain_instances(2)},
            ValueError,
            "placements must be one for each of 1 characte",
        ),
        (
            (0,),
            {"placements": np.zeros(1, plain_instances(1).dtype)},
            ValueError,
            "rotation must be a quater",
        ),
        (
            (0,),
            {"placements": [[0, 0, 0, 0, 0, 0, 1, 1, 2, 1]]},
            ValueError,
            "must scale by one number above",
        ),
        (
            (0,),
            {"placements": [[0, 0, 0, 0, 0, 0, 1, 0, 0, 0]]},
            ValueError,
            "must scale by one number above",
        ),
    ],
)
def test_bad_input(hero, arguments, options, error, message):
    with pytest.raises(error, match=message):
        lissom.merge([hero if each == 0 else each for each in arguments], **options)


def test_a_character_is_no_list_of_them(hero):
    with pytest.raises(TypeError, match="merge: characters must be a sequence of Character, got Character"):
        lissom.merge(hero)


def test_additive_clips_are_refused(hero):
    added = lissom.make_additive(hero.clips["wave"], hero.skeleton.rest)
    with pytest.raises(ValueError, match="merge: clips must hold poses, got 'wave', which is additive"):
        lissom.merge([hero, hero], clips={"both": [None, added]})
