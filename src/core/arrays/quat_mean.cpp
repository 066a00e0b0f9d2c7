// SPDX-License-Identifier: MIT
#include "core/arrays/quat_mean.h"

#include <cmath>
#include <cstring>

#include "core/math/axis_angle.h"

namespace lissom {
namespace {

// Diagonalises a symmetric matrix by rotations in its planes (Jacobi 1846; Golub and Van Loan, section 8.5),
// which keeps small differences between eigenvectors, and returns the eigenvector of the largest eigenvalue.
void largest_eigenvector(double (&a)[4][4], double (&eigenvector)[4]) {
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  constexpr int kSweeps = 16;  // it converges quadratically: five or six are enough
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool is_diagonal = true;
    for (int p = 0; p < 3; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        // Below this the rotation changes nothing in double.
        if (!(std::abs(a[p][q]) > 1e-40 + 1e-20 * (std::abs(a[p][p]) + std::abs(a[q][q])))) continue;
        is_diagonal = false;
        const double cotangent = (a[q][q] - a[p][p]) / (2 * a[p][q]);  // of twice the angle
        const double tangent = std::copysign(1, cotangent) / (std::abs(cotangent) + std::hypot(1, cotangent));
        const double cosine = 1 / std::hypot(1, tangent), sine = tangent * cosine;
        for (int i = 0; i < 4; ++i) {
          const double ip = a[i][p], iq = a[i][q];
          a[i][p] = cosine * ip - sine * iq;
          a[i][q] = sine * ip + cosine * iq;
        }
        for (int i = 0; i < 4; ++i) {
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
  for (int i = 1; i < 4; ++i) {
    if (a[i][i] > a[largest][largest]) largest = i;
  }
  for (int i = 0; i < 4; ++i) eigenvector[i] = v[i][largest];
}

template <class T>
double number_at(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return static_cast<double>(value);
}

// The rows of one mean: bytes from item to item, and from number to number.
struct Weighted {
  const char *quats, *weights;
  std::ptrdiff_t count, quat_item, quat_number, weight_item;
};

template <class T>
bool has_mean(const Weighted& rows) {
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < rows.count; ++i) {
    const double weight = number_at<T>(rows.weights + i * rows.weight_item);
    if (weight < 0) return false;
    sum += weight;
  }
  return !(sum <= 0);  // true for NaN, which propagates
}

template <class T>
void mean(const Weighted& rows, double (&q)[4]) {
  double sum[4][4] = {}, total = 0;
  for (std::ptrdiff_t i = 0; i < rows.count; ++i) {
    const char* item = rows.quats + i * rows.quat_item;
    const double weight = number_at<T>(rows.weights + i * rows.weight_item);
    double n[4];
    for (int j = 0; j < 4; ++j) n[j] = number_at<T>(item + j * rows.quat_number);
    // Lengths that are off by float32's rounding would change the weights.
    const double share = weight / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k <= j; ++k) sum[j][k] += share * n[j] * n[k];
    }
    total += weight;
  }
  double trace = 0;
  for (int j = 0; j < 4; ++j) {
    for (int k = 0; k <= j; ++k) sum[k][j] = sum[j][k] = sum[j][k] / total;
    trace += sum[j][j];
  }
  if (!std::isfinite(trace)) {
    for (double& number : q) number = std::nan("");
    return;
  }
  largest_eigenvector(sum, q);
  const Quat<double> unit = canonical(direction(Quat<double>{q[0], q[1], q[2], q[3]}));
  q[0] = unit.x + 0.0, q[1] = unit.y + 0.0, q[2] = unit.z + 0.0, q[3] = unit.w;  // and no -0
}

template <class T, bool kWrites>
std::ptrdiff_t run(char* const* args, const std::ptrdiff_t* counts, const std::ptrdiff_t* strides) {
  const std::ptrdiff_t* core = strides + 3;
  for (std::ptrdiff_t row = 0; row < counts[0]; ++row) {
    const Weighted rows = {
        args[0] + row * strides[0], args[1] + row * strides[1], counts[1], core[0], core[1], core[2]};
    if (!has_mean<T>(rows)) return row;
    if constexpr (kWrites) {
      double q[4];
      mean<T>(rows, q);
      for (int j = 0; j < 4; ++j) {
        const T number = static_cast<T>(q[j]);
        std::memcpy(args[2] + row * strides[2] + j * core[3], &number, sizeof number);
      }
    }
  }
  return -1;
}

constexpr ArrayFunction kFunctions[] = {{"quat_mean",
                                         "(n,4),(n)->(4)",
                                         2,
                                         1,
                                         {},
                                         {run<float, true>, run<float, false>},
                                         {run<double, true>, run<double, false>}}};

}  // namespace

const ArrayFunctions quat_mean_functions = {kFunctions, sizeof kFunctions / sizeof *kFunctions};

}  // namespace lissom
