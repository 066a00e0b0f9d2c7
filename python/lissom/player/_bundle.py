# SPDX-License-Identifier: MIT
"""A mesh, its bake and their metadata as one string of bytes for the player."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lissom._base.arrays import refuse_masked
from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import check_number
from lissom._rig.distinct_vertices import distinct_vertices, points_of
from lissom._view.camera import AZIMUTH
from lissom.player._bones import bones_of_bake
from lissom.player._container import to_bytes
from lissom.player._morphs import put_morphs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.expressions import Expressions
    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom._rig.skin import Skin
    from lissom.gpu._looks import Group
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.skinning._deform import PaletteLike

__all__ = ["bundle"]

VERSION = 1
"""Version of the format, counted up where a player of another version would go wrong."""

BITS = 21
"""Bits of positions, along each axis of the mesh's box, and of weights: both are off by at most 2.4e-7."""

FRAMES_COMPARED = 48
"""Evenly spread frames of a clip at which the methods are compared, for the range of heat maps."""

CHUNK_VERTICES = 1 << 15
"""Vertices skinned at a time, which stay in the caches."""

Arrays = dict[str, Any]


def bundle(
    mesh: Mesh | PreparedMesh,
    skin: Skin | None,
    *,
    bake: PoseTexture | None = None,
    bones: ArrayLike | None = None,
    title: str = "",
    names: Sequence[str] | None = None,
    size: float | None = None,
    scaled: bool = False,
    expressions: Expressions | None = None,
    azimuth: float = AZIMUTH,
) -> bytes:
    """Pack a mesh, and the clips of a bake, into the bytes that the browser player reads.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
        The mesh to draw. Positions are rounded to 21 bits along each axis of the mesh's box, and weights to
        21 bits; normals, uvs and colours as in `lissom.gpu.Crowd`: to steps of 1/127, half precision, and
        square roots to steps of 1/255. Of more than 8 influences of a vertex, the heaviest 8. What morph
        targets add to positions is rounded to steps of 6e-8 of the size.
    skin : Skin or None
        The skin that the mesh's indices refer to; None for that of the bake.
    bake : PoseTexture, optional
        Of any layout and texel type; texels are kept bit for bit. Without a bake, the player receives a
        palette for each pose.
    bones : array_like, shape (B, 8), optional
        The skeleton to draw, as from `bones_of`; that of the bake when omitted.
    title : str
        Title of the player.
    names : sequence of str, optional
        Names of the palette rows, for a bundle without a bake.
    size : float, optional
        The character's size in the mesh's units, for a bundle without a bake; the diagonal of the mesh's box
        when omitted.
    scaled : bool
        For a bundle without a bake: whether palettes of dual quaternions have scales.
    expressions : Expressions, optional
        Of the mesh's morph targets: they get sliders of their own.
    azimuth : float
        From where the player looks until its camera is moved, degrees about y from +z towards +x.

    Returns
    -------
    bytes
        Eight bytes that hold the header's length, little endian; the header, JSON; then the arrays, each at a
        multiple of 8 bytes: the container of ``.safetensors``, except for the padding between arrays.

    Raises
    ------
    TypeError
        If `mesh` is not a mesh, or `bake` is not a bake.
    ValueError
        If the mesh uses more palette rows than there are, or `bones` or `names` do not fit.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()
    >>> data = lissom.player.bundle(tube.mesh, tube.skin, bake=lissom.bake(tube), title="a tube")
    >>> length = int.from_bytes(data[:8], "little")
    >>> b'"positions"' in data[8 : 8 + length]
    True
    """
    from lissom._crowd.instances import check_bake
    from lissom.gpu._arguments import checked_mesh

    drawn = checked_mesh(mesh, "player.bundle: mesh")
    if bake is not None:
        check_bake(bake, "player.bundle")
        row_count = bake.palette_row_count
        rows = _row_names(bake)
    else:
        row_count = drawn.row_count if skin is None else len(skin)
        rows = [f"row {i}" for i in range(row_count)] if names is None else [str(name) for name in names]
    if drawn.row_count > row_count:
        raise ValueError(
            f"player.bundle: mesh must use palette rows below {row_count}, got {drawn.row_count - 1}"
        )
    if len(rows) != row_count:
        raise ValueError(f"player.bundle: names must hold {row_count}, one per palette row, got {len(rows)}")
    lines = _lines(bones, bake, row_count)
    arrays: Arrays = {}
    mesh_facts = _put_mesh(drawn, arrays, bake)
    playback = _facts_without_bake(drawn, size, scaled) if bake is None else _put_bake(drawn, bake, arrays)
    facts: dict[str, Any] = {
        "version": VERSION,
        "title": title,
        "palette_rows": row_count,
        "rows": rows,
        "bones": lines.tolist(),
        "azimuth": check_number(azimuth, "player.bundle: azimuth"),
        **mesh_facts,
        **playback,
        "morphs": put_morphs(drawn, bake, playback["size"], arrays, expressions),
    }
    return to_bytes(arrays, {"player": json.dumps(facts, separators=(",", ":"), allow_nan=False)})


