// SPDX-License-Identifier: MIT
#include "core/bake/rigid_texels_kernels.h"

#include "core/animation/slerp_lanes.h"
#include "core/math/trs.h"
#include "core/simd/rows.h"
#include "core/skinning/rigid_rows.h"

namespace lissom::LISSOM_ISA {
namespace {

// All in lanes of frames: no number is moved to another lane from the keys to the texels.

// ---- Local transforms. ----

#if LISSOM_WIDTH == 16
// So many keys of kSize floats lie in two vectors.
template <int kSize>
constexpr int kNearKeys = 2 * kWidth / kSize;

LISSOM_INLINE Float load_floats(const float* from, std::ptrdiff_t count) {
  if (count >= kWidth) return load(from);
  return (Float)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << (count > 0 ? count : 0)) - 1), from);
}

// The keys around each time, where all of them are near each other: the time that baking takes most often.
template <int kSize>
LISSOM_INLINE void permute_keys(const PropertySource& source, std::int32_t first, L* a, L* b) {
  const float* const keys = source.numbers + std::ptrdiff_t{kSize} * first;
  const std::ptrdiff_t count = std::ptrdiff_t{kSize} * (source.key_count - first);
  const __m512 low = (__m512)load_floats(keys, count),
               high = (__m512)load_floats(keys + kWidth, count - kWidth);
  const Int at = (load_as<Int>(source.moments->key) - first) * kSize;
  for (int i = 0; i < kSize; ++i) {
    a[i] = (Float)_mm512_permutex2var_ps(low, (__m512i)(at + i), high);
    b[i] = (Float)_mm512_permutex2var_ps(low, (__m512i)(at + (i + kSize)), high);
  }
}
#endif

// Of each time from `begin` on the key at it or before it, and the next.
template <int kSize>
LISSOM_INLINE void load_keys(const PropertySource& source, std::size_t begin, L* a, L* b) {
  const std::int32_t* const keys = source.moments->key + begin;
#if LISSOM_WIDTH == 16
  if (keys[kWidth - 1] - keys[0] <= kNearKeys<kSize> - 2) return permute_keys<kSize>(source, keys[0], a, b);
#endif
  L both[2 * kSize];
  load_rows<2 * kSize>(
      [&](int lane) LISSOM_LAMBDA_INLINE { return source.numbers + std::ptrdiff_t{kSize} * keys[lane]; },
      both);
  for (int i = 0; i < kSize; ++i) a[i] = both[i], b[i] = both[kSize + i];
}

// Rotations between keys, of kCount joints side by side.
template <int kCount>
LISSOM_INLINE void load_rotations(const PropertySource* const (&sources)[kCount], std::size_t begin,
                                  L* const (&rotations)[kCount]) {
  Quat<L> a[kCount], b[kCount];
  L fractions[kCount];
  for (int k = 0; k < kCount; ++k) {
    L from[4], to[4];
    load_keys<4>(*sources[k], begin, from, to);
    a[k] = {from[0], from[1], from[2], from[3]}, b[k] = {to[0], to[1], to[2], to[3]};
    fractions[k] = load(sources[k]->moments->fraction + begin);
  }
  slerp_each<kCount>(a, b, fractions);
  for (int k = 0; k < kCount; ++k)
    rotations[k][0] = a[k].x, rotations[k][1] = a[k].y, rotations[k][2] = a[k].z, rotations[k][3] = a[k].w;
}

// What needs no slerp.
template <int kSize>
LISSOM_INLINE void load_property(const PropertySource& source, std::size_t begin, L* numbers) {
  if (source.kind == PropertySource::kStill) {
    for (int i = 0; i < kSize; ++i) numbers[i] = source.numbers[i];
  } else if (source.kind == PropertySource::kGiven) {
    for (std::size_t i = 0; i < kSize; ++i) numbers[i] = load(source.numbers + i * kTimeBlock + begin);
  } else {
    L a[kSize], b[kSize];
    load_keys<kSize>(source, begin, a, b);
    const L fraction = load(source.moments->fraction + begin);
    for (int i = 0; i < kSize; ++i) numbers[i] = (1 - fraction) * a[i] + fraction * b[i];
  }
}

