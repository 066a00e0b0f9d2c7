# SPDX-License-Identifier: MIT
"""What moves poses can be pickled, copied and looked at: copies do the same, and repr is one line."""

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import Clip, ground, samples, trs

TIMES = np.linspace(-1.3, 4.1, 23)
PAGE = Path(__file__).resolve().parents[2] / "docs" / "api" / "animation.rst"

DUPLICATES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "pickle 2": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
}


def hero():
    return samples.humanoid()


def walk():
    return hero().clips["walk"]


def travelling():
    return walk().restore_root_motion()


# Makers, by the name of the public class: one for each way to be of that class.

CLIPS: dict[str, Callable[[], Clip]] = {
    "as loaded": walk,
    "that does not loop": lambda: hero().clips["wave"],
    "ping-pong": lambda: walk()._edited(loop="ping_pong"),
    "whose loop is to be guessed": lambda: walk()._edited(loop=None),
    "with markers": lambda: walk().with_markers({"left": 0.0, "right": 0.55}),
    "that travels": travelling,
    "without its root motion": lambda: travelling().extract_root_motion(),
    "additive": lambda: lissom.make_additive(hero().clips["lean"]),
    "uniform, with a report": lambda: walk().resampled(60, character=hero()),
    "in float64": lambda: Clip.from_poses(hero().skeleton, [0, 1], np.float64(walk().sample([0, 1]))),
    "that is empty": lambda: Clip(
        "nothing", hero().skeleton, np.zeros(0, np.float32), np.zeros(0, lissom.clip.TRACK_DTYPE)
    ),
    "bound to another skeleton": lambda: walk().bind(samples.humanoid("giant").skeleton),
    "edited": lambda: walk().mirrored().trimmed(0.2, 0.9).at_speed(1.5).reversed().renamed("back"),
}


def of_clip(clip: Clip) -> list[Any]:
    motion = clip.root_motion
    return [
        *(
            clip.name,
            clip.start,
            clip.end,
            clip.markers,
            clip.additive,
            clip.uniform,
            clip.loop,
            clip.key_rate,
        ),
        *(clip.keys.dtype, clip.skeleton.names, clip.sample(TIMES), clip.sample(TIMES, loop=False)),
        *((None,) if motion is None else of_root_motion(motion)),
        *(clip.report, clip.binding),
    ]


def of_root_motion(motion: lissom.RootMotion) -> list[Any]:
    return [
        *(
            motion.at(TIMES),
            motion.between(TIMES[:-1], TIMES[1:]),
            motion.cycle,
            motion.distance,
            motion.turn,
        ),
        *(motion.joints, motion.error, motion.loop, motion.start, motion.duration),
    ]


def of_skeleton(skeleton: lissom.Skeleton) -> list[Any]:
    return [skeleton.names, skeleton.parents, skeleton.rest, skeleton.source_nodes, skeleton.mask("Chest")]


def of_record(record: Any) -> list[Any]:
    return [record]


def gait() -> lissom.BlendSpace1D:
    return lissom.BlendSpace1D([walk(), hero().clips["run"]], [1.3, 3.0], value=2.0)


def plane() -> lissom.BlendSpace2D:
    clips = [walk(), hero().clips["run"], walk().mirrored()]
    return lissom.BlendSpace2D(clips, [[0, 1], [0, 3], [1, 2]], point=[0.2, 1.8])


def of_space(space: Any) -> list[Any]:
    return [space.name, space.weights, space.start, space.duration, space.loop, space.sample(TIMES)]


def fading(to: Any = None, **options: Any) -> lissom.CrossFade:
    fade = lissom.CrossFade(hero().skeleton)
    fade.play(walk().with_markers({"left": 0.0, "right": 0.55}))
    for _ in range(8):
        fade.update(1 / 30)
    fade.fade_to(to or hero().clips["run"], 0.4, **options)
    for _ in range(5):
        fade.update(1 / 30)
    return fade


