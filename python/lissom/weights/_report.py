# SPDX-License-Identifier: MIT
"""What a computation of weights says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.doors import as_html
from lissom._base.printable import printable

__all__ = ["INFLUENCE", "WeightReport", "called", "report_of"]

INFLUENCE = 0.01
"""A weight above this counts as an influence: below it a handle moves a vertex by less than a hundredth."""


@dataclass(frozen=True, eq=False)
class WeightReport:
    """How weights were computed, and what of the input did not fit.

    Attributes
    ----------
    method : str
        ``"bounded_biharmonic"``, ``"heat"`` or ``"inverse_distance"``.
    vertex_count, handle_count : int
        Shape of the weights.
    node_count, tetrahedron_count : int
        Of the volume that was solved on; 0 for methods without one.
    cell : float or None
        Edge of the lattice's cells, in units of the surface; None without a lattice.
    iterations : int
        Of the solver; 0 for methods that need none.
    residuals : mapping of str to float
        What the solver left, by name, as the method's docs explain.
    converged : bool
        Whether the error that was asked for is reached, as far as it is known.
    row_sums : tuple of float
        Lowest and highest sum of a row before rows were divided by it.
    lowest, highest : float
        Of all weights, before they were clipped to [0, 1].
    influence_shares : mapping of int to float
        Share of the vertices with more than so many weights above 0.01, for 1, 2, 4 and 8. Each handle
        counts: two bones of one joint are two, and one only after `Bones.per_joint`.
    unreached_vertices : ndarray of int64
        Vertices that no handle reaches. `heat` warms each of them by its own nearest handle, seen or not.
        `bounded_biharmonic` gives all of a part of the `tetrahedra` the weights of the handle nearest to the
        part, and each vertex outside the reached parts of a lattice those of the nearest vertex within.
    components_without_handle : int
        Parts of the volume, or of the surface for methods without one, that hold no handle.
    moved_handles : mapping of int to float
        Handles that were not where they were asked for: how far away they were put, in units of the surface.
    outside_handles : tuple of int
        Handles that lie outside the volume, at least in part.
    handle_names : tuple of str
        The joint of each handle, where `Bones` were given; else empty.
    seconds : mapping of str to float
        By stage.
    notes : tuple of str
        One sentence for each thing that was found and mended.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> ends = [[0, 0, 0], [4, 0, 0]]
    >>> weights, report = lissom.weights.inverse_distance(bar.mesh, ends, report=True)
    >>> report.method, report.handle_count, report.converged
    ('inverse_distance', 2, True)
    >>> report.influence_shares[2]  # of the vertices follow more than two handles
    0.0
    """

    method: str
    vertex_count: int
    handle_count: int
    node_count: int = 0
    tetrahedron_count: int = 0
    cell: float | None = None
    iterations: int = 0
    residuals: Mapping[str, float] = field(default_factory=dict)
    converged: bool = True
    row_sums: tuple[float, float] = (1.0, 1.0)
    lowest: float = 0.0
    highest: float = 1.0
    influence_shares: Mapping[int, float] = field(default_factory=dict)
    unreached_vertices: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    components_without_handle: int = 0
    moved_handles: Mapping[int, float] = field(default_factory=dict)
    outside_handles: tuple[int, ...] = ()
    handle_names: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("residuals", "influence_shares", "moved_handles", "seconds"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled.
        values = {k: dict(v) if isinstance(v, MappingProxyType) else v for k, v in self.__dict__.items()}
        return _report, (values,)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain numbers, strings, lists and dicts, ready for JSON.

        Returns
        -------
        dict
            One entry for each attribute.

        Examples
        --------
        >>> import json
        >>> bar = lissom.samples.twisted_bar()
        >>> ends = [[0, 0, 0], [4, 0, 0]]
        >>> weights, report = lissom.weights.inverse_distance(bar.mesh, ends, report=True)
        >>> json.loads(json.dumps(report.to_dict()))["method"]
        'inverse_distance'
        """
        result = dict(self.__dict__)
        for name in ("residuals", "seconds"):
            result[name] = dict(result[name])
        for name in ("influence_shares", "moved_handles"):
            result[name] = {str(key): value for key, value in result[name].items()}
        for name in ("row_sums", "outside_handles", "handle_names", "notes"):
            result[name] = list(result[name])
        result["unreached_vertices"] = self.unreached_vertices.tolist()
        return result

    _repr_html_ = as_html

    def __str__(self) -> str:
        lines = [f"{self.method}: {self.vertex_count} vertices, {self.handle_count} handles"]
        if self.node_count:
            cell = "" if self.cell is None else f", cells of {self.cell:.4g}"
            lines.append(f"volume: {self.node_count} nodes, {self.tetrahedron_count} tetrahedra{cell}")
        if self.iterations:
            left = ", ".join(f"{name} {value:.2g}" for name, value in self.residuals.items())
            state = "converged" if self.converged else "NOT converged"
            lines.append(f"{state} in {self.iterations} iterations ({left})")
        lines.append(
            f"before normalising: weights {self.lowest:.4f} to {self.highest:.4f}, "
            f"row sums {self.row_sums[0]:.4f} to {self.row_sums[1]:.4f}"
        )
        if self.influence_shares:
            shares = ", ".join(f"{count}: {share:.1%}" for count, share in self.influence_shares.items())
            lines.append(f"vertices with weights above {INFLUENCE:g} for more handles than {shares}")
        if len(self.unreached_vertices):
            lines.append(f"unreached: {len(self.unreached_vertices)} vertices")
        if self.components_without_handle:
            lines.append(f"components without a handle: {self.components_without_handle}")
        if self.moved_handles:
            moved = ", ".join(
                f"{called(handle, self.handle_names)} by {by:.3g}"
                for handle, by in self.moved_handles.items()
            )
            lines.append(f"handles moved: {moved}")
        if self.outside_handles:
            outside = ", ".join(called(handle, self.handle_names) for handle in self.outside_handles)
            lines.append(f"handles outside: {outside}")
        if self.seconds:
            stages = ", ".join(f"{stage} {time:.2f}" for stage, time in self.seconds.items())
            lines.append(f"seconds: {stages}")
        return "\n".join([*lines, *self.notes])


def called(handle: int, names: tuple[str, ...]) -> str:
    """Return the label of a handle in messages: its number, and its joint where names are known."""
    return f"{handle} ({printable(names[handle])})" if names else str(handle)


def _report(values: dict[str, Any]) -> WeightReport:
    return WeightReport(**values)


def report_of(method: str, weights: NDArray[np.float64], **facts: Any) -> WeightReport:
    """Return the report of a method, with what its weights show."""
    vertex_count, handle_count = weights.shape
    shares = _influence_shares(weights)
    return WeightReport(method, vertex_count, handle_count, influence_shares=shares, **facts)


def _influence_shares(weights: NDArray[np.float64]) -> dict[int, float]:
    """Return the share of rows with more than 1, 2, 4 and 8 weights above `INFLUENCE`."""
    counts = np.count_nonzero(weights > INFLUENCE, axis=1)
    return {k: float(np.mean(counts > k)) if len(counts) else 0.0 for k in (1, 2, 4, 8)}
