# SPDX-License-Identifier: MIT
"""The work of ``lissom catalog``: write the table of many bakes, and sum it up."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

import lissom
from lissom._base.names import counted
from lissom._catalog.build import FUNCTION, build
from lissom.cli import output

__all__ = ["catalog"]


class _Said(logging.Handler):
    """What the library warns of, as sentences of the command; kept for JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.sentences: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.sentences.append(record.getMessage().removeprefix(f"{FUNCTION}: "))
        output.say(self.sentences[-1])


def catalog(store: str, path: Path, resume: bool, as_json: bool) -> None:
    """Write the catalogue of a store, and what it holds to stdout; ValueError where it has no bakes."""
    output.require_file("-o", path)
    if not path.parent.is_dir():  # made here, it would stay where there is nothing to list
        raise ValueError(f"-o: {path}: the folder {path.parent} does not exist")
    said = _Said()
    logger = logging.getLogger("lissom.catalog")
    logger.addHandler(said)
    try:
        build(store, path, resume, caller="", refuse_empty=True)
    finally:
        logger.removeHandler(said)
    made = lissom.Catalog(path)
    values = made.arrays(["name", "clip", "output", "bytes", "duration", "max_relative"])
    bakes = len(set(zip(values["name"], values["output"], strict=True)))  # as pages count them
    files = len(set(values["output"]))
    worst = int(np.argmax(values["max_relative"]))
    if as_json:
        output.write_json(
            {
                "file": path,
                "store": made.store,
                "bakes": bakes,
                "files": files,
                "clips": len(made),
                "bytes": values["bytes"].sum(),
                "duration": values["duration"].sum(),
                "worst": {name: values[name][worst] for name in ("name", "clip", "max_relative")},
                "left_out": said.sentences,
            }
        )
        return
    shared = "" if files == bakes else f" in {counted(files, 'file')}, as some are equal"
    line = (
        f"{path}: {counted(len(made), 'clip')} of {counted(bakes, 'bake')}{shared}, "
        f"{values['bytes'].sum() / 1e6:.1f} MB, {values['duration'].sum():.0f} s; the largest error is "
        f"{values['max_relative'][worst]:.2%} of the size, of {values['clip'][worst]!r} in "
        f"{values['name'][worst]}"
    )
    output.stdout().print(output.Line(line), soft_wrap=True)
