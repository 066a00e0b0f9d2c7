# SPDX-License-Identifier: MIT
"""Translation, rotation and scale, ten numbers; p' = t + r (s * p). And how matrices come apart."""

from reference.exact import quat
from reference.exact.numbers import determinant, dot, minus, mp, norm, plus, product, times, transposed, unit

_CONVERGED = mp.mpf(10) ** -55


def parts(trs):
    return trs[:3], trs[3:7], trs[7:]


def to_matrix(trs):
    translation, rotation, scale = parts(trs)
    rows = quat.to_matrix(rotation)
    return [
        *(
            [*(r * s for r, s in zip(row, scale, strict=True)), t]
            for row, t in zip(rows, translation, strict=True)
        ),
        list(quat.IDENTITY),
    ]


def transform_point(trs, p):
    translation, rotation, scale = parts(trs)
    return plus(translation, quat.rotate(rotation, [s * x for s, x in zip(scale, p, strict=True)]))


def transform_vector(trs, v):
    return minus(transform_point(trs, v), trs[:3])


def polar(m):
    """M = R P with P symmetric: Newton's iteration of X and its inverse transpose (Higham 1986).

    Where M mirrors, det R = +1 all the same and P is negative definite (Shoemake and Duff 1992).
    """
    x = [list(row) for row in m]
    for _ in range(200):
        d = determinant(x)
        # The inverse transpose is the matrix of cofactors over the determinant.
        cofactors = [_cofactor_row(x, i) for i in range(3)]
        following = [[(x[i][j] + cofactors[i][j] / d) / 2 for j in range(3)] for i in range(3)]
        change = max(abs(following[i][j] - x[i][j]) for i in range(3) for j in range(3))
        x = following
        if change < _CONVERGED:
            break
    else:
        raise ArithmeticError("polar: Newton's iteration does not settle; the matrix is singular")
    if determinant(x) < 0:
        x = [times(-1, row) for row in x]
    return x, product(transposed(x), m)


def _cofactor_row(x, i):
    a, b = x[(i + 1) % 3], x[(i + 2) % 3]
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def from_matrix(m):
    """The nearest rotation of the unit axes, a mirror put into x; scale diag(R^T M); and what is lost.

    The shear is the largest entry of M - R S as a share of the largest scale.
    """
    linear = [row[:3] for row in m[:3]]
    mirror = -1 if determinant(linear) < 0 else 1
    axes = transposed(linear)
    units = [times((mirror if i == 0 else 1) / norm(axis), axis) for i, axis in enumerate(axes)]
    r, _ = polar(transposed(units))
    scale = [dot(r_axis, axis) for r_axis, axis in zip(transposed(r), axes, strict=True)]
    lost = max(abs(linear[i][j] - r[i][j] * scale[j]) for i in range(3) for j in range(3))
    trs = [*(row[3] for row in m[:3]), *quat.from_matrix(r), *scale]
    return trs, lost / max(abs(s) for s in scale)


def compose(a, b):
    """M = Ra Sa Rb Sb = (Ra Rb) (D Sb), D = Rb^T Sa Rb, which must be diagonal: else M is no trs."""
    ta, ra, sa = parts(a)
    tb, rb, sb = parts(b)
    d = _turned(rb, sa)
    return [
        *transform_point([*ta, *ra, *sa], tb),
        *quat.multiply(ra, rb),
        *(x * y for x, y in zip(d, sb, strict=True)),
    ]


def inverse(trs):
    """M^-1 = S^-1 R^T = R^T (R S^-1 R^T), whose last factor must be diagonal."""
    translation, rotation, scale = parts(trs)
    back = quat.inverse(unit(rotation))
    moved = [-x / s for x, s in zip(quat.rotate(back, translation), scale, strict=True)]
    return [*moved, *back, *_turned(back, [1 / s for s in scale])]


def _turned(rotation, scale):
    """The diagonal of R^T diag(scale) R."""
    r = quat.to_matrix(rotation)
    return [sum(r[i][j] * scale[i] * r[i][j] for i in range(3)) for j in range(3)]


def lerp(a, b, t, short=True):
    linear = [plus(times(1 - t, x), times(t, y)) for x, y in ((a[:3], b[:3]), (a[7:], b[7:]))]
    return [*linear[0], *quat.slerp(a[3:7], b[3:7], t, short), *linear[1]]
