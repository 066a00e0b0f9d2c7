# SPDX-License-Identifier: MIT
"""The differences of two bakes apart from their texels, as a list of lines."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat
from lissom._formats import safetensors
from lissom.testing._tolerances import degrees

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh
    from lissom.clip._root_motion import RootMotion
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.testing._tolerances import Lengths

__all__ = ["byte_differences", "shown_differences", "table_differences"]

SAME_TIME = 1e-6
"""Seconds, or frames per second: the precision that float32 key times leave to a clip's ends."""

SAME_WEIGHT = 1e-6

SAME_ATTRIBUTE = 1e-4
"""Difference of the components of unit normals and tangents, and of texture coordinates."""


def shown_differences(actual: PoseTexture, desired: PoseTexture) -> list[str]:
    """Return the differences that keep two bakes from playing alike, or from being compared at all."""
    lines = _unequal("joints of palette rows", _row_joints(actual), _row_joints(desired))
    lines += _unequal("morph_names", actual.morph_names, desired.morph_names)
    if set(actual.clips) != set(desired.clips):
        return [*lines, *_unequal("clips", list(actual.clips), list(desired.clips))]
    for name, clip in desired.clips.items():
        other = actual.clips[name]
        for field in ("start", "duration"):
            lines += _times_apart(f"clips[{name!r}].{field}", getattr(other, field), getattr(clip, field))
        lines += _unequal(f"clips[{name!r}].loop", other.loop, clip.loop)
    return lines


def table_differences(
    actual: PoseTexture, desired: PoseTexture, limit: Lengths, rotation: float
) -> list[str]:
    """Return the other differences of the tables and the mesh."""
    lines = []
    for field in ("layout", "method", "joints"):
        lines += _unequal(field, getattr(actual, field), getattr(desired, field))
    lines += _unequal("texels.dtype", str(actual.texels.dtype), str(desired.texels.dtype))
    lines += _unequal("texels.shape", actual.texels.shape, desired.texels.shape)
    if set(actual.clips) == set(desired.clips):
        lines += _unequal("order of clips", list(actual.clips), list(desired.clips))
    for name in desired.clips:
        if name in list(actual.clips):
            lines += _clip_differences(actual, desired, name, limit, rotation)
    return [*lines, *_mesh_differences(actual.mesh, desired.mesh, limit)]


