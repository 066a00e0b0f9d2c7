// SPDX-License-Identifier: MIT
#include "core/skinning/prepared_skinning.h"

#include <algorithm>

#include "core/simd/isa.h"
#include "core/skinning/morphed_vertices.h"
#include "core/skinning/palette_rows.h"
#include "core/skinning/prepared_mesh.h"
#include "core/skinning/vertex_runs.h"

namespace lissom {

LISSOM_KERNEL_TABLE(PreparedKernels, prepared_kernels)

namespace {

using Kernel = void (*)(const PreparedKernelArgs&);
struct Method {
  Kernel kernel;
  double nanoseconds;  // rough cost of a vertex, for the choice of threads alone
};

Method method_of(SkinningMethod method) {
  switch (method) {
    case SkinningMethod::kDualQuat:
      return {prepared_kernels().dual_quat, 1.8};
    case SkinningMethod::kCor:
      return {prepared_kernels().cor, 2.5};
    case SkinningMethod::kBlended:
      return {prepared_kernels().blended, 3};
    default:
      return {prepared_kernels().linear, 0.8};
  }
}

constexpr std::size_t kMorphedBlocks = kMorphedVertices / kPreparedBlock;

// Runs a kernel over the blocks of a run, with morph targets added to those that they move.
void run_morphed(const PreparedMesh& mesh, const SkinningJob<float>& job, const ActiveMorphs& active,
                 std::size_t batch, Kernel kernel, const PreparedKernelArgs& all) {
  const auto& blocks = mesh.blocks();
  MorphedVertices morphed(*job.morphs, active, batch, blocks[all.begin].vertex, all.normals != nullptr,
                          all.tangents != nullptr);
  for (std::size_t begin = all.begin, end = 0; begin < all.end; begin = end) {
    end = std::min(all.end, begin + kMorphedBlocks);
    PreparedKernelArgs args = all;
    args.blocks += begin;
    args.begin = 0;
    args.end = end - begin;
    const std::size_t lanes = kPreparedBlock * begin;
    args.positions += 3 * lanes;
    if (args.normals) args.normals += 3 * lanes;
    if (args.tangents) args.tangents += 4 * lanes;
    if (morphed.moves_before(blocks[end].vertex)) {
      morphed.take_blocks(args.positions, args.normals, args.tangents, kPreparedBlock * args.end,
                          blocks[begin].vertex, blocks[end].vertex, mesh.slots().data(), lanes);
      args.positions = morphed.positions();
      if (args.normals) args.normals = morphed.normals();
      if (args.tangents) args.tangents = morphed.tangents();
    }
    kernel(args);
  }
}

constexpr double kScatterNanoseconds = 1.3;  // of a vertex, to the original order

}  // namespace

void skin_prepared(const SkinningJob<float>& job) {
  const PreparedMesh& mesh = *job.prepared;
  PreparedKernelArgs all = mesh.view();
  PackedFloats normals, tangents;  // where the mesh does not keep them
  all.normals = job.normals.empty() ? nullptr : mesh.normals();
  if (!job.normals.empty() && !all.normals) {
    normals = mesh.pack(job.normals, 3, job.original_order);
    all.normals = normals.data();
  }
  all.tangents = job.tangents.empty() ? nullptr : mesh.tangents();
  if (!job.tangents.empty() && !all.tangents) {
    tangents = mesh.pack(job.tangents, 4, job.original_order);
    all.tangents = tangents.data();
  }
  all.centers = job.centers.empty() ? nullptr : job.centers.data();
  all.blend = job.blend.empty() ? nullptr : job.blend.data();
  all.order = job.original_order ? mesh.order().data() : nullptr;
  all.upright = job.upright;

  const ActiveMorphs active = job.morphs ? ActiveMorphs(*job.morphs, job.morph_weights) : ActiveMorphs();
  const Method method = method_of(job.method);
  const double nanoseconds = method.nanoseconds + (job.original_order ? kScatterNanoseconds : 0);
  SharedRows palettes(job, kPreparedBlock * mesh.block_count());
  for_each_vertex_run(job.batch_count, kPreparedBlock * mesh.block_count(), nanoseconds,
                      [&](std::size_t batch, std::size_t begin, std::size_t end) {
                        const PreparedRows& palette = palettes.of(batch);
                        const std::size_t first = batch * mesh.vertex_count();
                        PreparedKernelArgs args = all;
                        args.palette = palette.rows();
                        args.scaled_rows = palette.scaled_rows();
                        args.begin = begin / kPreparedBlock;
                        args.end = end / kPreparedBlock;
                        args.positions_out = &job.positions_out[3 * first];
                        if (args.normals) args.normals_out = &job.normals_out[3 * first];
                        if (args.tangents) args.tangents_out = &job.tangents_out[4 * first];
                        if (active.of(batch).empty()) {
                          method.kernel(args);
                        } else {
                          run_morphed(mesh, job, active, batch, method.kernel, args);
                        }
                        palettes.done(batch, end - begin);
                      });
}

}  // namespace lissom
