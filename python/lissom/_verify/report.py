# SPDX-License-Identifier: MIT
"""The judgement of a bake: its error, its seam, and its faults by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lissom._base.doors import as_png
from lissom._base.names import counted
from lissom._base.set_module import set_module
from lissom._formats.picture import Picture
from lissom._verify.fault import BakeFault
from lissom.clip._error import ClipError

__all__ = ["ErrorMap", "VerifyReport"]


def _percent(share: float) -> str:
    """Return a share in percent, in as many digits as it has."""
    return f"{100 * share:.6g}%"


@dataclass(frozen=True, eq=False)
class ErrorMap:
    """The largest distance of each joint's vertices at each moment of a clip.

    Attributes
    ----------
    clip : str
    joints : tuple of str
        J joints that are the heaviest influence of a vertex; one without a name where there is no skin.
    times : ndarray of float64, shape (N,)
        Seconds, increasing.
    distances : ndarray of float32, shape (J, N)
        Model units.
    """

    clip: str
    joints: tuple[str, ...]
    times: npt.NDArray[np.float64]
    distances: npt.NDArray[np.float32]


@set_module("lissom")
@dataclass(frozen=True, eq=False)
class VerifyReport:
    """What `verify` found.

    Attributes
    ----------
    path : Path
        What was judged.
    form : str
        Its form.
    playback : {"interpolate", "snap"}
        What the engine does between frames.
    clips : mapping of str to ClipError
        Of each clip how far the engine's vertices are from the source's, at frames and between them, to the
        end of the source's clip; model units.
    error : ClipError
        Over all clips.
    seams : mapping of str to float
        Of each loop how far a vertex jumps from its end to its start, beyond what it does in the source;
        model units.
    steps : mapping of str to float
        Of each clip the largest step of its stored numbers, model units: halves, or 16 bits of a range. 0
        where they are floats.
    faults : tuple of BakeFault
        What is wrong. A bake without faults is off by what its rate and its numbers cost alone.
    rates : mapping of str to float
        Of each clip the frames per second that `max_error` needs, infinite where no rate is enough: numbers
        too coarse, or a fault; empty where none was asked for.
    max_error : float or None
        Largest error allowed, as a fraction of the size.
    curves : mapping of str to (ndarray of float64, shape (N,), ndarray of float32, shape (N,))
        Of each clip moments, seconds, and the largest distance of a vertex at each, model units.

    Examples
    --------
    >>> import tempfile
    >>> bar = lissom.samples.twisted_bar()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = lissom.bake(bar, "bend", rate=30).save(f"{folder}/bar.safetensors")
    ...     report = lissom.verify(bar, path, max_error=0.01)
    >>> report
    <VerifyReport: bake, 1 clip, error 0.03% of size, no fault>
    >>> report.ok, report.faults
    (True, ())
    """

    path: Path
    form: str
    playback: str
    clips: Mapping[str, ClipError]
    error: ClipError
    seams: Mapping[str, float]
    steps: Mapping[str, float]
    faults: tuple[BakeFault, ...]
    rates: Mapping[str, float]
    max_error: float | None
    curves: Mapping[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.float32]]]
    _map: ErrorMap  # of the clip that is worst
    _file_rates: Mapping[str, float]  # frames per second that the files have

    _repr_png_ = as_png

    @property
    def ok(self) -> bool:
        """Whether there is no fault, and the error is at most `max_error`, where one was given."""
        return not self.faults and (self.max_error is None or self.error.max_relative <= self.max_error)

    @property
    def seam(self) -> float:
        """The largest jump of a loop; 0 without loops."""
        return max(self.seams.values(), default=0.0)

    def __repr__(self) -> str:
        return f"<VerifyReport: {self._summary()}>"

    def __str__(self) -> str:
        lines = [self._summary()]
        lines += [f"  {name}: {', '.join(self._facts(name))}" for name in self.clips]
        return "\n".join([*lines, *(f"  {fault}" for fault in self._told_faults())])

    def _summary(self) -> str:
        """Return the error and the names of all faults in one line."""
        error, allowed = self.error.max_relative, ""
        if self.max_error is not None and error > self.max_error:
            allowed = f", above the {_percent(self.max_error)} allowed"
        faults = ", ".join(sorted({fault.name for fault in self.faults})) or "no fault"
        return (
            f"{self.form}, {counted(len(self.clips), 'clip')}, error {error:.2%} of size{allowed}, {faults}"
        )

    def _told_faults(self) -> list[str]:
        """Return a line for each fault; one for all clips of which the same is said."""
        clips: dict[tuple[str, str], list[str]] = {}
        for fault in self.faults:
            clips.setdefault((fault.name, fault.sentence), []).append(fault.clip)
        return [f"{name} in {', '.join(of)}: {sentence}" for (name, sentence), of in clips.items()]

    def _facts(self, name: str) -> list[str]:
        """Return what is said of a clip, lengths as shares of the size."""
        error = self.clips[name]
        found = [f"{error.max_relative:.3%} of the size"]
        if error.at_frames.max < 0.99 * error.max:
            found[0] += f" ({error.at_frames.max / self._size:.3%} at frames)"
        if name in self.seams:
            found.append(f"seam {self.seams[name] / self._size:.3%}")
        if name in self.rates and np.isfinite(self.rates[name]):
            found.append(f"needs {self.rates[name]:.4g} frames a second{self._why_fewer(name)}")
        elif name in self.rates and all(fault.clip != name for fault in self.faults):
            found.append("no rate is enough")
        return found

    def _why_fewer(self, name: str) -> str:
        """Return why fewer frames than are there are enough, where they are."""
        had = self._file_rates[name]
        if self.rates[name] >= had * 0.999 or any(fault.clip == name for fault in self.faults):
            return ""
        assert self.max_error is not None
        if self.clips[name].max_relative <= self.max_error:
            return ""
        return f", fewer than its {had:.4g}, which miss keys of the clip"

    @property
    def _size(self) -> float:
        """The character's size, model units; 1 where nothing is off."""
        return self.error.max / self.error.max_relative if self.error.max_relative > 0 else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Return the report as numbers, strings, lists and dicts, as JSON has them.

        Examples
        --------
        >>> import tempfile
        >>> bar = lissom.samples.twisted_bar()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = lissom.bake(bar, "bend", rate=30).save(f"{folder}/bar.safetensors")
        ...     lissom.verify(bar, path).to_dict()["faults"]
        []
        """
        return {
            "path": str(self.path),
            "form": self.form,
            "playback": self.playback,
            "ok": self.ok,
            "max_error": self.max_error,
            "error": asdict(self.error),
            "clips": {name: asdict(error) for name, error in self.clips.items()},
            "seams": dict(self.seams),
            "steps": dict(self.steps),
            "faults": [asdict(fault) for fault in self.faults],
            "rates": {name: rate if np.isfinite(rate) else None for name, rate in self.rates.items()},
        }

    def to_json(self) -> str:
        """Return the report as JSON text.

        Examples
        --------
        >>> import tempfile
        >>> bar = lissom.samples.twisted_bar()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = lissom.bake(bar, "bend", rate=30).save(f"{folder}/bar.safetensors")
        ...     '"ok": true' in lissom.verify(bar, path).to_json()
        True
        """
        return json.dumps(self.to_dict(), indent=2)

    def picture(self, *, width: int = 1000) -> Picture:
        """Draw the errors over time: a curve for each clip, and a heat map of the worst one's joints.

        Parameters
        ----------
        width : int
            Pixels, at least 480.

        Returns
        -------
        Picture

        Raises
        ------
        ImportError
            If the extra ``gl``, whose font writes the names, is missing.
        ValueError
            If `width` is too small.

        Examples
        --------
        >>> import tempfile
        >>> bar = lissom.samples.twisted_bar()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = lissom.bake(bar, "bend", rate=30).save(f"{folder}/bar.safetensors")
        ...     picture = lissom.verify(bar, path).picture(width=600)
        >>> picture.width
        600
        """
        from lissom._verify.drawing import draw

        return draw(self, width)
