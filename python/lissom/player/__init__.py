# SPDX-License-Identifier: MIT
"""The browser player: characters and bakes packed into bytes that WebGL2 plays, and HTML pages of them."""

from lissom._base.set_module import publish as _publish
from lissom.player._bones import bones_of
from lissom.player._bundle import bundle
from lissom.player._player import Player

__all__ = ["Player", "bones_of", "bundle"]

_publish(globals())


def __dir__() -> list[str]:
    return sorted(__all__)
