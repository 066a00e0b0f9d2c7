# SPDX-License-Identifier: MIT
"""Foot placement of many characters on height fields, in the core: the steps of `pipeline.place_feet`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom.ground import HeightField
from lissom.ik._axes import Floats
from lissom.ik._chain import cached_tree
from lissom.ik._feet.foot_rig import FootRig

if TYPE_CHECKING:
    from lissom.ground import Ground
    from lissom.ik._feet.pipeline import Setting

__all__ = ["placed_by_core"]

REACHED = 1e-4  # of a leg's length, as in leg_solver
MOST_LEGS = 8

_JOINT = np.dtype([("joint", "<i4"), ("parent", "<i4")])
_INFLUENCE = np.dtype([("joint", "<i4"), ("frame", "<i4"), ("weight", "<f8"), ("offset", "<f8", (3,))])
_LEG = np.dtype(
    [
        *((name, "<i4") for name in ("hip", "ankle", "toe", "toe_parent", "first_point", "point_count")),
        ("turns", "<i4"),
        ("reserved", "<i4"),
        ("length", "<f8"),
    ]
)
_RING = np.dtype([("first", "<i4"), ("second", "<i4"), ("sag", "<f8")])

_plans: WeakKeyDictionary[Setting, tuple[_core.FootPlan, _core.IkTree] | None] = WeakKeyDictionary()


def placed_by_core(
    what: str,
    setting: Setting,
    ground: Ground,
    body_ground: Ground,
    before: NDArray[np.void],
    poses: NDArray[Any],
    dt: Floats,
    contacts: Floats | None,
    world_from_model: Floats | None,
) -> tuple[dict[str, NDArray[Any]], NDArray[np.void]] | None:
    """Place feet as `place_feet` does, and return also the states after it; None where the core cannot.

    That is on other grounds than height fields, of legs with other than one knee or with feet beside them,
    along another axis, and where something is wrong, of which `place_feet` says what.
    """
    if type(ground) is not HeightField or type(body_ground) is not HeightField:
        return None
    if setting not in _plans:
        _plans[setting] = _plan_of(setting)
    known = _plans[setting]
    if known is None:
        return None
    plan, tree = known
    count, legs = len(poses), len(setting.rig.legs)
    each = {name: np.empty((count, legs)) for name in ("contacts", "ground_heights", "offsets", "weights")}
    residuals, body = np.empty((count, legs)), np.empty(count)
    targets, normals = np.empty((count, legs, 3)), np.empty((count, legs, 3))
    airborne, far = np.empty((count, legs), bool), np.empty((count, legs), bool)
    placed, after = np.empty(poses.shape, poses.dtype), np.empty_like(before)
    done = plan.place(
        what,
        tree,
        _field_of(ground),
        _field_of(body_ground),
        (np.ascontiguousarray(poses), dt, contacts, world_from_model, _numbers(before)),
        (
            _numbers(after),
            placed,
            each["contacts"],
            targets,
            each["ground_heights"],
            normals,
            each["offsets"],
            body,
            each["weights"],
            residuals,
            airborne.view(np.uint8),
            far.view(np.uint8),
        ),
    )
    if not done:
        return None
    arrays: dict[str, NDArray[Any]] = {
        "poses": placed,
        **each,
        "targets": targets,
        "normals": normals,
        "body_offset": body,
        "residuals": residuals,
        "reached": residuals <= REACHED * setting.rig.lengths,
        "airborne": airborne,
        "too_far": far,
    }
    return arrays, after


def _numbers(rows: NDArray[np.void]) -> Floats:
    """Return rows of a state as numbers of eight bytes each."""
    return rows.view(np.float64).reshape(len(rows), rows.dtype.itemsize // 8)


def _field_of(field: HeightField) -> tuple[Floats, float, float, float, float, float]:
    x, base, z = field.origin.tolist()
    step_x, step_z = field.spacing
    return field.heights, x, step_x, z, step_z, base


def _plan_of(setting: Setting) -> tuple[_core.FootPlan, _core.IkTree] | None:
    rig = setting.rig
    is_plain = all(len(leg.bends) == 2 and not leg.is_detached for leg in rig.joints)
    if not is_plain or rig.rig.added or len(rig.legs) > MOST_LEGS or setting.up.tolist() != [0.0, 1.0, 0.0]:
        return None
    parents = rig.skeleton.parents.tolist()
    rows = _needed_joints(rig, parents)
    index = {joint: row for row, joint in enumerate(rows)}
    joints = np.array([(joint, index.get(parents[joint], -1)) for joint in rows], _JOINT)
    points, legs = rig.points, np.zeros(len(rig.legs), _LEG)
    ends = [*points.starts[1:].tolist(), len(points.legs)]
    for number, (leg, sole) in enumerate(zip(rig.joints, rig.soles, strict=True)):
        first = int(points.starts[number])
        toe, above = (-1, -1) if leg.toe is None else (leg.toe, parents[leg.toe])
        legs[number] = (
            index[leg.chain[0]],
            index[leg.ankle],
            index.get(toe, -1),
            index.get(above, -1),
            first,
            ends[number] - first,
            sole.turns,
            0,
            rig.lengths[number],
        )
    used = points.weights != 0
    influences = np.zeros(int(used.sum()), _INFLUENCE)
    influences["joint"] = [index[joint] for joint in points.joints[used].tolist()]
    influences["frame"] = np.searchsorted(points.sole_joints, points.joints[used])
    influences["weight"], influences["offset"] = points.weights[used], points.offsets[used]
    first_influences = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
    rings = np.zeros(len(points.rings), _RING)
    rings["first"], rings["second"], rings["sag"] = points.rings[:, 0], points.rings[:, 1], points.sags
    rings = rings[np.argsort(rings["first"], kind="stable")]
    smoothing, lean = setting.smoothing, setting.lean
    options = [rig.rig.size, rig.floor, rig.lengths.mean(), setting.max_angle]
    options += [np.cos(setting.max_slope), np.tan(setting.max_slope)]
    options += [setting.ray_height, setting.body_time, setting.lock, setting.lock_radius]
    options += [lean.share, lean.is_long, lean.reach, lean.softness]
    options += [smoothing.max_step_up, smoothing.max_step_down, smoothing.swing_rate, smoothing.tilt_rate]
    options += [smoothing.blend_rate, smoothing.body_rate, smoothing.foot_speed, smoothing.sink, rig.is_soft]
    plan = _core.FootPlan(
        len(rig.skeleton),
        joints,
        np.array([index[body] for body in rig.bodies], np.int32),
        np.array([index[joint] for joint in points.sole_joints.tolist()], np.int32),
        legs,
        first_influences,
        influences,
        np.ascontiguousarray(points.shares),
        rings,
        np.array(options, np.float64),
    )
    return plan, cached_tree(tuple(setting.solver.limb_chains))


def _needed_joints(rig: FootRig, parents: list[int]) -> list[int]:
    """Return the joints that soles, legs and bodies are made of, and all above them, in order."""
    needed = set(rig.points.sole_joints.tolist())
    needed |= {*rig.hips, *rig.ankles, *rig.bodies}
    needed |= {leg.toe for leg in rig.joints if leg.toe is not None}
    for joint in list(needed):
        while joint >= 0:
            needed.add(joint)
            joint = parents[joint]
    return sorted(needed)
