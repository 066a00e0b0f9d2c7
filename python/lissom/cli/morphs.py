# SPDX-License-Identifier: MIT
"""Weights of morph targets as commands take them: ``--morph smile=0.7``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lissom._base.names import unknown_name
from lissom._character.morph_choice import morphs_of
from lissom._rig.expressions import PRESETS_OF_VRM_0, unknown_expression
from lissom.cli import output

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character

__all__ = ["morph_argument"]


def morph_argument(
    source: str, character: Character, given: Sequence[str], clip: str | None, time: float | None
) -> NDArray[Any] | None:
    """Return the weights ``(M,)`` of --morph, on top of those of the clip or the defaults; None without any.

    A name is that of a morph target, in full or its own, or else of an expression.
    """
    if not given:
        return None
    values = dict(_parsed(text) for text in given)
    morphs = None if character.mesh is None else character.mesh.morphs
    if morphs is None:
        raise ValueError(f"{source}: has no morph targets; leave out --morph")
    expressions = character.expressions
    faces = {} if expressions is None else {name: values[name] for name in expressions if name in values}
    targets = {name: value for name, value in values.items() if len(morphs.find(name))}
    for name in values:
        if name not in targets and name not in faces:
            if PRESETS_OF_VRM_0.get(name.lower()) in (expressions or ()):
                raise ValueError(f"{source}: {unknown_expression(name, expressions or ())}")
            known = [*(expressions or ()), *(each.rpartition("/")[2] for each in morphs.names)]
            listing = f"`lissom info {source}` lists them"
            raise ValueError(f"{source}: {unknown_name('morph target', name, dict.fromkeys(known), listing)}")
    played = None if clip is None else character.clips[clip]
    weights: NDArray[Any] | None = morphs_of("lissom", character, None, played, time)
    if expressions is not None and (faces := {n: v for n, v in faces.items() if n not in targets}):
        weights = expressions.weights(faces, base=weights)
    return morphs.weights(targets, base=weights)


def _parsed(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        weight = float(number)
    except ValueError:
        weight = math.nan
    if not name or not math.isfinite(weight):
        output.misuse("--morph", f"must be a name, = and a finite number, such as smile=0.7, got {text!r}")
    return name, weight
