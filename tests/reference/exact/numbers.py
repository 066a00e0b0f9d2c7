# SPDX-License-Identifier: MIT
"""The numbers: mpmath's, with sixty digits; vectors and matrices are lists of them."""

from fractions import Fraction

import mpmath

mp = mpmath.mp.clone()  # a context of our own: nobody else's precision changes
mp.dps = 60


def exact(value):
    """Nested lists of Python numbers as nested lists of mpf, none of them rounded."""
    if isinstance(value, (list, tuple)):
        return [exact(item) for item in value]
    return mp.mpf(value)


def rounded(value):
    """Nested lists of mpf as the nearest float64; zero is positive."""
    if isinstance(value, list):
        return [rounded(item) for item in value]
    sign, mantissa, exponent, _ = mp.mpf(value)._mpf_
    # Python divides integers to the nearest float64, whatever their size.
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return (-float(magnitude) if sign else float(magnitude)) + 0.0


def dot(a, b):
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def norm(a):
    return mp.sqrt(dot(a, a))


def plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def times(s, a):
    return [s * x for x in a]


def unit(a):
    return times(1 / norm(a), a)


def transposed(m):
    return [list(column) for column in zip(*m, strict=True)]


def product(a, b):
    """Of two matrices, or of a matrix and a column."""
    if not isinstance(b[0], list):
        return [dot(row, b) for row in a]
    return [[dot(row, column) for column in transposed(b)] for row in a]


def determinant(m):
    return dot(m[0], cross(m[1], m[2]))


class Terms:
    """A number that remembers the sum of the absolute values of the terms it was summed from.

    A polynomial in floating point, summed in whatever order, errs by a few eps of that sum: it is the scale
    of the error of a product of quaternions, of a transformed point, of a matrix.
    """

    def __init__(self, value, size=None):
        self.value = mp.mpf(value)
        self.size = float(abs(self.value)) if size is None else size  # a scale needs no sixty digits

    @staticmethod
    def of(value):
        if isinstance(value, list):
            return [Terms.of(item) for item in value]
        return value if isinstance(value, Terms) else Terms(value)

    @staticmethod
    def sizes(value):
        if isinstance(value, list):
            return [Terms.sizes(item) for item in value]
        return Terms.of(value).size

    def __add__(self, other):
        other = Terms.of(other)
        return Terms(self.value + other.value, self.size + other.size)

    def __neg__(self):
        return Terms(-self.value, self.size)

    def __sub__(self, other):
        return self + -Terms.of(other)

    def __mul__(self, other):
        other = Terms.of(other)
        return Terms(self.value * other.value, self.size * other.size)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other):
        return Terms.of(other) - self
