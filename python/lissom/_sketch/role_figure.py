# SPDX-License-Identifier: MIT
"""A picture of roles as SVG: the skeleton, a label for each joint that plays one, and what is missing."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._base.printable import printable
from lissom._roles.bones import SIDES
from lissom._sketch.role_labels import columns
from lissom._sketch.role_places import body_places, hand_places, hand_roles

if TYPE_CHECKING:
    from lissom._roles.roles import Roles

__all__ = ["role_figure"]

# Pixels: widths of a column of labels and of the figure between, a line of text, a letter on average.
COLUMN, FIGURE, GAP, STEP, EDGE = 250.0, 330.0, 14.0, 17.0, 10.0
LINES = 20  # least height of a body, in lines of text
HAND = 120.0
LETTER = 6.4
LONGEST = 400  # letters of a tooltip
MOST_BONES = 1000  # that are drawn faint
MOST_NOTES = 12
# Seen on white and on black; all else has the page's own colour.
COLORS = {"left": "#2d84d8", "right": "#d8702d", "": "#7a8a5a"}
FONT = "font:11px system-ui,sans-serif"
FOREIGN = 'xmlns="http://www.w3.org/2000/svg" style="background:white;color:black" '


def role_figure(roles: Roles, alone: bool = False) -> str:
    """Return the picture; `alone`, as a file of its own, it has a white ground."""
    skeleton = roles.skeleton
    places = skeleton.positions(skeleton.rest.astype(np.float64))
    fingers = {role for side in SIDES for line in hand_roles(roles, side).values() for role in line}
    body = [role for role in roles.joints if role not in fingers]
    hands = [side for side in reversed(SIDES) if hand_roles(roles, side)]
    width = 2 * COLUMN + FIGURE
    pieces: list[str] = []
    y = EDGE
    if body:
        flat = body_places(roles, places)
        height = max(len(body) // 2 + 3, LINES) * STEP
        box = (COLUMN + GAP, y, FIGURE - 2 * GAP, height)
        pixels = _fitted(flat, [roles.index(role) for role in body], box)
        _bones(pieces, roles, pixels, box)
        _dots(pieces, roles, pixels, body, 3.5)
        points = {role: (float(x), float(y)) for role, (x, y) in _of(roles, pixels, body)}
        pieces += _labels(roles, points, y + height / 2)
        y += height
    if hands:
        for side in hands:
            _hand(pieces, roles, side, hand_places(roles, side, places), y)
        y += HAND + EDGE
    for note in _notes(roles):
        y += STEP
        pieces.append(f'<text x="{EDGE:g}" y="{y:g}">{_text(note, int((width - 2 * EDGE) / LETTER))}</text>')
    y += EDGE
    title = f"roles of a {roles.kind}" if roles.kind else "no body found"
    return (
        f'<svg {FOREIGN if alone else ""}width="{width:g}" height="{y:g}" viewBox="0 0 {width:g} {y:g}" '
        f'role="img" aria-label="{title}" fill="currentColor">'
        f'<g style="{FONT}">{"".join(pieces)}</g></svg>\n'
    )


def _of(
    roles: Roles, pixels: NDArray[np.float64], shown: Iterable[str]
) -> Iterable[tuple[str, NDArray[np.float64]]]:
    return ((role, pixels[roles.index(role)]) for role in shown)


def _fitted(
    flat: NDArray[np.float64], joints: list[int], box: tuple[float, float, float, float]
) -> NDArray[np.float64]:
    """Return places as pixels, y down, such that some joints just fit a box of x, y, width and height."""
    low, high = flat[joints].min(axis=0), flat[joints].max(axis=0)
    extent = np.maximum(high - low, 1e-9 * max(float(np.abs(flat[joints]).max()), 1e-30))
    pad = 12.0
    scale = float(((np.array(box[2:]) - 2 * pad) / extent).min())
    middle = np.array([box[0] + box[2] / 2, box[1] + box[3] / 2])
    pixels: NDArray[np.float64] = (flat - (low + high) / 2) * np.array([scale, -scale]) + middle
    return pixels


def _bones(
    pieces: list[str], roles: Roles, pixels: NDArray[np.float64], box: tuple[float, float, float, float]
) -> None:
    """Draw bones that end in joints with roles, up to the next such joint, strong; others faint."""
    parents = roles.skeleton.parents.tolist()
    by_joint = {roles.index(role): role for role in roles.joints}
    strong: dict[int, str] = {}
    for joint, role in by_joint.items():
        line = []
        above = joint
        while above >= 0 and (above == joint or above not in by_joint):
            line.append(above)
            above = parents[above]
        if above >= 0:  # otherwise it leads to the root of the rig, beyond the body
            for each in line:
                strong.setdefault(each, _side(role))
    low = np.array(box[:2])
    inside = np.all((pixels >= low) & (pixels <= low + box[2:]), axis=1).tolist()
    by_color: dict[str | None, list[int]] = {}
    for joint, parent in enumerate(parents):
        if parent >= 0 and inside[joint] and inside[parent]:
            by_color.setdefault(strong.get(joint), []).append(joint)
    for side, joints in sorted(by_color.items(), key=lambda each: each[0] is not None):
        path = "".join(
            f"M{pixels[parents[joint]][0]:.1f} {pixels[parents[joint]][1]:.1f}"
            f"L{pixels[joint][0]:.1f} {pixels[joint][1]:.1f}"
            for joint in (joints if side is not None else joints[:MOST_BONES])
        )
        look = (
            'stroke="currentColor" stroke-opacity=".25"'
            if side is None
            else f'stroke="{COLORS[side]}" stroke-width="3" stroke-opacity=".8" stroke-linecap="round"'
        )
        pieces.append(f'<path d="{path}" fill="none" {look}/>')


def _dots(
    pieces: list[str], roles: Roles, pixels: NDArray[np.float64], shown: Iterable[str], radius: float
) -> None:
    for role, (x, y) in _of(roles, pixels, shown):
        color = COLORS[_side(role)]
        ring = f'fill="white" stroke="{color}" stroke-width="2"'
        look = ring if role in roles.ambiguous else f'fill="{color}"'
        pieces.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" {look}>{_title(roles, role)}</circle>'
        )


def _labels(roles: Roles, points: dict[str, tuple[float, float]], middle: float) -> Iterable[str]:
    edges = (COLUMN, COLUMN + FIGURE)
    for role, joint, (x, y) in columns(points, roles.kind != "quadruped", edges, middle, STEP):
        is_left = x == COLUMN
        yield (
            f'<path d="M{joint[0]:.1f} {joint[1]:.1f}L{x:g} {y:.1f}" fill="none" stroke="currentColor" '
            f'stroke-opacity=".35"/>'
        )
        mark = " ?" if role in roles.ambiguous else ""
        room = int((COLUMN - EDGE) / LETTER) - len(role) - len(mark) - 2
        name = _text(roles[role], room)
        bold = f'<tspan font-weight="600" fill="{COLORS[_side(role)]}">{role}{mark}</tspan>'
        words = f"{name}\u2002{bold}" if is_left else f"{bold}\u2002{name}"
        yield (
            f'<text x="{x - 5 if is_left else x + 5:g}" y="{y + 3.5:.1f}" '
            f'text-anchor="{"end" if is_left else "start"}">{words}{_title(roles, role)}</text>'
        )


def _hand(pieces: list[str], roles: Roles, side: str, flat: NDArray[np.float64], top: float) -> None:
    """Draw a hand larger, in the half of its side, with a line of text for each finger beside it."""
    fingers = hand_roles(roles, side)
    shown = [role for line in fingers.values() for role in line]
    wrist = [side + "Hand"] if side + "Hand" in roles else []
    half = COLUMN + FIGURE / 2
    left = half if side == "left" else 0.0
    box = (left + (EDGE if side == "left" else half - HAND - EDGE), top, HAND, HAND)
    pixels = _fitted(flat, [roles.index(role) for role in shown + wrist], box)
    color = COLORS[side]
    for line in fingers.values():
        ends = [pixels[roles.index(role)] for role in wrist + line]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in ends)
        pieces.append(
            f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2" stroke-opacity=".6"/>'
        )
    _dots(pieces, roles, pixels, shown + wrist, 3)
    x = box[0] + HAND + EDGE if side == "left" else box[0] - EDGE
    anchor = "start" if side == "left" else "end"
    y = top + HAND / 2 - len(fingers) * STEP / 2 + STEP / 2
    for finger, line in fingers.items():
        mark = " ?" if any(role in roles.ambiguous for role in line) else ""
        names = ", ".join(roles[role] for role in line)
        room = int((half - HAND - 3 * EDGE) / LETTER) - len(side + finger) - len(mark) - 2
        bold = f'<tspan font-weight="600" fill="{color}">{side}{finger}{mark}</tspan>'
        text = _text(names, room)
        words = f"{bold}\u2002{text}" if side == "left" else f"{text}\u2002{bold}"
        titles = "\n".join(_said(roles, role) for role in line)
        pieces.append(
            f'<text x="{x:g}" y="{y + 3.5:.1f}" text-anchor="{anchor}">{words}'
            f"<title>{_text(titles, LONGEST, lines=True)}</title></text>"
        )
        y += STEP


def _notes(roles: Roles) -> list[str]:
    """Return what is missing and what is ambiguous, a line for each reason."""
    if not roles.kind:
        return ["no body found"]
    notes = []
    for title, reasons in (("missing", roles.missing), ("ambiguous (?)", roles.ambiguous)):
        by_reason: dict[str, list[str]] = {}
        for role, why in reasons.items():
            by_reason.setdefault(why, []).append(role)
        for why, found in by_reason.items():
            few = ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
            notes.append(f"{title}: {few}: {why}")
    more = len(notes) - MOST_NOTES
    return notes[:MOST_NOTES] + ([f"and {more} more reasons"] if more > 0 else [])


def _title(roles: Roles, role: str) -> str:
    return f"<title>{_text(_said(roles, role), LONGEST)}</title>"


def _said(roles: Roles, role: str) -> str:
    why = roles.ambiguous.get(role)
    return f"{role}: {roles[role]}" + (f" (ambiguous: {why})" if why else "")


def _text(value: str, longest: int, lines: bool = False) -> str:
    """Return a text of a file, shortened and escaped."""
    plain = value if len(value) <= longest else f"{value[: max(longest - 1, 1)]}…"
    parts = plain.split("\n") if lines else [plain]
    return html.escape("\n".join(printable(part) for part in parts))


def _side(role: str) -> str:
    return next((side for side in SIDES if role.startswith(side)), "")
