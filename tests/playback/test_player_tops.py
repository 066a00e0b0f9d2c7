# SPDX-License-Identifier: MIT
"""What layers on top of players do to poses and morph weights, of any size, type and mask; and their end."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import Clip, CrossFade, PlayerLayer, Players, Skeleton
from random_rigs import random_skeleton
from wild_clips import wild_clips

HERO = lissom.samples.humanoid()
WALK, WAVE, IDLE = (HERO.clips[name] for name in ("walk", "wave", "idle"))
NAMES = ("face/smile", "face/blink", "face/frown")
DEFAULTS = np.array([0.25, -1, 0.5], np.float32)
METHODS = ("blend", "blend", "inertialize", "spring")


class Stack:
    """Players with layers, and cross-fades for each player and layer, of which the same is asked."""

    def __init__(
        self, skeleton: Skeleton, count: int, dtype: Any, kinds: dict[str, dict[str, Any]], pool: list[Clip]
    ) -> None:
        self.players = Players(skeleton, count, dtype=dtype)
        self.layers = {name: self.players.layer(name, **kind) for name, kind in kinds.items()}
        self.additive = [lissom.make_additive(clip) for clip in pool]
        self.pool, self.dtype = pool, dtype
        self.fades = {
            (player, name): CrossFade(skeleton, dtype=dtype)
            for player in range(count)
            for name in ("", *kinds)
        }

    def clips(self, name: str) -> list[Clip]:
        return self.additive if name and self.layers[name].additive else self.pool

    def ask(self, rng: np.random.Generator) -> None:
        for (player, name), fade in self.fades.items():
            whose: Any = self.layers[name] if name else self.players
            number = int(rng.integers(len(self.pool)))
            clip = self.clips(name)[number]
            if not fade.playing and rng.random() < (0.3 if name else 1):
                at = float(rng.uniform(0, 2))
                whose.play([player], clip, at=at)
                fade.play(clip, at=at)
            elif fade.playing and rng.random() < 0.4:
                method: Any = METHODS[int(rng.integers(4))]
                whose.fade_to([player], clip, 0.05, method=method)
                fade.fade_to(clip, 0.05, method=method)
            if name and rng.random() < 0.4:
                whose.weigh([player], float(rng.choice([0, 1, rng.uniform()])))

    def step(self, dt: float) -> None:
        poses = self.players.step(dt)
        twins = {key: fade.update(dt) for key, fade in self.fades.items() if fade.playing}
        for row, player in enumerate(self.players.ids.tolist()):
            pose: Any = twins[player, ""]
            for name, layer in self.layers.items():
                weight = self.dtype(layer.weights[row])
                if (player, name) in twins:
                    combine = lissom.add_layer if layer.additive else lissom.blend
                    pose = combine(pose, twins[player, name], weight, layer.mask)
            np.testing.assert_array_equal(poses[row], pose)
        self.check_morphs()
        before, weights = poses.copy(), self.players.morphs.copy()
        self.players._forget()  # what they show between steps is the same
        np.testing.assert_array_equal(self.players.poses, before)
        np.testing.assert_array_equal(self.players.morphs, weights)

    def check_morphs(self) -> None:
        names = self.players.morph_names
        for row, player in enumerate(self.players.ids.tolist() if names else ()):
            weights: Any = self.morphs(player, "")
            for name, layer in self.layers.items():
                if not layer.morphs or not self.fades[player, name].playing:
                    continue
                mask: Any = np.ones(3) if layer.morphs is True else [layer.morphs.get(n, 0) for n in names]
                shares = self.dtype(layer.weights[row]) * np.asarray(mask, self.dtype)
                own = self.morphs(player, name)
                if layer.additive:
                    weights = weights + shares * own
                else:
                    weights = np.where(shares == 1, own, weights + shares * (own - weights))
            np.testing.assert_array_equal(self.players.morphs[row], weights)

    def morphs(self, player: int, name: str) -> Any:
        fade = self.fades[player, name]
        if fade.morph_names:
            return fade.morphs
        return np.zeros(3, self.dtype) if name and self.layers[name].additive else DEFAULTS.astype(self.dtype)


def masked(skeleton: Skeleton, rng: np.random.Generator) -> np.ndarray:
    return np.clip(rng.uniform(-0.5, 1.5, len(skeleton)), 0, 1)


@pytest.mark.parametrize(
    ("joints", "dtype"),
    [(1, np.float32), (7, np.float64), (16, np.float32), (34, np.float32), (40, np.float64)],
)
def test_poses_are_those_of_blend_and_add_layer(joints: int, dtype: Any) -> None:
    """Of more players than are stepped together, some of whom show a layer, and some not."""
    rng = np.random.default_rng(joints)
    skeleton = random_skeleton(rng, joints)
    pool = wild_clips(rng, skeleton, 6)
    kinds: dict[str, dict[str, Any]] = {
        "masked": {"mask": masked(skeleton, rng)},
        "added": {"additive": True, "mask": masked(skeleton, rng)},
        "whole": {},
        "added whole": {"additive": True},
    }
    stack = Stack(skeleton, 150, dtype, kinds, pool)
    for _ in range(5):
        stack.ask(rng)
        stack.step(float(rng.choice([0, 0.02, 0.05])))


def test_deterministic_mode_has_the_same_bits() -> None:
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng, 9)
    kinds: dict[str, dict[str, Any]] = {"a": {"mask": masked(skeleton, rng)}, "b": {"additive": True}}
    stack = Stack(skeleton, 70, np.float32, kinds, wild_clips(rng, skeleton, 6))
    lissom.set_deterministic(True)
    try:
        for _ in range(4):
            stack.ask(rng)
            stack.step(0.02)
    finally:
        lissom.set_deterministic(False)


def with_morphs(rng: np.random.Generator, clip: Clip) -> Clip:
    times = np.linspace(clip.start, clip.end, 9)
    weights, keys = rng.normal(size=(9, 3)), clip.sample(times)
    made = Clip.from_poses(
        clip.skeleton, times, keys, loop=clip.loop, morphs=weights, morph_names=list(NAMES)
    )
    return made._edited(morph_defaults=DEFAULTS.tolist())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("base_knows", [True, False])
def test_morph_weights_are_put_on_top(dtype: Any, base_knows: bool) -> None:
    rng = np.random.default_rng(8)
    skeleton = random_skeleton(rng, 3)
    plain = wild_clips(rng, skeleton, 6)
    faces = [with_morphs(rng, clip) for clip in plain]
    kinds: dict[str, dict[str, Any]] = {
        "all": {"morphs": True, "mask": masked(skeleton, rng)},
        "some": {"morphs": {NAMES[0]: 0.5, NAMES[2]: 1.0}},
        "added": {"morphs": True, "additive": True},
        "left out": {"morphs": False},
        "poses": {},
    }
    stack = Stack(skeleton, 70, dtype, kinds, faces)
    known = [make(clip) for clip in faces for make in (lambda c: c, lissom.make_additive)]
    assert all(clip.morph_names == NAMES for clip in known)
    own = stack.clips
    stack.clips = lambda name: (  # type: ignore[method-assign]
        plain if name == "poses" or (not name and not base_knows) else own(name)
    )
    stack.ask(rng)
    assert stack.players.morph_names == NAMES
    for fade in stack.fades.values():  # players share theirs
        fade._know_morphs(faces[0])
    for _ in range(6):
        stack.step(0.02)
        stack.ask(rng)
    assert np.ptp(stack.players.morphs) > 0.5
    assert stack.layers["some"].morphs == {NAMES[0]: 0.5, NAMES[2]: 1.0}


def test_a_mask_of_targets_leaves_the_others_to_the_bit() -> None:
    rng = np.random.default_rng(1)
    face = with_morphs(rng, IDLE)
    players = Players(HERO.skeleton, 2)
    players.play([0, 1], face)
    mouth = players.layer("mouth", mask=HERO.skeleton.mask("Head"), morphs={NAMES[0]: 1.0})
    mouth.play([1], with_morphs(rng, WAVE))
    mouth.weigh([1], 1.0)
    players.step(0.25)
    np.testing.assert_array_equal(players.morphs[1, 1:], face.morphs(0.25)[1:])
    assert players.morphs[1, 0] == mouth.clips[0].morphs(0.25)[0]
    np.testing.assert_array_equal(players.morphs[0], face.morphs(0.25))


def layered() -> tuple[Players, PlayerLayer, PlayerLayer]:
    players = Players(HERO.skeleton, 4)
    players.play(players.ids, WALK, at=[0, 0.1, 0.2, 0.3])
    arms, nods = players.layer("arms", mask=HERO.skeleton.mask("Chest")), players.layer("nods")
    for layer in (arms, nods):
        layer.play(players.ids, WAVE)
        layer.weigh(players.ids, 0.75)
    return players, arms, nods


def test_a_removed_layer_is_gone_and_all_others_stay() -> None:
    players, arms, nods = layered()
    players.step(0.1)
    state, top, fades = players.state.copy(), nods.state.copy(), nods.fades.copy()
    players.remove_layer("arms")
    assert list(players.layers) == [nods]
    for now, before in ((players.state, state), (nods.state, top), (nods.fades, fades)):
        assert now.tobytes() == before.tobytes()
    np.testing.assert_array_equal(players.ids, [0, 1, 2, 3])
    wanted = lissom.blend(WALK.sample([0.1, 0.2, 0.3, 0.4]), WAVE.sample(0.1), np.float32(0.75))
    np.testing.assert_allclose(players.poses, wanted, atol=1e-6)
    again = players.layer("arms", additive=True)  # another one may have its name
    assert again is not arms
    assert list(players.layers) == [nods, again]
    removed: list[tuple[str, Any]] = [
        ("play", lambda: arms.play([0], WAVE)),
        ("fade_to", lambda: arms.fade_to([0], IDLE, 1.0)),
        ("move", lambda: arms.move([0], 1.0)),
        ("weigh", lambda: arms.weigh([0], 1.0)),
        ("events", lambda: arms.events),
        ("state", lambda: arms.state),
        ("fades", lambda: arms.fades),
        ("weights", lambda: arms.weights),
        ("clips", lambda: arms.clips),
    ]
    for name, call in removed:
        with pytest.raises(
            ValueError, match=rf"^PlayerLayer\.{name}: layer 'arms' must be one of .* removed$"
        ):
            call()
    players.add(3)
    assert (len(nods.state), len(again.state)) == (7, 7)
    assert repr(arms) == "<PlayerLayer 'arms': masked, removed>"
    for other in (pickle.loads(pickle.dumps(arms)), copy.copy(arms), copy.deepcopy(arms)):
        assert other.name == "arms"
        with pytest.raises(ValueError, match=r"^PlayerLayer\.state: layer 'arms' must be one of .* removed$"):
            other.state.copy()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(players)).step(0.1), players.step(0.1))


def with_face(face: Clip, **kind: Any) -> PlayerLayer:
    players = Players(HERO.skeleton, 1)
    layer = players.layer("face", **kind)
    layer.play([0], face)
    return layer


CASES: list[tuple[Any, type[Exception], str]] = [
    (
        lambda p: p.remove_layer("legs"),
        ValueError,
        r"must be one of the layers' \('arms', 'nods'\), got 'legs'",
    ),
    (lambda p: p.remove_layer(0), TypeError, r"^Players\.remove_layer: name must be a str, got int"),
    (
        lambda p: p.layer("x", morphs=1),
        TypeError,
        r"^Players\.layer: morphs must be True, False or a .* got int",
    ),
    (
        lambda p: p.layer("x", morphs={1: 1}),
        TypeError,
        r"^Players\.layer: morphs must have names as keys, got 1",
    ),
    (
        lambda p: p.layer("x", morphs={"a": 2.0}),
        ValueError,
        r"^Players\.layer: morphs\['a'\] must be .*, got 2",
    ),
    (lambda p: p.layer("x", morphs={"a": np.nan}), ValueError, r"morphs\['a'\] must be .*, got nan"),
    (lambda p: p.layer("x", morphs={"a": None}), TypeError, r"morphs\['a'\] must be a number"),
    (
        lambda p: p.layers[0].play([0], with_morphs(np.random.default_rng(0), WAVE)),
        ValueError,
        r"^PlayerLayer\.play: clip must have no morph targets, of which layer 'arms' was told nothing, got "
        r".*; make the layer with morphs=True",
    ),
]


@pytest.mark.parametrize(("call", "error", "sentence"), CASES)
def test_it_is_refused(call: Any, error: type[Exception], sentence: str) -> None:
    players, arms, nods = layered()
    with pytest.raises(error, match=sentence) as raised:
        call(players)
    assert "\n" not in str(raised.value)
    assert list(players.layers) == [arms, nods]


def test_unknown_morph_targets_are_refused_whoever_plays_first() -> None:
    face = with_morphs(np.random.default_rng(0), WAVE)
    known = r"must name morph targets that there are, got 'ear'; they are 'face/smile', 'face/blink', .*n'$"
    with pytest.raises(ValueError, match=rf"^PlayerLayer\.play: layer 'face' {known}"):
        with_face(face, morphs={"ear": 1.0})
    players = Players(HERO.skeleton, 1)
    layer = players.layer("face", morphs={"ear": 1.0})
    with pytest.raises(ValueError, match=rf"^Players\.play: layer 'face' {known}"):
        players.play([0], face)
    assert players.morph_names == ()
    players.remove_layer(layer.name)
    players.play([0], face)
    with pytest.raises(ValueError, match=rf"^Players\.layer: morphs: layer 'face' {known}"):
        players.layer("face", morphs={"ear": 1.0})
    assert not players.layers
    other = Clip.from_poses(
        HERO.skeleton, [0, 1], IDLE.sample([0, 1]), morphs=np.zeros((2, 1)), morph_names=["a"]
    )
    layer = players.layer("face", morphs=True)
    with pytest.raises(ValueError, match=r"^PlayerLayer\.play: .*morph targets"):
        layer.play([0], other)
    players.layer("arms", morphs=False).play([0], other)  # whose weights are left out
