# SPDX-License-Identifier: MIT
"""What all skinning functions have in common: their results, their checks, and the call of the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lissom import _core
from lissom._base.arrays import as_floats, as_numbers
from lissom._base.set_module import set_module
from lissom._rig.mesh import Mesh
from lissom._rig.morph_weights import refuse_names
from lissom._rig.normals import face_normals
from lissom._rig.prepared_mesh import PreparedMesh
from lissom.skinning._blend_weights import one_for_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Output = NDArray[Any] | tuple[NDArray[Any], ...] | None

__all__ = ["FORMS", "Deformed", "DeformedFrames", "Normals", "SkinCall", "palette_forms"]

#: What `normals=` may be.
Normals = bool | Literal["rotate", "cofactor", "faces"]

#: Arrays of the palette that each method reads, in the order of its function's arguments.
FORMS = {
    "linear": ("matrices",),
    "dual_quat": ("dual_quats", "scales"),
    "quat_trans": ("quat_trans", "scales"),
    "cor": ("dual_quats", "scales"),
    "blended": ("matrices", "dual_quats", "scales"),
}

#: How many axes one row of each first form has.
_ROW_AXES = {"matrices": 2, "dual_quats": 1, "quat_trans": 1}


@set_module("lissom")
class Deformed(NamedTuple):
    """Moved vertices with their normals.

    Attributes
    ----------
    positions : ndarray, shape (..., V, 3)
        Model space, in the mesh's units.
    normals : ndarray, shape (..., V, 3)
        Model space, unit; zeros where the mesh's normal is zero.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> positions, normals = bar.deform(bar.clips["twist"].sample([0.0, 1.0]), normals=True)
    >>> positions.shape == normals.shape == (2, bar.mesh.vertex_count, 3)
    True
    """

    positions: NDArray[Any]
    normals: NDArray[Any]


@set_module("lissom")
class DeformedFrames(NamedTuple):
    """Moved vertices with their normals and tangents.

    Attributes
    ----------
    positions : ndarray, shape (..., V, 3)
        Model space, in the mesh's units.
    normals : ndarray, shape (..., V, 3)
        Model space, unit; zeros where the mesh's normal is zero.
    tangents : ndarray, shape (..., V, 4)
        Model space: unit and perpendicular to the normal, then the mesh's own sign of the bitangent. Zeros
        where nothing of the tangent is left beside the normal.

    Examples
    --------
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> mesh = lissom.Mesh(corners, [[0, 1, 2]], normals=[[0, 0, 1]] * 3, tangents=[[1, 0, 0, 1]] * 3)
    >>> quarter = lissom.quat.from_axis_angle([0, 0, 1], np.pi / 2)
    >>> turn = lissom.trs.to_matrix(lissom.trs.from_parts(rotation=quarter))
    >>> moved = lissom.skin_linear(mesh, turn[None], tangents=True)
    >>> np.allclose(moved.tangents[0], [0, 1, 0, 1])  # rotated, and the sign as before
    True
    """

    positions: NDArray[Any]
    normals: NDArray[Any]
    tangents: NDArray[Any]


class SkinCall:
    """One call of a skinning function: checks what all have in common and runs the core.

    `function` is the one that the user called: errors name it.
    """

    def __init__(
        self,
        function: str,
        method: str,
        mesh: Mesh | PreparedMesh,
        normals: Normals,
        tangents: bool,
        out: Output,
        morphs: ArrayLike | None = None,
    ) -> None:
        if not isinstance(mesh, (Mesh, PreparedMesh)):
            advice = "; pass its .mesh" if isinstance(getattr(mesh, "mesh", None), Mesh) else ""
            raise TypeError(
                f"{function}: mesh must be a lissom.Mesh or a lissom.PreparedMesh, "
                f"got {type(mesh).__name__}{advice}"
            )
        _check_normals(function, normals)
        self.given = mesh
        self.prepared = mesh._blocks if isinstance(mesh, PreparedMesh) else None
        self.mesh = mesh._results if isinstance(mesh, PreparedMesh) else mesh
        if normals == "faces" and tangents:
            raise ValueError(f"{function}: tangents go with moved normals, not with normals='faces'")
        if tangents and self.mesh.tangents is None:
            raise ValueError(
                f"{function}: tangents need a mesh that has some, got {self.mesh!r}; "
                "pass tangents= to lissom.Mesh"
            )
        self.function = function
        self.method = method
        self.normals = normals
        self.tangents = tangents
        self.out = out
        self.weights = self._morph_weights(morphs)

    def run(
        self,
        palette: Mapping[str, Any],
        *,
        centers: ArrayLike | None = None,
        blend: ArrayLike | None = None,
    ) -> NDArray[Any] | Deformed | DeformedFrames:
        """Skin by a palette's arrays, by name: those of `FORMS`. Of them `scales` alone may be None."""
        arrays = {
            name: as_floats(rows, f"{self.function}: {name}")
            for name, rows in palette.items()
            if not (rows is None and name == "scales")
        }
        dtype = np.result_type(*arrays.values())
        arrays = {name: np.ascontiguousarray(rows, dtype) for name, rows in arrays.items()}
        name, rows = next(iter(arrays.items()))
        if self.method == "cor":
            if centers is None:
                centers = self.given.centers_of_rotation()
            arrays["centers"] = self._per_vertex("centers", centers)
        if self.method == "blended":
            arrays["blend"] = self._blend(blend)
        batch = rows.shape[: max(rows.ndim - _ROW_AXES[name] - 1, 0)]
        targets, weights = None, None
        if self.weights is not None:
            targets, weights = self._targets(dtype), self.weights
            if weights.dtype != dtype:
                with np.errstate(over="ignore"):  # infinity is refused by the core
                    weights = weights.astype(dtype)
            if weights.shape[:-1] != batch:
                weights, batch = self._broadcast(weights, batch, arrays, len(palette))
        target = self._target(batch, dtype)
        outputs: Sequence[NDArray[Any]] = target if isinstance(target, tuple) else [target]
        faces = self.normals == "faces"
        _core.skin(
            self.function,
            self.method,
            self.mesh._skinned,
            *outputs,
            *[None] * (3 - len(outputs)),
            normals=self._bind_normals() if len(outputs) > 1 and not faces else None,
            tangents=self.mesh.tangents if len(outputs) > 2 else None,
            upright=self.normals == "cofactor",
            faces=faces,
            prepared=self.prepared,
            morphs=targets,
            morph_weights=weights,
            **arrays,
        )
        if faces:
            face_normals(self.mesh, outputs[0], outputs[1], self.function)
        return target

    def _morph_weights(self, morphs: ArrayLike | None) -> NDArray[Any] | None:
        """Return weights, (..., M); None where there are no targets, or no default is other than 0."""
        targets = self.mesh.morphs
        if morphs is None:
            return None if targets is None or not targets.defaults.any() else targets.defaults
        if targets is None:
            raise ValueError(
                f"{self.function}: morphs must be omitted for a mesh without morph targets, got "
                f"{self.mesh!r}; pass morphs= to lissom.Mesh"
            )
        refuse_names(morphs, f"{self.function}: morphs")
        weights = as_floats(morphs, f"{self.function}: morphs")
        if weights.ndim == 0 or weights.shape[-1] != len(targets):
            raise ValueError(
                f"{self.function}: morphs must have shape (..., {len(targets)}), a weight for each of "
                f"mesh.morphs.names, got {weights.shape}; mesh.morphs.weights makes them of names"
            )
        finite = np.isfinite(weights)
        if not finite.all():
            place = tuple(int(i) for i in np.argwhere(~finite)[0])
            at = f" of pose {place[:-1]}" if weights.ndim > 1 else ""
            raise ValueError(
                f"{self.function}: morphs must be finite, got {weights[place]} for "
                f"{targets.names[place[-1]]!r}{at}"
            )
        return weights

    def _broadcast(
        self, weights: NDArray[Any], batch: tuple[int, ...], arrays: dict[str, NDArray[Any]], count: int
    ) -> tuple[NDArray[Any], tuple[int, ...]]:
        """Return weights and leading axes that fit; repeat the palette where it has fewer poses."""
        try:
            both = np.broadcast_shapes(weights.shape[:-1], batch)
        except ValueError:
            raise ValueError(
                f"{self.function}: morphs must broadcast with the leading axes of the poses, {batch}, got "
                f"{weights.shape[:-1]}"
            ) from None
        if both != batch:
            for name in list(arrays)[:count]:
                rows = arrays[name]
                arrays[name] = np.ascontiguousarray(np.broadcast_to(rows, (*both, *rows.shape[len(batch) :])))
        return np.ascontiguousarray(np.broadcast_to(weights, (*both, weights.shape[-1]))), both

    def _targets(self, dtype: np.dtype[Any]) -> _core.MorphTargets:
        """Return the targets in the order in which the core skins: float32 that of prepared blocks."""
        morphs = self.mesh.morphs
        if isinstance(self.given, PreparedMesh) and dtype == np.float32:
            morphs = self.given._prepared_morphs()
        assert morphs is not None
        return morphs._held

    def _blend(self, blend: Any) -> NDArray[np.float32]:
        """Return a number per vertex, of one for all or of those; the core checks that they fit."""
        values = as_numbers(blend, f"{self.function}: blend")
        if values.ndim:
            return self._per_vertex("blend", values)
        return one_for_all(values, self.mesh.vertex_count, f"{self.function}: blend")

    def _per_vertex(self, name: str, values: Any) -> NDArray[np.float32]:
        with np.errstate(over="ignore"):  # infinite numbers are refused by the core
            return np.ascontiguousarray(as_floats(values, f"{self.function}: {name}"), np.float32)

    def _bind_normals(self) -> NDArray[np.float32]:
        return self.mesh.computed_normals() if self.mesh.normals is None else self.mesh.normals

    def _target(
        self, batch: tuple[int, ...], dtype: np.dtype[Any]
    ) -> NDArray[Any] | Deformed | DeformedFrames:
        """Allocate outputs that the caller did not pass."""
        names = ("positions", "normals", "tangents")[: 3 if self.tangents else 2 if self.normals else 1]
        kind: type[Deformed] | type[DeformedFrames] = DeformedFrames if len(names) == 3 else Deformed
        if self.out is None:
            made = [
                np.empty((*batch, self.mesh.vertex_count, 4 if name == "tangents" else 3), dtype)
                for name in names
            ]
            return kind(*made) if len(names) > 1 else made[0]
        got = f"a tuple of {len(self.out)}" if isinstance(self.out, tuple) else type(self.out).__name__
        if len(names) == 1:
            if isinstance(self.out, tuple):
                raise TypeError(f"{self.function}: out must be one array unless normals=True, got {got}")
            single: NDArray[Any] = self.out
            return single
        if not isinstance(self.out, tuple) or len(self.out) != len(names):
            asked = "normals=True" if len(names) == 2 else "tangents=True"
            raise TypeError(
                f"{self.function}: out must be a tuple ({', '.join(names)}) with {asked}, got {got}"
            )
        for name, array in zip(names, self.out, strict=True):
            if array is None:
                raise TypeError(f"{self.function}: out.{name} must be a NumPy array, got NoneType")
        return kind(*self.out)


def palette_forms(function: str, palette: object, method: str) -> dict[str, NDArray[Any] | None]:
    """Return the arrays of a palette that a method reads, by name."""
    if not all(hasattr(palette, name) for name in FORMS[method]):
        raise TypeError(
            f"{function}: palette must be a Palette, got {type(palette).__name__}; "
            "skin.palette(model_matrices) makes one"
        )
    return {name: getattr(palette, name) for name in FORMS[method]}


def _check_normals(function: str, normals: object) -> None:
    wanted = "a bool, 'rotate', 'cofactor' or 'faces'"
    if isinstance(normals, str):
        if normals not in ("rotate", "cofactor", "faces"):
            raise ValueError(f"{function}: normals must be {wanted}, got {normals!r}")
    elif not isinstance(normals, (bool, np.bool_)):
        raise TypeError(
            f"{function}: normals must be {wanted}, got {type(normals).__name__}; it says how the mesh's own "
            "normals are moved (undeform takes an array)"
        )
