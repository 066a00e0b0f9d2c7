# SPDX-License-Identifier: MIT
"""Morph targets: what each adds to the vertices that it moves, and nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.arrays import as_floats, as_numbers, finite_floats
from lissom._base.doors import as_html
from lissom._base.names import counted, unknown_name
from lissom._base.numbers import whole_number
from lissom._base.set_module import set_module
from lissom._rig.mesh_arrays import frozen

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Morphs"]

# How many slashes of a name may end that of the node: a name of slashes alone would have as many short ones.
MOST_SLASHES = 16

_ATTRIBUTES = ("positions", "normals", "tangents")


@set_module("lissom")
class Morphs:
    """Morph targets of a mesh (shape keys, blend shapes): sparse rows of differences to its vertices.

    Vertex ``vertices[r]`` of the mesh moves by ``positions[r]`` times the weight of the target that row ``r``
    belongs to, before it is skinned. The rows of target ``m`` are ``offsets[m]:offsets[m + 1]``. A target
    costs what it moves. All arrays are checked once, here, and are read-only afterwards.

    Parameters
    ----------
    names : sequence of str
        M names, each once. Those of files are "node/target": weights belong to nodes.
    offsets : array_like of int, shape (M + 1,)
        Where the rows of each target begin: from 0 to R, not decreasing.
    vertices : array_like of int, shape (R,)
        Which vertex each row moves; increasing within a target.
    positions : array_like, shape (R, 3)
        What weight 1 adds to the position, in the space and units of the mesh. Kept as float32.
    normals, tangents : array_like, shape (R, 3), optional
        What it adds to normals and tangents of unit length. The sum is normalised after skinning; the sign of
        the bitangent stays the mesh's.
    defaults : array_like, shape (M,), optional
        Weights where none are given; zeros when omitted.

    Attributes
    ----------
    names : tuple of str
    offsets : ndarray of int64, shape (M + 1,)
    vertices : ndarray of uint32, shape (R,)
    positions : ndarray of float32, shape (R, 3)
    normals, tangents : ndarray of float32, shape (R, 3), or None
    defaults : ndarray of float32, shape (M,)

    Raises
    ------
    TypeError
        If a name is no text, or an array is not of numbers.
    ValueError
        If a shape is wrong, a number not finite, a name given twice, the offsets do not cut the rows, or a
        target moves a vertex twice.

    Notes
    -----
    glTF 2.0, section 3.7.2.2: positions, normals and tangents are the mesh's plus the sum of weight times
    difference over the targets; then the mesh is skinned. Weights may be negative and above 1.

    Examples
    --------
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> morphs = lissom.Morphs(["face/up", "face/out"], [0, 2, 3], [0, 2, 1], [[0, 1, 0]] * 2 + [[3, 0, 0]])
    >>> morphs
    Morphs(2 targets, 3 rows)
    >>> mesh = lissom.Mesh(corners, [[0, 1, 2]], morphs=morphs)
    >>> mesh.morphs.weights({"out": 0.5})
    array([0. , 0.5], dtype=float32)
    """

    names: tuple[str, ...]
    offsets: NDArray[np.int64]
    vertices: NDArray[np.uint32]
    positions: NDArray[np.float32]
    normals: NDArray[np.float32] | None
    tangents: NDArray[np.float32] | None
    defaults: NDArray[np.float32]

    def __init__(
        self,
        names: Sequence[str],
        offsets: ArrayLike,
        vertices: ArrayLike,
        positions: ArrayLike,
        normals: ArrayLike | None = None,
        tangents: ArrayLike | None = None,
        defaults: ArrayLike | None = None,
    ) -> None:
        fields: dict[str, Any] = {"names": _checked_names(names)}
        count = len(fields["names"])
        rows = _whole_numbers(vertices, "vertices")
        fields["offsets"] = _checked_offsets(offsets, count, len(rows))
        fields["vertices"] = _checked_vertices(rows, fields["offsets"], fields["names"])
        for name, values in zip(_ATTRIBUTES, (positions, normals, tangents), strict=True):
            fields[name] = None if values is None else _checked_rows(values, name, len(rows))
        if fields["positions"] is None:
            raise TypeError("Morphs: positions must be an array of numbers, got None")
        if defaults is None:
            defaults = np.zeros(count, np.float32)
        fields["defaults"] = _single(finite_floats(defaults, "Morphs: defaults", (count,)), "defaults")
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_dense(
        cls,
        names: Sequence[str],
        positions: ArrayLike,
        normals: ArrayLike | None = None,
        tangents: ArrayLike | None = None,
        defaults: ArrayLike | None = None,
    ) -> Morphs:
        """Make morph targets of differences for every vertex; those of zero are left out.

        Parameters
        ----------
        names : sequence of str
            M names.
        positions : array_like, shape (M, V, 3)
            What each target adds to each vertex: its shape less the mesh's positions.
        normals, tangents : array_like, shape (M, V, 3), optional
        defaults : array_like, shape (M,), optional

        Returns
        -------
        Morphs

        Raises
        ------
        TypeError, ValueError
            As `Morphs` does; ValueError if the arrays differ in shape.

        Examples
        --------
        >>> mesh = lissom.samples.humanoid().mesh
        >>> taller = np.where(mesh.positions[:, 1:2] > 1.5, [0, 0.1, 0], 0)  # the head by 0.1 m
        >>> morphs = lissom.Morphs.from_dense(["taller"], taller[None])
        >>> len(morphs.vertices) < mesh.vertex_count / 2
        True
        """
        given = {
            name: as_numbers(values, f"Morphs.from_dense: {name}")
            for name, values in zip(_ATTRIBUTES, (positions, normals, tangents), strict=True)
            if values is not None
        }
        count = len(_checked_names(names))
        shape = given["positions"].shape
        for name, values in given.items():
            wanted = f"({count}, V, 3)" if name == "positions" else f"{shape}, as positions"
            if values.ndim != 3 or values.shape[0] != count or values.shape[2] != 3 or values.shape != shape:
                raise ValueError(f"Morphs.from_dense: {name} must have shape {wanted}, got {values.shape}")
        moves = np.zeros(shape[:2], np.bool_)
        for values in given.values():
            moves |= (values != 0).any(axis=2)  # NaN is unequal, too, and refused
        target, vertices = np.nonzero(moves)
        offsets = np.searchsorted(target, np.arange(count + 1))
        rows = {name: values[target, vertices] for name, values in given.items()}
        return cls(names, offsets, vertices, defaults=defaults, **rows)

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, target: int | str) -> slice:
        """Return which rows of `vertices`, `positions`, ... belong to a target.

        Parameters
        ----------
        target : int or str
            Its number, or a name as `index` takes it.

        Returns
        -------
        slice

        Raises
        ------
        TypeError
            If `target` is neither.
        ValueError
            If there is no such target, or the name is ambiguous.

        Examples
        --------
        >>> morphs = lissom.Morphs(["face/up", "face/out"], [0, 2, 3], [0, 2, 1], np.ones((3, 3)))
        >>> morphs.vertices[morphs.rows("up")]
        array([0, 2], dtype=uint32)
        """
        what = "Morphs.rows: target"
        number = self.index(target) if isinstance(target, str) else whole_number(target, what)
        if number >= len(self):
            raise ValueError(f"{what} must be in [0, {len(self)}), got {number}")
        return slice(int(self.offsets[number]), int(self.offsets[number + 1]))

    def find(self, name: str) -> NDArray[np.int64]:
        """Return the numbers of all targets that a name means.

        Parameters
        ----------
        name : str
            A name in full, "node/target"; or the target's alone, which all nodes may share.

        Returns
        -------
        ndarray of int64
            Increasing; one where the name is one in full, none where there is no such target.

        Raises
        ------
        TypeError
            If `name` is no text.

        Examples
        --------
        >>> morphs = lissom.Morphs(["head/smile", "teeth/smile"], [0, 1, 2], [0, 9], np.ones((2, 3)))
        >>> morphs.find("smile"), morphs.find("teeth/smile"), morphs.find("frown")
        (array([0, 1]), array([1]), array([], dtype=int64))
        """
        return np.array(self._numbers.get(_required_name(name, "find"), ()), np.int64)

    def index(self, name: str) -> int:
        """Return the number of a target.

        Parameters
        ----------
        name : str
            In full, or the target's alone where one node has it.

        Returns
        -------
        int

        Raises
        ------
        TypeError
            If `name` is no text.
        ValueError
            If no target, or more than one, has the name.

        Examples
        --------
        >>> lissom.Morphs(["head/smile", "head/blink"], [0, 1, 2], [0, 9], np.ones((2, 3))).index("blink")
        1
        """
        found = self._numbers.get(_required_name(name, "index"), ())
        if not found:
            raise ValueError(f"Morphs.index: {unknown_name('morph target', name, self._known(name))}")
        if len(found) > 1:
            first, second = (self.names[number] for number in found[:2])
            raise ValueError(
                f"Morphs.index: name must mean one target, got {name!r}, which {len(found)} nodes share; pass"
                f" {first!r} or {second!r}, or use find"
            )
        return found[0]

    def weights(self, values: Mapping[str, ArrayLike], base: ArrayLike | None = None) -> NDArray[np.float32]:
        """Return weights of all targets from those of some, by name.

        Parameters
        ----------
        values : mapping of str to float or array_like
            A name in full, or one that all nodes share. Arrays of several weights, one for each pose, say,
            broadcast.
        base : array_like, shape (..., M), optional
            Weights of the others; `defaults` when omitted.

        Returns
        -------
        ndarray of float32, shape (..., M)
            What `deform` takes as ``morphs=``.

        Raises
        ------
        TypeError
            If `values` is no mapping, or holds no numbers.
        ValueError
            If no target has a name, a number is not finite, or shapes do not broadcast.

        Examples
        --------
        >>> morphs = lissom.Morphs(["head/smile", "head/blink"], [0, 1, 2], [0, 9], np.ones((2, 3)))
        >>> morphs.weights({"smile": 0.7})
        array([0.7, 0. ], dtype=float32)
        >>> morphs.weights({"blink": [0, 1, 0]}).shape
        (3, 2)
        """
        if not isinstance(values, Mapping):
            raise TypeError(
                f"Morphs.weights: values must be a mapping of name to weight, got {type(values).__name__}"
            )
        start = self.defaults if base is None else as_floats(base, "Morphs.weights: base")
        if start.ndim == 0 or start.shape[-1] != len(self):
            raise ValueError(f"Morphs.weights: base must have shape (..., {len(self)}), got {start.shape}")
        chosen: dict[str, NDArray[np.float64]] = {}
        for name, value in values.items():
            if name not in self._numbers:
                raise ValueError(f"Morphs.weights: {unknown_name('morph target', name, self._known(name))}")
            chosen[name] = finite_floats(value, f"Morphs.weights: values[{name!r}]")
        try:
            batch = np.broadcast_shapes(start.shape[:-1], *(each.shape for each in chosen.values()))
        except ValueError:
            shapes = ", ".join(str(each.shape) for each in chosen.values())
            raise ValueError(
                f"Morphs.weights: values must broadcast with each other and with base, got {shapes}"
            ) from None
        weights = np.empty((*batch, len(self)), np.float32)
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused below
            weights[...] = start
            for name, each in chosen.items():
                for number in self._numbers[name]:
                    weights[..., number] = each
        if not np.isfinite(weights).all():
            number = int(np.argwhere(~np.isfinite(weights))[0, -1])
            raise ValueError(
                f"Morphs.weights: weights must be finite in float32, got others for {self.names[number]!r}"
            )
        return weights

    @cached_property
    def _held(self) -> _core.MorphTargets:
        """What the core skins with."""
        return _core.MorphTargets(self.offsets, self.vertices, self.positions, self.normals, self.tangents)

    @cached_property
    def _numbers(self) -> dict[str, tuple[int, ...]]:
        """Numbers of the targets by every name that means them: in full, and what follows each "/"."""
        numbers: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            rest = name
            for _ in range(MOST_SLASHES):
                _, slash, rest = rest.partition("/")
                if slash and rest:
                    numbers.setdefault(rest, []).append(number)
        by_name = {name: tuple(each) for name, each in numbers.items()}
        return by_name | {name: (number,) for number, name in enumerate(self.names)}

    def _known(self, name: str) -> list[str]:
        """Return names to suggest for one that no target has: in full if it is, else without nodes."""
        if "/" in name:
            return list(self.names)
        return list(dict.fromkeys(each.rpartition("/")[2] or each for each in self.names))

    def _taken(self, order: NDArray[Any]) -> Morphs:
        """Return the targets of a mesh whose vertex ``i`` is vertex ``order[i]`` of this one.

        Vertices may be left out and repeated. All targets stay, also those that move nothing any more.
        """
        sources = np.argsort(order, kind="stable")
        sorted_order = np.asarray(order)[sources]
        first = np.searchsorted(sorted_order, self.vertices, "left")
        counts = np.searchsorted(sorted_order, self.vertices, "right") - first
        row = np.repeat(np.arange(len(self.vertices)), counts)
        within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        vertices = sources[first[row] + within]
        target = np.searchsorted(self.offsets, row, "right") - 1
        sorting = np.lexsort((vertices, target))
        row, vertices = row[sorting], vertices[sorting]
        return Morphs(
            self.names,
            np.searchsorted(target[sorting], np.arange(len(self) + 1)),
            vertices,
            self.positions[row],
            None if self.normals is None else self.normals[row],
            None if self.tangents is None else self.tangents[row],
            self.defaults,
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Morphs.{name} cannot be set; make new Morphs")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Morphs.{name} cannot be deleted")

    _repr_html_ = as_html

    def __repr__(self) -> str:
        extras = "".join(f", {name}" for name in _ATTRIBUTES[1:] if getattr(self, name) is not None)
        return f"Morphs({counted(len(self), 'target')}, {counted(len(self.vertices), 'row')}{extras})"

    def __reduce__(self) -> tuple[Callable[..., Morphs], tuple[Any, ...]]:
        arrays = (self.offsets, self.vertices, self.positions, self.normals, self.tangents, self.defaults)
        return Morphs, (self.names, *arrays)


def _required_name(name: str, function: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"Morphs.{function}: name must be a str, got {type(name).__name__}")
    return name


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"Morphs: names must be a sequence of str, got {type(names).__name__}")
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"Morphs: names must be a sequence of str, got {type(name).__name__} in it")
        if not name or name in seen:
            raise ValueError(f"Morphs: names must be different and not empty, got {name!r}; rename it")
        seen.add(name)
    return tuple(names)


def _whole_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    array = as_numbers(values, f"Morphs: {name}")
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"Morphs: {name} must be an array of integers, got {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"Morphs: {name} must have one axis, got shape {array.shape}")
    return array


def _checked_offsets(values: ArrayLike, count: int, row_count: int) -> NDArray[np.int64]:
    offsets = _whole_numbers(values, "offsets")
    if len(offsets) != count + 1:
        raise ValueError(
            f"Morphs: offsets must have shape ({count + 1},), one more than the names, got {offsets.shape}"
        )
    if offsets[0] != 0 or offsets[-1] != row_count or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(
            f"Morphs: offsets must rise from 0 to {row_count}, the number of rows, got {offsets.tolist()}"
            if count < 8
            else f"Morphs: offsets must rise from 0 to {row_count}, the number of rows"
        )
    return frozen(np.ascontiguousarray(offsets, np.int64))


def _checked_vertices(
    rows: NDArray[Any], offsets: NDArray[np.int64], names: tuple[str, ...]
) -> NDArray[np.uint32]:
    if len(rows) and (rows.min() < 0 or rows.max() >= 1 << 32):
        bad = rows[(rows < 0) | (rows >= 1 << 32)][0]
        raise ValueError(f"Morphs: vertices must be from 0 to 4294967295, got {bad}")
    vertices = np.ascontiguousarray(rows, np.uint32)
    falls = np.zeros(max(len(vertices), 1), np.bool_)
    falls[1 : len(vertices)] = vertices[1:] <= vertices[:-1]
    falls[offsets[:-1][offsets[:-1] < len(falls)]] = False  # the first row of a target
    if falls.any():
        row = int(falls.argmax())
        target = int(np.searchsorted(offsets, row, "right")) - 1
        raise ValueError(
            f"Morphs: vertices must increase within a target, got {vertices[row - 1]}, then {vertices[row]}"
            f" in {names[target]!r}; sort the rows, and add up those of one vertex"
        )
    return frozen(vertices)


def _checked_rows(values: ArrayLike, name: str, row_count: int) -> NDArray[np.float32]:
    array = as_numbers(values, f"Morphs: {name}")
    if array.size == 0 and array.ndim == 1:
        array = array.reshape(0, 3)
    if array.shape != (row_count, 3):
        raise ValueError(
            f"Morphs: {name} must have shape ({row_count}, 3), a row for each of vertices, got {array.shape}"
        )
    return _single(array, name)


def _single(array: NDArray[Any], name: str) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite and is refused below
        single = np.ascontiguousarray(array, np.float32)
    with np.errstate(invalid="ignore"):
        total = np.add.reduce(single, axis=None, dtype=np.float64)
    if not np.isfinite(total):  # float32 cannot overflow a float64 sum
        row = int(np.argwhere(~np.isfinite(single))[0, 0])
        raise ValueError(
            f"Morphs: {name} must be finite in float32, got {single[row].tolist()} in row {row}; remove or"
            " repair it"
        )
    return frozen(single)
