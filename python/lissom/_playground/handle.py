# SPDX-License-Identifier: MIT
"""What is dragged in a playground."""

from __future__ import annotations

from typing import NamedTuple


class Handle(NamedTuple):
    """A ball to drag.

    ``"target:0"`` is the target of the first chain, ``"pole:0"`` its pole, ``"turn:0:2"`` the z axis of its
    orientation, ``"limit:7:high"`` a bound of the limit of joint 7, ``"body"`` the joint that carries all.
    """

    id: str
    position: tuple[float, float, float]
    radius: float
    color: tuple[float, float, float]