def of_fade(fade: lissom.CrossFade) -> list[Any]:
    """It plays on, and another clip comes in, unknown so far: copies by value know copies of the others."""
    told: list[Any] = []
    idle = copy.copy(hero().clips["idle"])
    for step in range(30):
        if step == 3:
            fade.fade_to(idle, 0.5)
        told.append(fade.update(1 / 30))
        told.append([(p.clip.name, p.time, p.weight, p.speed) for p in fade.playing])
        told.append([(e.clip.name, e.marker, e.weight) for e in fade.events])
        told.append(np.zeros(0) if fade.root_motion is None else fade.root_motion)
        told.append(fade.is_fading)
    return told


def of_still_fade(fade: lissom.CrossFade) -> list[Any]:
    return [fade.playing, fade.is_fading, fade.events, fade.dtype, fade.skeleton.names, fade.root_motion]


def crowding(**options: Any) -> lissom.Players:
    players = lissom.Players(hero().skeleton, 3)
    players.play(players.ids[:2], walk())
    for _ in range(8):
        players.step(1 / 30)
    players.fade_to([1], hero().clips["run"], 0.4, **options)
    for _ in range(5):
        players.step(1 / 30)
    players.remove([0])
    return players


def of_rates(rates: lissom.UpdateRates) -> list[Any]:
    players = crowding()
    told: list[Any] = [rates.pixels]
    for _ in range(4):
        due = rates.due(players, 1 / 30, 3.0)
        players.step(1 / 30, due=due)
        told += [due, rates.errors(players)]
    return told


def of_players(players: lissom.Players) -> list[Any]:
    """They play on, one joins them, and another clip comes in, unknown so far."""
    told: list[Any] = [players.add(2), [clip.name for clip in players.clips], players.rows(players.ids)]
    idle = copy.copy(hero().clips["idle"])
    playing = players.ids[players.state["layer_count"] > 0]
    for step in range(30):
        if step == 3:
            players.fade_to(playing, idle, 0.5)
        told += [
            players.step(1 / 30),
            players.morphs,
            players.is_fading,
            players.poses,
            players.state["layers"]["time"],
        ]
    return [*told, players.ids, players.dtype, players.skeleton.names, players.morph_names]


def layered() -> lissom.PlayerLayer:
    players = crowding()
    arms = players.layer("arms", mask=hero().skeleton.mask("Chest"))
    arms.play(players.ids, hero().clips["wave"])
    arms.weigh(players.ids, 1.0, 0.5)
    players.step(1 / 30)
    return arms


def of_layer(layer: lissom.PlayerLayer) -> list[Any]:
    players = layer._players
    told: list[Any] = [layer.name, layer.mask, layer.additive, [clip.name for clip in layer.clips]]
    for _ in range(5):
        told += [
            players.step(1 / 30),
            layer.weights,
            layer.fades,
            layer.state["layers"]["time"],
            layer.events,
        ]
    return told


HILLS = np.random.default_rng(0).normal(size=(8, 9))


def of_ground(surface: Any) -> list[Any]:
    rng = np.random.default_rng(1)
    origins, ways = rng.uniform(-1, 2, (200, 3)), rng.normal(size=(200, 3))
    return [*surface(origins, ways), *surface(origins, (0, -1, 0)), *surface.triangles()]


def dropping() -> Any:
    return walk().bind(samples.two_bone_tube().skeleton, {"Pelvis": "Base"}).binding


def event() -> Any:
    fade = fading()
    fade.play(walk().with_markers({"left": 0.0, "right": 0.55}))
    fade.update(0.6)
    return fade.events[-1]


def inertializing(kind: Any) -> lissom.Inertializer:
    change = lissom.Inertializer(hero().skeleton, kind=kind)
    change.transition(walk().sample(0.5), hero().clips["run"].sample(0.0))
    change.apply(hero().clips["run"].sample(0.05), 0.05)
    return change


