# SPDX-License-Identifier: MIT
"""One file to bake: its source, its options and its output."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._formats.kind import BAKE_SUFFIX
from lissom._jobs.job import Job
from lissom._jobs.kind import Kind, Status

if TYPE_CHECKING:
    from lissom._jobs.records import BakeRecord

__all__ = ["BAKES", "BakeJob"]

BAKES = Kind(
    suffix=BAKE_SUFFIX,
    done="baked",
    participle="baked",
    record="lissom.bake_record",
    manifest="bakes",
    listed=("file_bytes", "layout", "dtype", "frames", "rows", "texels_per_row", "max_relative"),
    unused=(
        "_catalog", "_crowd", "_lod", "_notebook", "_pages", "_pictures", "_playground", "_retarget",
        "_sketch", "_view", "cli", "gpu", "ik", "metrics", "player", "plots", "testing", "weights",
    ),
    out_of_memory="bake fewer files at a time, or at a lower rate",
)  # fmt: skip


@set_module("lissom")
@dataclasses.dataclass(frozen=True)
class BakeJob(Job):
    """One file to bake by `lissom.bake_many`. It can be pickled; baking it twice does no harm.

    Attributes
    ----------
    source : str or path
        A .glb, .gltf or .bvh file, or a sample: ``"sample:humanoid"``.
    output : str or path
        Folder of the bake; created if it does not exist.
    name : str, optional
        Name of the bake below `output`, after folders separated by ``/``; the source's, without its
        suffix, when omitted. The file is called ``NAME-KEY.safetensors``, KEY being the first 12 digits of
        `key`. A name that ends in ``.safetensors`` is the file's own: it is baked each time, and no record of
        it is kept.
    clips : sequence of str
        The clips to bake; all if empty. Case does not matter, and the part before a ``|`` may be left out.
    without : sequence of str
        Parts of the mesh to leave out.
    loop, no_loop : sequence of str
        Clips to bake as looping, and as not looping.
    tags : sequence of str
        Words to find the bake by in a `Catalog`, beside those of the file. No byte of the bake depends on
        them: where they alone have changed, the record says so, and nothing is baked again.
    rate, max_error, layout, dtype, extra_joints, root_motion, include_mesh, method
        As for `lissom.bake`; names of clips in `rate` as in `clips`.

    Raises
    ------
    TypeError
        If a field has the wrong type.
    ValueError
        If `source`, `output` or `name` is nothing that a file can be called, `name` is outside the folder or
        longer than a file's can be, there is no such layout, dtype or
        method, or a number is not above zero.

    Examples
    --------
    >>> bar = "sample:twisted_bar"
    >>> jobs = [lissom.BakeJob(bar, "bakes", f"bars/{rate}", rate=rate) for rate in (15, 30)]
    >>> [job.title for job in jobs]
    ['bars/15', 'bars/30']
    """

    clips: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()
    no_loop: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    rate: float | dict[str, float] | None = None
    max_error: float | None = None
    layout: str = "dual_quat"
    dtype: str = "float16"
    extra_joints: tuple[str | int, ...] = ()
    root_motion: bool = False
    include_mesh: bool = True
    method: str | None = None

    _kind: ClassVar[Kind] = BAKES
    _places: ClassVar[tuple[str, ...]] = ("source", "output", "name")
    _lists: ClassVar[tuple[str, ...]] = ("clips", "without", "loop", "no_loop", "tags", "extra_joints")
    _labels: ClassVar[tuple[str, ...]] = ("tags",)

    def _record(self, status: Status, **facts: Any) -> BakeRecord:
        from lissom._jobs.records import BakeRecord

        return BakeRecord(self.source, self.output, self.title, status, **facts)

    def _labelled(self, report: dict[str, Any] | None) -> dict[str, Any] | None:
        from lissom._jobs.terms import terms

        if report is None:
            return None
        return {**report, "tags": list(dict.fromkeys((*self.tags, *terms(self.source).tags)))}

    def _work(
        self, target: Path, progress: Callable[[int, int, str], None] | None = None
    ) -> dict[str, Any] | None:
        from lissom._jobs import bake_work

        return bake_work.bake_to(self, target, progress)

    def _check_options(self) -> None:
        from lissom.pose_texture._layouts import DTYPES, LAYOUTS

        own = type(self).__name__
        for field, known in (("layout", LAYOUTS), ("dtype", DTYPES), ("method", BAKED_METHODS)):
            value = getattr(self, field)
            if value is not None and value not in known:
                exists = ", ".join(map(repr, known))
                raise ValueError(f"{own}: {field} must be one of {exists}, got {value!r}")
        rates = self.rate.values() if isinstance(self.rate, dict) else [self.rate]
        for field, numbers in (("rate", rates), ("max_error", [self.max_error])):
            for number in numbers:
                if number is not None:
                    check_number(number, f"{own}: {field}", above_zero=True)
