// SPDX-License-Identifier: MIT
#include "core/skinning/palette_kernels.h"

#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/simd/rows.h"

namespace lissom::LISSOM_ISA {
namespace {

using L = Lanes<float>;
using M = Mask<float>;

using Int4 = std::int32_t __attribute__((vector_size(16)));

constexpr float kRigid = kRigidTolerance;
constexpr float kLastRow = kAffineTolerance;
// Newton's iteration in float32 is as accurate as the matrix is well-conditioned; beyond this, double precision is
// used. |M| |M^-1| in the Frobenius norm, 3 for a rotation.
constexpr float kMaxCondition = 30.0f;
// (|det M| / |M|^3)^2; below a tenth of what kMaxCondition allows, far above float32's rounding.
constexpr float kMinVolume = 1e-8f;

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

// model_from_bind of kWidth rows from `first`; lanes beyond the last
// row repeat it. `sound`: finite, and the model's matrix is affine.
LISSOM_INLINE Affine<L> load_affines(const PaletteKernelSkin& skin, const float* model, std::size_t first,
                                     M& sound) {
  Float4 parts[3][4][kQuads], last[4][kQuads];
  for (int quad = 0; quad < kQuads; ++quad) {
    Float4 rows[3][4], ends[4];
    for (int lane = 0; lane < 4; ++lane) {
      const std::size_t index = first + 4 * quad + lane;
      const std::size_t row = index < skin.row_count ? index : skin.row_count - 1;
      const Rows product = multiply(model + 16 * skin.joints[row], skin.joint_from_bind + 12 * row);
      for (int i = 0; i < 3; ++i) rows[i][lane] = product.row[i];
      ends[lane] = product.last;
    }
    for (int i = 0; i < 3; ++i) {
      transpose_lanes(rows[i]);
      for (int j = 0; j < 4; ++j) parts[i][j][quad] = rows[i][j];
    }
    transpose_lanes(ends);
    for (int j = 0; j < 4; ++j) last[j][quad] = ends[j];
  }
  Affine<L> result;
  L zero = 0;  // NaN from infinity and NaN
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      result.m[i][j] = join_quads(parts[i][j]);
      zero += result.m[i][j] * 0;
    }
  }
  sound = zero == 0;
  for (int j = 0; j < 4; ++j) sound = sound & (abs(L(join_quads(last[j]))) <= kLastRow);
  return result;
}

// Flushes rounding of zeros, such as 1e-16, to zero: determinants multiply three of them, and operations on subnormal
// results take a hundred times as long. The cube of what remains is a normal number. Where all entries are so small
// that one of these would count, `sure` below is false, and double precision is used.
LISSOM_INLINE Mat3<L> without_dust(Mat3<L> m) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m.m[i][j] = select(abs(m.m[i][j]) < 0x1p-41f, L(0), m.m[i][j]);
  }
  return m;
}

// One step of Newton and Schulz, X (3 - X^T X) / 2, given G = X^T X: leaves 3/2 of the square of the error.
LISSOM_INLINE Mat3<L> straightened(const Mat3<L>& x, const Mat3<L>& gram) {
  return L(1.5f) * x - L(0.5f) * (x * gram);
}

// The polar rotation of matrices that may scale, shear and mirror, by Newton's iteration with Higham's
// scaling. polar.cpp has the same in double precision, one matrix at a time and for those that this one rejects:
// `sure` is false in their lanes.
LISSOM_INLINE Mat3<L> polar_rotation(const Mat3<L>& m, M& sure) {
  Mat3<L> x = m;
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
        x.m[i][j] = next;
      }
    }
    // Quadratic: the error of the next step is below rounding, and straightened() is that step.
    if (!any(sure & !(change < 3e-4f))) break;
  }
  const Mat3<L> gram = transpose(x) * x;
  sure = sure & (largest_off_identity(gram) < 1e-3f);
  x = straightened(x, gram);
  return select(determinant(x) < 0, L(-1), L(1)) * x;
}

// quat_from() of quat.h to the last bit but one, without its square root and division, which are a tenth of what a
// rigid row costs.
LISSOM_INLINE Quat<L> quat_from_rotation(const Mat3<L>& rotation) {
  const Quat<L> q = quat_multiple_from(rotation);
  const L square = dot(q, q), near = reciprocal_sqrt(square);
  const L inverse = near * (1.5f - (0.5f * square * near) * near);
  return select(q.w < 0, -inverse, inverse) * q;
}

// To every second group of four floats, those of `count` lanes.
LISSOM_INLINE void store_quats(float* out, const Quat<L>& q, std::size_t count) {
  const L columns[4] = {q.x, q.y, q.z, q.w};
  if (count == kWidth)
    return store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return out + 8 * lane; }, columns);
  float rows[kWidth][4];
  store_rows<4>([&](int lane) LISSOM_LAMBDA_INLINE { return rows[lane]; }, columns);
  for (std::size_t lane = 0; lane < count; ++lane) std::memcpy(out + 8 * lane, rows[lane], sizeof rows[lane]);
}

PaletteRowState dual_quats(const PaletteKernelSkin& skin, const float* model, float* out,
                           std::uint8_t* states) {
  std::uint8_t largest_state = kRowRigid;
  for (std::size_t first = 0; first < skin.row_count; first += kWidth) {
    const std::size_t left = skin.row_count - first, count = left < kWidth ? left : kWidth;
    M sound;
    const Affine<L> m = load_affines(skin, model, first, sound);
    const Mat3<L> linear = without_dust(m.linear());
    // S^2 = M^T M, so |S - 1| is about half of this.
    const Mat3<L> gram = transpose(linear) * linear;
    M rigid = (largest_off_identity(gram) < 1.9f * kRigid) & (determinant(linear) > 0);
    M written = rigid;
    Mat3<L> rotation;
    if (__builtin_expect(!any(!rigid), true)) {
      rotation = straightened(linear, gram);
    } else {
      rotation = polar_rotation(linear, written);
      rigid = largest_off_identity(transpose(rotation) * linear) < kRigid;
    }
    written = written & sound;

    const float* const pivots = skin.pivots + first;
    const Vec3<L> c = {load(pivots), load(pivots + skin.pivot_stride), load(pivots + 2 * skin.pivot_stride)};
    // M c - rotation c, with the difference taken first: the terms are large and nearly equal.
    const Vec3<L> shift = m.translation() + (linear - rotation) * c;
    const DualQuat<L> q = dual_quat_from(quat_from_rotation(rotation), shift);
    store_quats(out + 8 * first, q.real, count);
    store_quats(out + 8 * first + 4, q.dual, count);

    if (!any(!(written & rigid))) continue;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint8_t state = !written.bits[lane] ? kRowUnknown
                                 : rigid.bits[lane]  ? kRowRigid
                                                     : kRowScaled;
      states[first + lane] = state;
      largest_state = state > largest_state ? state : largest_state;
    }
  }
  return static_cast<PaletteRowState>(largest_state);
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

}  // namespace

extern const PaletteKernels palette_kernels;
const PaletteKernels palette_kernels{matrices, dual_quats};

}  // namespace lissom::LISSOM_ISA
