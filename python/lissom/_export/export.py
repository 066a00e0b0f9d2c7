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
from lissom._export.earlier import MARK, files_in
from lissom._export.folder import new_folder
from lissom._export.form import Form, options_of
from lissom._export.markdown import cell
from lissom._export.measure import measured, together
from lissom._export.report import ExportReport
from lissom._export.source import AnimationSource, BakeSource, CharacterSource, Source
from lissom._export.subject import Subject
from lissom._export.vertex_animation import VertexAnimation
from lissom.pose_texture import PoseTexture

__all__ = ["FORMS", "export", "form_of"]

FORMS = {
    "three": ("lissom._export.three", "Three"),
    "babylon": ("lissom._export.babylon", "Babylon"),
    "godot": ("lissom._export.godot", "Godot"),
    "unity": ("lissom._export.unity", "Unity"),
    "unreal": ("lissom._export.unreal", "Unreal"),
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
    _check_names(form, folder, name)
    made = form_of(form, options)
    _check(subject, rate, form)
    target = Path(folder)
    stem = name or Path(os.path.abspath(target)).name
    whole = Subject(subject, rate)
    against = _source(subject, source)
    joints = whole.heaviest_joints
    with new_folder(target, "export: folder") as work:
        made.write(work, stem, whole)
        errors = {}
        for clip in whole.clips:  # one after another: the vertices of all may not fit into memory
            played = made.read(work, stem, whole, clip)
            errors[clip] = measured(played, against, clip, joints).error
        files = {name: (work / name).stat().st_size for name in files_in(work)}
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


def form_of(form: str, options: Mapping[str, Any]) -> Form:
    """Return a form with its options; ValueError or TypeError where either is wrong."""
    if form not in FORMS:
        raise ValueError(f"export: form: {unknown_name('form', form, FORMS)}")
    module, kind = FORMS[form]
    made: Any = getattr(importlib.import_module(module), kind)
    known = options_of(made)
    for option in options:
        if option not in known:
            raise TypeError(f"export: form {form!r} has the options {', '.join(known)}, got {option!r}")
    return cast(Form, made(**options))


def _check_names(form: object, folder: object, name: object) -> None:
    """Refuse what is no name and no path, and names that would lead out of the folder."""
    for what, value in (("form", form), ("name", name)):
        if not isinstance(value, str):
            raise TypeError(f"export: {what} must be a str, got {type(value).__name__}")
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"export: folder must be a path, got {type(folder).__name__}")
    if name in (".", "..") or any(mark in cast(str, name) for mark in "/\\\0"):
        raise ValueError(
            f"export: name must be the beginning of names of files, without slashes, got {name!r}; say in "
            "folder where they go"
        )


def _check(subject: PoseTexture | VertexAnimation, rate: float | None, form: str) -> None:
    if rate is not None:
        check_number(rate, "export: rate", above_zero=True)
    if subject.mesh is None:
        raise ValueError(
            "export: the bake must have its mesh, got none; bake with include_mesh=True, and a character "
            "that has one"
        )
    vertices, triangles = subject.mesh.vertex_count, subject.mesh.triangle_count
    if not vertices or not (triangles or form == "vertices"):  # which holds points as well
        raise ValueError(
            f"export: the mesh must have vertices and triangles, got {vertices} and {triangles}; export a "
            "character that can be drawn"
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
    return CharacterSource(character, subject.method, subject.size, subject)


def _readme(name: str, form: Form, subject: Subject, report: ExportReport) -> str:
    """Say what the folder is, how its engine opens it, and how wrong it is."""
    rows = "\n".join(
        f"| {cell(clip)} | {error.max:.3g} | {error.max_relative:.3%} | {error.p99:.3g} | {error.rms:.3g} |"
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