// ---- Model space. ----

// The product in the order of sums in which single poses are composed (animation/model_pose_kernels.cpp): the last frames,
// fewer than lanes, are such.
LISSOM_INLINE Affine<L> single_product(const Affine<L>& a, const Affine<L>& b) {
  Affine<L> product;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      product.m[i][j] = (a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j]) +
                        (a.m[i][2] * b.m[2][j] + a.m[i][3] * L(j == 3 ? 1 : 0));
    }
  }
  return product;
}

// To where the matrices will be.
LISSOM_INLINE void load_all_rotations(const RigidBlock& block, std::size_t begin, Model* models) {
  const auto next = [&](std::size_t i) LISSOM_LAMBDA_INLINE {
    while (i < block.joint_count && block.joints[i].properties[1].kind != PropertySource::kLinear) ++i;
    return i;
  };
  for (std::size_t i = next(0); i < block.joint_count;) {
    const std::size_t other = next(i + 1);
    const PropertySource& source = block.joints[i].properties[1];
    L* const rotation = models[i].from_joint.m[0];
    if (other == block.joint_count) return load_rotations<1>({&source}, begin, {rotation});
    load_rotations<2>({&source, &block.joints[other].properties[1]}, begin,
                      {rotation, models[other].from_joint.m[0]});
    i = next(other + 1);
  }
}

template <bool kIsWhole>
LISSOM_INLINE Model model_of(const JointSource& joint, std::size_t begin, const Model* models,
                             const L* rotation) {
  L t[3], r[4], s[3];
  load_property<3>(joint.properties[0], begin, t);
  if (joint.properties[1].kind == PropertySource::kLinear) {
    for (int i = 0; i < 4; ++i) r[i] = rotation[i];
  } else {
    load_property<4>(joint.properties[1], begin, r);
  }
  load_property<3>(joint.properties[2], begin, s);
  const Affine<L> local =
      affine_from(Trs<L>{{t[0], t[1], t[2]}, {r[0], r[1], r[2], r[3]}, {s[0], s[1], s[2]}});
  const Int sign = bits(s[0]) ^ bits(s[1]) ^ bits(s[2]);
  if (joint.parent < 0) return {local, sign};
  const Model& parent = models[joint.parent];
  return {kIsWhole ? parent.from_joint * local : single_product(parent.from_joint, local),
          parent.sign ^ sign};
}

// ---- Rows. ----

// What was seen in all rows and frames.
struct Seen {
  SeenRows rows;
  L cosine = 1;  // the least of neighbouring frames
};

// The lanes one further, and the last of `before` in front.
LISSOM_INLINE L shifted(L lanes, const float* before) {
#if LISSOM_WIDTH == 16
  const __m512 quads = _mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(before));
  return (Float)_mm512_maskz_alignr_epi32(0xffff, (__m512i)lanes.v, (__m512i)quads, 15);
#elif LISSOM_WIDTH == 8
  const Float4 quad = load_as<Float4>(before);
  return __builtin_shufflevector(join(quad, quad), lanes.v, 7, 8, 9, 10, 11, 12, 13, 14);
#else
  return __builtin_shufflevector(load(before), lanes.v, 3, 4, 5, 6);
#endif
}
LISSOM_INLINE void store_last_quad(float* to, L lanes) {
  __builtin_memcpy(to, reinterpret_cast<const char*>(&lanes.v) + sizeof(Float) - 16, 16);
}

// One bit per lane: its sign.
LISSOM_INLINE unsigned signs_of(L x) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return _mm512_movepi32_mask((__m512i)x.v);
#elif defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 8
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)x.v));
#else
  unsigned result = 0;
  for (int lane = 0; lane < kWidth; ++lane) result |= (bits(x)[lane] < 0 ? 1u : 0u) << lane;
  return result;
