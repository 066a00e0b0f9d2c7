# SPDX-License-Identifier: MIT
"""The trunk and limbs as implicit shapes, and the clothes cut from them.

Profile tables are in metres of the adult. Each garment is the body a few millimetres further out, cut by
planes with rounded edges, so that hems and cuffs are real edges and every part is a closed surface of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lissom.samples._fields import Field, Loft, capsule, ellipsoid, intersection, mirrored, union, where
from lissom.samples._proportions import ArmFrame, Proportions, arm_frame
from lissom.samples._shell import Floats

# Height, half breadth, half depth, centre in z.
_TORSO = np.array(
    [
        (0.800, 0.140, 0.090, -0.010),
        (0.860, 0.156, 0.107, -0.016),
        (0.920, 0.162, 0.113, -0.018),
        (1.000, 0.151, 0.106, -0.008),
        (1.080, 0.139, 0.098, 0.000),
        (1.160, 0.144, 0.101, 0.000),
        (1.250, 0.161, 0.111, -0.003),
        (1.330, 0.170, 0.112, -0.009),
        (1.380, 0.160, 0.099, -0.016),
        (1.420, 0.128, 0.081, -0.022),
        (1.455, 0.088, 0.067, -0.024),
        (1.490, 0.062, 0.058, -0.022),
        (1.530, 0.054, 0.054, -0.018),
    ]
)
# Height, half breadth, half depth, centre outwards from under the hip, centre in z.
_LEG = np.array(
    [
        (0.080, 0.033, 0.041, 0.010, -0.022),
        (0.130, 0.033, 0.040, 0.010, -0.022),
        (0.200, 0.039, 0.046, 0.009, -0.022),
        (0.270, 0.048, 0.056, 0.008, -0.022),
        (0.340, 0.053, 0.062, 0.007, -0.019),
        (0.410, 0.050, 0.057, 0.006, -0.008),
        (0.485, 0.050, 0.057, 0.005, 0.004),
        (0.560, 0.057, 0.064, 0.004, 0.008),
        (0.660, 0.068, 0.078, 0.002, 0.008),
        (0.760, 0.078, 0.090, 0.000, 0.004),
        (0.850, 0.084, 0.100, -0.003, -0.002),
        (0.950, 0.082, 0.102, -0.010, -0.008),
    ]
)
# Distance from the shoulder, half width towards the palm side, half width forwards.
_ARM = np.array(
    [
        (-0.080, 0.034, 0.044),
        (-0.030, 0.052, 0.060),
        (0.020, 0.059, 0.063),
        (0.070, 0.056, 0.060),
        (0.140, 0.047, 0.052),
        (0.220, 0.041, 0.047),
        (0.285, 0.038, 0.042),
        (0.340, 0.039, 0.045),
        (0.400, 0.035, 0.041),
        (0.470, 0.028, 0.033),
        (0.530, 0.024, 0.029),
        (0.600, 0.024, 0.029),
    ]
)

_FLARE = 0.013  # how much looser the trousers are at the ankle than above the knee


@dataclass(frozen=True, eq=False)
class Body:
    """The implicit body of one build, before it is cut into garments."""

    build: Proportions
    arm: ArmFrame
    torso: Loft
    leg: Loft  # left
    sleeve: Loft  # left arm

    @staticmethod
    def of(build: Proportions) -> Body:
        """Shape the body of a build."""
        arm = arm_frame(build)
        up_right_front = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])

        y = _TORSO[:, 0]
        breadth, depth = build.width_factor(y), build.depth_factor(y)
        torso = np.stack(
            [build.height(y), _TORSO[:, 1] * breadth, _TORSO[:, 2] * depth, 0.0 * y, _TORSO[:, 3] * depth],
            axis=-1,
        )

        y, girth, spread = _LEG[:, 0], build.leg_girth, build.hip_half_width
        leg = np.stack(
            [
                build.height(y),
                _LEG[:, 1] * girth,
                _LEG[:, 2] * girth,
                spread * (1.0 + _LEG[:, 3] / 0.092),
                _LEG[:, 4] * girth,
            ],
            axis=-1,
        )

        along = build.along_arm(_ARM[:, 0])
        lean = arm.hand_axes[0] @ arm.axes[2] / (arm.hand_axes[0] @ arm.axes[0])
        sleeve = np.stack(
            [
                along,
                _ARM[:, 1] * build.arm_girth,
                _ARM[:, 2] * build.arm_girth,
                0.0 * along,
                lean * np.maximum(along - build.upper_arm, 0.0),
            ],
            axis=-1,
        )
        return Body(
            build=build,
            arm=arm,
            torso=Loft(np.zeros(3), up_right_front, torso),
            leg=Loft(np.zeros(3), up_right_front, leg),
            sleeve=Loft(arm.shoulder, arm.axes, sleeve),
        )

    def trunk(self, points: Floats) -> Floats:
        """Torso with chest, shoulder blades and seat; endless upwards and downwards."""
        build = self.build
        shape = self.torso(points)
        for adult_height, x, z, radii, blend in (
            (1.300, 0.066, 0.046, (0.082, 0.080, 0.058), 0.08),  # chest
            (1.330, 0.075, -0.070, (0.075, 0.085, 0.050), 0.06),  # shoulder blades
            (0.885, 0.068, -0.060, (0.074, 0.078, 0.064), 0.06),  # seat
        ):
            breadth, depth = float(build.width_factor(adult_height)), float(build.depth_factor(adult_height))
            scale = np.array([breadth, 0.5 * (breadth + depth), depth])
            center = np.array([x * breadth, float(build.height(adult_height)), z * depth])
            for side in (points, mirrored(points)):
                shape = union(shape, ellipsoid(side, center, scale * radii), blend * depth)
        return shape

    def legs(self, points: Floats) -> Floats:
        """Both legs, endless upwards and downwards."""
        return union(self.leg(points), self.leg(mirrored(points)), 0.012 * self.build.leg_girth)

    def arms(self, points: Floats, below: Floats) -> Floats:
        """Both arms, endless away from the body; infinite where they are not below the given distances."""
        return np.minimum(self._arm(points, below), self._arm(mirrored(points), below))

    def _arm(self, points: Floats, below: Floats) -> Floats:
        girth = self.build.arm_girth
        cut = -0.055 * girth - (points - self.arm.shoulder) @ self.arm.axes[0]
        return where(
            cut < below, lambda near: intersection(self.sleeve(points[near]), cut[near], 0.05 * girth)
        )

    def shoulders(self, points: Floats) -> Floats:
        """Both slopes from the neck to the ends of the shoulders."""
        build = self.build
        scale = build.shoulder_scale
        inner = np.array([0.020 * scale, float(build.height(1.445)), -0.034 * scale])
        outer = self.arm.shoulder + np.array([-0.016, 0.0, -0.004]) * scale
        radii = 0.042 * scale, 0.047 * build.arm_girth
        return np.minimum(
            capsule(points, inner, outer, *radii), capsule(mirrored(points), inner, outer, *radii)
        )

    def upper_body(self, points: Floats, trunk: Floats) -> Floats:
        """Trunk, shoulders and arms in one, from the distances to the trunk."""
        fillet = 0.050 * self.build.arm_girth
        shape = union(trunk, self.shoulders(points), fillet)
        return union(shape, self.arms(points, shape + fillet), fillet)

    def lower_body(self, points: Floats, trunk: Floats) -> Floats:
        """Hips and legs in one, from the distances to the trunk; endless upwards and downwards."""
        build = self.build
        y = points[..., 1]
        crotch, hip = float(build.height(0.885)), float(build.height(0.950))
        hips = intersection(trunk, crotch - y, 0.06 * build.leg_girth)
        fillet = 0.05 * build.leg_girth
        legs = where(
            y - hip < hips + fillet,  # elsewhere the union leaves the hips as they are
            lambda near: intersection(self.legs(points[near]), (y - hip)[near], 0.04 * build.leg_girth),
        )
        return union(hips, legs, fillet)

    def neck(self, points: Floats) -> Floats:
        """Return the neck, endless."""
        build = self.build
        low = np.array([0.0, float(build.height(1.430)), -0.034 * build.neck_girth])
        high = build.head_center + build.head * np.array([0.0, -0.02, -0.022])
        return capsule(points, low, high, 0.055 * build.neck_girth, 0.049 * build.neck_girth)

    def sweater(self) -> Field:
        """Cut the upper body, loose, from below the hips to the wrists and the base of the neck."""
        build = self.build
        hem = float(build.height(0.940))
        girth = build.shoulder_scale

        def field(points: Floats) -> Floats:
            y = points[..., 1]
            slack = np.exp(-(((y - hem) / (0.13 * girth)) ** 2))  # blouses above the band
            trunk = self.trunk(points)
            shape = union(self.upper_body(points, trunk), self.lower_body(points, trunk), 0.03 * girth)
            shape = shape - (0.010 + 0.008 * slack) * girth
            shape = intersection(shape, hem - y, 0.036 * girth)
            shape = intersection(shape, self._above_neckline(points, 0.004), 0.010 * girth)
            return intersection(
                shape, self._along_sleeve(points) - float(build.along_arm(0.504)), 0.024 * girth
            )

        return field

    def trousers(self) -> Field:
        """Cut hips and legs, loose, from the waist to the ankles."""
        build = self.build
        waist, knee, ankle = (float(build.height(y)) for y in (1.010, 0.420, 0.096))
        girth = build.leg_girth

        def field(points: Floats) -> Floats:
            y = points[..., 1]
            below_knee = np.clip((knee - y) / (knee - ankle), 0.0, 1.0)
            shape = self.lower_body(points, self.trunk(points)) - (0.006 + _FLARE * below_knee) * girth
            return intersection(intersection(shape, y - waist, 0.02), ankle - y, 0.022 * girth)

        return field

    def turn_up(self) -> Field:
        """Cut the left trouser leg's hem, turned up."""
        low, high = float(self.build.height(0.082)), float(self.build.height(0.130))
        girth = self.build.leg_girth

        def field(points: Floats) -> Floats:
            band = np.abs(points[..., 1] - 0.5 * (low + high)) - 0.5 * (high - low)
            return intersection(self.leg(points) - (0.011 + _FLARE) * girth, band, 0.014 * girth)

        return field

    def collar(self) -> Field:
        """Cut a ribbed band round the base of the neck."""
        girth = self.build.neck_girth

        def field(points: Floats) -> Floats:
            above = self._above_neckline(points, 0.0)
            band = np.abs(above) - 0.021 * girth
            return intersection(self.neck(points) - (0.0145 * girth - 0.25 * above), band, 0.022 * girth)

        return field

    def waistband(self) -> Field:
        """Cut a ribbed band round the hem of the sweater."""
        low, high = float(self.build.height(0.906)), float(self.build.height(0.972))
        girth = self.build.shoulder_scale

        def field(points: Floats) -> Floats:
            shape = self.lower_body(points, self.trunk(points)) - 0.011 * girth
            band = np.abs(points[..., 1] - 0.5 * (low + high)) - 0.5 * (high - low)
            return intersection(shape, band, 0.026 * girth)

        return field

    def cuff(self) -> Field:
        """Cut a ribbed band round the left wrist."""
        build = self.build
        low, high = float(build.along_arm(0.480)), float(build.along_arm(0.528))
        girth = build.arm_girth

        def field(points: Floats) -> Floats:
            along = self._along_sleeve(points)
            band = np.abs(along - 0.5 * (low + high)) - 0.5 * (high - low)
            return intersection(self.sleeve(points) - 0.0075 * girth, band, 0.014 * girth)

        return field

    def _above_neckline(self, points: Floats, lift: float) -> Floats:
        """Distance above the plane of the neckline, which leans forwards."""
        build = self.build
        lean = np.radians(22.0)
        origin = np.array(
            [0.0, float(build.height(1.476)) + lift * build.neck_girth, -0.02 * build.neck_girth]
        )
        return np.asarray((points - origin) @ np.array([0.0, np.cos(lean), np.sin(lean)]))

    def _along_sleeve(self, points: Floats) -> Floats:
        """Distance from the shoulder to either hand, measured along the forearm."""
        folded = points.copy()
        folded[..., 0] = np.abs(folded[..., 0])
        reach = self.build.upper_arm + self.build.forearm
        return np.asarray((folded - self.arm.wrist) @ self.arm.hand_axes[0] + reach)
