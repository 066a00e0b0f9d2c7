# SPDX-License-Identifier: MIT
"""Alpha that every way to draw understands alike."""

from __future__ import annotations

__all__ = ["CLEAR", "HALF", "SOLID"]

# Pixels store 255ths: alpha that rounds to the first is not seen, what rounds to the last hides all behind.
CLEAR, SOLID = 0.5 / 255, 254.5 / 255
HALF = 0.5  # of blended parts where nothing can be blended: in shadows, under heat