#endif
}
// The sign bits of lanes.
LISSOM_INLINE Int sign_bits(unsigned signs) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH == 16
  return (Int)_mm512_maskz_set1_epi32(static_cast<__mmask16>(signs), static_cast<int>(0x80000000u));
#else
  Int place;
  for (int lane = 0; lane < kWidth; ++lane) place[lane] = lane;
  return ((Int{} + static_cast<std::int32_t>(signs)) >> place) << 31;
#endif
}

// The sign bits that make rotations coherent in time.
LISSOM_INLINE Int coherent_signs(const Quat<L>& q, bool is_first, RowEnds& ends, Seen& seen) {
  const L lanes[4] = {q.x, q.y, q.z, q.w};
  if (is_first) {
    for (int i = 0; i < 4; ++i) {
      ends.first[i] = lanes[i].v[0];
      ends.last[i][3] = lanes[i].v[0];
    }
    ends.is_flipped = false;
  }
  L before[4];
  for (int i = 0; i < 4; ++i) before[i] = shifted(lanes[i], ends.last[i]);
  for (int i = 0; i < 4; ++i) store_last_quad(ends.last[i], lanes[i]);
  const L cosine = (q.x * before[0] + q.y * before[1]) + (q.z * before[2] + q.w * before[3]);
  seen.cosine = min(abs(cosine), seen.cosine);
  // Of each lane the parity of the turns up to it.
  unsigned turns = signs_of(cosine);
  if (__builtin_expect((turns | unsigned{ends.is_flipped}) == 0, true)) return Int{};
  for (int distance = 1; distance < kWidth; distance *= 2) turns ^= turns << distance;
  if (ends.is_flipped) turns = ~turns;
  turns &= (1u << kWidth) - 1;
  ends.is_flipped = turns >> (kWidth - 1) != 0;
  return sign_bits(turns);
}

// ---- Texels. ----

template <class RowOf>
LISSOM_INLINE void store_texels(const L (&columns)[8], const RowOf& row, float*) {
  store_rows<8>(row, columns);
}
template <class RowOf>
LISSOM_INLINE void store_texels(const L (&columns)[8], const RowOf& row, Half*) {
#if defined(LISSOM_VECTOR_X86) && LISSOM_WIDTH > 4
  // What half_from_float() does, by one instruction of these sets; then halves are moved to their rows.
#if LISSOM_WIDTH == 16
  using Halves = __m256i;
  const auto halves = [](L x) LISSOM_LAMBDA_INLINE {
    return _mm512_maskz_cvtps_ph(0xffff, (__m512)x.v, _MM_FROUND_TO_NEAREST_INT);
  };
#define LISSOM_UNPACK(half, bits) _mm256_unpack##half##_epi##bits
#else
  using Halves = __m128i;
  const auto halves = [](L x) LISSOM_LAMBDA_INLINE {
    return _mm256_cvtps_ph((__m256)x.v, _MM_FROUND_TO_NEAREST_INT);
  };
#define LISSOM_UNPACK(half, bits) _mm_unpack##half##_epi##bits
#endif
  Halves pairs[8], fours[8];
  for (int i = 0; i < 4; ++i) {
    const Halves a = halves(columns[2 * i]), b = halves(columns[2 * i + 1]);
    pairs[2 * i] = LISSOM_UNPACK(lo, 16)(a, b);
    pairs[2 * i + 1] = LISSOM_UNPACK(hi, 16)(a, b);
  }
  for (int i = 0; i < 2; ++i) {  // the real part, then the dual one
    for (int k = 0; k < 2; ++k) {
      const Halves a = pairs[4 * i + k], b = pairs[4 * i + 2 + k];
      fours[4 * i + 2 * k] = LISSOM_UNPACK(lo, 32)(a, b);
      fours[4 * i + 2 * k + 1] = LISSOM_UNPACK(hi, 32)(a, b);
    }
  }
  const auto write = [&](int lane, Halves rows) LISSOM_LAMBDA_INLINE {
#if LISSOM_WIDTH == 16
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row(lane)), _mm256_castsi256_si128(rows));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row(lane + 8)), _mm256_extracti128_si256(rows, 1));
#else
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row(lane)), rows);
#endif
  };
  for (int i = 0; i < 4; ++i) {
    write(2 * i, LISSOM_UNPACK(lo, 64)(fours[i], fours[4 + i]));
    write(2 * i + 1, LISSOM_UNPACK(hi, 64)(fours[i], fours[4 + i]));
  }
