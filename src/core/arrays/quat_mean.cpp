// SPDX-License-Identifier: MIT
#include "core/arrays/quat_mean.h"

#include <cmath>
#include <cstring>

#include "core/math/axis_angle.h"
#include "core/math/principal_vector.h"

namespace lissom {
namespace {

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
  principal_vector(sum, q);
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
