# SPDX-License-Identifier: MIT
"""What players refuse: one sentence, and nothing has changed."""

import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import Clip, Players, Skeleton

HERO = lissom.samples.humanoid()
WALK, RUN = HERO.clips["walk"], HERO.clips["run"]
OTHER = Clip.from_poses(Skeleton(["a"], [-1], np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]])), [0, 1], np.tile(
    np.float32([0, 0, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1, 1)), name="other")  # fmt: skip
ADDITIVE = lissom.make_additive(WALK, WALK)
ONCE = Clip.from_poses(HERO.skeleton, [0, 1], WALK.sample([0, 1]), loop=False, name="once")


def three() -> Players:
    players = Players(HERO.skeleton, 3)
    players.play([0, 1], WALK)
    players.step(0.1)
    return players


def edited(**fields: Any) -> Callable[[Players], object]:
    def edit(players: Players) -> object:
        for name, value in fields.items():
            place = players.state if name in players.state.dtype.names else players.state["layers"][:, 0]
            place[name][1] = value
        return players.step(0.1)

    return edit


CASES: list[tuple[Callable[[Players], object], type[Exception], str]] = [
    (lambda p: Players("x"), TypeError, "Players: skeleton must be a Skeleton, got str"),
    (lambda p: Players(HERO.skeleton, -1), ValueError, "Players: count must be at least 0, got -1"),
    (lambda p: Players(HERO.skeleton, 1.5), TypeError, "Players: count must be a whole number, got float"),
    (lambda p: Players(HERO.skeleton, 2**31), ValueError, "Players: count must be at most 2147483647"),
    (lambda p: Players(HERO.skeleton, 1, dtype=int), TypeError, "Players: dtype must be float32 or float64"),
    (lambda p: Players(HERO.skeleton, 1, fades=0), ValueError, "Players: fades must be at least 1, got 0"),
    (lambda p: Players(HERO.skeleton, 1, fades=65), ValueError, "Players: fades must be at most 64, got 65"),
    (lambda p: p.add(-1), ValueError, r"Players\.add: count must be at least 0, got -1"),
    (
        lambda p: p.rows([0, 3]),
        ValueError,
        r"Players\.rows: ids must be among Players.ids, those of 3 play",
    ),
    (
        lambda p: p.rows([True, False, False]),
        TypeError,
        r"got bool of shape \(3,\); pass players.ids\[mask\]",
    ),
    (lambda p: p.fade_to([0], RUN, None), TypeError, "duration must be a number or one for each, got None"),
    (lambda p: Players(HERO), TypeError, "must be a Skeleton, got Character; pass its skeleton"),
    (lambda p: p.rows([-1]), ValueError, "got -1"),
    (lambda p: p.rows([2**32]), ValueError, "got 4294967296"),
    (lambda p: p.rows(np.array([2**64 - 1], np.uint64)), ValueError, "got 18446744073709551615"),
    (
        lambda p: p.rows([0.5]),
        TypeError,
        r"Players\.rows: ids must be whole numbers, one or a list of them, got f",
    ),
    (lambda p: p.rows([[0]]), TypeError, r"of shape \(1, 1\)"),
    (lambda p: p.remove([1, 2, 1]), ValueError, r"Players\.remove: ids must be different, got 1 twice"),
    (lambda p: p.play([0, 0], RUN), ValueError, r"Players\.play: ids must be different, got 0 twice"),
    (
        lambda p: p.play([0], "run"),
        TypeError,
        r"Players\.play: clip must be a Clip or a blend space, got str",
    ),
    (lambda p: p.play([0], OTHER), ValueError, r"Players\.play: 'other'"),
    (
        lambda p: p.play([0], RUN, at=np.nan),
        ValueError,
        r"Players\.play: at must be finite and at least -1e\+09, got nan",
    ),
    (lambda p: p.play([0, 1], RUN, at=[0, np.inf]), ValueError, r"Players\.play: at must lie in .* got inf"),
    (
        lambda p: p.play([0, 1], RUN, at=[0, 1, 2]),
        ValueError,
        "one number, or one for each of 2 players, got",
    ),
    (
        lambda p: p.play([0], RUN, speed=-1),
        ValueError,
        "speed must be .* got -1; Clip.reversed plays backwards",
    ),
    (lambda p: p.fade_to([0, 2], RUN, 1.0), ValueError, "got 2, which plays nothing yet; call play first"),
    (lambda p: p.fade_to([0], OTHER, 1.0), ValueError, r"Players\.fade_to: 'other'"),
    (lambda p: p.fade_to([0], RUN, -1.0), ValueError, r"Players\.fade_to: duration must be .* got -1"),
    (lambda p: p.fade_to([0], RUN, 1.0, "soft"), ValueError, r"Players\.fade_to: ease must be one of"),
    (
        lambda p: p.fade_to([0], RUN, 1.0, method="cut"),
        ValueError,
        r"Players\.fade_to: method must be one of",
    ),
    (lambda p: p.fade_to([0], RUN, 1.0, sync=True, at=0.0), ValueError, "at must be None with sync"),
    (lambda p: p.fade_to([0], ONCE, 1.0, sync=True), ValueError, "with sync, clip must loop"),
    (
        lambda p: p.fade_to([0], ADDITIVE, 1.0),
        ValueError,
        r"Players\.fade_to: clips must both be additive or n",
    ),
    (lambda p: p.step(-0.1), ValueError, r"Players\.step: dt must be .* got -0\.1"),
    (lambda p: p.step(np.nan), ValueError, r"Players\.step: dt must be .* got nan"),
    (lambda p: p.step("x"), TypeError, r"Players\.step: dt must be a number, got str"),
    (
        lambda p: p.step(0.1, np.empty((3, 34, 10))),
        TypeError,
        r"Players\.step: out must be an array of float32",
    ),
    (lambda p: p.step(0.1, np.empty((2, 34, 10), "f4")), ValueError, r"Players\.step: out must have shape"),
    (
        edited(clip=7),
        ValueError,
        r"Players\.step: state of row 1: layers\[0\]\.clip must lie in \[0, 1\), got 7",
    ),
    (edited(clip=-2), ValueError, r"layers\[0\]\.clip must lie in \[0, 1\), got -2"),
    (edited(head=1), ValueError, r"layers\[0\]\.head must be a layer that owns its play head"),
    (edited(time=np.nan), ValueError, r"layers\[0\]\.time must be finite and within 1e\+15, got nan"),
    (edited(speed=-2.0), ValueError, r"layers\[0\]\.speed must be at least 0 and at most 1e\+06, got -2"),
    (edited(fade=2.0), ValueError, r"layers\[0\]\.fade must lie in \[0, 1\], got 2"),
    (edited(layer_count=9), ValueError, r"layer_count must lie in \[0, 2\), got 9"),
    (edited(covered=3), ValueError, r"covered must lie in \[0, 1\), got 3"),
    (edited(elapsed=-1.0), ValueError, r"elapsed must be finite and at least 0, got -1"),
    (
        edited(id=0),
        ValueError,
        r"^Players\.step: state of row 1: id must be 1, which no edit changes, got 0; write it back$",
    ),
    (edited(ease=-1), ValueError, r"ease must be at least 0, got -1"),
    (
        edited(time=1e15, speed=10.0),
        ValueError,
        r"^Players\.step: state of row 1: layers\[0\]\.time must stay within 1e\+15, got 1\.?.* after this "
        "step; play the clip again",
    ),
    (edited(sync=1, phase=1e15, speed=1e6), ValueError, r"layers\[0\]\.time must stay within 1e\+15, got"),
]


