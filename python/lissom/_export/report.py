# SPDX-License-Identifier: MIT
"""What an export wrote, and how far what the engine plays is from its source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lissom._base.names import counted
from lissom._base.set_module import set_module
from lissom.clip._error import ClipError

__all__ = ["ExportReport"]


@set_module("lissom")
@dataclass(frozen=True, eq=False)
class ExportReport:
    """What `PoseTexture.export` wrote, and the error of what the engine plays.

    Attributes
    ----------
    form : str
        Name of the form.
    folder : Path
        The folder.
    files : mapping of str to int
        Bytes of each file, by its path in the folder.
    clips : mapping of str to ClipError
        Error of each clip: the engine's vertices, read back from the files and played by its rule, against
        `measured_against`, in model units.
    error : ClipError
        Over all clips.
    playback : {"interpolate", "snap"}
        What the engine does between frames.
    measured_against : str
        The source clips; or the bake alone, whose own error is then added.
    axes : str
        Axes and units of the files.

    Examples
    --------
    >>> import tempfile
    >>> bar = lissom.samples.twisted_bar()
    >>> bake = lissom.bake(bar, "bend", rate=30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = bake.export("vertices", f"{folder}/bar", source=bar)
    >>> report.measured_against, report.error.max_relative < 0.001
    ('the source clips', True)
    """

    form: str
    folder: Path
    files: Mapping[str, int]
    clips: Mapping[str, ClipError]
    error: ClipError
    playback: str
    measured_against: str
    axes: str

    def __repr__(self) -> str:
        return (
            f"<ExportReport: {self.form}, {counted(len(self.files), 'file')}, {sum(self.files.values())} "
            f"bytes, error {self.error.max_relative:.2%} of size>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the report as numbers, strings, lists and dicts, as JSON has them.

        Examples
        --------
        >>> import tempfile
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report = bake.export("vertices", f"{folder}/bar")
        >>> report.to_dict()["form"]
        'vertices'
        """
        return {
            "form": self.form,
            "files": dict(self.files),
            "playback": self.playback,
            "measured_against": self.measured_against,
            "axes": self.axes,
            "error": asdict(self.error),
            "clips": {name: asdict(error) for name, error in self.clips.items()},
        }

    def to_json(self) -> str:
        """Return the report as JSON text.

        Examples
        --------
        >>> import tempfile
        >>> mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]])
        >>> still = lissom.VertexAnimation(mesh, [np.eye(3)], {"still": lissom.VertexClip(0, 1)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     "playback" in still.export("vertices", f"{folder}/thing").to_json()
        True
        """
        return json.dumps(self.to_dict(), indent=2)
