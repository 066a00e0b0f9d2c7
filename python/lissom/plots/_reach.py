# SPDX-License-Identifier: MIT
"""Where a chain reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import ik
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number, whole_number
from lissom.ik import Chain, IkResult
from lissom.plots._axes import axes_for, labelled, of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

__all__ = ["reach_map"]

SOLVERS: dict[str, Callable[..., IkResult]] = {
    "fabrik": ik.fabrik,
    "ccd": ik.ccd,
    "two_bone": ik.two_bone,
    "damped_least_squares": ik.damped_least_squares,
}
FAR = 0.5  # of the chain's length: residual of the last colour
REACHED = 0.01  # of it: the white line; a tenth of that is finer than the targets are
NEAR_AXIS = 0.99  # cosine: a plane this near to one across a model axis is taken for that


def reach_map(
    chain: Chain,
    *,
    solver: str | Callable[..., IkResult] = "damped_least_squares",
    pose: ArrayLike | None = None,
    normal: ArrayLike | None = None,
    span: float = 1.25,
    count: int = 101,
    axes: Axes | None = None,
    **options: Any,
) -> Axes:
    """Plot where in a plane through its root a chain reaches, and how far it stays away elsewhere.

    Parameters
    ----------
    chain : lissom.ik.Chain
    solver : {"damped_least_squares", "fabrik", "ccd", "two_bone"} or callable
        What solves; a function is called as they are: chain, pose, targets ``(N, 3)``.
    pose : array_like, shape (J, 10), optional
        From which every target is solved for; the rest pose when omitted.
    normal : array_like, shape (3,), optional
        Of the plane, model space; when omitted the axis about which the chain bends, or the model's own where
        that is within 8 degrees.
    span : float
        How far around the root targets lie, in lengths of the chain.
    count : int
        Targets along each side.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.
    **options
        For the solver, such as ``max_iterations=50``.

    Returns
    -------
    matplotlib.axes.Axes
        Model units from the root; the colour is the distance left in percent of the chain's length, the white
        line goes around what is reached, within 1 %. The chain is drawn as it stands in `pose`.

    Raises
    ------
    TypeError
        If `chain` is none, or another argument is of another type.
    ValueError
        If there is no such solver, or a number or shape does not fit.
    ImportError
        Without matplotlib, naming the extra.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> arm = lissom.ik.Chain(hero.skeleton, "UpperArm.R", "Hand.R")
    >>> axes = lissom.plots.reach_map(arm, count=21)
    >>> axes.get_title(loc="left")[:26]
    'Hand.R, reached with dampe'
    """
    of_kind("reach_map", "chain", chain, Chain, "an ik.Chain")
    if not callable(solver) and solver not in SOLVERS:
        raise ValueError(f"reach_map: solver: expected one of {', '.join(SOLVERS)}, got {solver!r}")
    solve = solver if callable(solver) else SOLVERS[solver]
    span = check_number(span, "reach_map: span", above_zero=True)
    count = whole_number(count, "reach_map: count", least=2)
    skeleton = chain.skeleton
    posed = as_numbers(skeleton.rest if pose is None else pose, "reach_map: pose").astype(np.float64)
    if posed.shape != (len(skeleton), 10):
        raise ValueError(f"reach_map: pose: expected shape {(len(skeleton), 10)}, got {posed.shape}")
    if not chain.length > 0:
        raise ValueError("reach_map: chain: expected a length above zero, got joints all at one place")
    right, up = _plane(chain, posed, normal)
    places = np.asarray(skeleton.positions(posed))[chain.joints]
    reach = span * chain.length
    along = np.linspace(-reach, reach, count)
    targets = places[0] + along[None, :, None] * right + along[:, None, None] * up
    done = solve(chain, posed, targets.reshape(-1, 3), **options)
    residual = np.asarray(done.residual, np.float64).reshape(count, count) / chain.length

    axes = axes_for("reach_map", axes, (5.6, 4.6))
    edge = reach * count / (count - 1)  # a target is the middle of its pixel
    extent = (-edge, edge, -edge, edge)
    image = axes.imshow(
        100 * residual,
        extent=extent,
        origin="lower",
        cmap="viridis",
        vmin=0,
        vmax=100 * FAR,
        interpolation="bilinear",
    )
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach))
    if residual.min() < REACHED < residual.max():
        axes.contour(along, along, residual, levels=[REACHED], colors="white", linewidths=1.2)
    away = places - places[0]
    axes.plot(away @ right, away @ up, "o-", color="white", linewidth=3.5, markersize=7)
    axes.plot(away @ right, away @ up, "o-", color="#b24426", linewidth=2, markersize=5)
    bar = axes.figure.colorbar(image, ax=axes, extend="max" if residual.max() > FAR else "neither")
    bar.set_label("distance left, % of chain length")
    words = solver if isinstance(solver, str) else getattr(solver, "__name__", "a solver")
    title = f"{chain.names[-1]}, reached with {words}"
    labelled(axes, title, *(f"{_named(v)} from {chain.names[0]}, model units" for v in (right, up)))
    axes.grid(False)
    return axes


def _plane(chain: Chain, pose: NDArray[Any], normal: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give the unit directions to the right and upwards of the plane."""
    if normal is None:
        middle = len(chain.joints) // 2
        model = np.asarray(chain.skeleton.model_matrices(pose))[chain.joints[middle], :3, :3]
        across = model @ chain.bend_axes[middle]
        if not np.linalg.norm(across) > 0:
            across = np.array([1.0, 0.0, 0.0])
        largest = np.abs(across).argmax()
        if abs(across[largest]) > NEAR_AXIS * np.linalg.norm(across):
            across = np.eye(3)[largest]
    else:
        across = as_numbers(normal, "reach_map: normal").astype(np.float64)
        if across.shape != (3,) or not np.isfinite(across).all() or not np.linalg.norm(across) > 0:
            raise ValueError(f"reach_map: normal: expected three numbers, not all zero, got {normal!r}")
    across = across / np.linalg.norm(across)
    for axis in ((0.0, 1.0, 0.0), (0.0, 0.0, -1.0)):  # upwards; of a level plane to the back
        up = np.array(axis) - across[1 if axis[1] else 2] * (1 if axis[1] else -1) * across
        if np.linalg.norm(up) > 0.2:
            break
    up /= np.linalg.norm(up)
    right = np.cross(up, across)
    return (-right if right[np.abs(right).argmax()] < 0 else right), up


def _named(direction: NDArray[Any]) -> str:
    """Name a direction: an axis, or its numbers."""
    for sign in (1, -1):
        for name, axis in zip("xyz", np.eye(3), strict=True):
            if np.abs(direction - sign * axis).max() < 1e-3:
                return name if sign > 0 else f"-{name}"
    return f"({', '.join(f'{value:.2f}' for value in np.round(direction, 2) + 0.0)})"