def byte_differences(actual: PoseTexture, desired: PoseTexture) -> list[str]:
    """Return which arrays and tables of the files differ; nothing where the files are equal."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("actual.safetensors", "desired.safetensors")]
        for bake, path in zip((actual, desired), paths, strict=True):
            bake.save(path)
        if paths[0].read_bytes() == paths[1].read_bytes():
            return []
        (arrays, strings), (desired_arrays, desired_strings) = map(safetensors.read, paths)
        lines = _array_differences(arrays, desired_arrays)
        del arrays, desired_arrays  # Windows cannot remove a mapped file
    for name in sorted({*strings, *desired_strings} - {"checksum"}):
        ours, theirs = strings.get(name), desired_strings.get(name)
        if ours != theirs:
            lines += [f"metadata {name!r}: {_first_difference(ours, theirs)}"]
    return lines


def _row_joints(bake: PoseTexture) -> list[str]:
    return list(bake.joints) if bake.skin is None else [bake.joints[joint] for joint in bake.skin.joints]


def _clip_differences(
    actual: PoseTexture, desired: PoseTexture, name: str, limit: Lengths, rotation: float
) -> Iterator[str]:
    ours, theirs = actual.clips[name], desired.clips[name]
    what = f"clips[{name!r}]"
    for field in ("first_frame", "frame_count", "markers"):
        yield from _unequal(f"{what}.{field}", getattr(ours, field), getattr(theirs, field))
    yield from _times_apart(f"{what}.rate", ours.rate, theirs.rate)
    distance = float(np.abs(ours.bounds.astype(np.float64) - theirs.bounds).max())
    if not distance <= limit.tolerance:
        yield f"{what}.bounds: {limit.text(distance)} apart"
    yield from _motion_differences(
        f"{what}.root_motion", ours.root_motion, theirs.root_motion, limit, rotation
    )


def _motion_differences(
    what: str, actual: RootMotion | None, desired: RootMotion | None, limit: Lengths, rotation: float
) -> Iterator[str]:
    if actual is None or desired is None:
        if actual is not desired:
            yield from _unequal(what, *("none" if m is None else "some" for m in (actual, desired)))
        return
    yield from _unequal(f"{what}.joints", actual.joints, desired.joints)
    times = np.linspace(desired.start, desired.end, 33)
    a, b = actual.at(times, loop=False), desired.at(times, loop=False)
    distance = float(np.linalg.norm(a[:, :3] - b[:, :3], axis=1).max())
    angle = float(quat.angle_between(a[:, 3:7], b[:, 3:7]).max())
    if not (distance <= limit.tolerance and angle <= rotation):
        yield f"{what}: up to {limit.text(distance)} and {degrees(angle)} apart"


def _mesh_differences(actual: Mesh | None, desired: Mesh | None, limit: Lengths) -> Iterator[str]:
    if actual is None or desired is None:
        if actual is not desired:
            yield from _unequal("mesh", *("none" if m is None else "some" for m in (actual, desired)))
        return
    for field in ("vertex_count", "triangle_count", "influence_count"):
        yield from _unequal(f"mesh.{field}", getattr(actual, field), getattr(desired, field))
    yield from _unequal(
        "mesh.parts", *([(p.name, p.vertices, p.triangles) for p in m.parts] for m in (actual, desired))
    )
    for field in ("normals", "tangents", "uvs", "colors"):
        ours, theirs = getattr(actual, field), getattr(desired, field)
        if ours is None or theirs is None:
            if ours is not theirs:
                yield f"mesh.{field}: only in {'desired' if ours is None else 'actual'}"
        elif ours.shape == theirs.shape:
            same = np.isclose(ours, theirs, rtol=0, atol=SAME_ATTRIBUTE, equal_nan=True).all(axis=1)
            if not same.all():
                yield f"mesh.{field}: differ at {(~same).sum()} vertices, first at {same.argmin()}"
    yield from _morph_differences(actual, desired, limit)
    if actual.positions.shape == desired.positions.shape:
        distances = np.linalg.norm(actual.positions.astype(np.float64) - desired.positions, axis=1)
        if distances.size and not distances.max() <= limit.tolerance:
            yield f"mesh.positions: {limit.text(float(distances.max()))} apart at vertex {distances.argmax()}"
    if actual.triangles.shape == desired.triangles.shape and (actual.triangles != desired.triangles).any():
        yield "mesh.triangles: other vertices"
    if actual.weights.shape == desired.weights.shape:
        differences = np.abs(actual.weights.astype(np.float64) - desired.weights).max(axis=1)
        used = desired.weights > 0
        if differences.size and differences.max() > SAME_WEIGHT:
            yield f"mesh.weights: {differences.max():.3g} apart at vertex {differences.argmax()}"
        elif (actual.indices[used] != desired.indices[used]).any():
            yield "mesh.indices: other palette rows"


def _morph_differences(actual: Mesh, desired: Mesh, limit: Lengths) -> Iterator[str]:
    ours, theirs = actual.morphs, desired.morphs
    if not ours or not theirs or ours.names != theirs.names:  # names are compared before
        return
    if not (np.array_equal(ours.offsets, theirs.offsets) and np.array_equal(ours.vertices, theirs.vertices)):
        yield "mesh.morphs: move other vertices"
        return
    distances = np.linalg.norm(ours.positions.astype(np.float64) - theirs.positions, axis=1)
    if distances.size and not distances.max() <= limit.tolerance:
        target = int(np.searchsorted(theirs.offsets, int(distances.argmax()), "right")) - 1
        yield f"mesh.morphs: {limit.text(float(distances.max()))} apart in {theirs.names[target]!r}"
    if np.abs(ours.defaults - theirs.defaults).max() > SAME_WEIGHT:
        yield "mesh.morphs: other default weights"


def _array_differences(actual: dict[str, Any], desired: dict[str, Any]) -> list[str]:
    lines = []
    for name in sorted({*actual, *desired}):
        if name not in actual or name not in desired:
            lines.append(f"array {name!r}: only in {'actual' if name in actual else 'desired'}")
            continue
        ours, theirs = actual[name], desired[name]
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            forms = (f"{array.dtype} {array.shape}" for array in (ours, theirs))
            lines += _unequal(f"array {name!r}", *forms)
        elif ours.tobytes() != theirs.tobytes():
            rows = [
                np.frombuffer(array.tobytes(), np.uint8).reshape(-1, ours.itemsize)
                for array in (ours, theirs)
            ]
            differs = (rows[0] != rows[1]).any(axis=1)
            lines.append(f"array {name!r}: {differs.sum()} of {differs.size} numbers differ")
    return lines


def _first_difference(actual: str | None, desired: str | None) -> str:
    """Quote two texts around the first character that differs."""
    ours, theirs = actual or "", desired or ""
    pairs = zip(ours, theirs, strict=False)
    index = next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(ours), len(theirs)))
    around = slice(max(index - 30, 0), index + 30)
    return f"actual {ours[around]!r}, desired {theirs[around]!r}"


def _unequal(what: str, actual: object, desired: object) -> list[str]:
    if actual == desired:
        return []
    if (
        isinstance(actual, (list, tuple))
        and isinstance(desired, (list, tuple))
        and max(len(actual), len(desired)) > 4
    ):
        if len(actual) != len(desired):
            return [f"{what}: actual {len(actual)}, desired {len(desired)}"]
        index = next(i for i, (x, y) in enumerate(zip(actual, desired, strict=True)) if x != y)
        return [f"{what}[{index}]: actual {actual[index]!r}, desired {desired[index]!r}"]
    return [f"{what}: actual {actual}, desired {desired}"]


def _times_apart(what: str, actual: float, desired: float) -> list[str]:
    if abs(actual - desired) <= SAME_TIME:
        return []
    return [f"{what}: actual {actual:.7g}, desired {desired:.7g}"]
