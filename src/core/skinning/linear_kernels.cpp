// SPDX-License-Identifier: MIT
#include "core/skinning/blocks.h"

namespace lissom::LISSOM_ISA {
namespace {

// Runs move(motion, v) for the blended motion of the vertices v, v + 1, ... of each register's worth.
template <class Index, int kCount, bool kPlain, class Move>
LISSOM_INLINE void for_each_motion(const SkinningKernelArgs& args, Move move) {
  for_each_block<Index, kCount, kPlain>(args, [&](const auto& vertices, std::size_t v) LISSOM_LAMBDA_INLINE {
    move(LinearMotion<L>{blend_affine(vertices, args.palette.matrices)}, v);
  });
}

template <class Index, int kCount>
void skin_any(const SkinningKernelArgs& args) {
  for_each_motion<Index, kCount, false>(
      args, [&](const auto& motion, std::size_t v) LISSOM_LAMBDA_INLINE { move_block(args, motion, v); });
}

// The common outputs have loops of their own: with all choices in one, GCC keeps the blended matrices in memory.
template <int kCount>
void skin_positions(const SkinningKernelArgs& args) {
  const float* const positions = args.positions;
  float* const out = args.positions_out;
  for_each_motion<std::uint16_t, kCount, true>(
      args, [=](const auto& motion, std::size_t v) LISSOM_LAMBDA_INLINE {
        store_packed3(out + 3 * v, motion.point(load_packed3(positions + 3 * v)));
      });
}

// A block's normals become unit, and are stored, amid the next block's work: to their length and back takes as long as
// half a block, and processors look ahead no further than one.
template <int kCount>
void skin_normals(const SkinningKernelArgs& args) {
  const float *const positions = args.positions, *const normals = args.normals;
  float *const out = args.positions_out, *const normals_out = args.normals_out;
  float unused[3 * kWidth];
  float* to = unused;
  Vec3<L> normal{1, 0, 0};
  for_each_motion<std::uint16_t, kCount, true>(
      args, [&](const auto& motion, std::size_t v) LISSOM_LAMBDA_INLINE {
        store_packed3(to, normalized_or_zero(normal));
        store_packed3(out + 3 * v, motion.point(load_packed3(positions + 3 * v)));
        normal = motion.normal(load_packed3(normals + 3 * v));
        to = normals_out + 3 * v;
      });
  store_packed3(to, normalized_or_zero(normal));
}

// Normals have the same bits as without tangents.
template <int kCount>
void skin_frames(const SkinningKernelArgs& args) {
  for_each_motion<std::uint16_t, kCount, true>(
      args, [&](const auto& motion, std::size_t v) LISSOM_LAMBDA_INLINE {
        store_packed3(args.positions_out + 3 * v, motion.point(load_packed3(args.positions + 3 * v)));
        const Vec3<L> normal = normalized_or_zero(motion.normal(load_packed3(args.normals + 3 * v)));
        store_packed3(args.normals_out + 3 * v, normal);
        store_moved_tangents(args, motion, normal, v);
      });
}

void skin_narrow(const SkinningKernelArgs& args) {
  if (!is_plain(args) || (args.normals && args.upright)) {
    return with_count<1, 2, 4>(args.influence_count,
                               [&](auto count) { skin_any<std::uint16_t, count.value>(args); });
  }
  with_count<1, 2, 3, 4, 5, 6, 7, 8>(args.influence_count, [&](auto count) {
    if (!args.normals) return skin_positions<count.value>(args);
    args.tangents ? skin_frames<count.value>(args) : skin_normals<count.value>(args);
  });
}

void skin_wide(const SkinningKernelArgs& args) { skin_any<std::uint32_t, kAnyCount>(args); }

}  // namespace

extern const SkinningKernels linear_kernels;
const SkinningKernels linear_kernels{skin_narrow, skin_wide};

}  // namespace lissom::LISSOM_ISA
