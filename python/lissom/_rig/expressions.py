# SPDX-License-Identifier: MIT
"""Expressions of a face: named groups of morph targets that know of each other, as VRM says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lissom._base.arrays import as_floats, finite_floats, read_only
from lissom._base.distinct import distinct
from lissom._base.doors import as_html
from lissom._base.names import counted, unknown_name
from lissom._base.numbers import LARGEST, check_flag, check_number
from lissom._base.set_module import set_module
from lissom._rig.morphs import Morphs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["KINDS", "PRESETS", "PRESETS_OF_VRM_0", "Expression", "Expressions", "unknown_expression"]

Override = Literal["none", "block", "blend"]

OVERRIDES = ("none", "block", "blend")
KINDS = {
    "blink": ("blink", "blinkLeft", "blinkRight"),
    "look_at": ("lookUp", "lookDown", "lookLeft", "lookRight"),
    "mouth": ("aa", "ih", "ou", "ee", "oh"),
}
"""Expressions that others may override, by the kind that they are."""
PRESETS = ("happy", "angry", "sad", "relaxed", "surprised", *sum(KINDS.values(), ()), "neutral")
"""Names that VRM 1 gives a meaning."""
PRESETS_OF_VRM_0 = {
    "neutral": "neutral",
    "a": "aa",
    "i": "ih",
    "u": "ou",
    "e": "ee",
    "o": "oh",
    "blink": "blink",
    "blink_l": "blinkLeft",
    "blink_r": "blinkRight",
    "joy": "happy",
    "angry": "angry",
    "sorrow": "sad",
    "fun": "relaxed",
    "lookup": "lookUp",
    "lookdown": "lookDown",
    "lookleft": "lookLeft",
    "lookright": "lookRight",
}
"""What VRM 1 calls the presets of VRM 0."""


def _refuse_names(values: object, known: list[str]) -> None:
    """Refuse names without weights, and say how each gets one."""
    given = [values] if isinstance(values, str) else values
    if isinstance(given, (list, tuple, set)) and given and all(isinstance(each, str) for each in given):
        name = next((each for each in given if each in known), next(iter(given)))
        raise TypeError(
            "Expressions.weights: values must be a mapping of names to weights, or an array of real numbers, "
            f"got {type(values).__name__}; pass {{{name!r}: 1}}"
        )


def unknown_expression(name: str, known: Iterable[str]) -> str:
    """Say that no expression has this name: what VRM 1 calls it, or which names are similar."""
    names = list(known)
    meant = PRESETS_OF_VRM_0.get(name.lower()) if isinstance(name, str) else None
    if meant in names:
        return f"no expression is named {name!r}; VRM 1 calls it {meant!r}"
    return unknown_name("expression", name, names)


@set_module("lissom")
@dataclass(frozen=True)
class Expression:
    """One expression: which morph targets it moves, and which expressions it weakens.

    Parameters
    ----------
    name : str
        Those of VRM 1 have a meaning: happy, angry, sad, relaxed, surprised, neutral; aa, ih, ou, ee and oh
        of the mouth; blink, blinkLeft, blinkRight; lookUp, lookDown, lookLeft, lookRight.
    binds : mapping of str to float
        Weights that morph targets have where the expression has weight 1, by name: in full, or one that
        several nodes share. Read-only.
    binary : bool
        Whether it is either not there or there: weights above 0.5 count as 1, others as 0.
    override_blink, override_look_at, override_mouth : {"none", "block", "blend"}
        What it does to the expressions of that kind: nothing, takes them away where its weight is not 0, or
        weakens them by its weight. An expression does not override its own kind, nor those of other
        characters that it was merged with.

    Raises
    ------
    TypeError, ValueError
        If an argument is of another type, a weight is not finite or beyond 1e9, or an override is unknown.

    References
    ----------
    .. [1] VRM Consortium, VRMC_vrm 1.0, expressions.

    Examples
    --------
    >>> lissom.Expression("happy", {"smile": 1.0, "brows up": 0.3}, override_mouth="blend")
    Expression('happy', 2 binds, blends mouth)
    """

    name: str
    binds: Mapping[str, float]
    binary: bool = False
    override_blink: Override = "none"
    override_look_at: Override = "none"
    override_mouth: Override = "none"
    # What stands before the name where its character became part of another, whose kinds it leaves alone.
    _group: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"Expression: name must be a str, got {type(self.name).__name__}")
        if not isinstance(self.binds, Mapping):
            raise TypeError(
                f"Expression: binds must be a mapping of morph targets to weights, got "
                f"{type(self.binds).__name__}"
            )
        binds: dict[str, float] = {}
        for morph, weight in self.binds.items():
            if not isinstance(morph, str):
                raise TypeError(f"Expression: binds must name morph targets, got {type(morph).__name__}")
            binds[morph] = check_number(weight, f"Expression: binds[{morph!r}]", largest=LARGEST)
        object.__setattr__(self, "binds", MappingProxyType(binds))
        object.__setattr__(self, "binary", check_flag(self.binary, "Expression: binary"))
        for kind in KINDS:
            value = getattr(self, f"override_{kind}")
            if value not in OVERRIDES:
                raise ValueError(
                    f"Expression: override_{kind} must be one of {', '.join(OVERRIDES)}, got {value!r}"
                )

    def __reduce__(self) -> tuple[Any, ...]:
        overrides = (self.override_blink, self.override_look_at, self.override_mouth)
        return type(self), (self.name, dict(self.binds), self.binary, *overrides), {"_group": self._group}

    def _grouped(self, group: str) -> Expression:
        """Return it with what stands before its name."""
        object.__setattr__(self, "_group", group)
        return self

    def _is_of(self, kind: str) -> bool:
        """Return whether it is of a kind, by the name that it has in its own character."""
        return self.name.removeprefix(self._group) in KINDS[kind]

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.binds.items()), self.binary))

    def __repr__(self) -> str:
        more = [counted(len(self.binds), "bind")] + (["binary"] if self.binary else [])
        for kind in KINDS:
            value = getattr(self, f"override_{kind}")
            more += [] if value == "none" else [f"{value}s {kind.replace('_', ' ')}"]
        return f"Expression({self.name!r}, {', '.join(more)})"


@set_module("lissom")
class Expressions:
    """The expressions of a face; see `Character.expressions`.

    Parameters
    ----------
    morphs : Morphs
        The targets of the mesh.
    expressions : iterable of Expression

    Attributes
    ----------
    names : tuple of str
        E names, in order.
    morph_names : tuple of str
        M names of the targets.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a name is there twice, or a bind names no target.

    Notes
    -----
    With v the weights of expressions, clamped to [0, 1], and those of binary ones rounded: each kind, blink,
    gaze and mouth, is weakened by ``f = max(0, 1 - sum of a)``, where a is 1 for each v > 0 that blocks it,
    and v for each that blends it. Binary ones are gone where f is less than 1. A target has the sum of f v
    times weight over its binds [1]_: it may be above 1.

    References
    ----------
    .. [1] VRM Consortium, VRMC_vrm 1.0, expressions.

    Examples
    --------
    >>> morphs = lissom.Morphs(["face/smile", "face/shut"], [0, 1, 2], [0, 9], np.ones((2, 3)))
    >>> happy = lissom.Expression("happy", {"smile": 1, "shut": 0.25}, override_blink="blend")
    >>> face = lissom.Expressions(morphs, [happy, lissom.Expression("blink", {"shut": 1})])
    >>> face
    <Expressions: happy, blink; 2 of 2 morph targets>
    >>> face.weights({"happy": 0.5, "blink": 1})
    array([0.5  , 0.625], dtype=float32)
    """

    def __init__(self, morphs: Morphs, expressions: Iterable[Expression]) -> None:
        if not isinstance(morphs, Morphs):
            raise TypeError(f"Expressions: morphs must be Morphs, got {type(morphs).__name__}")
        if isinstance(expressions, (str, Expression)) or not isinstance(expressions, Iterable):
            raise TypeError(
                f"Expressions: expressions must be a sequence of Expression, got {type(expressions).__name__}"
            )
        self._by_name: dict[str, Expression] = {}
        rows: list[tuple[int, int, float]] = []
        for each in expressions:
            if not isinstance(each, Expression):
                raise TypeError(f"Expressions: expressions must hold Expression, got {type(each).__name__}")
            if each.name in self._by_name:
                raise ValueError(f"Expressions: names must not repeat, got {each.name!r} twice")
            for morph, weight in each.binds.items():
                numbers = morphs.find(morph)
                if not len(numbers):
                    what = unknown_name("morph target", morph, morphs._known(morph))
                    raise ValueError(f"Expressions: {each.name!r}: {what}")
                rows += [(len(self._by_name), int(number), weight) for number in numbers]
            self._by_name[each.name] = each
        self._morph_names, self._defaults = morphs.names, morphs.defaults
        self._sources = read_only(np.array([row[0] for row in rows], np.int64))
        self._targets = read_only(np.array([row[1] for row in rows], np.int64))
        self._amounts = read_only(np.array([row[2] for row in rows], np.float64))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the expressions, in order."""
        return tuple(self._by_name)

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets, of which `weights` returns one weight each."""
        return self._morph_names

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Expression:
        found = self._by_name.get(name)
        if found is None:
            raise KeyError(unknown_expression(name, self._by_name))
        return found

    _repr_html_ = as_html

    def __repr__(self) -> str:
        names = list(self._by_name)
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        bound = len(distinct(self._targets))
        return f"<Expressions: {shown[:200] or 'none'}; {bound} of {len(self._morph_names)} morph targets>"

    def weights(
        self, values: Mapping[str, ArrayLike] | ArrayLike, base: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """Return weights of morph targets.

        Parameters
        ----------
        values : mapping of str to float or array_like, or array_like, shape (..., E)
            Weights of some expressions by name, which broadcast, or of all in the order of `names`. Those
            below 0 count as 0, those above 1 as 1.
        base : array_like, shape (..., M), optional
            What is added to. If omitted, 0 for targets that an expression moves, else the mesh's defaults.

        Returns
        -------
        ndarray of float32, shape (..., M)
            What `Character.deform` takes as ``morphs=``.

        Raises
        ------
        TypeError
            If an argument is of another type.
        ValueError
            If an expression is unknown, a number is not finite, or shapes do not fit.

        Examples
        --------
        >>> morphs = lissom.Morphs(["face/smile", "face/shut"], [0, 1, 2], [0, 9], np.ones((2, 3)))
        >>> face = lissom.Expressions(morphs, [lissom.Expression("blink", {"shut": 1}, binary=True)])
        >>> face.weights({"blink": [0.2, 0.7]})
        array([[0., 0.],
               [0., 1.]], dtype=float32)
        """
        given = np.clip(self._given(values), 0, 1)
        start = self._start(base)
        try:
            batch = np.broadcast_shapes(given.shape[:-1], start.shape[:-1])
        except ValueError:
            raise ValueError(
                f"Expressions.weights: values and base must have leading axes that broadcast, got "
                f"{given.shape[:-1]} and {start.shape[:-1]}"
            ) from None
        active = self._overridden(given)
        result = np.array(np.broadcast_to(start, (*batch, len(self._morph_names))), np.float64)
        added = np.broadcast_to(active, (*batch, len(self._by_name)))
        with np.errstate(over="ignore"):  # what float32 cannot hold is refused below
            for source, target, amount in zip(self._sources, self._targets, self._amounts, strict=True):
                result[..., target] += amount * added[..., source]
            single = result.astype(np.float32)
        if not np.isfinite(single).all():
            raise ValueError("Expressions.weights: base must be of weights that float32 holds")
        return single

    def _binds_of(self, name: str) -> list[tuple[int, float]]:
        """Return numbers of morph targets and their weights."""
        own = self._sources == list(self._by_name).index(name)
        return list(zip(self._targets[own].tolist(), self._amounts[own].tolist(), strict=True))

    def _overridden(self, given: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return weights (..., E) after those of others have had their say."""
        values = list(self._by_name.values())
        binary = np.array([each.binary for each in values], np.bool_)
        out = np.where(binary, given > 0.5, given)
        result = out.copy()
        groups = np.array([each._group for each in values], np.object_)
        for kind in KINDS:
            of_kind = np.array([each._is_of(kind) for each in values], np.bool_)
            said = np.array([getattr(each, f"override_{kind}") for each in values], "U5")
            for group in {each._group for each in values}:  # members of a merge leave each other alone
                mine = groups == group
                own, others = of_kind & mine, ~of_kind & mine
                blocks, blends = (said == "block") & others, (said == "blend") & others
                taken = (out[..., blocks] > 0).sum(axis=-1) + out[..., blends].sum(axis=-1)
                left = np.maximum(1 - taken, 0)[..., None]
                result[..., own] = np.where(binary[own] & (left < 1), 0, out[..., own] * left)
        return result

    def _given(self, values: Mapping[str, ArrayLike] | ArrayLike) -> NDArray[np.float64]:
        """Return weights of all expressions, (..., E)."""
        what, count = "Expressions.weights", len(self._by_name)
        if not isinstance(values, Mapping):
            _refuse_names(values, list(self._by_name))
            numbers = finite_floats(values, f"{what}: values")
            if numbers.ndim < 1 or numbers.shape[-1] != count:
                raise ValueError(f"{what}: values must have shape (..., {count}), got {numbers.shape}")
            return numbers
        chosen = {}
        for name, value in values.items():
            if name not in self._by_name:
                raise ValueError(f"{what}: {unknown_expression(str(name), self._by_name)}")
            chosen[name] = finite_floats(value, f"{what}: values[{name!r}]")
        try:
            batch = np.broadcast_shapes(*(each.shape for each in chosen.values()))
        except ValueError:
            shapes = ", ".join(str(each.shape) for each in chosen.values())
            raise ValueError(f"{what}: values must broadcast with each other, got {shapes}") from None
        numbers = np.zeros((*batch, count))
        for place, name in enumerate(self._by_name):
            if name in chosen:
                numbers[..., place] = chosen[name]
        return numbers

    def _start(self, base: ArrayLike | None) -> NDArray[Any]:
        count = len(self._morph_names)
        if base is None:
            start = self._defaults.copy()
            start[self._targets] = 0
            return start
        given = as_floats(base, "Expressions.weights: base")
        if given.ndim < 1 or given.shape[-1] != count:
            raise ValueError(f"Expressions.weights: base must have shape (..., {count}), got {given.shape}")
        if not np.isfinite(given).all():
            raise ValueError("Expressions.weights: base must be finite, got NaN or infinity")
        return given
