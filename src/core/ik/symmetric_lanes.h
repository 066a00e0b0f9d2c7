// SPDX-License-Identifier: MIT
#pragma once

// Small symmetric matrices, one per lane: the normal equations of least squares, one unknown for each row of the
// Jacobian. For *_kernels.cpp files only.
//
// Lower triangles, row after row: a[packed(i, j)], j <= i.

#include <cstddef>

#include "core/simd/lanes.h"

namespace lissom::LISSOM_ISA {
namespace {

LISSOM_INLINE std::size_t packed(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }
LISSOM_INLINE std::size_t packed_size(std::size_t size) { return packed(size, 0); }

template <class T>
LISSOM_INLINE Lanes<T> trace(const Lanes<T>* a, std::size_t size) {
  Lanes<T> sum = T(0);
  for (std::size_t i = 0; i < size; ++i) sum += a[packed(i, i)];
  return sum;
}

// Solves a x = b, a positive definite, by Cholesky's a = l l^T; `a` becomes l with the reciprocals of its diagonal.
// Sizes that are known when it is compiled unroll.
template <class T>
LISSOM_INLINE void solve_positive(Lanes<T>* a, const Lanes<T>* b, Lanes<T>* x, std::size_t size) {
  using L = Lanes<T>;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      L sum = a[packed(i, j)];
      for (std::size_t k = 0; k < j; ++k) sum = sum - a[packed(i, k)] * a[packed(j, k)];
      // Rounding can leave a pivot below zero where damping has nearly gone.
      a[packed(i, j)] = i == j ? 1 / sqrt(max(sum, L(Limits<T>::kSmallest))) : sum * a[packed(j, j)];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    L sum = b[i];
    for (std::size_t k = 0; k < i; ++k) sum = sum - a[packed(i, k)] * x[k];
    x[i] = sum * a[packed(i, i)];
  }
  for (std::size_t i = size; i-- > 0;) {
    L sum = x[i];
    for (std::size_t k = i + 1; k < size; ++k) sum = sum - a[packed(k, i)] * x[k];
    x[i] = sum * a[packed(i, i)];
  }
}

// Eigenvalues on the diagonal of `a`, unit eigenvectors in the columns of `vectors` (row after row), by cyclic Jacobi
// rotations: after six sweeps the off-diagonal entries of matrices of up to 24 rows are rounding.
template <class T>
LISSOM_INLINE void diagonalise(Lanes<T>* a, Lanes<T>* vectors, std::size_t size) {
  using L = Lanes<T>;
  constexpr int kSweeps = sizeof(T) == sizeof(float) ? 6 : 8;
  for (std::size_t i = 0; i < size * size; ++i) vectors[i] = L(i % (size + 1) == 0 ? 1 : 0);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t p = 0; p + 1 < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        const L off = a[packed(q, p)], apart = a[packed(q, q)] - a[packed(p, p)];
        // tan of the angle: the smaller root of t^2 + 2 theta t = 1, theta = apart / (2 off), without quotients
        // that overflow.
        const L twice = 2 * off;
        const L divisor = abs(apart) + sqrt(apart * apart + twice * twice);
        const Mask<T> is_nothing = divisor <= L(Limits<T>::kSmallest);
        const L tangent =
            select(is_nothing, L(0), copysign(L(1), apart) * twice / select(is_nothing, L(1), divisor));
        const L cosine = 1 / sqrt(1 + tangent * tangent), sine = tangent * cosine;
        a[packed(p, p)] = a[packed(p, p)] - tangent * off;
        a[packed(q, q)] = a[packed(q, q)] + tangent * off;
        a[packed(q, p)] = L(0);
        for (std::size_t k = 0; k < size; ++k) {
          L &vp = vectors[k * size + p], &vq = vectors[k * size + q];
          const L was_p = vp, was_q = vq;
          vp = cosine * was_p - sine * was_q;
          vq = sine * was_p + cosine * was_q;
          if (k == p || k == q) continue;
          L &ap = a[k > p ? packed(k, p) : packed(p, k)], &aq = a[k > q ? packed(k, q) : packed(q, k)];
          const L below_p = ap, below_q = aq;
          ap = cosine * below_p - sine * below_q;
          aq = sine * below_p + cosine * below_q;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lissom::LISSOM_ISA
