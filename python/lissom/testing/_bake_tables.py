# SPDX-License-Identifier: MIT
"""What differs between two bakes beside the numbers of their texels, as a list of lines."""

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
"""Seconds, or frames per second: what float32 key times leave of a clip's ends."""

SAME_WEIGHT = 1e-6

SAME_ATTRIBUTE = 1e-4
"""Of unit normals and tangents, and of texture coordinates."""


def shown_differences(actual: PoseTexture, desired: PoseTexture) -> list[str]:
    """Say what keeps two bakes from being compared moment by moment, or playing alike."""
    lines = _unequal("joints of palette rows", _row_joints(actual), _row_joints(desired))
    if set(actual.clips) != set(desired.clips):
        return [*lines, *_unequal("clips", list(actual.clips), list(desired.clips))]
    for name, clip in desired.clips.items():
        other = actual.clips[name]
        for field in ("start", "duration"):
            lines += _apart(f"clips[{name!r}].{field}", getattr(other, field), getattr(clip, field))
        lines += _unequal(f"clips[{name!r}].loop", other.loop, clip.loop)
    return lines


def table_differences(
    actual: PoseTexture, desired: PoseTexture, limit: Lengths, rotation: float
) -> list[str]:
    """Say what else of the tables and the mesh differs."""
    lines = []
    for field in ("layout", "method", "joints"):
        lines += _unequal(field, getattr(actual, field), getattr(desired, field))
    lines += _unequal("texels.dtype", str(actual.texels.dtype), str(desired.texels.dtype))
    lines += _unequal("texels.shape", actual.texels.shape, desired.texels.shape)
    if set(actual.clips) == set(desired.clips):
        lines += _unequal("order of clips", list(actual.clips), list(desired.clips))
    for name in desired.clips:
        if name in actual.clips:
            lines += _clip_differences(actual, desired, name, limit, rotation)
    return [*lines, *_mesh_differences(actual.mesh, desired.mesh, limit)]


def byte_differences(actual: PoseTexture, desired: PoseTexture) -> list[str]:
    """Say which arrays and tables of the files differ; nothing where the files are the same."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("actual.safetensors", "desired.safetensors")]
        for bake, path in zip((actual, desired), paths, strict=True):
            bake.save(path)
        if paths[0].read_bytes() == paths[1].read_bytes():
            return []
        (arrays, strings), (wanted_arrays, wanted_strings) = map(safetensors.read, paths)
        lines = _array_differences(arrays, wanted_arrays)
        del arrays, wanted_arrays  # a mapped file cannot be removed everywhere
    for name in sorted({*strings, *wanted_strings} - {"checksum"}):
        if strings.get(name) != wanted_strings.get(name):
            lines += [f"metadata {name!r}: {_first_difference(strings.get(name), wanted_strings.get(name))}"]
    return lines


def _row_joints(bake: PoseTexture) -> list[str]:
    return list(bake.joints) if bake.skin is None else [bake.joints[joint] for joint in bake.skin.joints]


def _clip_differences(
    actual: PoseTexture, desired: PoseTexture, name: str, limit: Lengths, rotation: float
) -> Iterator[str]:
    mine, wanted = actual.clips[name], desired.clips[name]
    what = f"clips[{name!r}]"
    for field in ("first_frame", "frame_count", "markers"):
        yield from _unequal(f"{what}.{field}", getattr(mine, field), getattr(wanted, field))
    yield from _apart(f"{what}.rate", mine.rate, wanted.rate)
    off = float(np.abs(mine.bounds.astype(np.float64) - wanted.bounds).max())
    if not off <= limit.tolerance:
        yield f"{what}.bounds: {limit.said(off)} apart"
    yield from _motion_differences(
        f"{what}.root_motion", mine.root_motion, wanted.root_motion, limit, rotation
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
    off = float(np.linalg.norm(a[:, :3] - b[:, :3], axis=1).max())
    turned = float(quat.angle_between(a[:, 3:7], b[:, 3:7]).max())
    if not (off <= limit.tolerance and turned <= rotation):
        yield f"{what}: up to {limit.said(off)} and {degrees(turned)} apart"


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
    for field in ("normals", "tangents", "uvs"):
        mine, wanted = getattr(actual, field), getattr(desired, field)
        if mine is None or wanted is None:
            if mine is not wanted:
                yield f"mesh.{field}: only in {'desired' if mine is None else 'actual'}"
        elif mine.shape == wanted.shape:
            same = np.isclose(mine, wanted, rtol=0, atol=SAME_ATTRIBUTE, equal_nan=True).all(axis=1)
            if not same.all():
                yield f"mesh.{field}: apart at {(~same).sum()} vertices, first at {same.argmin()}"
    if actual.positions.shape == desired.positions.shape:
        apart = np.linalg.norm(actual.positions.astype(np.float64) - desired.positions, axis=1)
        if apart.size and not apart.max() <= limit.tolerance:
            yield f"mesh.positions: {limit.said(float(apart.max()))} apart at vertex {apart.argmax()}"
    if actual.triangles.shape == desired.triangles.shape and (actual.triangles != desired.triangles).any():
        yield "mesh.triangles: other vertices"
    if actual.weights.shape == desired.weights.shape:
        off = np.abs(actual.weights.astype(np.float64) - desired.weights).max(axis=1)
        held = desired.weights > 0
        if off.size and off.max() > SAME_WEIGHT:
            yield f"mesh.weights: {off.max():.3g} apart at vertex {off.argmax()}"
        elif (actual.indices[held] != desired.indices[held]).any():
            yield "mesh.indices: other palette rows"


def _array_differences(actual: dict[str, Any], desired: dict[str, Any]) -> list[str]:
    lines = []
    for name in sorted({*actual, *desired}):
        if name not in actual or name not in desired:
            lines.append(f"array {name!r}: only in {'actual' if name in actual else 'desired'}")
            continue
        mine, wanted = actual[name], desired[name]
        if (mine.dtype, mine.shape) != (wanted.dtype, wanted.shape):
            forms = (f"{array.dtype} {array.shape}" for array in (mine, wanted))
            lines += _unequal(f"array {name!r}", *forms)
        elif mine.tobytes() != wanted.tobytes():
            bits = [
                np.frombuffer(array.tobytes(), np.uint8).reshape(-1, mine.itemsize)
                for array in (mine, wanted)
            ]
            other = (bits[0] != bits[1]).any(axis=1)
            lines.append(f"array {name!r}: {other.sum()} of {other.size} numbers differ")
    return lines


def _first_difference(actual: str | None, desired: str | None) -> str:
    """Show the place where two texts begin to differ."""
    mine, wanted = actual or "", desired or ""
    place = next(
        (i for i, (x, y) in enumerate(zip(mine, wanted, strict=False)) if x != y), min(len(mine), len(wanted))
    )
    begin = max(place - 30, 0)
    return f"actual {mine[begin : place + 30]!r}, desired {wanted[begin : place + 30]!r}"


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
        place = next(i for i, (x, y) in enumerate(zip(actual, desired, strict=True)) if x != y)
        return [f"{what}[{place}]: actual {actual[place]!r}, desired {desired[place]!r}"]
    return [f"{what}: actual {actual}, desired {desired}"]


def _apart(what: str, actual: float, desired: float) -> list[str]:
    return (
        [] if abs(actual - desired) <= SAME_TIME else [f"{what}: actual {actual:.7g}, desired {desired:.7g}"]
    )