def _row_names(bake: PoseTexture) -> list[str]:
    joints = range(bake.palette_row_count) if bake.skin is None else bake.skin.joints
    return [bake.joints[joint] for joint in joints]


def _lines(bones: ArrayLike | None, bake: PoseTexture | None, row_count: int) -> NDArray[np.float64]:
    """Return the bones, checked and rounded to float32."""
    if bones is None:
        lines = np.zeros((0, 8)) if bake is None else bones_of_bake(bake)
    else:
        refuse_masked(bones, "player.bundle: bones")
        lines = np.asarray(bones, np.float64)
    if lines.ndim != 2 or lines.shape[1] != 8 or not np.isfinite(lines).all():
        raise ValueError(
            f"player.bundle: bones must be finite numbers of shape (B, 8), got shape {lines.shape}"
        )
    ends = lines[:, [0, 4]]
    if len(ends) and not (ends.min() >= 0 and ends.max() < row_count and (ends == np.rint(ends)).all()):
        raise ValueError(
            f"player.bundle: bones must hold palette rows below {row_count} in columns 0 and 4, "
            f"got {ends.min():g} to {ends.max():g}"
        )
    return lines.astype(np.float32).astype(np.float64).round(7)


def _put_mesh(mesh: Mesh, arrays: Arrays, bake: PoseTexture | None) -> dict[str, Any]:
    """Add the vertices to the arrays, in the types that `bundle` states, and return their metadata."""
    from lissom._view.color import base_colors
    from lissom.gpu._looks import grouped
    from lissom.gpu._mirrors import mirrors
    from lissom.skinning._heaviest import reduced_influences

    count = mesh.vertex_count
    low, high = mesh.bounds.astype(np.float64)
    step = (high - low) / (2**BITS - 1)
    arrays["positions"] = np.rint((mesh.positions - low) / np.where(step > 0, step, 1.0)).astype(np.uint32)
    arrays["normals"] = np.zeros((count, 4), np.int8)
    normals = mesh.normals if mesh.normals is not None else mesh.computed_normals()
    arrays["normals"][:, :3] = np.rint(np.clip(normals, -1, 1) * 127)
    arrays["colors"] = np.rint(255 * np.sqrt(base_colors(mesh))).astype(np.uint8)
    influences = reduced_influences(mesh.indices, mesh.weights)
    row_type = np.uint8 if int(influences.rows.max(initial=0)) < 256 else np.uint16
    # The heaviest weight is what the others leave: all sum to 1 exactly.
    lighter = np.rint(influences.weights[:, 1:] * 2**BITS).astype(np.uint32)
    arrays["rows"] = influences.rows[:, :4].astype(row_type)
    arrays["weights"] = lighter[:, :3]
    if influences.rows.shape[1] > 4:
        arrays["more_rows"] = influences.rows[:, 4:].astype(row_type)
        arrays["more_weights"] = lighter[:, 3:]
    triangles, groups = grouped(mesh, True)
    if any(group.look.is_covered for group in groups):
        arrays["alphas"] = base_colors(mesh)[:, 3].astype(np.float32)  # exact: a cutoff may be equal
    # WebGL2 always takes the largest index of a type as primitive restart.
    arrays["triangles"] = triangles.astype(np.uint16 if count < 1 << 16 else np.uint32)
    two_sided = bake is not None and mirrors(bake)
    used = max(1, int((influences.weights > 0).any(axis=0).sum()))
    return {
        "low": low.tolist(),
        "step": step.tolist(),
        "weight_step": 2.0**-BITS,
        "influences": used,
        "parts": _put_parts(mesh, groups, two_sided, arrays),
    }


def _put_parts(mesh: Mesh, groups: Sequence[Group], two_sided: bool, arrays: Arrays) -> list[dict[str, Any]]:
    """Add textures and their coordinates to the arrays, and return the draw calls."""
    pictures: list[Any] = []
    parts = []
    for group in groups:
        look = group.look
        part: dict[str, Any] = {
            "first": group.first,
            "count": group.index_count,
            "image": _numbered(pictures, look.texture),
            "two_sided": two_sided or (look.double_sided if look.alpha_mode == "blend" else not group.closed),
        }
        if look.is_covered:
            corners = arrays["triangles"].reshape(-1)[group.first : group.first + group.index_count]
            part["alpha"] = {
                "mode": look.alpha_mode,
                "cutoff": look.alpha_cutoff if look.alpha_mode == "mask" else 0.0,
                "center": mesh.positions[corners].mean(axis=0, dtype=np.float64).tolist(),
            }
        if look.unlit:
            part["unlit"] = True
        if any(look.emissive):
            part["emissive"] = look.emissive
            part["emissive_image"] = _numbered(pictures, look.emissive_texture)
        parts.append(part)
    for i, picture in enumerate(pictures):
        arrays[f"image.{i}"] = np.frombuffer(picture.data, np.uint8)
    if pictures:
        assert mesh.uvs is not None
        arrays["uvs"] = mesh.uvs.astype(np.float16)
    return parts


