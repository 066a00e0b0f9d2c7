# SPDX-License-Identifier: MIT
"""HTML of the results of solvers and of foot placement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._notebook.builder import MOST_ROWS, Html, card, details, number, percent, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.ik import Contacts, FootResult, IkResult

__all__ = ["contacts", "foot_result", "ik_result"]

TIMELINE = (240, 14)  # pixels: width and height


def ik_result(shown: IkResult) -> Html:
    iterations, reached = np.asarray(shown.iterations), np.asarray(shown.reached)
    residual, limited = np.asarray(shown.residual), np.asarray(shown.limited)
    if not reached.size:
        return card("IkResult", "no poses", [])
    joints = limited.reshape(-1, limited.shape[-1]).any(axis=0)
    is_one = reached.size == 1
    facts = [
        ("poses", None if is_one else number(iterations.size)),
        ("reached", number(bool(reached.all())) if is_one else _share(reached)),
        ("residual, model units", _spread(residual)),
        ("angle, radians", None if shown.angle is None else _spread(np.asarray(shown.angle))),
        ("iterations", _spread(iterations)),
        ("joints at a limit", number(int(joints.sum()))),
        ("stopped", None if shown.stopped is None else _counts(np.ravel(shown.stopped).tolist())),
    ]
    chains = Html("")
    if reached.ndim > iterations.ndim and reached.shape[-1] > 1:
        rows = [
            (str(i), _share(reached[..., i]), number(residual[..., i].max()))
            for i in range(min(reached.shape[-1], MOST_ROWS))
        ]
        more = max(0, reached.shape[-1] - MOST_ROWS)
        chains = table(rows, ("effector", "reached", "largest residual, model units"), more=more)
    return card("IkResult", "", facts, chains)


def _counts(words: list[str]) -> str:
    """Return each word once, with how often it is there where there are several."""
    found = {word: words.count(word) for word in sorted(set(words))}
    return ", ".join(found) if len(words) == 1 else ", ".join(f"{word} {n}" for word, n in found.items())


def contacts(shown: Contacts) -> Html:
    facts = [
        ("times", f"{number(len(shown.times))}, {_range(shown.times)} s"),
        ("loop", "none" if shown.period is None else f"every {number(shown.period)} s"),
        ("ground moves", f"{number(float(np.linalg.norm(shown.ground_velocity)))} model units per second"),
    ]
    rows = [
        (name, _timeline(curve), percent(float((curve >= 1).mean())), len(shown.stances(i)))
        for i, (name, curve) in enumerate(zip(shown.names, shown.curves.T, strict=True))
        if i < MOST_ROWS
    ]
    head = ("leg", "contact over time", "on the ground", "stances")
    return card("Contacts", "", facts, table(rows, head, more=max(0, len(shown.names) - MOST_ROWS)))


def foot_result(shown: FootResult) -> Html:
    def by_foot(values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(values).reshape(-1, shown.contacts.shape[-1])

    reached, airborne, too_far = (by_foot(a) for a in (shown.reached, shown.airborne, shown.too_far))
    residuals, offsets = by_foot(shown.residuals), by_foot(shown._unrounded(shown.offsets))
    facts = [
        ("frames", "one step" if shown.times is None else number(len(shown.times))),
        ("body moved, model units", _range(shown._unrounded(shown.body_offset))),
        ("feet reached", _share(reached)),
    ]
    rows = [
        (
            str(i),
            percent(reached[:, i].mean()),
            number(residuals[:, i].max()),
            _range(offsets[:, i]),
            percent(airborne[:, i].mean()),
            percent(too_far[:, i].mean()),
        )
        for i in range(min(reached.shape[1], MOST_ROWS))
    ]
    lengths = ("largest residual, model units", "raised, model units")
    head = ("foot", "reached", *lengths, "without ground", "too far or steep")
    feet = table(rows, head, more=max(0, reached.shape[1] - MOST_ROWS))
    return card("FootResult", "", facts, details("feet", feet, is_open=True))


def _share(holds: NDArray[Any]) -> str:
    return f"{number(int(holds.sum()))} of {number(holds.size)}"


def _range(values: NDArray[Any]) -> str:
    return f"{number(values.min(), 3)} to {number(values.max(), 3)}" if values.size else "none"


def _spread(values: NDArray[Any]) -> str:
    if values.size == 1:
        return number(values.reshape(-1)[0])
    return f"median {number(np.median(values), 3)}, at most {number(values.max())}"


def _timeline(curve: NDArray[Any]) -> Html:
    """Return a plot of a curve from 0 to 1, as an area in the page's text colour."""
    width, height = TIMELINE
    at = np.linspace(0, len(curve) - 1, min(len(curve), width // 2)) if len(curve) else np.zeros(0)
    heights = np.interp(at, np.arange(len(curve)), np.nan_to_num(curve)) if len(curve) else at
    xs = np.linspace(0, width, len(at))
    points = " ".join(f"{x:.0f},{height * (1 - y):.1f}" for x, y in zip(xs, heights, strict=True))
    return Html(
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<polygon points="0,{height} {points} {width},{height}" fill="currentColor" fill-opacity=".6"/>'
        f'<line y1="{height}" x2="{width}" y2="{height}" stroke="currentColor" stroke-opacity=".6"/></svg>'
    )