@pytest.mark.parametrize(("call", "error", "sentence"), CASES)
def test_it_is_refused(call: Callable[[Players], object], error: type[Exception], sentence: str) -> None:
    players = three()
    before = pickle.dumps(players)
    with pytest.raises(error, match=sentence) as raised:
        call(players)
    assert "\n" not in str(raised.value)
    edit = "edited" in getattr(call, "__qualname__", "")
    if not edit:
        assert pickle.dumps(players) == before
    else:
        assert players.state["layers"]["time"][0, 0] == 0.1  # nobody was stepped


def test_other_morph_targets() -> None:
    rest = np.tile(HERO.skeleton.rest, (2, 1, 1))
    faces = [Clip.from_poses(HERO.skeleton, [0, 1], rest, morphs={f"face/{n}": [0, 1]}) for n in ("a", "b")]
    players = three()
    players.play([0], faces[0])
    with pytest.raises(ValueError, match=r"Players\.play: morph targets must be the same, or none"):
        players.play([1], faces[1])


def test_a_fade_to_the_clip_that_plays_changes_nothing() -> None:
    players = three()
    before = players.state.copy()
    players.fade_to([0, 1], WALK, 0.5)
    assert players.state.tobytes() == before.tobytes()
    players.fade_to([0, 1], WALK, 0.5, speed=[2.0, 3.0])
    assert players.state["layers"]["speed"][:, 0].tolist() == [2, 3, 0]
    assert not players.is_fading.any()


