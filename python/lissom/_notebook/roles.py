# SPDX-License-Identifier: MIT
"""HTML of roles: the skeleton with its joints labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._notebook.builder import Html
from lissom._sketch.role_figure import role_figure

if TYPE_CHECKING:
    from lissom._roles.roles import Roles

__all__ = ["roles"]


def roles(shown: Roles) -> Html:
    return Html(role_figure(shown))