def of_inertializer(change: lissom.Inertializer) -> list[Any]:
    told = [change.kind, change.is_active, change.elapsed, change.offset]
    return told + [change.apply(hero().clips["run"].sample(time), 0.02) for time in (0.1, 0.12, 0.14)]


def strand(**options: Any) -> lissom.SpringChain:
    return lissom.SpringChain(["Head"], drag=0.2, gravity=0.2, end=0.2, **options)


def springs() -> lissom.Springs:
    """In motion: the head has a strand that collides with the body."""
    collider = lissom.SpringCollider.capsule("Spine", 0.12, tail=(0, 0.3, 0))
    moving = lissom.Springs(hero(), [strand()], colliders=[collider])
    moving.simulate(walk())
    for pose in walk().sample([0.0, 0.05, 0.1]):
        moving.step(pose, 0.05)
    return moving


def of_springs(moving: lissom.Springs) -> list[Any]:
    told = [moving.chains, moving.joints, dict(moving.seams), moving.skeleton.names]
    return told + [moving.step(pose, 0.03) for pose in walk().sample([0.13, 0.16, 0.19])]


STATES: dict[str, list[tuple[str, Callable[[], Any], Callable[[Any], list[Any]]]]] = {
    "lissom.Clip": [(name, make, of_clip) for name, make in CLIPS.items()],
    "lissom.RootMotion": [
        ("of the sample", lambda: walk().root_motion, of_root_motion),
        ("taken out", lambda: travelling().extract_root_motion().root_motion, of_root_motion),
        (
            "made by hand",
            lambda: lissom.RootMotion.from_moves([0, 1], trs.identity(2), loop="ping_pong"),
            of_root_motion,
        ),
    ],
    "lissom.Skeleton": [("of the sample", lambda: hero().skeleton, of_skeleton)],
    "lissom.Marker": [("of a clip", lambda: walk().with_markers({"left": 0.0}).markers[0], of_record)],
    "lissom.CrossFade": [
        ("at rest", lambda: lissom.CrossFade(hero().skeleton), of_still_fade),
        ("in mid fade", fading, of_fade),
        ("in mid fade, in step", lambda: fading(sync=True), of_fade),
        ("inertializing", lambda: fading(method="inertialize"), of_fade),
        ("with a blend space", lambda: fading(gait()), of_fade),
    ],
    "lissom.Players": [
        ("of nobody", lambda: lissom.Players(hero().skeleton), of_players),
        ("in mid fade, in step", lambda: crowding(sync=True), of_players),
        ("inertializing", lambda: crowding(method="spring"), of_players),
    ],
    "lissom.PlayerLayer": [("in mid fade", layered, of_layer)],
    "lissom.cross_fade.Playing": [
        (
            "of a fade",
            lambda: fading().playing[0],
            lambda p: [p.clip.name, p.time, p.weight, p.speed, p.ended],
        )
    ],
    "lissom.cross_fade.Event": [
        ("of a fade", event, lambda e: [e.clip.name, e.marker, e.weight]),
    ],
    "lissom.Inertializer": [
        ("at rest", lambda: lissom.Inertializer(hero().skeleton), of_inertializer),
        ("quintic", lambda: inertializing("quintic"), of_inertializer),
        ("spring", lambda: inertializing("spring"), of_inertializer),
    ],
    "lissom.UpdateRates": [
        ("at half a pixel", lambda: lissom.UpdateRates(hero()), of_rates),
        ("at more", lambda: lissom.UpdateRates(hero(), pixels=2.0), of_rates),
    ],
    "lissom.BlendSpace1D": [("of gaits", gait, of_space)],
    "lissom.BlendSpace2D": [("of gaits and ways", plane, of_space)],
    "lissom.Springs": [
        ("at rest", lambda: lissom.Springs(hero(), [strand()]), of_springs),
        ("in motion", springs, of_springs),
    ],
    "lissom.SpringChain": [
        ("that collides", lambda: strand(colliders=[springs()._colliders[0]]), of_record),
    ],
    "lissom.SpringCollider": [
        ("sphere", lambda: lissom.SpringCollider.sphere("Head", 0.1), of_record),
        ("capsule", lambda: lissom.SpringCollider.capsule("Head", 0.1, tail=(0, 1, 0)), of_record),
        ("plane", lambda: lissom.SpringCollider.plane("Head"), of_record),
    ],
    "lissom.SpringSeam": [("of a walk", lambda: springs().seams["walk"], of_record)],
    "lissom.Binding": [
        ("of another build", lambda: walk().bind(samples.humanoid("child").skeleton).binding, of_record),
        ("with dropped joints", dropping, of_record),
    ],
    "lissom.ground.Plane": [("tilted", lambda: ground.Plane((0.1, 0.2, 0.3), (1, 7, -3)), of_ground)],
    "lissom.ground.HeightField": [
        ("of hills", lambda: ground.HeightField(HILLS, (0.3, 0.1), (0, 1, 0)), of_ground)
    ],
    "lissom.ground.TriangleMesh": [
        ("of hills", lambda: ground.TriangleMesh(*ground.HeightField(HILLS, 0.2).triangles()), of_ground),
        (
            "in float32",
            lambda: ground.TriangleMesh(hero().mesh.positions, hero().mesh.triangles),
            of_ground,
        ),
        ("of nothing", lambda: ground.TriangleMesh([], []), of_ground),
    ],
    "lissom.ClipReport": [("of resampling", lambda: walk().resampled(60).report, of_record)],
}

