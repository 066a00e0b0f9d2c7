// SPDX-License-Identifier: MIT
#include "core/skinning/palette_kernels.h"

#include "core/simd/vector.h"

namespace lissom::LISSOM_ISA {
namespace {

// kWidth matrices, one per lane.
struct Mat3s {
  Float m[3][3];
};
struct Affine3s {
  Mat3s linear;
  Vec3s translation;
};
struct Quats {
  Float x, y, z, w;
};

using Int4 = std::int32_t __attribute__((vector_size(16)));

constexpr int kQuads = kWidth / 4;

constexpr float kRigid = kRigidTolerance;
constexpr float kLastRow = kAffineTolerance;
// Newton's way in float32 is as good as the matrix is well-conditioned; beyond this, double precision takes
// over. |M| |M^-1| in the Frobenius norm, 3 for a rotation.
constexpr float kMaxCondition = 30.0f;
// (|det M| / |M|^3)^2; below a tenth of what kMaxCondition allows, far above float32's rounding.
constexpr float kMinVolume = 1e-8f;

LISSOM_INLINE Float abs(Float x) { return max(x, -x); }
LISSOM_INLINE bool any(Int mask) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return _mm512_movepi32_mask((__m512i)mask) != 0;
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return _mm256_movemask_ps((__m256)mask) != 0;
#elif defined(LISSOM_VECTOR_X86)
  return _mm_movemask_ps((__m128)mask) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

// Rows of one matrix product, four floats each; the last row of `joint` is only looked at.
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

LISSOM_INLINE Float joined(const Float4* quads) {
#if LISSOM_WIDTH == 16
  return join(join(quads[0], quads[1]), join(quads[2], quads[3]));
#elif LISSOM_WIDTH == 8
  return join(quads[0], quads[1]);
#else
  return quads[0];
#endif
}

// model_from_bind of kWidth rows from `first`; lanes beyond the last
// row repeat it. `sound`: finite, and the model's matrix is affine.
LISSOM_INLINE Affine3s load_rows(const PaletteKernelSkin& skin, const float* model, std::size_t first,
                                 Int& sound) {
  Float4 parts[3][4][kQuads], last[4][kQuads];
  for (int quad = 0; quad < kQuads; ++quad) {
    Float4 rows[3][4], ends[4];
    for (int lane = 0; lane < 4; ++lane) {
      const std::size_t wanted = first + 4 * quad + lane;
      const std::size_t row = wanted < skin.row_count ? wanted : skin.row_count - 1;
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
  Affine3s result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.linear.m[i][j] = joined(parts[i][j]);
  }
  result.translation = {joined(parts[0][3]), joined(parts[1][3]), joined(parts[2][3])};
  Float zero = Float{};  // NaN from infinity and NaN
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) zero += joined(parts[i][j]) * 0.0f;
  }
  sound = zero == 0.0f;
  for (int j = 0; j < 4; ++j) sound = sound && abs(joined(last[j])) <= kLastRow;
  return result;
}

LISSOM_INLINE Vec3s row(const Mat3s& a, int i) { return {a.m[i][0], a.m[i][1], a.m[i][2]}; }
LISSOM_INLINE Mat3s from_rows(const Vec3s& x, const Vec3s& y, const Vec3s& z) {
  return {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
}
LISSOM_INLINE Mat3s cofactor(const Mat3s& a) {
  return from_rows(cross(row(a, 1), row(a, 2)), cross(row(a, 2), row(a, 0)), cross(row(a, 0), row(a, 1)));
}
// a^T b
LISSOM_INLINE Mat3s transposed_times(const Mat3s& a, const Mat3s& b) {
  Mat3s product;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      product.m[i][j] = a.m[0][i] * b.m[0][j] + a.m[1][i] * b.m[1][j] + a.m[2][i] * b.m[2][j];
    }
  }
  return product;
}
LISSOM_INLINE Float largest_off_identity(const Mat3s& a) {
  Float largest = Float{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) largest = max(largest, abs(i == j ? a.m[i][j] - 1.0f : a.m[i][j]));
  }
  return largest;
}
LISSOM_INLINE Float squared_norm(const Mat3s& a) {
  return dot(row(a, 0), row(a, 0)) + dot(row(a, 1), row(a, 1)) + dot(row(a, 2), row(a, 2));
}

