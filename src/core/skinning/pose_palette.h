// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/skinning/skin_bind.h"

namespace lissom {

// Palettes of poses in one pass: model matrices do not go through memory. In deterministic mode the same bits as by
// ModelPoseJob and PaletteMatricesJob or PaletteDualQuatsJob in turn; otherwise they differ by rounding. One of both outputs
// is empty.
struct PosePaletteJob {
  Error validate() const;  // sizes
  // `is_done` is false where a number is not finite, or where a row of dual quaternions is not surely rigid: then `out` holds
  // nothing of use, and the jobs in turn say what there is.
  Error run();

  std::span<const std::int32_t> parents;  // (J) checked by check_parents
  const SkinBind* skin = nullptr;         // of S rows
  std::span<const float> poses;           // (N * J * 10) local trs
  std::span<Mat4<float>> matrices;        // (N * S) out: model_from_bind
  std::span<DualQuat<float>> dual_quats;  // (N * S) out: unit, w >= 0
  bool is_done = false;
};

}  // namespace lissom
