// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/bake/half.h"
#include "core/error.h"

namespace lissom {

// How one row (a palette row at one frame) lies in texels
// of four numbers, and in the floats these jobs exchange:
//   texel 0  real part of the dual quaternion, x y z w
//   texel 1  dual part, x y z w
//   then the scale A (a bind position p becomes A p before the dual quaternion moves it), if any row has one:
//   kUniform   texel 2     offset x y z, factor s      A p = s p + offset
//   kGeneral   texels 2-4  the rows of the 3x4 A
enum class ScaleTexels { kNone = 0, kUniform = 1, kGeneral = 3 };

// Texels of one row.
constexpr std::size_t texel_count(ScaleTexels scale) { return 2 + static_cast<std::size_t>(scale); }

// Writes the frames of one clip into texels. The signs of a row are chosen so that neighbouring frames lie on
// one half of the sphere (<q[f], q[f-1]> >= 0): a lerp between two frames then takes the short way. The first
// frame has w >= 0. A zero stays zero: nothing of `out` is left unwritten. Texel is float or Half.
template <class Texel>
struct WritePoseTextureJob {
  Error validate() const;  // lengths agree, input is finite and fits Texel
  Error run() const;       // validates, then fills `out`; writes nothing on error

  std::size_t frame_count = 0;        // F
  std::size_t row_count = 0;          // S
  std::span<const float> dual_quats;  // (F*S*8) unit, real x y z w then dual x y z w
  std::span<const float> scales;      // (F*S*12) the 3x4 A, row by row; empty where every A is the identity
  ScaleTexels scale = ScaleTexels::kNone;
  std::span<Texel> out;  // (F*S*texel_count*4)
};

// Reads rows between frames, as the shader does: two neighbouring frames, the second signed to the first,
// then a (1 - t) + b t in float32 without a fused multiply-add. Nothing is normalised: that is done once, by
// whoever blends the influences.
template <class Texel>
struct SamplePoseTextureJob {
  Error validate() const;
  Error run() const;

  std::size_t frame_count = 0;    // F, frames in `texels`
  std::size_t row_count = 0;      // S
  std::span<const Texel> texels;  // (F*S*texel_count*4)
  ScaleTexels scale = ScaleTexels::kNone;
  std::span<const std::int32_t> frames;  // (N) 0 <= frame < F
  std::span<const std::int32_t> nexts;   // (N) 0 <= next < F
  std::span<const float> fractions;      // (N) in [0, 1]
  std::span<float> dual_quats;           // (N*S*8) out
  std::span<float> scales;               // (N*S*12) out, the 3x4 A; empty exactly where scale is kNone
};

extern template struct WritePoseTextureJob<float>;
extern template struct WritePoseTextureJob<Half>;
extern template struct SamplePoseTextureJob<float>;
extern template struct SamplePoseTextureJob<Half>;

}  // namespace lissom
