// SPDX-License-Identifier: MIT
#pragma once

#include "core/ik/ik_kernels.h"

namespace lissom {

struct LeastSquaresSettings {
  const double* stiffness;  // (J) in [0, 1], or null: 0
  double damping;
  double rest_attraction;
  bool is_selective;
};

// As IkLoop.
template <class T>
struct LeastSquaresLoop {
  void (*solve)(const IkPlan& plan, const IkBatch<T>& batch, const LeastSquaresSettings& settings,
                std::size_t begin, std::size_t end, void* scratch);
  std::size_t (*scratch_bytes)(const IkPlan& plan);
};

struct LeastSquaresKernels {
  LeastSquaresLoop<float> floats;
  LeastSquaresLoop<double> doubles;
  // For tests: the solver's Jacobian matrix of one pose, in double. `jacobian` (R, node, 3) by the rotation vectors of
  // nodes in the base, stiffness and hinges included; `gram` (R, R) J w J^T. Returns R.
  std::size_t (*jacobian)(const IkPlan& plan, const IkBatch<double>& batch, const double* stiffness,
                          void* scratch, double* jacobian, double* gram);
};

}  // namespace lissom