CASES = [
    pytest.param(make, asked, id=f"{name} {kind}")
    for name, kinds in STATES.items()
    for kind, make, asked in kinds
]


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


@pytest.mark.parametrize("way", DUPLICATES)
@pytest.mark.parametrize(("make", "asked"), CASES)
def test_copies_do_the_same(make: Callable[[], Any], asked: Callable[[Any], list[Any]], way: str) -> None:
    thing = make()
    other = DUPLICATES[way](thing)
    assert type(other) is type(thing)
    for mine, its in zip(asked(thing), asked(other), strict=True):
        assert equal(mine, its)


@pytest.mark.parametrize("way", DUPLICATES)
@pytest.mark.parametrize(("make", "asked"), CASES)
def test_copies_of_what_was_used_do_the_same(
    make: Callable[[], Any], asked: Callable[[Any], list[Any]], way: str
) -> None:
    """What is prepared or guessed when first asked for does not get in the way."""
    thing = make()
    asked(thing)
    other = DUPLICATES[way](thing)
    for mine, its in zip(asked(thing), asked(other), strict=True):
        assert equal(mine, its)


@pytest.mark.parametrize(("make", "asked"), CASES)
def test_repr_is_one_line_that_says_what_it_is(
    make: Callable[[], Any], asked: Callable[[Any], list[Any]]
) -> None:
    thing = make()
    for _ in range(2):
        text = repr(thing)
        assert "\n" not in text
        assert type(thing).__name__ in text
        assert len(type(thing).__name__) + 10 < len(text) < 400
        assert " object at 0x" not in text
        asked(thing)  # once more when it has been used


def test_a_clip_says_what_it_carries() -> None:
    assert repr(walk()).endswith("33 tracks for 34 joints, loops, with root motion>")
    marked = CLIPS["with markers"]()
    assert repr(marked).endswith("loops, with root motion, 2 markers>")
    assert repr(CLIPS["additive"]()).endswith("loops, additive>")
    assert repr(hero().clips["wave"]).endswith("does not loop>")


def test_every_class_that_moves_poses_is_here() -> None:
    classes = re.findall(r"^\.\. autoclass:: (lissom\.[\w.]+)", PAGE.read_text(), re.MULTILINE)
    assert set(classes) <= set(STATES), "add makers for it above"
