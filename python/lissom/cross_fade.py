# SPDX-License-Identifier: MIT
"""Cross-fades: one motion after another, without a pop, and the records that describe them."""

from lissom._playback.cross_fade import CrossFade
from lissom._playback.events import Event, Playing

__all__ = ["CrossFade", "Event", "Playing"]


def __dir__() -> list[str]:
    return sorted(__all__)