#undef LISSOM_UNPACK
#else
  float numbers[8 * kWidth];
  store_packed8(numbers, columns);
  for (int lane = 0; lane < kWidth; ++lane) {
    for (int i = 0; i < 8; ++i) row(lane)[i] = half_from_float(numbers[8 * lane + i]);
  }
#endif
}

template <class Texel>
LISSOM_INLINE void write_row(const DualQuat<L>& q, Int sign, Texel* out, std::size_t frame_floats, int last) {
  const L numbers[8] = {q.real.x, q.real.y, q.real.z, q.real.w, q.dual.x, q.dual.y, q.dual.z, q.dual.w};
  L columns[8];
  for (int i = 0; i < 8; ++i) columns[i] = from_bits<float>(bits(numbers[i]) ^ sign);
  if (last == kWidth - 1) {
    store_texels(
        columns,
        [&](int lane) LISSOM_LAMBDA_INLINE { return out + static_cast<std::size_t>(lane) * frame_floats; },
        out);
  } else {  // idle lanes write the last frame again
    store_texels(
        columns,
        [&](int lane) LISSOM_LAMBDA_INLINE {
          return out + static_cast<std::size_t>(lane < last ? lane : last) * frame_floats;
        },
        out);
  }
}

// ---- As many frames as lanes. ----

template <bool kIsWhole, class Texel>
LISSOM_NOINLINE LISSOM_FLATTEN void write_frames(const RigidBlock& block, std::size_t begin, bool is_first,
                                                 Model* models, Texel* out, Seen& all) {
  const std::size_t left = block.count - begin;
  const int last = kIsWhole ? kWidth - 1 : static_cast<int>(left) - 1;
  Seen seen = all;
  load_all_rotations(block, begin, models);
  for (std::size_t i = 0; i < block.joint_count; ++i)
    models[i] = model_of<kIsWhole>(block.joints[i], begin, models, models[i].from_joint.m[0]);
  const auto write_one = [&](const DualQuat<L>& q, std::size_t i) LISSOM_LAMBDA_INLINE {
    const Int sign = coherent_signs(q.real, is_first, block.ends[i], seen);
    write_row(q, sign, out + block.rows[i].place, block.frame_floats, last);
  };
  for_each_rigid_row(models, block.rows, block.row_count, seen.rows, write_one);
  all = seen;
}

template <class Texel>
bool write_texels(const RigidBlock& block, float* scratch, Texel* out) {
  [[maybe_unused]] const FlushSubnormals flush;
  auto* const models = reinterpret_cast<Model*>(scratch);
  Seen seen;
  for (std::size_t begin = 0; begin < block.count; begin += kWidth) {
    const auto write = block.count - begin >= kWidth ? write_frames<true, Texel> : write_frames<false, Texel>;
    write(block, begin, block.is_first && begin == 0, models, out + begin * block.frame_floats, seen);
  }
  return seen.rows.are_rigid(block.largest) && !any(!(seen.cosine >= block.least_cosine));
}

}  // namespace

extern const RigidTexelsKernels rigid_texels_kernels;
const RigidTexelsKernels rigid_texels_kernels = {write_texels<Half>, write_texels<float>,
                                                 sizeof(Model) / sizeof(float)};

}  // namespace lissom::LISSOM_ISA
