// SPDX-License-Identifier: MIT
#include "core/skinning/palette_kernels.h"

#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/simd/flush_subnormals.h"
#include "core/skinning/palette_blocks.h"
#include "core/skinning/rigid_lanes.h"

#if LISSOM_WIDTH > 4
#include "core/skinning/woven_rows.h"
#endif

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;
using M = Mask<float>;

constexpr float kRigid = kRigidTolerance;
constexpr std::int32_t kLastRowBits = __builtin_bit_cast(std::int32_t, kLastRow);
// Newton's iteration in float32 is as accurate as the matrix is well-conditioned; beyond this, double precision is
// used. |M| |M^-1| in the Frobenius norm, 3 for a rotation.
constexpr float kMaxCondition = 30.0f;
// (|det M| / |M|^3)^2; below a tenth of what kMaxCondition allows, far above float32's rounding.
constexpr float kMinVolume = 1e-8f;

// model_from_bind of a block. `is_affine`: all model matrices have the last row 0, 0, 0, 1.
LISSOM_INLINE Affine<L> load_affines(const PaletteKernelSkin& skin, const Block& block, bool* is_affine) {
  Float groups[4][4];
  load_groups16([&](int lane) LISSOM_LAMBDA_INLINE { return block.matrix(lane); }, groups);
  Int off = {};
  for (int k = 0; k < 4; ++k) off |= off_last_row(groups[3][k]);
  *is_affine = !any(M{off != 0}) || !any(!are_affine(block));
  for (int i = 0; i < 3; ++i) transpose_lanes(groups[i]);
  const float* const columns = skin.columns + block.phase;
  Affine<L> result;
  for (int j = 0; j < 4; ++j) {
    L bind[3];
    for (int i = 0; i < 3; ++i)
      bind[i] = load(columns + static_cast<std::size_t>(4 * i + j) * skin.column_stride);
    for (int i = 0; i < 3; ++i) {
      result.m[i][j] = L(groups[i][0]) * bind[0] + L(groups[i][1]) * bind[1] + L(groups[i][2]) * bind[2];
      if (j == 3) result.m[i][j] += L(groups[i][3]);
    }
  }
  return result;
}

// The polar rotation of matrices that may scale, shear and mirror, by Newton's iteration with Higham's
// scaling. polar.cpp has the same in double precision, one matrix at a time and for those that this one rejects:
// `sure` is false in their lanes. No lane depends on its neighbours.
LISSOM_NOINLINE Mat3<L> polar_rotation(const Mat3<L>& m, M& sure) {
  Mat3<L> x = m;
  M open = {};
  constexpr int kMaxSteps = 9;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Mat3<L> cof = cofactor(x);
    const L det = dot(x.row(0), cof.row(0));
    const L square = squared_norm(x), cof_square = squared_norm(cof);
    // (|X| |X^-1|)^2, of the first X only: later ones are better. Of a singular
    // matrix det and cofactors are both rounding, and their ratio means
    // nothing: hence the bound on the volume. The rest keeps powers in range.
    if (step == 0) {
      const L volume = det * det;
      sure = (square * cof_square < (kMaxCondition * kMaxCondition) * volume) &
             (volume > kMinVolume * (square * square * square)) & (volume > 1e-30f) & (square < 1e10f);
      if (!any(sure)) return x;
      open = sure;
    }
    // g = sqrt(|X^-1| / |X|); near the end it is one, and its rounding is harmless.
    const L ratio = cof_square / (square * det * det);  // g^4
    const L root = ratio * reciprocal_sqrt(ratio);      // g^2
    const L g = root * reciprocal_sqrt(root);
    const L a = 0.5f * g, b = 0.5f / (g * det);
    L change = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const L next = a * x.m[i][j] + b * cof.m[i][j];
        change = max(change, abs(next - x.m[i][j]));
        x.m[i][j] = select(open, next, x.m[i][j]);
      }
    }
    // Quadratic: the error of the next step is below rounding, and straightened() is that step.
    open = open & !(change < 3e-4f);
    if (!any(open)) break;
  }
  const HalfOff<L> e = half_off_identity(x);
  sure = sure & (largest(e) < 0.5e-3f);
  x = straightened(x, e);
  return select(determinant(x) < 0, L(-1), L(1)) * x;
}

LISSOM_INLINE DualQuat<L> dual_quat_of(const PaletteKernelSkin& skin, const Block& block,
                                       const Mat3<L>& linear, const Vec3<L>& translation,
                                       const Mat3<L>& rotation) {
  const float* const pivots = skin.columns + 12 * skin.column_stride + block.phase;
  const Vec3<L> c = {load(pivots), load(pivots + skin.column_stride), load(pivots + 2 * skin.column_stride)};
  return rigid_part(linear, translation, rotation, c);
}

