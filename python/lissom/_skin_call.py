# SPDX-License-Identifier: MIT
"""What all skinning functions have in common: their results, their checks, and the way into the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lissom import _core
from lissom._arrays import as_floats
from lissom._normals import face_normals
from lissom.mesh import Mesh
from lissom.prepared_mesh import PreparedMesh

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Output = NDArray[Any] | tuple[NDArray[Any], ...] | None

__all__ = ["Deformed", "DeformedFrames", "Normals", "SkinCall", "per_vertex"]

#: What `normals=` may be.
Normals = bool | Literal["rotate", "cofactor", "faces"]

#: The palettes, and how many axes one row of each has.
_ROW_AXES = {"matrices": 2, "dual_quats": 1, "quat_trans": 1, "scales": 2}


class Deformed(NamedTuple):
    """Moved vertices with their normals.

    Attributes
    ----------
    positions : ndarray, shape (..., V, 3)
        Model space, in the mesh's units.
    normals : ndarray, shape (..., V, 3)
        Model space, unit; zeros where the mesh's normal is zero.
    """

    positions: NDArray[Any]
    normals: NDArray[Any]


class DeformedFrames(NamedTuple):
    """Moved vertices with their normals and tangents.

    Attributes
    ----------
    positions : ndarray, shape (..., V, 3)
        Model space, in the mesh's units.
    normals : ndarray, shape (..., V, 3)
        Model space, unit; zeros where the mesh's normal is zero.
    tangents : ndarray, shape (..., V, 4)
        Model space: unit and at right angles to the normal, then the mesh's own sign of the bitangent. Zeros
        where nothing of the tangent is left beside the normal.
    """

    positions: NDArray[Any]
    normals: NDArray[Any]
    tangents: NDArray[Any]


class SkinCall:
    """One call of a skinning function: checks what all have in common and runs the core."""

    def __init__(
        self, function: str, mesh: Mesh | PreparedMesh, normals: Normals, tangents: bool, out: Output
    ) -> None:
        self.prepared = mesh._blocks if isinstance(mesh, PreparedMesh) else None
        if isinstance(mesh, PreparedMesh):
            mesh = mesh._results
        if not isinstance(mesh, Mesh):
            raise TypeError(f"{function}: mesh must be a lissom.Mesh, got {type(mesh).__name__}")
        if isinstance(normals, str) and normals not in ("rotate", "cofactor", "faces"):
            raise ValueError(
                f"{function}: normals must be a bool, 'rotate', 'cofactor' or 'faces', got {normals!r}"
            )
        if normals == "faces" and tangents:
            raise ValueError(f"{function}: tangents go with moved normals, not with normals='faces'")
        if tangents and mesh.tangents is None:
            raise ValueError(f"{function}: tangents need a mesh that has some, got {mesh!r}")
        self.function = function
        self.mesh = mesh
        self.normals = normals
        self.tangents = tangents
        self.out = out

    def run(self, **arrays: Any) -> NDArray[Any] | Deformed | DeformedFrames:
        """Skin by the palettes and vertex arrays that the core knows by these names."""
        palettes = {
            name: as_floats(values, f"{self.function}: {name}")
            for name, values in arrays.items()
            if values is not None and name in _ROW_AXES
        }
        dtype = np.result_type(*palettes.values())
        arrays |= {name: np.ascontiguousarray(rows, dtype) for name, rows in palettes.items()}
        name, rows = next(iter(palettes.items()))
        target = self._target(rows.shape[: max(rows.ndim - _ROW_AXES[name] - 1, 0)], dtype)
        targets = target if isinstance(target, tuple) else (target,)
        if self.normals == "faces":
            targets = targets[:1]
        _core.skin(
            self.function.removeprefix("skin_"),
            self.mesh._skinned,
            *targets,
            *[None] * (3 - len(targets)),
            normals=self._bind_normals() if len(targets) > 1 else None,
            tangents=self.mesh.tangents if len(targets) > 2 else None,
            upright=self.normals == "cofactor",
            prepared=self.prepared,
            **arrays,
        )
        if self.normals == "faces" and isinstance(target, tuple):
            face_normals(self.mesh, target[0], target[1], self.function)
        return target

    def _bind_normals(self) -> NDArray[np.float32]:
        return self.mesh.computed_normals() if self.mesh.normals is None else self.mesh.normals

    def _target(
        self, batch: tuple[int, ...], dtype: np.dtype[Any]
    ) -> NDArray[Any] | Deformed | DeformedFrames:
        """Allocate what the caller did not bring."""
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
        return kind(*self.out)


def per_vertex(values: ArrayLike, what: str) -> NDArray[np.float32]:
    """Give numbers of vertices as the core takes them; `what` names function and argument in errors."""
    return np.ascontiguousarray(as_floats(values, what), np.float32)