// One step of Newton and Schulz, X (3 - X^T X) / 2, given G = X^T X: leaves 3/2 of the square of the error.
LISSOM_INLINE Mat3s straightened(const Mat3s& x, const Mat3s& gram) {
  Mat3s result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Float xg = x.m[i][0] * gram.m[0][j] + x.m[i][1] * gram.m[1][j] + x.m[i][2] * gram.m[2][j];
      result.m[i][j] = 1.5f * x.m[i][j] - 0.5f * xg;
    }
  }
  return result;
}

// The polar rotation of matrices that may scale, shear and mirror, by Newton's iteration with Higham's
// scaling (polar.cpp has the same in double). `sure` is false in lanes that it is not for.
LISSOM_INLINE Mat3s polar_rotation(const Mat3s& m, Int& sure) {
  Mat3s x = m;
  constexpr int kMaxSteps = 9;
  sure = Float{} == 0.0f;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Mat3s cof = cofactor(x);
    const Float det = dot(row(x, 0), row(cof, 0));
    const Float square = squared_norm(x), cof_square = squared_norm(cof);
    // (|X| |X^-1|)^2, of the first X only: later ones are better. Where rank
    // is lost, det and cofactors are both noise, and their ratio says
    // nothing: hence the bound on the volume. The rest keeps powers in range.
    if (step == 0) {
      const Float volume = det * det;
      sure = square * cof_square < (kMaxCondition * kMaxCondition) * volume &&
             volume > kMinVolume * (square * square * square) && volume > 1e-30f && square < 1e10f;
      if (!any(sure)) return x;
    }
    // g = sqrt(|X^-1| / |X|); near the end it is one, and rounding in it does no harm.
    const Float ratio = cof_square / (square * det * det);  // g^4
    const Float root = ratio * reciprocal_sqrt(ratio);      // g^2
    const Float g = root * reciprocal_sqrt(root);
    const Float a = 0.5f * g, b = 0.5f / (g * det);
    Float change = Float{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const Float next = a * x.m[i][j] + b * cof.m[i][j];
        change = max(change, abs(next - x.m[i][j]));
        x.m[i][j] = next;
      }
    }
    // Quadratic: the next step ends below rounding, and straightened() is that step.
    if (!any(sure && !(change < 3e-4f))) break;
  }
  const Mat3s gram = transposed_times(x, x);
  sure = sure && largest_off_identity(gram) < 1e-3f;
  x = straightened(x, gram);
  const Float sign = dot(row(x, 0), cross(row(x, 1), row(x, 2))) < 0.0f ? splat(-1.0f) : splat(1.0f);
  for (auto& line : x.m) {
    for (Float& entry : line) entry *= sign;
  }
  return x;
}

// Of rotations; w >= 0. As quat_from in quat.h: the largest component divides (Shepperd 1978).
LISSOM_INLINE Quats quats_from(const Mat3s& r) {
  const auto& m = r.m;
  const Float xx = 1.0f + m[0][0] - m[1][1] - m[2][2], yy = 1.0f - m[0][0] + m[1][1] - m[2][2];
  const Float zz = 1.0f - m[0][0] - m[1][1] + m[2][2], ww = 1.0f + m[0][0] + m[1][1] + m[2][2];
  const Float xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
  const Float xw = m[2][1] - m[1][2], yw = m[0][2] - m[2][0], zw = m[1][0] - m[0][1];
  const Int by_w = ww >= xx && ww >= yy && ww >= zz, by_x = xx >= yy && xx >= zz, by_y = yy >= zz;
  Quats q;
  q.x = by_w ? xw : by_x ? xx : by_y ? xy : xz;
  q.y = by_w ? yw : by_x ? xy : by_y ? yy : yz;
  q.z = by_w ? zw : by_x ? xz : by_y ? yz : zz;
  q.w = by_w ? ww : by_x ? xw : by_y ? yw : zw;
  const Float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  Float inverse = reciprocal_sqrt(square);
  inverse *= 1.5f - (0.5f * square * inverse) * inverse;  // to the last bit but one: a palette is worth it
  inverse = q.w < 0.0f ? -inverse : inverse;
  return {inverse * q.x, inverse * q.y, inverse * q.z, inverse * q.w};
}

