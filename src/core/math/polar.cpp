// SPDX-License-Identifier: MIT
#include "core/math/polar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lissom {
namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

double largest_entry(const Mat& m) {
  double largest = 0;
  for (const auto& row : m.m) {
    for (const double entry : row) largest = std::max(largest, std::abs(entry));
  }
  return largest;
}

// M = u diag(sigma) v^T; sigma descending. Both u and v are rotations where rank < 3.
struct Svd {
  Vec u[3], v[3];
  double sigma[3];
  int rank;
};

// One-sided Jacobi (Hestenes 1958): rotates pairs of columns until all are orthogonal. Slow and reliable:
// small singular values have full relative accuracy (Demmel and Veselic 1992), which decides the rank.
Svd svd(const Mat& m, double rank_tolerance) {
  Svd d{{m.column(0), m.column(1), m.column(2)}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}, 0};
  constexpr double kRightAngle = 1e-15;
  constexpr int kMaxSweeps = 30;  // four or five are common
  bool has_rotated = true;
  for (int sweep = 0; has_rotated && sweep < kMaxSweeps; ++sweep) {
    has_rotated = false;
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      const double alpha = dot(d.u[p], d.u[p]), beta = dot(d.u[q], d.u[q]), gamma = dot(d.u[p], d.u[q]);
      if (std::abs(gamma) <= kRightAngle * std::sqrt(alpha * beta) || gamma == 0) continue;
      has_rotated = true;
      const double zeta = (beta - alpha) / (2 * gamma);
      const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
      const double c = 1 / std::hypot(1, t), s = c * t;
      for (Vec* columns : {d.u, d.v}) {
        const Vec old = columns[p];
        columns[p] = c * old - s * columns[q];
        columns[q] = s * old + c * columns[q];
      }
    }
  }
  for (int i = 0; i < 3; ++i) d.sigma[i] = length(d.u[i]);
  for (const auto& [p, q] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
    if (d.sigma[p] >= d.sigma[q]) continue;
    std::swap(d.sigma[p], d.sigma[q]);
    std::swap(d.u[p], d.u[q]);
    std::swap(d.v[p], d.v[q]);
  }
  while (d.rank < 3 && d.sigma[d.rank] > rank_tolerance * d.sigma[0]) {
    d.u[d.rank] = (1 / d.sigma[d.rank]) * d.u[d.rank];
    ++d.rank;
  }
  if (d.rank == 3 || d.rank == 0) return d;
  if (d.rank == 1) d.u[1] = perpendicular(d.u[0]);
  d.u[2] = cross(d.u[0], d.u[1]);
  d.v[2] = cross(d.v[0], d.v[1]);
  return d;
}

// sum of outer products u_i v_i^T
Mat outer_sum(const Vec (&u)[3], const Vec (&v)[3]) {
  return mat3_from_columns(u[0], u[1], u[2]) * transpose(mat3_from_columns(v[0], v[1], v[2]));
}

Mat rotation_from(const Svd& d, const Mat& near) {
  if (d.rank == 0) return near;
  Vec u[3] = {d.u[0], d.u[1], d.u[2]};
  if (d.rank == 1) {
    // W rotates the plane of u1, u2 by the angle that maximises
    // tr(W^T B), B = (u_i . near v_j) for i, j in {1, 2}.
    const Vec b1 = near * d.v[1], b2 = near * d.v[2];
    const double cosine = dot(u[1], b1) + dot(u[2], b2), sine = dot(u[2], b1) - dot(u[1], b2);
    const double size = std::hypot(cosine, sine);
    // size == 0: all angles are equally near.
    const double c = size > 0 ? cosine / size : 1, s = size > 0 ? sine / size : 0;
    u[1] = c * d.u[1] + s * d.u[2];
    u[2] = c * d.u[2] - s * d.u[1];
  }
  const Mat r = outer_sum(u, d.v);
  return determinant(r) < 0 ? -1.0 * r : r;
}

// Newton's iteration with Higham's scaling (1986):
// X <- (g X + X^-T / g) / 2, quadratic, for well-conditioned M.
bool newton(const Mat& m, Mat& r) {
  Mat x = m;
  constexpr int kMaxSteps = 12;  // about six are common
  for (int step = 0; step < kMaxSteps; ++step) {
    const double det = determinant(x);
    const Mat cof = cofactor(x);
    double norm = 0, cof_norm = 0;
    for (int i = 0; i < 3; ++i) {
      norm += dot(x.row(i), x.row(i));
      cof_norm += dot(cof.row(i), cof.row(i));
    }
    norm = std::sqrt(norm);
    cof_norm = std::sqrt(cof_norm);
    // |X| |X^-1| in the Frobenius norm: 3 for a rotation. Beyond this svd() is more accurate. Where rank
    // is lost, det and cofactors are both rounding, and their ratio means nothing: hence the second bound.
    constexpr double kMaxCondition = 1e3, kMinVolume = 1e-9;
    const double volume = std::abs(det);
    if (!(norm * cof_norm < kMaxCondition * volume && volume > kMinVolume * norm * norm * norm)) return false;
    const double inverse_norm = cof_norm / volume;
    const double g = std::sqrt(inverse_norm / norm);
    const Mat next = (0.5 * g) * x + (0.5 / (g * det)) * cof;
    const double change = largest_entry(next + -1.0 * x);
    x = next;
    if (change < 1e-8) {  // the error left is of the order of its square
      r = determinant(x) < 0 ? -1.0 * x : x;
      return true;
    }
  }
  return false;
}

// Times a power of two that keeps squares and cubes of the
// entries in range, without rounding. M is not zero.
Mat scaled(const Mat& m) {
  const int exponent = -std::ilogb(largest_entry(m));
  // In two factors: the product may be beyond the largest double, where M is nearly zero.
  return std::ldexp(1.0, exponent - exponent / 2) * (std::ldexp(1.0, exponent / 2) * m);
}

}  // namespace

bool regular_polar_rotation(const Mat3<double>& m, Mat3<double>& r) {
  return largest_entry(m) > 0 && newton(scaled(m), r);
}

Mat3<double> polar_rotation(const Mat3<double>& m, const Mat3<double>& near, double rank_tolerance) {
  if (largest_entry(m) == 0) return near;
  Mat r;
  if (regular_polar_rotation(m, r)) return r;
  return rotation_from(svd(scaled(m), rank_tolerance), near);
}

Mat3<double> rotation_of_axes(const Mat3<double>& m, const Mat3<double>& near, double rank_tolerance) {
  Vec axes[3] = {m.column(0), m.column(1), m.column(2)};
  const double longest = std::max({length(axes[0]), length(axes[1]), length(axes[2])});
  for (Vec& axis : axes) {
    const double size = length(axis);
    axis = size > rank_tolerance * longest ? (1 / size) * axis : Vec{0, 0, 0};
  }
  return polar_rotation(mat3_from_columns(axes[0], axes[1], axes[2]), near, rank_tolerance);
}

bool is_invertible(const Mat3<double>& m, double rank_tolerance) {
  // The smallest scale is the determinant by the two others, and none is above the norm: most are far from singular.
  double squares = 0;
  for (const auto& row : m.m) {
    for (const double entry : row) squares += entry * entry;
  }
  const double norm = std::sqrt(squares);
  if (std::abs(determinant(m)) > 2 * rank_tolerance * norm * norm * norm) return true;
  return svd(m, rank_tolerance).rank == 3;
}

}  // namespace lissom
