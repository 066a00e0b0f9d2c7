# SPDX-License-Identifier: MIT
"""Three builds of one anatomy: heights, widths and lengths, and where they put the joints.

The body is written down once, in the metres of the adult. A build carries it over by landmarks: heights
through a piecewise linear map, lengths along the arm through another, widths by factors that change along the
body.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from lissom.samples._shell import Floats

# Heights of the adult's landmarks: ground, ankle, knee, crotch, waist, shoulder, neck, chin, crown.
_ADULT_LANDMARKS = (0.0, 0.085, 0.485, 0.85, 1.09, 1.425, 1.475, 1.515, 1.75)
_ADULT_UPPER_ARM, _ADULT_FOREARM = 0.285, 0.245
_ADULT_SHOULDER_HEIGHT = 1.395
_ADULT_SHOULDER_HALF_WIDTH = 0.180
_ADULT_HEAD = _ADULT_LANDMARKS[-1] - _ADULT_LANDMARKS[-2]
_ARM_DROP = np.radians(47.0)  # of the A-pose: half way, so that arms raised and arms hung deform alike
_ELBOW_BEND = np.radians(
    10.0
)  # forwards at rest, so that the plane of the elbow can be read from the rest pose


@dataclass(frozen=True)
class Proportions:
    """What makes a build. Metres, and factors relative to the adult.

    `landmarks` are the heights of ground, ankle, knee, crotch, waist, shoulder, neck, chin, crown.
    `torso_width` and `torso_depth` are factors at hips, waist, chest.
    """

    name: str
    landmarks: tuple[float, ...]
    shoulder_half_width: float
    hip_half_width: float
    upper_arm: float
    forearm: float
    torso_width: tuple[float, float, float]
    torso_depth: tuple[float, float, float]
    arm_girth: float
    leg_girth: float
    neck_girth: float
    hand: float
    foot: float
    eye: float
    jaw: float
    nose: float
    cheek: float

    def height(self, adult_height: float | Floats) -> Floats:
        """Carry a height of the adult over to this build."""
        return np.asarray(np.interp(adult_height, _ADULT_LANDMARKS, self.landmarks))

    def width_factor(self, adult_height: float | Floats) -> Floats:
        """Breadth of the torso at an adult height, relative to the adult."""
        return np.asarray(np.interp(adult_height, (0.92, 1.09, 1.30), self.torso_width))

    def depth_factor(self, adult_height: float | Floats) -> Floats:
        """Depth of the torso at an adult height, relative to the adult."""
        return np.asarray(np.interp(adult_height, (0.92, 1.09, 1.30), self.torso_depth))

    def along_arm(self, adult_length: float | Floats) -> Floats:
        """Carry a distance along the adult's arm, 0 at the shoulder, over to this build."""
        elbow, wrist = _ADULT_UPPER_ARM, _ADULT_UPPER_ARM + _ADULT_FOREARM
        here = (-0.1 * self.shoulder_scale, 0.0, self.upper_arm, self.upper_arm + self.forearm)
        inner = np.interp(adult_length, (-0.1, 0.0, elbow, wrist), here)
        return np.asarray(inner + np.maximum(np.asarray(adult_length) - wrist, 0.0) * self.hand)

    @property
    def shoulder_scale(self) -> float:
        """Breadth of the shoulders relative to the adult."""
        return self.shoulder_half_width / _ADULT_SHOULDER_HALF_WIDTH

    @property
    def head(self) -> float:
        """Size of the head relative to the adult."""
        return (self.landmarks[-1] - self.landmarks[-2]) / _ADULT_HEAD

    @property
    def head_center(self) -> Floats:
        """Origin of the head's own coordinates: between the ears."""
        return np.array([0.0, self.landmarks[-2] + 0.118 * self.head, self.head_forward])

    @property
    def head_forward(self) -> float:
        """How far the middle of the head stands before the shoulders."""
        return 0.004 * self.head


BUILDS = {
    "adult": Proportions(
        name="adult",
        landmarks=(0.0, 0.085, 0.490, 0.862, 1.082, 1.402, 1.448, 1.482, 1.738),
        shoulder_half_width=0.172,
        hip_half_width=0.089,
        upper_arm=0.278,
        forearm=0.238,
        torso_width=(0.96, 0.97, 0.97),
        torso_depth=(0.97, 0.98, 0.98),
        arm_girth=0.94,
        leg_girth=0.96,
        neck_girth=1.0,
        hand=1.04,
        foot=1.02,
        eye=1.06,
        jaw=1.0,
        nose=1.0,
        cheek=1.0,
    ),
    "child": Proportions(
        name="child",
        landmarks=(0.0, 0.060, 0.292, 0.510, 0.655, 0.872, 0.902, 0.924, 1.180),
        shoulder_half_width=0.111,
        hip_half_width=0.064,
        upper_arm=0.172,
        forearm=0.150,
        torso_width=(0.69, 0.77, 0.66),
        torso_depth=(0.76, 0.90, 0.76),
        arm_girth=0.70,
        leg_girth=0.70,
        neck_girth=0.70,
        hand=0.70,
        foot=0.70,
        eye=1.28,
        jaw=1.02,
        nose=0.72,
        cheek=1.24,
    ),
    "giant": Proportions(
        name="giant",
        landmarks=(0.0, 0.130, 0.690, 1.190, 1.560, 2.130, 2.215, 2.265, 2.570),
        shoulder_half_width=0.335,
        hip_half_width=0.152,
        upper_arm=0.470,
        forearm=0.430,
        torso_width=(1.62, 1.75, 1.86),
        torso_depth=(1.60, 1.72, 1.80),
        arm_girth=1.90,
        leg_girth=1.62,
        neck_girth=1.75,
        hand=1.72,
        foot=1.50,
        eye=0.92,
        jaw=1.18,
        nose=1.16,
        cheek=1.0,
    ),
}


@dataclass(frozen=True, eq=False)
class ArmFrame:
    """The left arm at rest: where it starts and the directions of its parts."""

    shoulder: Floats  # (3,)
    axes: Floats  # (3, 3) rows: down the upper arm, towards the palm, forwards
    hand_axes: Floats  # (3, 3) rows: along the fingers, towards the palm, towards the thumb
    elbow: Floats
    wrist: Floats


@cache
def arm_frame(build: Proportions) -> ArmFrame:
    """Place the left arm of a build in its A-pose."""
    down, forwards = np.array([np.cos(_ARM_DROP), -np.sin(_ARM_DROP), 0.0]), np.array([0.0, 0.0, 1.0])
    forearm = np.cos(_ELBOW_BEND) * down + np.sin(_ELBOW_BEND) * forwards
    thumb = np.cos(_ELBOW_BEND) * forwards - np.sin(_ELBOW_BEND) * down
    palm = np.cross(down, forwards)
    shoulder = np.array(
        [
            build.shoulder_half_width,
            float(build.height(_ADULT_SHOULDER_HEIGHT)),
            -0.012 * build.shoulder_scale,
        ]
    )
    elbow = shoulder + build.upper_arm * down
    return ArmFrame(
        shoulder=shoulder,
        axes=np.stack([down, palm, forwards]),
        hand_axes=np.stack([forearm, palm, thumb]),
        elbow=elbow,
        wrist=elbow + build.forearm * forearm,
    )
