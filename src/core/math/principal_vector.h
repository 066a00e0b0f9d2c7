// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

namespace lissom {

// The eigenvector of the largest eigenvalue of a symmetric matrix, which becomes diagonal: by rotations in its planes
// (Jacobi 1846; Golub and Van Loan, section 8.5), which keep small differences between eigenvectors.
template <int N>
void principal_vector(double (&a)[N][N], double (&vector)[N]) {
  double v[N][N] = {};
  for (int i = 0; i < N; ++i) v[i][i] = 1;
  constexpr int kSweeps = 16;  // it converges quadratically: four to six are enough
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool is_diagonal = true;
    for (int p = 0; p < N - 1; ++p) {
      for (int q = p + 1; q < N; ++q) {
        // Below this the rotation changes nothing in double, and beyond it no square overflows.
        if (!(std::abs(a[p][q]) > 1e-40 + 1e-20 * (std::abs(a[p][p]) + std::abs(a[q][q])))) continue;
        is_diagonal = false;
        const double cotangent = (a[q][q] - a[p][p]) / (2 * a[p][q]);  // of twice the angle
        const double tangent =
            std::copysign(1, cotangent) / (std::abs(cotangent) + std::sqrt(1 + cotangent * cotangent));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
        for (int i = 0; i < N; ++i) {
          const double ip = a[i][p], iq = a[i][q];
          a[i][p] = cosine * ip - sine * iq;
          a[i][q] = sine * ip + cosine * iq;
        }
        for (int i = 0; i < N; ++i) {
          const double pi = a[p][i], qi = a[q][i];
          a[p][i] = cosine * pi - sine * qi;
          a[q][i] = sine * pi + cosine * qi;
          const double vp = v[i][p], vq = v[i][q];
          v[i][p] = cosine * vp - sine * vq;
          v[i][q] = sine * vp + cosine * vq;
        }
        a[p][q] = a[q][p] = 0;
      }
    }
    if (is_diagonal) break;
  }
  int largest = 0;
  for (int i = 1; i < N; ++i) {
    if (a[i][i] > a[largest][largest]) largest = i;
  }
  for (int i = 0; i < N; ++i) vector[i] = v[i][largest];
}

}  // namespace lissom
