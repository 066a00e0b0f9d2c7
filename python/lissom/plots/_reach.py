# SPDX-License-Identifier: MIT
"""The region that a chain reaches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import ik
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number, whole_number
from lissom._rig.pose_argument import one_pose
from lissom.ik import Chain, IkResult
from lissom.plots._axes import BRICK, axes_for, check_class, labelled

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
MOST_LENGTHS = 1e6  # of the chain, up to which a map may span
LARGEST = 0.5  # residual of the last colour, in lengths of the chain
REACHED = 0.01  # residual at the white line, in lengths of the chain; a tenth would be finer than the targets
NEAR_AXIS = 0.99  # cosine of the angle up to which a plane's normal is snapped to a model axis


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
    """Plot the residual of a chain for targets in a plane through its root.

    Parameters
    ----------
    chain : lissom.ik.Chain
    solver : {"damped_least_squares", "fabrik", "ccd", "two_bone"} or callable
        The solver; a function is called like these, with chain, pose and targets ``(N, 3)``.
    pose : array_like, shape (J, 10), optional
        The pose from which every target is solved; the rest pose when omitted.
    normal : array_like, shape (3,), optional
        Normal of the plane, model space; when omitted, the axis about which the chain bends, or the model
        axis if one is within 8 degrees.
    span : float
        Largest offset of targets from the root in each direction of the plane, in lengths of the chain.
    count : int
        Number of targets per side.
    axes : matplotlib.axes.Axes, optional
        Where to draw; a new figure when omitted.
    **options
        Options of the solver, such as ``max_iterations=50``.

    Returns
    -------
    matplotlib.axes.Axes
        Model units from the root. The colour is the residual in percent of the chain's length; the white line
        encloses the targets reached within 1 %. The chain is drawn in `pose`.

    Raises
    ------
    TypeError
        If `chain` is not a chain, or another argument is of another type.
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
    check_class("reach_map", "chain", chain, Chain, "an ik.Chain")
    if not callable(solver) and solver not in SOLVERS:
        raise ValueError(
            f"reach_map: solver must be a function or one of {', '.join(SOLVERS)}, got {solver!r}"
        )
    solve = solver if callable(solver) else SOLVERS[solver]
    span = check_number(span, "reach_map: span", above_zero=True, largest=MOST_LENGTHS)
    count = whole_number(count, "reach_map: count", least=2)
    skeleton = chain.skeleton
    posed = one_pose(pose, skeleton, "reach_map: pose").astype(np.float64)
    if not chain.length > 0:
        raise ValueError("reach_map: chain must be longer than 0, got joints all at one point")
    right, up = _plane(chain, posed, normal)
    places = np.asarray(skeleton.positions(posed))[chain.joints]
    half_width = span * chain.length
    offsets = np.linspace(-half_width, half_width, count)
    targets = places[0] + offsets[None, :, None] * right + offsets[:, None, None] * up
    solved = solve(chain, posed, targets.reshape(-1, 3), **options)
    residual = np.asarray(solved.residual, np.float64).reshape(count, count) / chain.length

    axes = axes_for("reach_map", axes, (5.6, 4.6))
    edge = half_width * count / (count - 1)  # a target is at the centre of its pixel
    extent = (-edge, edge, -edge, edge)
    image = axes.imshow(
        100 * residual,
        extent=extent,
        origin="lower",
        cmap="viridis",
        vmin=0,
        vmax=100 * LARGEST,
        interpolation="bilinear",
    )
    axes.set(xlim=(-half_width, half_width), ylim=(-half_width, half_width))
    if residual.min() < REACHED < residual.max():
        axes.contour(offsets, offsets, residual, levels=[REACHED], colors="white", linewidths=1.2)
    x, y = (places - places[0]) @ right, (places - places[0]) @ up
    axes.plot(x, y, "o-", color="white", linewidth=3.5, markersize=7)
    axes.plot(x, y, "o-", color=BRICK, linewidth=2, markersize=5)
    bar = axes.figure.colorbar(image, ax=axes, extend="max" if residual.max() > LARGEST else "neither")
    bar.set_label("residual, % of chain length")
    name = solver if isinstance(solver, str) else getattr(solver, "__name__", "a solver")
    title = f"{chain.names[-1]}, reached with {name}"
    labelled(axes, title, *(f"{_axis_name(v)} from {chain.names[0]}, model units" for v in (right, up)))
    axes.grid(False)
    return axes


def _plane(chain: Chain, pose: NDArray[Any], normal: ArrayLike | None) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the unit vectors of the plane to the right and upwards, model space."""
    if normal is None:
        middle = len(chain.joints) // 2
        model = np.asarray(chain.skeleton.model_matrices(pose))[chain.joints[middle], :3, :3]
        normal_model = model @ chain.bend_axes[middle]
        if not np.linalg.norm(normal_model) > 0:
            normal_model = np.array([1.0, 0.0, 0.0])
        largest = np.abs(normal_model).argmax()
        if abs(normal_model[largest]) > NEAR_AXIS * np.linalg.norm(normal_model):
            normal_model = np.eye(3)[largest]
    else:
        normal_model = as_numbers(normal, "reach_map: normal").astype(np.float64)
        if normal_model.shape != (3,) or not np.isfinite(normal_model).all() or not normal_model.any():
            raise ValueError(f"reach_map: normal must be three finite numbers, not all zero, got {normal!r}")
    normal_model = normal_model / np.abs(normal_model).max()  # whose squares neither overflow nor vanish
    normal_model = normal_model / np.linalg.norm(normal_model)
    for axis in ((0.0, 1.0, 0.0), (0.0, 0.0, -1.0)):  # +y; -z for a horizontal plane
        up = np.array(axis) - normal_model[1 if axis[1] else 2] * (1 if axis[1] else -1) * normal_model
        if np.linalg.norm(up) > 0.2:
            break
    up /= np.linalg.norm(up)
    right = np.cross(up, normal_model)
    return (-right if right[np.abs(right).argmax()] < 0 else right), up


def _axis_name(direction: NDArray[Any]) -> str:
    """Return the name of the axis of a direction, or its components."""
    for sign in (1, -1):
        for name, axis in zip("xyz", np.eye(3), strict=True):
            if np.abs(direction - sign * axis).max() < 1e-3:
                return name if sign > 0 else f"-{name}"
    return f"({', '.join(f'{value:.2f}' for value in np.round(direction, 2) + 0.0)})"
