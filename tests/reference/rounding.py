# SPDX-License-Identifier: MIT
"""How far rows of floats are from the exact quaternions: reference.exact, for rows of arrays."""

from functools import partial

import numpy as np

from reference.exact import numbers, quat

mp = numbers.mp
_ZERO = mp.mpf(10) ** -50


def _taken(argument):
    return numbers.exact(argument.tolist() if isinstance(argument, (np.ndarray, np.generic)) else argument)


def _of_rows(function, *arguments, **options):
    return function(*map(_taken, arguments), **options)


angle_between = partial(_of_rows, quat.angle_between)
exp = partial(_of_rows, quat.exp)
inverse = partial(_of_rows, quat.inverse)
log = partial(_of_rows, quat.log)
multiply = partial(_of_rows, quat.multiply)
normalize = partial(_of_rows, numbers.unit)
power = partial(_of_rows, quat.power)
slerp = partial(_of_rows, quat.slerp)


def error(got, expected):
    """The length of the difference, as a share of the length of what was expected unless that is zero."""
    expected = _taken(expected)
    size, apart = numbers.norm(expected), numbers.norm(numbers.minus(_taken(got), expected))
    return float(apart / size if size > _ZERO else apart)