def test_none_and_a_million() -> None:
    none = Players(HERO.skeleton, 0)
    none.play([], WALK)
    none.fade_to(np.array([], np.int64), RUN, 0.1)
    assert none.step(0.1).shape == (0, 34, 10)
    assert none.ids.size == none.add(0).size == 0
    bone = Skeleton(["a"], [-1], np.float32([[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]))
    many = Players(bone, 1_000_000)
    poses = np.float32([[[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]], [[1, 0, 0, 0, 0, 0, 1, 1, 1, 1]]])
    many.play(many.ids, Clip.from_poses(bone, [0, 1], poses, loop=False), speed=np.linspace(0, 1, 1_000_000))
    np.testing.assert_allclose(many.step(1.0)[:, 0, 0], np.linspace(0, 1, 1_000_000), atol=1e-6)


def test_one_call_at_a_time() -> None:
    """The ease, which is called in the midst of a step, waits until another thread was refused."""
    players = three()
    inside, tried = threading.Event(), threading.Event()

    def ease(x: float) -> float:
        if threading.current_thread() is stepping:
            inside.set()
            tried.wait(10)
        return x

    stepping = threading.Thread(target=lambda: players.step(0.1))
    players.fade_to([0], RUN, 1.0, ease)
    stepping.start()
    assert inside.wait(10)
    calls: list[Callable[[], object]] = [
        lambda: players.step(0.1),
        lambda: players.play([0], RUN),
        lambda: players.remove([0]),
        lambda: players.add(1),
        lambda: players.poses,
    ]
    for call in calls:
        with pytest.raises(
            RuntimeError, match="another call of these players is under way; make one call at a"
        ):
            call()
    tried.set()
    stepping.join()
    assert players.step(0.1).shape == (3, 34, 10)


def test_a_still_pose_keeps_no_step_with_clips() -> None:
    """A row that could be stepped into one that is refused, and read a clip of number -2."""
    players = Players(HERO.skeleton, 1, fades=2)
    players.play(players.ids, WALK)
    for number in range(4):
        players.fade_to(players.ids, [RUN, WALK][number % 2], 5.0, at=0.0)
        players.step(0.01)
    layers = players.state["layers"]
    layers["sync"][0, 0] = 5
    match = r"^Players.step: state of row 0: layers\[0\].sync must be -1 of a still pose, got 5$"
    with pytest.raises(ValueError, match=match):
        players.step(0.01)
    layers["sync"][0, 0] = -1
    layers["head"][0, 2], layers["clip"][0, 2] = 0, -1
    match = r"^Players.step: state of row 0: layers\[2\].head must be a layer that plays a clip, got 0$"
    with pytest.raises(ValueError, match=match):
        players.step(0.01)


def test_clips_without_a_duration_stay_where_they_are() -> None:
    still = Clip.from_poses(HERO.skeleton, [0.0], HERO.skeleton.rest[None], name="still")
    players = Players(HERO.skeleton, 70)
    players.play(players.ids, WALK)
    players.play([5], still)
    players.state["layers"]["sync"][5] = 1
    out = np.full((70, len(HERO.skeleton), 10), 7, np.float32)
    players.step(0.1, out=out)
    np.testing.assert_array_equal(out[6], WALK.sample(0.1))
    np.testing.assert_array_equal(out[5], HERO.skeleton.rest)
    players.step(0.1, out=out)


@pytest.mark.parametrize(
    ("field", "value"), [("layer_count", 100), ("head", 5), ("head", -3), ("clip", 2**30), ("clip", -5)]
)
def test_a_fade_refuses_what_a_step_refuses(field: str, value: int) -> None:
    players = three()
    place = players.state if field == "layer_count" else players.state["layers"][:, 0]
    place[field][1] = value
    with pytest.raises(
        ValueError, match=rf"^Players.fade_to: state of row 1: .*{field} must .*, got {value}$"
    ):
        players.fade_to([1], RUN, 0.3)


def test_edits_from_another_thread_break_nothing() -> None:
    """What was checked is what is stepped: a clip that does not exist is refused, or never seen."""
    players = Players(HERO.skeleton, 300)
    players.play(players.ids, WALK)
    stop = threading.Event()
    clips = players.state["layers"]["clip"]

    def edit() -> None:
        while not stop.is_set():
            clips[:, 0] = 2**28
            clips[:, 0] = 0

    thread = threading.Thread(target=edit)
    thread.start()
    try:
        for _ in range(300):
            try:
                players.step(0.001)
            except ValueError as error:
                assert "clip must lie in [0, 1), got 268435456" in str(error)  # noqa: PT017
    finally:
        stop.set()
        thread.join()
    clips[:, 0] = 0
    players.step(0.001)


def test_an_ease_of_no_function_is_refused() -> None:
    """Where the fade would stand still and then pop."""
    players = three()
    players.fade_to([0, 1], RUN, 1.0)
    players.step(0.1)
    players.state["layers"]["ease"][:, 1] = [0, 3, 9]  # nothing plays in the last row
    match = (
        r"^Players\.step: state of row 1: layers\[1\]\.ease must be 0, 1 or 2, got 3; pass a function as ease"
    )
    with pytest.raises(ValueError, match=match):
        players.step(0.1)
    players.fade_to([0], WALK, 1.0, lambda u: u)
    players.step(0.1)
    players.state["layers"]["ease"][1, 1] = 4
    with pytest.raises(ValueError, match=r"ease must be 0, 1 or 2, or below 4 for the functions that were p"):
        players.step(0.1)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.play([0], RUN),
        lambda p: p.fade_to([0], RUN, 1.0),
        lambda p: p.remove([0]),
        lambda p: p.add(1),
        lambda p: p.step(0.1),
        lambda p: p.layers[0].weigh([0], 1.0),
        lambda p: p.events,
    ],
)
@pytest.mark.parametrize("where", ["players", "layer"])
def test_ids_of_the_state_stay(call: Callable[[Players], object], where: str) -> None:
    players = three()
    layer = players.layer("arms")
    state = (players if where == "players" else layer).state
    state["id"] = [0, 2, 1]
    with pytest.raises(ValueError, match=r"state of row 1: id must be 1, which no edit changes, got 2; w"):
        call(players)
    state["id"] = players.ids
    call(players)