// x, y, z, w of `count` lanes to every second group of four floats.
LISSOM_INLINE void store_quads(float* out, Float x, Float y, Float z, Float w, std::size_t count) {
  Float rows[4] = {x, y, z, w};
  transpose_lanes(rows);
  float flat[4][kWidth];
  for (int j = 0; j < 4; ++j) store(flat[j], rows[j]);
  if (count == kWidth) {
    for (int lane = 0; lane < kWidth; ++lane) std::memcpy(out + 8 * lane, flat[lane % 4] + lane / 4 * 4, 16);
  } else {
    for (std::size_t lane = 0; lane < count; ++lane)
      std::memcpy(out + 8 * lane, flat[lane % 4] + lane / 4 * 4, 16);
  }
}

PaletteRowState dual_quats(const PaletteKernelSkin& skin, const float* model, float* out,
                           std::uint8_t* states) {
  std::uint8_t largest_state = kRowRigid;
  for (std::size_t first = 0; first < skin.row_count; first += kWidth) {
    const std::size_t left = skin.row_count - first, count = left < kWidth ? left : kWidth;
    Int sound;
    const Affine3s m = load_rows(skin, model, first, sound);
    // S^2 = M^T M, so |S - 1| is about half of this.
    const Mat3s gram = transposed_times(m.linear, m.linear);
    const Float det = dot(row(m.linear, 0), cross(row(m.linear, 1), row(m.linear, 2)));
    Int rigid = largest_off_identity(gram) < 1.9f * kRigid && det > 0.0f;
    Int written = rigid;
    Mat3s rotation;
    if (!any(!rigid)) {
      rotation = straightened(m.linear, gram);
    } else {
      rotation = polar_rotation(m.linear, written);
      const Float stretch = largest_off_identity(transposed_times(rotation, m.linear));
      rigid = stretch < kRigid;
    }
    written = written && sound;

    const Quats q = quats_from(rotation);
    const float* const pivots = skin.pivots + first;
    const Float cx = load(pivots), cy = load(pivots + skin.pivot_stride),
                cz = load(pivots + 2 * skin.pivot_stride);
    // M c - rotation c, with the difference taken first: the terms are large and nearly equal.
    Float shift[3] = {m.translation.x, m.translation.y, m.translation.z};
    for (int i = 0; i < 3; ++i) {
      shift[i] += (m.linear.m[i][0] - rotation.m[i][0]) * cx + (m.linear.m[i][1] - rotation.m[i][1]) * cy +
                  (m.linear.m[i][2] - rotation.m[i][2]) * cz;
    }
    // dual = 0.5 (t, 0) real
    const Float hx = 0.5f * shift[0], hy = 0.5f * shift[1], hz = 0.5f * shift[2];
    store_quads(out + 8 * first, q.x, q.y, q.z, q.w, count);
    store_quads(out + 8 * first + 4, hx * q.w + hy * q.z - hz * q.y, hy * q.w + hz * q.x - hx * q.z,
                hz * q.w + hx * q.y - hy * q.x, -(hx * q.x + hy * q.y + hz * q.z), count);

    if (!any(!(written && rigid))) continue;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::uint8_t state = !written[lane] ? kRowUnknown : rigid[lane] ? kRowRigid : kRowScaled;
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