def _numbered(pictures: list[Any], picture: Any) -> int | None:
    """Return the place of a picture in the list, where it is added if need be; None for none."""
    if picture is None:
        return None
    if not any(picture is one for one in pictures):
        pictures.append(picture)
    return next(i for i, one in enumerate(pictures) if one is picture)


def _facts_without_bake(mesh: Mesh, size: float | None, scaled: bool) -> dict[str, Any]:
    """Return the metadata of a bundle whose palettes come from the notebook's kernel."""
    bounds = mesh.bounds.astype(np.float64)
    diagonal = float(np.linalg.norm(bounds[1] - bounds[0])) or 1.0
    return {
        "size": diagonal if size is None else float(size),
        "bounds": bounds.tolist(),
        "ground": float(bounds[0, 1]),
        "layout": None,
        "texels": 0,
        "pose_rows": 0,
        "frames": 0,
        "methods": list(BAKED_METHODS),
        "method": BAKED_METHODS[0],
        "scaled": bool(scaled),
        "clips": [],
    }


def _put_bake(mesh: Mesh, bake: PoseTexture, arrays: Arrays) -> dict[str, Any]:
    """Add the texels, ranges and rig to the arrays, and return the metadata of playback."""
    from lissom.gpu._pose_upload import LAYOUT_NUMBERS, rig_texels

    arrays["texels"] = bake.texels
    if bake.ranges is not None:
        arrays["ranges"] = bake.ranges.reshape(-1, 4)
    if bake.rig is not None:
        arrays["rig"] = rig_texels(bake)
    frames, pose_rows, texels, _ = bake.texels.shape
    differences = _Differences(mesh, bake)
    bounds = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
    return {
        "size": float(bake.size),
        "bounds": [bounds[:, 0].min(axis=0).tolist(), bounds[:, 1].max(axis=0).tolist()],
        "ground": float(np.median(bounds[:, 0, 1])),
        "layout": LAYOUT_NUMBERS[bake.layout],
        "texels": texels,
        "pose_rows": pose_rows,
        "frames": frames,
        "methods": list(bake.methods),
        "method": bake.method,
        "scaled": bake.layout == "dual_quat" and texels > 2,
        "clips": [
            {
                "name": name,
                "first_frame": clip.first_frame,
                "frame_count": clip.frame_count,
                "rate": clip.rate,
                "loop": clip.loop,
                "start": clip.start,
                "duration": clip.duration,
                "bounds": clip.bounds.tolist(),
                "error": None if bake.report.edited else float(clip.error.max_relative),
                "difference": differences.largest(clip.first_frame, clip.frame_count),
            }
            for name, clip in bake.clips.items()
        ],
    }


def _blended(mesh: Mesh) -> Mesh:
    """Return the vertices that several rows move, each kind once; the whole mesh if it has morph targets."""
    if mesh.morphs:
        return mesh
    first, _ = distinct_vertices(mesh)
    return points_of(mesh, first[(mesh.weights[first] > 0).sum(axis=1) > 1])


class _Differences:
    """How far the methods of a bake are apart; what one row moves is in the same place by both."""

    def __init__(self, mesh: Mesh, bake: PoseTexture) -> None:
        self._bake = bake
        self._morphs = mesh.morphs if bake.weights is not None else None
        is_measured = len(bake.methods) > 1 and mesh.vertex_count > 0 and bake.size > 0
        self._mesh = _blended(mesh).prepare() if is_measured else None

    def largest(self, first: int, count: int) -> float | None:
        """Return how far they are apart at most, of the size, at some frames of a clip."""
        from lissom.clip._vertex_error import DistanceSums
        from lissom.skinning._deform import deform

        if self._mesh is None:
            return None
        if not self._mesh.vertex_count:
            return 0.0
        frames = np.unique(np.linspace(first, first + count - 1, min(count, FRAMES_COMPARED)).round())
        step = max(1, CHUNK_VERTICES // self._mesh.vertex_count)
        sums = DistanceSums(len(frames), self._mesh.order)
        for begin in range(0, len(frames), step):
            part = slice(begin, min(begin + step, len(frames)))
            palette = cast("PaletteLike", self._bake.sample_frames(frames[part]))
            weights = self._bake.sample_morph_frames(frames[part]) if self._morphs else None
            linear, dual_quat = (
                deform(self._mesh, palette, method, morphs=weights) for method in BAKED_METHODS
            )
            sums.add(part, linear, dual_quat, np.zeros(len(linear), np.int32))
        return float(np.float32(sums.worst_distance / self._bake.size))