LISSOM_INLINE void store_dual_quats(float* rows, const DualQuat<L>& q) {
  const L columns[8] = {q.real.x, q.real.y, q.real.z, q.real.w, q.dual.x, q.dual.y, q.dual.z, q.dual.w};
  store_packed8(rows, columns);
}

// Writes all lanes; the result holds in those that it says are rigid.
LISSOM_INLINE M rigid_rows(const PaletteKernelSkin& skin, const Block& block, float* rows, bool* is_affine) {
  const Affine<L> m = load_affines(skin, block, is_affine);
  const Mat3<L> linear = without_dust(m.linear());
  const Vec3<L> translation = m.translation();
  // S^2 = M^T M, so |S - 1| is about this. NaN of an infinite or undefined number comes through the sum.
  const HalfOff<L> off = half_off_identity(linear);
  const L zero = 0 * ((off.xx + off.yy + off.zz) + (translation.x + translation.y + translation.z));
  const M rigid = (largest(off) < 0.95f * kRigid) & (determinant(linear) > 0) & (zero == 0);
  const Mat3<L> rotation = straightened(linear, off);
  store_dual_quats(rows, dual_quat_of(skin, block, linear, translation, rotation));
  return rigid;
}

// What rigid_rows() leaves: writes the rows of lanes that are not `rigid`, and the states of all. A function of its own,
// which reads everything again, since the one above has no register to spare.
LISSOM_NOINLINE std::uint8_t other_rows(const PaletteKernelSkin& skin, const Block& block, M rigid,
                                        float* rows, std::uint8_t* states) {
  bool is_affine;
  const Affine<L> m = load_affines(skin, block, &is_affine);
  const Mat3<L> linear = without_dust(m.linear());
  L zero = 0;  // NaN from infinity and NaN
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) zero += m.m[i][j] * 0;
  }
  M sure;
  const Mat3<L> rotation = polar_rotation(linear, sure);
  const M near = rigid | (largest_off_identity(transpose(rotation) * linear) < kRigid);
  const M written = (rigid | (sure & (zero == 0))) & are_affine(block);
  float others[8 * kWidth];
  store_dual_quats(others, dual_quat_of(skin, block, linear, m.translation(), rotation));
  std::uint8_t largest_state = kRowRigid;
  for (int lane = 0; lane < kWidth; ++lane) {
    if (!rigid.bits[lane]) std::memcpy(rows + 8 * lane, others + 8 * lane, 8 * sizeof(float));
    states[lane] = !written.bits[lane] ? kRowUnknown : near.bits[lane] ? kRowRigid : kRowScaled;
    largest_state = states[lane] > largest_state ? states[lane] : largest_state;
  }
  return largest_state;
}

// At least kWidth rows.
LISSOM_FLATTEN std::uint8_t general_blocks(const PaletteKernelSkin& skin, const PaletteFrames& frames,
                                           float* out, std::uint8_t* states) {
  std::uint8_t largest_state = kRowRigid;
  BlockWalk walk(skin, frames);
  do {
    bool is_affine;
    float* const rows = out + 8 * walk.row();
    const M rigid = rigid_rows(skin, walk.block(), rows, &is_affine);
    if (__builtin_expect(any(!rigid) || !is_affine, false)) {
      const std::uint8_t state = other_rows(skin, walk.block(), rigid, rows, states + walk.row());
      largest_state = state > largest_state ? state : largest_state;
    }
  } while (walk.advance());
  return largest_state;
}

#if LISSOM_WIDTH > 4
LISSOM_FLATTEN std::uint8_t woven_blocks(const PaletteKernelSkin& skin, const PaletteFrames& frames,
                                         float* out, std::uint8_t* states) {
  std::uint8_t largest_state = kRowRigid;
  for_each_woven_block(
      skin, frames, out, [&](const Block& block, const M& rigid, std::size_t row) LISSOM_LAMBDA_INLINE {
        const std::uint8_t state = other_rows(skin, block, rigid, out + 8 * row, states + row);
        largest_state = state > largest_state ? state : largest_state;
      });
  return largest_state;
}
#endif

std::uint8_t all_blocks(const PaletteKernelSkin& skin, const PaletteFrames& frames, float* out,
                        std::uint8_t* states) {
#if LISSOM_WIDTH > 4
  if (skin.similarities) return woven_blocks(skin, frames, out, states);
#endif
  return general_blocks(skin, frames, out, states);
}

