# SPDX-License-Identifier: MIT
"""Bad input to foot placement is refused, each by its sentence."""

import numpy as np
import pytest

import lissom
from hero_strides import HERO, LEGS, WALK
from lissom import samples
from lissom.ground import Plane
from lissom.ik import FootPlacement, Leg

NAN = np.full((len(HERO.skeleton), 10), np.nan)
PLACE = FootPlacement(HERO, LEGS, Plane())
SCALED = lissom.trs.identity(2, float)
SCALED[1, 8] = 2
POSE = WALK.at(0.0)
BAR = samples.twisted_bar()


def scaled(joint, scale):
    pose = POSE.copy()
    pose[HERO.skeleton.index(joint), 7:] = scale
    return pose


def answering(distances, normals):
    def ground(origins, directions):
        return distances, normals

    return FootPlacement(HERO, LEGS, ground).update(POSE, 0.0)


BAD = [
    (
        lambda: FootPlacement("hero", LEGS, Plane()),
        TypeError,
        "character must be a Character or a Skeleton, got",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, 3.0),
        TypeError,
        "ground must be callable as .*, got float; see lissom.g",
    ),
    (
        lambda: FootPlacement(HERO, [], Plane()),
        ValueError,
        "legs must hold at least one Leg, got none; Leg.fi",
    ),
    (lambda: FootPlacement(HERO, ["Foot.L"], Plane()), TypeError, "legs must hold Leg, got str"),
    (lambda: FootPlacement(BAR, LEGS, Plane()), ValueError, "hip of Leg.*no joint is named 'UpperLeg.L'"),
    (
        lambda: FootPlacement(HERO, [Leg("UpperLeg.L", "LowerLeg.R", "Foot.L")], Plane()),
        ValueError,
        "FootPlacement: the joints of Leg.* must be in line, got knee 'LowerLeg.R', which does not descend",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), max_angle=40),
        ValueError,
        "max_angle must be an angle in radia",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), lean=1.5),
        ValueError,
        "^FootPlacement: lean must be from -1 to 1, got 1.5",
    ),
    (lambda: FootPlacement(HERO, LEGS, Plane(), lock=2), ValueError, r"lock must lie in \[0, 1\], got 2"),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body_time=-1),
        ValueError,
        "body_time must be finite and at lea",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), up=(0, 0, 0)),
        ValueError,
        "FootPlacement: up must not be z",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body="Hand.L"),
        ValueError,
        "body must be a joint that all le",
    ),
    (
        lambda: PLACE.update(POSE, -0.1),
        ValueError,
        "FootPlacement.update: dt must be finite and at least 0, got",
    ),
    (lambda: PLACE.update(POSE, float("nan")), ValueError, "dt must be finite and at least 0, got nan"),
    (lambda: PLACE.update(POSE, "0.1"), TypeError, "dt must be a number, got str"),
    (
        lambda: PLACE.update(NAN, 0.1),
        ValueError,
        "poses must be finite, got NaN or infinity at joint 'Pelvis'",
    ),
    (lambda: PLACE.update(POSE[:5], 0.1), ValueError, r"poses must have shape \(34, 10\), got \(5, 10\)"),
    (
        lambda: PLACE.update(POSE, 0.1, [1.0]),
        ValueError,
        r"contacts must have shape \(2,\) for 2 legs, got \(1,\)",
    ),
    (lambda: PLACE.update(POSE, 0.1, [1.0, 1.5]), ValueError, r"contacts must lie in \[0, 1\], got 1.5"),
    (lambda: PLACE.update(POSE, 0.1, [1.0, np.nan]), ValueError, r"contacts must lie in \[0, 1\], got nan"),
    (
        lambda: PLACE.update(POSE, 0.1, None, np.zeros(10)),
        ValueError,
        "world_from_model must be rigid, got a sc",
    ),
    (
        lambda: PLACE.update(POSE, 0.1, None, np.eye(4)),
        ValueError,
        r"world_from_model must have shape \(10,\), ",
    ),
    (lambda: PLACE.apply(POSE), TypeError, r"motion must be a Clip or a pair \(times, poses\), got ndarray"),
    (lambda: PLACE.apply(BAR.clips["twist"]), ValueError, "must be of the same skeleton"),
    (
        lambda: PLACE.apply(WALK, np.ones((3, 2))),
        ValueError,
        r"contacts must have shape \(68, 2\) for 2 legs, got",
    ),
    (lambda: PLACE.apply(([0, 1], POSE)), ValueError, r"poses \(F, 34, 10\), F at least 1, got \(2,\)"),
    (
        lambda: PLACE.apply(([1, 0], np.stack([POSE, POSE]))),
        ValueError,
        "must be finite and increase strictly",
    ),
    (
        lambda: PLACE.apply(([0, 1], np.stack([POSE, NAN.astype(np.float32)]))),
        ValueError,
        "poses must be finite, got NaN or infinity at joint 'Pelvis' of frame 1",
    ),
    (lambda: PLACE.apply(([0.0], POSE[None]), times=[0]), ValueError, "times must be None where"),
    (
        lambda: answering(np.zeros(3), np.zeros((3, 3))),
        ValueError,
        r"ground .*: distances must have shape \(\d+,\)",
    ),
    (lambda: PLACE.apply(([], POSE[None][:0])), ValueError, r"poses \(F, 34, 10\), F at least 1, got \(0,\)"),
    (lambda: PLACE.apply(WALK, times=[]), ValueError, r"times must have shape \(F,\), F at least 1, got"),
    (
        lambda: PLACE.apply(lissom.make_additive(WALK, POSE)),
        ValueError,
        "FootPlacement.apply: clip 'walk.*' must hold poses, got an additive clip; add it to a pose first",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body="Pelvi"),
        ValueError,
        "^FootPlacement: body: no joint is named 'Pelvi'; did you mean 'Pelvis'",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), body=0.5),
        TypeError,
        "^FootPlacement: body: a joint must be given",
    ),
    (
        lambda: FootPlacement(HERO, LEGS, Plane(), stance=np.zeros_like(POSE)),
        ValueError,
        "FootPlacement: stance, the rest pose if none is passed, must not scale the foot of 'Foot.L' to zero",
    ),
    (
        lambda: PLACE.update(scaled("Pelvis", 0.0), 0.1),
        ValueError,
        "FootPlacement.update: poses must not scale feet to zero, got that at joint 'Foot",
    ),
    (
        lambda: PLACE.apply(([0, 1], np.stack([POSE, scaled("Pelvis", (1.0, 1.3, 1.0))]))),
        ValueError,
        "FootPlacement.apply: poses must not shear feet, got ancestors of joint '.*' of frame 1 that",
    ),
    (
        lambda: PLACE.apply(([0, 1], np.stack([POSE, POSE])), world_from_model=SCALED),
        ValueError,
        "FootPlacement.apply: world_from_model must be rigid, got a scale other than 1 in frame 1$",
    ),
    (lambda: answering(1.0, None), (TypeError, ValueError), "distances must have shape"),
]


@pytest.mark.parametrize("case", BAD, ids=[message for *_, message in BAD])
def test_says_what_is_wrong(case):
    call, kind, message = case
    with pytest.raises(kind, match=message):
        call()
