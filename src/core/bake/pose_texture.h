// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/bake/half.h"
#include "core/error.h"

namespace lissom {

// The layout of rows in texels of four numbers. Their meaning is defined in Python and in the shaders; here only the
// quaternions matter, since q and -q are the same rotation.
struct TexelForm {
  std::size_t texels = 0;       // T, of one row
  int quat = -1;                // the texel that holds a row's quaternion x y z w, or -1
  int flipped = 0;              // number of texels that change their sign with it, from `quat` on
  std::size_t signed_rows = 0;  // the rows below this have a quaternion

  std::size_t row_floats() const { return 4 * texels; }
  bool is_signed(std::size_t row) const { return quat >= 0 && row < signed_rows; }
  Error validate() const;
};

// Writes the frames of one clip into texels. The signs of a row are coherent in time, <q[f], q[f-1]> >= 0, so that a
// lerp between two frames follows the shorter arc. The first frame has w >= 0. A zero stays zero: all of `out` is
// written. Texel is float or Half.
template <class Texel>
struct WriteTexelsJob {
  Error validate() const;  // lengths agree, input is finite and fits Texel
  Error run() const;       // validates, then fills `out`; writes nothing on error

  std::size_t frame_count = 0;  // F
  std::size_t row_count = 0;    // R
  TexelForm form;
  std::span<const float> rows;  // (F*R*4T)
  std::span<Texel> out;         // (F*R*4T)
};

// Reads rows between frames, as the shader does: two neighbouring frames, decoded, the second signed to the
// first, then a (1 - t) + b t in float32 without a fused multiply-add. Nothing is normalised: that is done
// once, after influences are blended. Texel is float, Half or std::uint8_t, whose value is low + step byte.
template <class Texel>
struct SampleTexelsJob {
  Error validate() const;
  Error run() const;

  std::size_t frame_count = 0;  // F, frames in `texels`
  std::size_t row_count = 0;    // R
  TexelForm form;
  std::span<const Texel> texels;         // (F*R*4T)
  std::span<const float> ranges;         // (C*R*T*8) low x y z w, step x y z w; empty except for bytes
  std::span<const std::int32_t> clips;   // (N) 0 <= clip < C, whose ranges; empty except for bytes
  std::span<const std::int32_t> frames;  // (N) 0 <= frame < F
  std::span<const std::int32_t> nexts;   // (N) 0 <= next < F
  std::span<const float> fractions;      // (N) in [0, 1]
  std::span<float> rows;                 // (N*R*4T) out
};

// Blends rows of two clips by the rule of SampleTexelsJob: the second signed to the first, a (1 - t) + b t.
struct MixRowsJob {
  Error validate() const;
  Error run() const;

  std::size_t row_count = 0;  // R
  TexelForm form;
  std::span<const float> first;    // (N*R*4T)
  std::span<const float> second;   // (N*R*4T)
  std::span<const float> weights;  // (N) in [0, 1]
  std::span<float> rows;           // (N*R*4T) out
};

extern template struct WriteTexelsJob<float>;
extern template struct WriteTexelsJob<Half>;
extern template struct SampleTexelsJob<float>;
extern template struct SampleTexelsJob<Half>;
extern template struct SampleTexelsJob<std::uint8_t>;

}  // namespace lissom