PaletteRowState dual_quats(const PaletteKernelSkin& skin, const PaletteFrames& frames, float* out,
                           std::uint8_t* states) {
  [[maybe_unused]] const FlushSubnormals flush;
  const std::size_t total = frames.count * skin.row_count;
  if (total >= kWidth) return static_cast<PaletteRowState>(all_blocks(skin, frames, out, states));
  // Fewer rows than lanes: they come again in the others.
  std::ptrdiff_t places[kWidth];
  for (std::size_t lane = 0; lane < kWidth; ++lane) places[lane] = frames.places[lane % total];
  float rows[8 * kWidth];
  std::uint8_t few_states[kWidth] = {};
  const std::uint8_t state =
      all_blocks(skin, {frames.model, frames.count, frames.stride, places}, rows, few_states);
  std::memcpy(out, rows, 8 * sizeof(float) * total);
  std::memcpy(states, few_states, total);
  return static_cast<PaletteRowState>(state);
}

#if LISSOM_WIDTH > 4
// Two rows of a matrix at once.
using Int8 = std::int32_t __attribute__((vector_size(32)));

PaletteRowState matrices(const PaletteKernelSkin& skin, const float* model, float* out) {
  constexpr Float8 kLast = {0, 0, 0, 0, 0, 0, 0, 1}, kBoth = {0, 0, 0, 1, 0, 0, 0, 1};
  Float8 not_finite = {};
  Int8 worst = {};
  for (std::size_t row_index = 0; row_index < skin.row_count; ++row_index) {
    const float* const joint = model + 16 * skin.joints[row_index];
    const float* const bind = skin.joint_from_bind + 12 * row_index;
    Float8 b[3];
    for (int i = 0; i < 3; ++i) b[i] = join(load_as<Float4>(bind + 4 * i), load_as<Float4>(bind + 4 * i));
    Float8 rows[2];
    for (int i = 0; i < 2; ++i) {
      const Float8 a = load_as<Float8>(joint + 8 * i);
      rows[i] = in_lanes<0, 0, 0, 0>(a, a) * b[0] + in_lanes<1, 1, 1, 1>(a, a) * b[1] +
                in_lanes<2, 2, 2, 2>(a, a) * b[2] + a * kBoth;
      if (i) {  // of the last row only how far it is off, by bits: those of NaN are above all
        const Int8 off = (Int8)(a - kLast) & 0x7fffffff;
        worst = off > worst ? off : worst;
        rows[i] = __builtin_shufflevector(rows[i], kLast, 0, 1, 2, 3, 12, 13, 14, 15);
      }
      store(out + 16 * row_index + 8 * i, rows[i]);
      not_finite += rows[i] * 0.0f;  // NaN from infinity and NaN, else zero
    }
  }
  bool sound = true;
  for (int i = 0; i < 8; ++i) sound = sound && not_finite[i] == 0.0f && (i < 4 || worst[i] <= kLastRowBits);
  return sound ? kRowRigid : kRowUnknown;
}
#else
using Int4 = std::int32_t __attribute__((vector_size(16)));

// Rows of one matrix product, four floats each; the last row of `joint` is only checked.
struct Rows {
  Float4 row[3], last;
};
LISSOM_INLINE Rows multiply(const float* joint, const float* bind) {
  const Float4 b0 = load_as<Float4>(bind), b1 = load_as<Float4>(bind + 4), b2 = load_as<Float4>(bind + 8);
  const Float4 last = {0, 0, 0, 1};
  Rows result;
  for (int i = 0; i < 3; ++i) {
    const Float4 a = load_as<Float4>(joint + 4 * i);
    result.row[i] = __builtin_shufflevector(a, a, 0, 0, 0, 0) * b0 +
                    __builtin_shufflevector(a, a, 1, 1, 1, 1) * b1 +
                    __builtin_shufflevector(a, a, 2, 2, 2, 2) * b2 + a * last;
  }
  result.last = load_as<Float4>(joint + 12) - last;
  return result;
}

PaletteRowState matrices(const PaletteKernelSkin& skin, const float* model, float* out) {
  Float4 not_finite = {};
  Int4 not_affine = {};
  for (std::size_t row_index = 0; row_index < skin.row_count; ++row_index) {
    const Rows product = multiply(model + 16 * skin.joints[row_index], skin.joint_from_bind + 12 * row_index);
    for (int i = 0; i < 3; ++i) {
      store(out + 16 * row_index + 4 * i, product.row[i]);
      not_finite += product.row[i] * 0.0f;  // NaN from infinity and NaN, else zero
    }
    store(out + 16 * row_index + 12, Float4{0, 0, 0, 1});
    not_affine |= ~(product.last <= kLastRow && product.last >= -kLastRow);
  }
  bool sound = true;
  for (int i = 0; i < 4; ++i) sound = sound && not_finite[i] == 0.0f && !not_affine[i];
  return sound ? kRowRigid : kRowUnknown;
}
#endif

}  // namespace

extern const PaletteKernels palette_kernels;
const PaletteKernels palette_kernels{matrices, dual_quats};

}  // namespace lissom::LISSOM_ISA
