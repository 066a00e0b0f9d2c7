# SPDX-License-Identifier: MIT
"""Requests of a page, each checked before anything is done: what does not fit is refused in a sentence."""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lissom._base.names import unknown_name
from lissom._base.numbers import LARGEST
from lissom._playground.limit_edits import KINDS, bounds_of, limit_rows

if TYPE_CHECKING:
    from lissom._playground.playground import Playground

Request = dict[str, Any]

WHAT = "ik.Playground"
WITHOUT_MORE = ("hello", "reset", "undo", "redo", "record", "stop", "code")
LONGEST_NAME = 200  # characters of a gesture
TURN = 360.0  # degrees: largest bound


def checked(playground: Playground, content: object) -> Request:
    """Return what a page asks for, with all of its parts; nothing of the playground changes.

    The age of a drag, in milliseconds, is made one within the time since the playground was made.

    Raises
    ------
    TypeError
        If a part is missing or of another type.
    ValueError
        If there is no such request, handle, joint or bound, or a number is not finite or out of range.
    """
    if not isinstance(content, dict):
        raise TypeError(f"{WHAT}: a request of the page must be a mapping, got {reprlib.repr(content)}")
    kind = content.get("kind")
    if kind in WITHOUT_MORE:
        return {"kind": kind}
    if not isinstance(kind, str) or kind not in CHECKS:
        known = (*CHECKS, *WITHOUT_MORE)
        raise ValueError(f"{WHAT}: {unknown_name('request', str(kind)[:40], known)}")
    return {"kind": kind, **CHECKS[kind](playground, content)}


def handle_ids(playground: Playground) -> set[str]:
    """Return the ids of all handles that may be dragged, shown or not."""
    state = playground._state
    ids = {f"{which}:{index}" for which in ("target", "pole") for index in range(len(state.chains))}
    for index, is_oriented in enumerate(playground._oriented()):
        ids |= {f"turn:{index}:{axis}" for axis in range(3) if is_oriented}
    for gizmo in playground._gizmos():
        for name, angle in bounds_of(gizmo.limit).items():
            if angle is not None:
                ids.add(f"limit:{gizmo.joint}:{name}")
    return ids if playground._carrier is None else ids | {"body"}


def _drag(playground: Playground, content: Request) -> Request:
    moves = content.get("moves")
    if not isinstance(moves, dict) or not moves:
        raise TypeError(f"{WHAT}: moves must be a mapping of handles, got {reprlib.repr(moves)}")
    ids = handle_ids(playground)
    for handle, position in moves.items():
        if handle not in ids:
            raise ValueError(f"{WHAT}: handle must be one of those there are now, got {reprlib.repr(handle)}")
        if not isinstance(position, (list, tuple)) or len(position) != 3:
            raise TypeError(
                f"{WHAT}: position of {handle} must be three numbers, got {reprlib.repr(position)}"
            )
        for number in position:
            _number(f"position of {handle}", number, LARGEST)
    gesture = content.get("gesture")
    if gesture is not None and (not isinstance(gesture, str) or len(gesture) > LONGEST_NAME):
        raise TypeError(f"{WHAT}: gesture must be a short string, got {reprlib.repr(gesture)}")
    age = _number("age", content.get("age", 0.0), float("inf"))
    age = min(max(age, 0.0), 1e3 * playground._now())
    return {"moves": moves, "gesture": gesture, "age": age}


def _orient(playground: Playground, content: Request) -> Request:
    last = len(playground.chains) - 1
    index: Any = content.get("index")
    if not _is_whole(index) or not 0 <= index <= last:
        raise ValueError(f"{WHAT}: index must be a whole number from 0 to {last}, got {reprlib.repr(index)}")
    return {"index": index, "on": _switch(content)}


def _limit(playground: Playground, content: Request) -> Request:
    name = content.get("name")
    if name != "" and (not isinstance(name, str) or name not in KINDS):
        raise ValueError(f"{WHAT}: {unknown_name('limit', str(name)[:40], KINDS)}")
    joint, _ = _limited_joint(playground, content)
    return {"joint": joint, "name": name}


def _bound(playground: Playground, content: Request) -> Request:
    joint, names = _limited_joint(playground, content)
    name = content.get("name")
    if not isinstance(name, str) or name not in names:
        raise ValueError(
            f"{WHAT}: bound must be one that the limit of joint {joint} has, got {reprlib.repr(name)}"
        )
    degrees = content.get("degrees")
    if degrees is not None:
        degrees = _number("degrees", degrees, TURN)
    return {"joint": joint, "name": name, "degrees": degrees}


def _edit(_playground: Playground, content: Request) -> Request:
    return {"on": _switch(content)}


def _solver(_playground: Playground, content: Request) -> Request:
    name = content.get("name")
    if not isinstance(name, str):
        raise TypeError(f"{WHAT}: solver must be a string, got {reprlib.repr(name)}")
    return {"name": name}


def _seek(_playground: Playground, content: Request) -> Request:
    return {"seconds": _number("seconds", content.get("seconds"), LARGEST)}


CHECKS: dict[str, Callable[[Playground, Request], Request]] = {
    "drag": _drag,
    "orient": _orient,
    "limit": _limit,
    "bound": _bound,
    "edit": _edit,
    "solver": _solver,
    "seek": _seek,
}


def _limited_joint(playground: Playground, content: Request) -> tuple[int, list[str]]:
    """Return the joint that may have a limit, and the names of the bounds that it has."""
    joint = content.get("joint")
    rows = {row.joint: row for row in limit_rows(playground.chains, playground._oriented())}
    if not _is_whole(joint) or joint not in rows:
        raise ValueError(
            f"{WHAT}: joint must be the index of one that rotates in the chains, got {reprlib.repr(joint)}"
        )
    return joint, [name for name, _, _ in rows[joint].bounds]


def _number(what: str, value: object, largest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{WHAT}: {what} must be a number, got {reprlib.repr(value)}")
    if value != value or abs(value) == float("inf"):
        raise ValueError(f"{WHAT}: {what} must be finite, got {value}")
    if not abs(value) <= largest:
        raise ValueError(
            f"{WHAT}: {what} must be from -{largest:g} to {largest:g}, got {reprlib.repr(value)}"
        )
    return value if isinstance(value, float) else float(min(max(value, -(10**300)), 10**300))


def _switch(content: Request) -> bool:
    value = content.get("on")
    if not isinstance(value, bool):
        raise TypeError(f"{WHAT}: on must be true or false, got {reprlib.repr(value)}")
    return value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
