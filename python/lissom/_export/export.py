# SPDX-License-Identifier: MIT
"""The export as a whole: a folder of files, written in one step, with the error of what the engine plays."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from lissom._base.names import unknown_name
from lissom._base.numbers import check_number
from lissom._character.character import Character
from lissom._core import __version__
from lissom._export.folder import MARK, new_folder
from lissom._export.form import Form, options_of
from lissom._export.measure import measured, together
from lissom._export.report import ExportReport
from lissom._export.source import AnimationSource, BakeSource, CharacterSource, Source
from lissom._export.subject import Subject
from lissom._export.vertex_animation import VertexAnimation
from lissom.pose_texture import PoseTexture

__all__ = ["FORMS", "export"]

FORMS = {
    "openvat": ("lissom._export.openvat", "OpenVat"),
    "vertices": ("lissom._export.vertices_files", "Vertices"),
}
"""Module and class of each form, imported when it is asked for."""


def export(
    subject: PoseTexture | VertexAnimation,
    form: str,
    folder: str | os.PathLike[str],
    name: str,
    rate: float | None,
    source: Character | None,
    options: Mapping[str, Any],
) -> ExportReport:
    """Write a subject in a form: `PoseTexture.export`, `VertexAnimation.export`."""
    made = _form(form, options)
    _check(subject, rate)
    target = Path(folder)
    stem = name or target.name
    whole = Subject(subject, rate)
    against = _source(subject, source)
    joints = _joints(subject)
    with new_folder(target, "export: folder") as work:
        made.write(work, stem, whole)
        errors = {}
        for clip in whole.clips:  # one after another: the vertices of all may not fit into memory
            played = made.read(work, stem, whole, clip)
            errors[clip] = measured(played, against, clip, joints)
        files = {path.relative_to(work).as_posix(): path.stat().st_size for path in _files(work)}
        report = ExportReport(
            form,
            target,
            files,
            errors,
            together(errors.values()),
            played.playback,
            against.words,
            made.axes.words,
        )
        (work / "README.md").write_text(_readme(stem, made, whole, report), encoding="utf-8")
        (work / MARK).write_text(report.to_json() + "\n", encoding="utf-8")
    return report


def _form(form: str, options: Mapping[str, Any]) -> Form:
    if form not in FORMS:
        raise ValueError(f"export: form: {unknown_name('form', form, FORMS)}")
    module, kind = FORMS[form]
    made: Any = getattr(importlib.import_module(module), kind)
    known = options_of(made)
    for option in options:
        if option not in known:
            raise TypeError(f"export: form {form!r} has the options {', '.join(known)}, got {option!r}")
    return cast(Form, made(**options))


def _check(subject: PoseTexture | VertexAnimation, rate: float | None) -> None:
    if rate is not None:
        check_number(rate, "export: rate", above_zero=True)
    if subject.mesh is None:
        raise ValueError(
            "export: the bake must have its mesh, got none; bake with include_mesh=True, and a character "
            "that has one"
        )


def _source(subject: PoseTexture | VertexAnimation, character: Character | None) -> Source:
    if isinstance(subject, VertexAnimation):
        return AnimationSource(subject)
    if character is None:
        return BakeSource(subject)
    if not isinstance(character, Character):
        raise TypeError(f"export: source must be a Character, got {type(character).__name__}")
    for clip in subject.clips:
        if clip not in character.clips:
            raise ValueError(f"export: source: {unknown_name('clip', clip, character.clips)}")
    count = None if character.mesh is None else character.mesh.vertex_count
    assert subject.mesh is not None
    if count != subject.mesh.vertex_count:
        raise ValueError(
            f"export: source must be the character of the bake, of {subject.mesh.vertex_count} vertices, got "
            f"one of {count}"
        )
    return CharacterSource(character, subject)


def _joints(subject: PoseTexture | VertexAnimation) -> tuple[str, ...]:
    """Return the joint of each vertex's heaviest influence."""
    if not isinstance(subject, PoseTexture) or subject.mesh is None or subject.skin is None:
        return ()
    mesh = subject.mesh
    heaviest = mesh.indices[range(mesh.vertex_count), mesh.weights.argmax(axis=1)]
    names = [subject.joints[joint] for joint in subject.skin.joints]
    return tuple(names[row] for row in heaviest)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _readme(name: str, form: Form, subject: Subject, report: ExportReport) -> str:
    """Say what the folder is, how its engine opens it, and how wrong it is."""
    rows = "\n".join(
        f"| {clip} | {error.max:.3g} | {error.max_relative:.3%} | {error.p99:.3g} | {error.rms:.3g} |"
        for clip, error in report.clips.items()
    )
    plays = "mixes neighbouring frames" if report.playback == "interpolate" else "shows whole frames"
    return f"""# {name}

Written by lissom {__version__} in the form `{form.name}`, for {form.for_whom}. Axes: {form.axes.words}.

{form.readme(name, subject)}
## Error

What a player that {plays} draws of these files, against {report.measured_against}, in model units: read back
from the files, at frames and between them.

| clip | largest | of the size | 99 % below | rms |
| --- | --- | --- | --- | --- |
{rows}
"""
