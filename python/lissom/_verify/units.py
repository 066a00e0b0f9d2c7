# SPDX-License-Identifier: MIT
"""Units in which people model, beside metres."""

from __future__ import annotations

__all__ = ["UNITS"]

UNITS = {
    100.0: "centimetres",
    0.01: "metres, read as centimetres",
    39.3701: "inches",
    1000.0: "millimetres",
}
"""Factors by which numbers are too large, and what they then are in."""
