// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ik/foot_plan.h"

namespace lissom {

// Some characters whose feet are placed, in plain pointers. Rows of states are those of python/lissom/ik/_feet/
// player_states.py: eight bytes for each number.
struct FootBatch {
  std::size_t count = 0;
  double* poses = nullptr;           // (n, J, 10); their bodies are moved
  const double* dt = nullptr;        // (n)
  const double* contacts = nullptr;  // (n, L) or null
  const double* world = nullptr;     // (n, 10) or null
  const double* before = nullptr;    // (n) rows of states
  double* after = nullptr;           // the same
  std::size_t state_step = 0;        // doubles of a row
  FootField ground, body_ground;
  // What the legs are solved for.
  double* targets_model = nullptr;    // (n, L, 3)
  double* rotations_model = nullptr;  // (n, L, 4)
  // Results, (n, L) and so on.
  double *used_contacts = nullptr, *targets = nullptr, *ground_heights = nullptr, *normals = nullptr,
         *offsets = nullptr, *body_offset = nullptr, *weights = nullptr;
  std::uint8_t *airborne = nullptr, *too_far = nullptr;
};

struct FootKernels {
  // Goals of the legs. False where a foot is scaled to zero or sheared, or a number is not finite.
  bool (*begin)(const FootPlan& plan, const FootBatch& batch, void* scratch);
  // Turns the toes of poses (n, J, 10) whose legs were solved for them.
  void (*finish)(const FootPlan& plan, const FootBatch& batch, double* solved, void* scratch);
  // Corrects the goals by where the soles came to lie in such poses. False where no character needs it.
  bool (*correct)(const FootPlan& plan, const FootBatch& batch, const double* solved, void* scratch);
  std::size_t (*scratch_bytes)(const FootPlan& plan, std::size_t count);
  // Poses are stepped in double precision.
  void (*widen)(const float* from, double* to, std::size_t count);
  void (*narrow)(const double* from, float* to, std::size_t count);
};

}  // namespace lissom
