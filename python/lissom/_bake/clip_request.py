# SPDX-License-Identifier: MIT
"""One clip to bake, and what the user asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lissom.clip._frames import coarsest_rate, default_rate

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._error import ClipError

__all__ = ["ClipRequest"]


@dataclass(frozen=True)
class ClipRequest:
    """A clip as it is baked, with the rate and the error requested.

    Attributes
    ----------
    clip : Clip
        In place, where its root motion was taken out.
    rate : float or None
        Frames per second; None where the user named none.
    max_error : float or None
        Largest error allowed, as a fraction of the size.
    size : float
        The character's size, model units.
    root_motion_error : float
        Error of taking root motion out, model units. All errors stated include it.
    """

    clip: Clip
    rate: float | None
    max_error: float | None
    size: float
    root_motion_error: float = 0.0

    @property
    def first_rate(self) -> float:
        """Frames per second that are tried first: those requested, or else those that suit the keys."""
        if self.rate is not None:
            return self.rate
        return default_rate(self.clip) if self.max_error is None else coarsest_rate(self.clip)

    @property
    def allowed(self) -> float:
        """Error that `max_error` leaves to the texture, model units; 0 or less where it leaves none."""
        assert self.max_error is not None
        return self.max_error * (self.size or 1.0) - self.root_motion_error

    def is_met_by(self, error: ClipError) -> bool:
        """Return whether an error keeps `max_error`; any does where there is none."""
        return self.max_error is None or error.max_relative <= self.max_error
