# SPDX-License-Identifier: MIT
"""The morph targets of a mesh and their weights, as the browser player reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.names import unknown_name
from lissom._base.numbers import check_number
from lissom._rig.expressions import KINDS, unknown_expression
from lissom._rig.morph_weights import morph_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.expressions import Expressions
    from lissom._rig.mesh import Mesh
    from lissom._rig.morphs import Morphs
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["checked_expressions", "checked_morphs", "put_morphs", "shown_weights"]

STEP = 2.0**-24
"""Step of what targets add to positions, as a fraction of the size: 6e-8. Dozens of targets then keep to the
promise of 2e-6."""

HIGHEST = 2**31 - 1


def put_morphs(
    mesh: Mesh,
    bake: PoseTexture | None,
    size: float,
    arrays: dict[str, Any],
    expressions: Expressions | None = None,
) -> dict[str, Any] | None:
    """Add the morph targets of a mesh, and the weights of a bake, to the arrays of a bundle.

    `expressions` are those of the mesh, for sliders of their own.

    Returns
    -------
    dict or None
        Their metadata; None where no target moves a vertex.
    """
    from lissom.gpu._morph_targets import morph_tables
    from lissom.pose_texture._morph_weights import morph_texels

    morphs = mesh.morphs
    if not morphs or not len(morphs.vertices):
        return None
    tables = morph_tables(morphs, mesh.vertex_count, 127.0)
    rows = tables.rows.reshape(-1, tables.stride, 4)[:, :, :3]
    largest = float(np.abs(rows[:, 0]).max())
    step = max(size * STEP, largest / HIGHEST) or 1.0
    narrow = np.uint16 if int(tables.numbers.max()) < 1 << 16 else np.uint32
    arrays["morph_numbers"] = tables.numbers.astype(narrow)
    arrays["morph_masks"] = tables.masks
    arrays["morph_rows"] = (
        np.rint(rows[:, 0].astype(np.float64) / step).clip(-HIGHEST, HIGHEST).astype(np.int32)
    )
    if tables.stride > 1:
        arrays["morph_normals"] = rows[:, 1].clip(-65504, 65504).astype(np.float16)
    weights: NDArray[Any] = morphs.defaults[None]
    if bake is not None and bake.weights is not None:
        arrays["morph_weights"] = morph_texels(bake.weights)
        weights = np.concatenate([weights, bake.weights.astype(np.float32)])
    lengths = np.linalg.norm(morphs.positions.astype(np.float64), axis=1)
    reach = [float(lengths[morphs.rows(m)].max(initial=0.0)) for m in range(len(morphs))]
    return {
        "names": list(morphs.names),
        "groups": _groups(morphs),
        "expressions": [] if expressions is None else _expressions(morphs, expressions),
        "defaults": morphs.defaults.tolist(),
        "lowest": np.minimum(weights.min(axis=0), 0).tolist(),
        "highest": np.maximum(weights.max(axis=0), 1).tolist(),
        "reach": reach,
        "blocks": tables.blocks,
        "stride": tables.stride,
        "step": step,
    }


def _groups(morphs: Morphs) -> list[dict[str, Any]]:
    """Return the groups of sliders: a node's targets each."""
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(morphs.names):
        groups.setdefault(name.rpartition("/")[0], []).append(number)
    return [{"name": name, "targets": numbers} for name, numbers in groups.items()]


def _expressions(morphs: Morphs, expressions: Expressions) -> list[dict[str, Any]]:
    """Return the expressions, as morphs.js reads them."""
    return [
        {
            "name": name,
            "binds": [
                [int(number), weight] for bound, weight in each.binds.items() for number in morphs.find(bound)
            ],
            "binary": each.binary,
            "group": each._group,
            "kinds": [kind for kind in KINDS if each._is_of(kind)],
            "overrides": {kind: getattr(each, f"override_{kind}") for kind in KINDS},
        }
        for name, each in ((name, expressions[name]) for name in expressions)
    ]


def checked_expressions(caller: str, given: Any, expressions: Expressions | None) -> dict[str, float]:
    """Return the weights of expressions that a user set, by their names."""
    if expressions is None:
        raise ValueError(f"{caller}: expressions must be omitted for what has no expressions")
    if not isinstance(given, Mapping):
        raise TypeError(f"{caller}: expressions must be a mapping of names, got {type(given).__name__}")
    for name in given:
        if name not in expressions:
            raise ValueError(f"{caller}: {unknown_expression(str(name), expressions.names)}")
    return {name: check_number(value, f"{caller}: weight of {name!r}") for name, value in given.items()}


def checked_morphs(caller: str, given: Any, mesh: Mesh) -> dict[str, float]:
    """Return the weights that a user set, by full names: given by names, or for all targets."""
    morphs = mesh.morphs
    if not morphs:
        raise ValueError(f"{caller}: morphs must be omitted for a mesh without morph targets")
    if not isinstance(given, Mapping):
        weights = morph_weights(given, mesh, f"{caller}: morphs")
        assert weights is not None
        return dict(zip(morphs.names, weights.tolist(), strict=True))
    result = {}
    for name, value in given.items():
        numbers = morphs.find(name) if isinstance(name, str) else ()
        if not len(numbers):
            raise ValueError(f"{caller}: {unknown_name('morph target', str(name), morphs._known(str(name)))}")
        weight = check_number(value, f"{caller}: weight of {name!r}")
        result.update({morphs.names[number]: weight for number in numbers})
    return result


def shown_weights(
    bake: PoseTexture,
    mesh: Mesh,
    clip: str | int,
    time: float,
    state: Mapping[str, Any],
    expressions: Expressions | None,
) -> NDArray[np.float32] | None:
    """Return the weights (M,) that a player shows at a time of a clip; None without morph targets."""
    if not mesh.morphs:
        return None
    weights = mesh.morphs.defaults.copy() if bake.weights is None else bake.sample_morphs(clip, time)
    said = state.get("expressions", {})
    if expressions is not None and said:
        bound = [m for name in said for each in expressions[name].binds for m in mesh.morphs.find(each)]
        weights[bound] = expressions.weights(said)[bound]
    for name, weight in state.get("morphs", {}).items():
        weights[mesh.morphs.names.index(name)] = weight
    return weights
