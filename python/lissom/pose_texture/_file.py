# SPDX-License-Identifier: MIT
"""Bakes as files: a safetensors container of arrays, with tables as JSON in its metadata."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec
import numpy.typing as npt

from lissom import __version__
from lissom._base.printable import MOST_MESSAGE, printable, quoted
from lissom._base.set_module import set_module
from lissom._formats import safetensors
from lissom._formats.budget import JsonExtent
from lissom._formats.regular_file import check_path
from lissom._rig.part import CUTOFF
from lissom._rig.skin import Skin
from lissom._store.open_store import is_url, open_place
from lissom.pose_texture._checks import texel_fault
from lissom.pose_texture._file_mesh import leave_out_levels, mesh_arrays, stored_mesh
from lissom.pose_texture._file_tables import LevelTables, RigTable, Tables, baked_clip, clip_table, take
from lissom.pose_texture._layouts import Rig
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.pose_texture._report import BakeReport

__all__ = ["load_bake", "write"]

FORMAT = "lissom.pose_texture"
VERSION = 3
"""Increased by changes of tables or arrays that older readers would misread. All versions stay readable."""
PLAIN_VERSION = 2
"""What is written for bakes that have nothing of a later version, so that older readers open them."""
OLDEST_READER = "0.1.0"
"""First release of lissom that reads `VERSION`."""

CONVENTIONS = (
    "Right-handed, y up, seconds, the source's units of length, column vectors, quaternions x y z w. "
    "Texels are time-major: frame, row, texel, number; on the GPU texel i lies at (i & 2047, i >> 11 & "
    "side - 1, i / (2048 side)) of an array of pages. uint8 texels: value = low + step byte, low and "
    "step in the array ranges (clip, row, texel, low or step, number). Layouts: dual_quat, a row per "
    "palette row that moves bind positions to model space, first by its scale A, then by its unit dual "
    "quaternion: texel 0: real part x y z w; texel 1: dual part x y z w = 0.5 t real; texel 2 of 3: "
    "offset x y z and factor of A; texels 2-4 of 5: the rows of the 3x4 A. matrix, a row per palette "
    "row: three texels, the rows of the 3x4 from bind to model space. quat_trans, a row per palette "
    "row: texel 0: rotation; texel 1: translation x y z, 0. trs, a row per joint: from joint to model "
    "space: texel 0: translation x y z, 0; texel 1: rotation; texel 2: scale x y z, 0; the palette is "
    "that times skin.joint_from_bind of joint skin.joints. rotations, a row per joint and one more: "
    "texel 0: rotation from joint to parent; of the last row: the translation x y z, 0 of joint moving;"
    " other translations and scales are those of rig.local (translation, rotation, scale); the palette "
    "follows as for trs from walking rig.parents. Frame i of a clip is at start + i / rate, the last at"
    " its end; a looping clip wraps there, half open. Between frames: decode, sign the second to the "
    "first by their quaternions (real parts), lerp; normalise local rotations and those of trs then, "
    "skin rotations once after blending influences. Morph targets: weights (frame, target), lerped between "
    "frames; the rows morphs.offsets[m] to morphs.offsets[m + 1] of morphs.vertices and morphs.positions "
    "say what weight 1 of target m adds to which vertex before it is skinned (normals, tangents alike; the "
    "sum is normalised after skinning). Where there is a string levels, the mesh is only its first "
    "vertices and triangles; behind them are meshes of fewer triangles, each with the distance that most of "
    "the mesh is nearer to it, and the range of triangles of each part. Numbers are little endian."
)


_TABLE_COPIES = 2  # as they are read, and the clips and parts that are made of them


def write(path: str | os.PathLike[str], bake: PoseTexture, levels: LevelTables | None = None) -> None:
    """Write a bake; see `PoseTexture.save`. With `levels`, its mesh has theirs behind the whole one."""
    fault = texel_fault(bake)
    if fault is not None:
        raise ValueError(f"PoseTexture.save: {fault}")
    arrays: dict[str, npt.NDArray[Any]] = {"texels": bake.texels}
    if bake.ranges is not None:
        arrays["ranges"] = bake.ranges
    if bake.weights is not None:
        arrays["weights"] = bake.weights
    if bake.skin is not None:
        arrays["skin.joints"] = bake.skin.joints
        arrays["skin.joint_from_bind"] = bake.skin.joint_from_bind
    if bake.rig is not None:
        arrays["rig.parents"], arrays["rig.local"] = bake.rig.parents, bake.rig.local
    parts, textures = (None, []) if bake.mesh is None else mesh_arrays(bake.mesh, arrays)
    report = bake.report
    if report.joint_max is not None and report.joint_rms is not None:
        arrays |= {"report.joint_max": report.joint_max, "report.joint_rms": report.joint_rms}
    tables = Tables(
        layout=bake.layout,
        method=bake.method,
        size=bake.size,
        joints=list(bake.joints),
        clips=[clip_table(name, clip, i, arrays) for i, (name, clip) in enumerate(bake.clips.items())],
        source_hash=bake.source_hash,
        measured=report.measured,
        vertex_count=report.vertex_count,
        subframes=list(report.subframes),
        max_error=report.max_error,
        notes=list(report.notes),
        parts=parts,
        textures=textures,
        rig=None if bake.rig is None else RigTable(bake.rig.moving, bake.rig.rigid),
        edited=report.edited,
        left_out=report.left_out or msgspec.UNSET,
        parents=None if bake.parents is None or bake.rig is not None else bake.parents.tolist(),
        morphs=list(bake.morph_names) or msgspec.UNSET,
    )
    text = msgspec.json.encode(tables)
    try:
        msgspec.json.decode(text, type=Tables)
    except msgspec.MsgspecError as error:  # JSON has no NaN: it would be null
        raise ValueError(f"PoseTexture.save: report and clips must hold finite numbers: {error}") from None
    metadata = {
        "format": FORMAT,
        "version": str(VERSION if _needs_latest(bake) else PLAIN_VERSION),
        "made_by": f"lissom {__version__}",
        "needs": f"lissom {OLDEST_READER}",
        "conventions": CONVENTIONS,
        "tables": text.decode(),
    }
    if levels is not None:
        metadata["levels"] = msgspec.json.encode(levels).decode()
    metadata["checksum"] = _checksum(arrays, metadata)
    safetensors.write(path, arrays, metadata)


def _needs_latest(bake: PoseTexture) -> bool:
    """Whether a bake has what version 3 added: vertex colours, light and alpha of parts, morph targets."""
    mesh = bake.mesh
    if bake.weights is not None or (mesh is not None and mesh.colors is not None):
        return True
    return mesh is not None and any(
        part.unlit
        or any(part.emissive)
        or (part.alpha_mode, part.alpha_cutoff, part.double_sided) != ("opaque", CUTOFF, False)
        for part in mesh.parts
    )


@set_module("lissom")
def load_bake(path: str | os.PathLike[str], verify: bool = True) -> PoseTexture:
    """Open a bake that `PoseTexture.save` wrote. Its arrays are read-only views of the mapped file.

    Parameters
    ----------
    path : str or path
        The file, or the address of one in a store: ``s3://BUCKET/PREFIX/bakes/KEY.safetensors``, ``gs://``,
        ``az://``, ``memory://`` or ``file://``, whose bytes are fetched each time.
    verify : bool
        Compare the checksum (SHA-256) with all bytes, and look for numbers that are not finite and for
        quaternions that are no rotations: about a second for 300 MB. False, for files that have been
        verified before, checks tables and mesh alone, in milliseconds, and texels are read from the disk when
        they are used.

    Returns
    -------
    PoseTexture
        Equal to the bake that was saved, arrays byte for byte.

    Raises
    ------
    TypeError
        If `path` is not a path.
    ValueError
        If the file is not a bake, is damaged, holds what cannot be drawn or needs a newer lissom: one
        sentence that says which.
    OSError
        If the file cannot be opened, or fetched.
    ImportError
        Without the extra ``cloud``, for the address of a bucket.

    Notes
    -----
    The file may be replaced, also by saving this very bake to it: the arrays keep the old content. Do not
    truncate it or write into it in place. Files below 64 KiB, and all on Windows, are read instead of mapped.

    Examples
    --------
    >>> import tempfile
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lissom.load_bake(bake.save(f"{folder}/bar.safetensors"))
    PoseTexture(2 clips, 242 frames, 2 rows, dual_quat float16, 7744 bytes, error 0.03% of size)
    """
    path = check_path(path, "load_bake: path")
    return _fetched(path, verify) if is_url(path) else _opened(path, verify)


def _fetched(url: str, verify: bool) -> PoseTexture:
    """Open a bake at an address."""
    store, key = open_place(url)
    data = store.read(key)
    # Its arrays outlive the file; Windows does not let it go before them.
    with tempfile.TemporaryDirectory(prefix="lissom-", ignore_cleanup_errors=True) as temporary:
        path = os.path.join(temporary, "bake.safetensors")
        with open(path, "wb") as file:
            file.write(data)
        try:
            return _opened(path, verify)
        except ValueError as error:
            raise ValueError(str(error).replace(path, url)) from None


def _opened(path: str, verify: bool) -> PoseTexture:
    budget = safetensors.file_budget(path)
    arrays, metadata = safetensors.read(path, budget)
    if metadata.get("format") != FORMAT:
        got = "none" if "format" not in metadata else quoted(metadata["format"])
        _refuse(path, f"is a safetensors file but not a bake: its format must be {FORMAT!r}, got {got}")
    version = metadata.get("version", "")
    if not (version.isascii() and version.isdecimal() and len(version) <= 9 and int(version) > 0):
        _refuse(path, f"must have a whole number as version, got {version[:40]!r}")
    if int(version) > VERSION:
        made, needs = (printable(metadata.get(key, "a later lissom"), 60) for key in ("made_by", "needs"))
        _refuse(path, f"was made by {made} and needs {needs} or later, this is lissom {__version__}")
    if verify and metadata.get("checksum") != _checksum(arrays, metadata):
        _refuse(
            path, "is damaged: its checksum does not match its content; bake it again or fetch another copy"
        )
    try:
        text = metadata.get("tables", "").encode()
        budget.spend(
            len(text) + _TABLE_COPIES * JsonExtent.of(text).typed_bytes, "", "its tables are too long"
        )
        tables = msgspec.json.decode(text, type=Tables)
        if "levels" in metadata:
            leave_out_levels(arrays, msgspec.json.decode(metadata["levels"], type=LevelTables))
        return _bake(arrays, tables, verify)
    except msgspec.MsgspecError as error:
        _refuse(path, f"has tables that cannot be read: {error}")
    except (ValueError, TypeError, OverflowError) as error:
        _refuse(path, f"has content that does not fit together: {error}")


def _refuse(path: str | os.PathLike[str], what: str) -> NoReturn:
    raise ValueError(printable(f"load_bake: {os.fspath(path)} {what}", MOST_MESSAGE))


def _checksum(arrays: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> str:
    """Return the SHA-256 of names, types, shapes, bytes and strings except itself, each led by its length."""
    digest = hashlib.sha256()

    def add(data: bytes | memoryview) -> None:
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)

    for key in sorted(metadata):
        if key != "checksum":
            add(key.encode())
            add(metadata[key].encode())
    for name in sorted(arrays):
        array = arrays[name]
        add(f"{name} {array.dtype.newbyteorder('<').str} {array.shape}".encode())
        add(safetensors.raw_bytes(array))
    return digest.hexdigest()


def _bake(arrays: dict[str, npt.NDArray[Any]], tables: Tables, verify: bool) -> PoseTexture:
    texels = take(arrays, "texels")
    clips = {table.name: baked_clip(table, i, arrays) for i, table in enumerate(tables.clips)}
    if len(clips) < len(tables.clips):
        raise ValueError("each clip must have a name of its own")
    skin, rig = None, None
    if "skin.joints" in arrays:
        skin = Skin(arrays.pop("skin.joints"), take(arrays, "skin.joint_from_bind"))
    if tables.rig is not None:
        parents, local = take(arrays, "rig.parents"), take(arrays, "rig.local")
        rig = Rig(parents, local, tables.rig.moving, rigid=tables.rig.rigid)
    report = BakeReport(
        clips=clips,
        size=tables.size,
        layout=tables.layout,
        method=tables.method,
        dtype=str(texels.dtype),
        measured=tables.measured,
        vertex_count=tables.vertex_count,
        subframes=tuple(tables.subframes),
        max_error=tables.max_error,
        notes=tuple(tables.notes),
        edited=tables.edited,
        left_out=tables.left_out or 0.0,
        joints=_row_joints(skin, tables.joints),
        joint_max=arrays.pop("report.joint_max", None),
        joint_rms=arrays.pop("report.joint_rms", None),
        morph_count=len(tables.morphs or ()),
    )
    mesh = None
    if tables.parts is not None:
        mesh = stored_mesh(arrays, tables.parts, tables.textures, tables.morphs or [])
    weights = take(arrays, "weights") if tables.morphs else None
    ranges = arrays.pop("ranges", None)
    if arrays:
        raise ValueError(f"it holds arrays that nothing refers to: {', '.join(sorted(arrays))}")
    bake = PoseTexture(
        texels,
        clips,
        tables.joints,
        report,
        mesh=mesh,
        source_hash=tables.source_hash,
        ranges=ranges,
        skin=skin,
        rig=rig,
        parents=tables.parents,
        weights=weights,
        morph_names=tables.morphs or (),
    )
    if mesh is not None and mesh.row_count > bake.palette_row_count:
        raise ValueError(
            f"mesh.indices must be below the {bake.palette_row_count} rows, got {mesh.row_count - 1}"
        )
    fault = texel_fault(bake) if verify else None
    if fault is not None:
        raise ValueError(fault)
    return bake


def _row_joints(skin: Skin | None, joints: list[str]) -> tuple[str, ...]:
    """Name the joint of each palette row. `PoseTexture` refuses indices out of range."""
    if skin is None:
        return tuple(joints)
    return tuple(joints[joint] if 0 <= joint < len(joints) else "" for joint in skin.joints)
