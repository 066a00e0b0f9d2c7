# SPDX-License-Identifier: MIT
"""One file whose clips are to be carried over onto a character: both, the options and the output."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from lissom._base.numbers import check_number
from lissom._jobs.job import Job
from lissom._jobs.kind import Kind

__all__ = ["RETARGETS", "RetargetJob"]

RETARGETS = Kind(
    suffix=".glb",
    done="retargeted",
    participle="retargeted",
    record="lissom.retarget_record",
    manifest="retargets",
    listed=("target", "file_bytes"),
    unused=(
        "_bake", "_crowd", "_lod", "_notebook", "_pictures", "_playground", "_sketch", "_view",
        "cli", "gpu", "metrics", "player", "plots", "testing", "weights",
    ),
    out_of_memory="retarget fewer files at a time, or at a lower rate",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class RetargetJob(Job):
    """One source of clips, and the character that is to move: written is the character with the clips.

    Attributes
    ----------
    source, target : str or path
        .bvh, .glb or .gltf files, or samples.
    output, name
        As of `lissom.BakeJob`; files end in ``.glb``.
    clips : sequence of str
        The clips to carry over; all if empty. Case does not matter, and the part before a ``|`` may be left
        out.
    roles, source_roles : str or path or dict of str to str, optional
        Joints of the target and of the source by role: a TOML file, or these themselves.
    rate : float, optional
        Keys per second; those of each clip if omitted.
    feet : bool
        Whether feet and hands have goals.
    keep : bool
        Whether the target's own clips are written, too.
    """

    target: str = ""
    clips: tuple[str, ...] = ()
    roles: str | dict[str, str] | None = None
    source_roles: str | dict[str, str] | None = None
    rate: float | None = None
    feet: bool = True
    keep: bool = False

    _kind: ClassVar[Kind] = RETARGETS
    _models: ClassVar[tuple[str, ...]] = ("source", "target")
    _places: ClassVar[tuple[str, ...]] = ("source", "output", "name", "target", "roles", "source_roles")
    _lists: ClassVar[tuple[str, ...]] = ("clips",)

    @property
    def _read(self) -> dict[str, str]:
        hints = {"roles": self.roles, "source_roles": self.source_roles}
        files = {field: hint for field, hint in hints.items() if isinstance(hint, str)}
        return {"source": self.source, "target": self.target, **files}

    def _work(
        self, target: Path, progress: Callable[[int, int, str], None] | None = None
    ) -> dict[str, Any] | None:
        from lissom._jobs.retarget_work import retarget_to

        return retarget_to(self, target, progress)

    def _check_options(self) -> None:
        if self.rate is not None:
            check_number(self.rate, "RetargetJob: rate", above_zero=True)
