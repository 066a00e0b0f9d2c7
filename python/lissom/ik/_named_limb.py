# SPDX-License-Identifier: MIT
"""The chain of the limb that ends at a hand or a foot, whatever the rig calls them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from lissom._rig.skeleton import Skeleton
from lissom._roles.given import Hints, given_roles
from lissom._roles.limb_ends import limbs_meant
from lissom.ik._chain import Chain
from lissom.ik._limits import Limit

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["limb"]


def limb(
    character: Character | Skeleton,
    end: str,
    limits: Mapping[Any, Limit] | None = None,
    *,
    bend_axis: ArrayLike | None = None,
    roles: Hints = None,
) -> Chain:
    """Return the chain of two bones that ends at a hand or a foot: from the shoulder or the hip, by names.

    Of arms and legs the joints that `lissom.roles` finds bend; those between them, such as twist joints and
    a wrist before the hand that is named, keep still. Elsewhere, as of fingers, tails and heads, the limb is
    the two bones up from the joint.

    Parameters
    ----------
    character : Character or Skeleton
    end : str
        Name of the joint that is to get somewhere. Its case and what stands before a ``:`` do not count:
        "righthand" is "mixamorig:RightHand". Where no joint is named so, a role or a limb, such as
        "rightHand" or "leftLeg", or words that say side and part: "hand.r", "foot_L", "left ankle".
    limits : mapping of joint to BallSocket, Hinge or SwingTwist, optional
        As of `Chain`: for joints that bend.
    bend_axis : array_like of float, shape (3,), optional
        As of `Chain`.
    roles : Roles, mapping of str to str, or path, optional
        What `lissom.roles` returned of the character, or hints to it.

    Returns
    -------
    Chain

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If no joint or several are meant, or no limb of two bones ends there: the joint is a root or amid a
        limb, has a bone without length above it, or the rig has it beside its limb, as feet that are moved as
        controls. The message says which, and what to pass instead.

    See Also
    --------
    Chain : any line of joints.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lissom.ik.limb(hero, "hand.r").names
    ('UpperArm.R', 'LowerArm.R', 'Hand.R')
    >>> lissom.ik.limb(hero, "left ankle").names
    ('UpperLeg.L', 'LowerLeg.L', 'Foot.L')
    """
    function = "ik.limb"
    from lissom._character.character import Character

    if not isinstance(character, (Character, Skeleton)):
        raise TypeError(
            f"{function}: character must be a Character or a Skeleton, got {type(character).__name__}"
        )
    if not isinstance(end, str):
        raise TypeError(f"{function}: end must be the name of a joint, got {type(end).__name__}")
    found = given_roles(function, character, roles)
    limbs = limbs_meant(found, end, function)
    if len(limbs) > 1:
        raise ValueError(f"{function}: end must mean one limb, got {end!r}, which means {len(limbs)}")
    bending, still = limbs[0]
    return Chain(found.skeleton, bending[0], bending[-1], limits, fixed=still, bend_axis=bend_axis)
