# SPDX-License-Identifier: MIT
"""One golden case: what goes in, what comes out, and in which units an error counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reference.exact.numbers import Terms, exact, mp, rounded

# Relative step of the difference quotients. At sixty digits half of them are left for the quotient, and a
# singularity at a distance of 1e-14 is still far off.
_STEP = mp.mpf(10) ** -30

Outputs = dict[str, Any]


@dataclass(frozen=True)
class Function:
    """A public function, its definition to sixty digits, and how its errors are measured."""

    name: str
    about: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    reference: Callable[..., Outputs]
    # What the function sums, evaluated over Terms: for polynomials, whose errors are counted per component.
    terms: Callable[..., Outputs] | None = None
    # Components of an output that share the scale of their errors, where not all of them do.
    groups: Mapping[str, list[slice]] = field(default_factory=dict)
    # The least scale of an output that is itself a share of something.
    least: Mapping[str, float] = field(default_factory=dict)
    # Exact functions only move and negate numbers.
    is_exact: bool = False
    # Which of several files of one function this is.
    variant: str = ""

    @property
    def file_name(self) -> str:
        return "_".join([*self.name.split("."), *([self.variant] if self.variant else [])]) + ".json"


@dataclass(frozen=True)
class Case:
    name: str
    inputs: dict[str, Any]
    # Outputs that may be negated, all of them together.
    sign_free: tuple[str, ...] = ()
    # Whether it lies so near to a singular place of the function that digits are lost there.
    near_singular: bool = False
    # Choices that the reference is to keep while its sensitivity is measured, as extra arguments.
    fixed: dict[str, Any] = field(default_factory=dict)


def measured(function: Function, case: Case) -> dict[str, Any]:
    """What stands in the file for this case."""
    inputs = {name: _exact(value) for name, value in case.inputs.items()}
    outputs = function.reference(**inputs)
    if function.is_exact:
        kind, scale = "exact", {name: _filled(value, mp.mpf(0)) for name, value in outputs.items()}
    elif function.terms is not None:
        kind = "product"
        given = {n: v if isinstance(v, (str, bool)) else Terms.of(v) for n, v in inputs.items()}
        scale = {name: Terms.sizes(value) for name, value in function.terms(**given).items()}
    else:
        kind = "near singular" if case.near_singular else "regular"
        scale = _sensitivity(function, inputs, outputs, case)
    return {
        "name": case.name,
        "class": kind,
        "sign_free": list(case.sign_free),
        "inputs": case.inputs,
        "outputs": {name: rounded(value) for name, value in outputs.items()},
        "scale": {name: _short(value) for name, value in scale.items()},
    }


def result_of(function: Callable[..., Any]) -> Callable[..., Outputs]:
    """The function with its one output by name."""
    return lambda **inputs: {"result": function(**inputs)}


def flat(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [number for item in value for number in flat(item)]
    return [value]


def _sensitivity(function: Function, inputs: dict[str, Any], outputs: Outputs, case: Case) -> Outputs:
    """Per unit of relative change in the inputs, how far the outputs move, but never less than their size.

    The root of the sum of squares over all numbers that go in, as if each were rounded by itself; the largest
    of each group of components.
    """
    squares = {name: [mp.mpf(0)] * len(flat(value)) for name, value in outputs.items()}
    for name, value in inputs.items():
        if isinstance(value, (str, bool)):
            continue
        for index, number in enumerate(flat(value)):
            if not number:
                continue
            changed = {**inputs, name: _with(value, index, number * (1 + _STEP))}
            moved = function.reference(**changed, **case.fixed)
            for output, changes in _changes(outputs, moved, case.sign_free).items():
                for i, change in enumerate(changes):
                    squares[output][i] += (change / _STEP) ** 2
    scales = {}
    for name, value in outputs.items():
        numbers = flat(value)
        result = [mp.mpf(0)] * len(numbers)
        for group in function.groups.get(name, _groups(len(numbers))):
            members = range(*group.indices(len(numbers)))
            sizes = [max(abs(numbers[i]), mp.sqrt(squares[name][i])) for i in members]
            largest = max(*sizes, function.least.get(name, 0))
            for i in members:
                result[i] = largest
        scales[name] = _shaped(value, iter(result))
    return scales


def _changes(before: Outputs, after: Outputs, sign_free: tuple[str, ...]) -> dict[str, list[Any]]:
    """Differences, component by component, by the signs that make them least."""
    agree = sum(
        x * y for name in sign_free for x, y in zip(flat(before[name]), flat(after[name]), strict=True)
    )
    return {
        name: [
            (-y if name in sign_free and agree < 0 else y) - x
            for x, y in zip(flat(value), flat(after[name]), strict=True)
        ]
        for name, value in before.items()
    }


def _groups(count: int) -> list[slice]:
    """Dual quaternions: real and dual part; trs: its three parts; all else is one."""
    if count == 8:
        return [slice(0, 4), slice(4, 8)]
    if count == 10:
        return [slice(0, 3), slice(3, 7), slice(7, 10)]
    return [slice(0, count)]


def _with(value: Any, index: int, number: Any) -> Any:
    numbers = flat(value)
    numbers[index] = number
    return _shaped(value, iter(numbers))


def _shaped(like: Any, numbers: Any) -> Any:
    return [_shaped(item, numbers) for item in like] if isinstance(like, list) else next(numbers)


def _filled(like: Any, number: Any) -> Any:
    return [_filled(item, number) for item in like] if isinstance(like, list) else number


def _exact(value: Any) -> Any:
    return value if isinstance(value, (str, bool)) else exact(value)


def _short(value: Any) -> Any:
    """Three digits are enough, rounded up; one number where all are the same."""
    numbers = [_up(number) for number in flat(value)]
    return numbers[0] if len(set(numbers)) == 1 else _shaped(value, iter(numbers))


def _up(number: Any) -> float:
    # What stems from the difference quotient is no sensitivity, nor are the digits that it spoils.
    if number < mp.mpf(10) ** -25:
        return 0.0
    number = mp.mpf(mp.nstr(number, 20))
    digit = mp.mpf(10) ** (mp.floor(mp.log10(number)) - 2)
    return rounded(mp.ceil(number / digit) * digit)
