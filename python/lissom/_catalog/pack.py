# SPDX-License-Identifier: MIT
"""Packing the clips of a catalogue into pages."""

from __future__ import annotations

import hashlib
import itertools
import logging
import re
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from lissom._base.names import unknown_name
from lissom._base.numbers import whole_number
from lissom._formats.atomic import write_atomically
from lissom._formats.faults import make_folder
from lissom._formats.kind import BAKE_SUFFIX
from lissom._jobs.stored_record import DIGEST
from lissom._pages.layout import LONGEST_SIDE
from lissom._pages.pages import Pages
from lissom._pages.writer import PageWriter
from lissom._store import open_store
from lissom._store.open_store import is_url
from lissom.pose_texture._file import load_bake

if TYPE_CHECKING:
    from lissom._catalog.catalog import Catalog
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["pack"]

logger = logging.getLogger("lissom.catalog")

FUNCTION = "Catalog.pack"


def pack(catalog: Catalog, folder: Path, side: int) -> Pages:
    """Write the pages of a catalogue; see `Catalog.pack`."""
    side = whole_number(side, f"{FUNCTION}: side", least=1)
    if side & (side - 1) or side > LONGEST_SIDE:
        raise ValueError(f"{FUNCTION}: side must be a power of two up to {LONGEST_SIDE}, got {side}")
    if not len(catalog):
        raise ValueError(
            f"{FUNCTION}: no clips to pack: {catalog.path} has none, or none that its filters leave"
        )
    make_folder(folder)
    writer = PageWriter(folder, side, FUNCTION)
    packed: dict[str, str] = {}
    rows = catalog.rows(["name", "output", "hash", "clip"])
    for (name, output, digest), clips in itertools.groupby(rows, itemgetter("name", "output", "hash")):
        if packed.setdefault(name, output) != output:
            raise ValueError(
                f"{FUNCTION}: bakes must have names of their own, got {packed[name]} and {output}, both "
                f"{name!r}; filter the catalogue for one of them"
            )
        path = _local(catalog.store, output, digest, folder)
        bake = load_bake(path, verify=False)
        fault = _fault(bake)
        if fault:
            logger.warning("%s: left out: %s: %s", FUNCTION, path, fault)
            continue
        for row in clips:
            if row["clip"] not in bake.clips:
                raise ValueError(
                    f"{FUNCTION}: {path}: {unknown_name('clip', row['clip'], bake.clips)}; it was baked anew "
                    f"since {catalog.path} was written: write that again"
                )
            writer.add(bake, row["clip"], name, path, digest)
    writer.close()
    return Pages(folder)


def _local(store: str, output: str, digest: str | None, folder: Path) -> Path:
    """Return a bake's file; one of a store that is no folder is copied beside the pages, by its SHA-256.

    ValueError where its bytes have another.
    """
    if not is_url(store):
        return Path(store, output)
    if re.search(DIGEST, digest or "") is None:
        raise ValueError(
            f"{FUNCTION}: the catalogue must say the SHA-256 of {store}/{output} in 64 digits, got "
            f"{digest!r}; write it anew, without resuming"
        )
    path = folder / "bakes" / f"{digest}{BAKE_SUFFIX}"
    if not path.is_file():
        data = open_store(store).read(output)
        found = hashlib.sha256(data).hexdigest()
        if found != digest:
            raise ValueError(
                f"{FUNCTION}: {store}/{output} must have the SHA-256 that its record says, {digest}, got "
                f"{found}; bake it again, and write the catalogue again"
            )
        make_folder(path.parent)
        write_atomically(path, [data])
    return path


def _fault(bake: PoseTexture) -> str:
    """Say why a bake cannot be packed; empty where it can."""
    if bake.texels.dtype != "float16":
        return f"its texels must be of float16, which pages hold, got {bake.texels.dtype}"
    return ""
