// SPDX-License-Identifier: MIT
#include "core/skinning/vector_skinning.h"

#include "core/simd/isa.h"
#include "core/skinning/kernels.h"
#include "core/skinning/palette_rows.h"
#include "core/skinning/prepared_mesh.h"
#include "core/skinning/prepared_skinning.h"
#include "core/skinning/vertex_runs.h"

namespace lissom {

LISSOM_KERNEL_TABLE(SkinningKernels, linear_kernels)
LISSOM_KERNEL_TABLE(SkinningKernels, dual_quat_kernels)
LISSOM_KERNEL_TABLE(SkinningKernels, cor_kernels)
LISSOM_KERNEL_TABLE(SkinningKernels, blended_kernels)

namespace {

struct Method {
  const SkinningKernels& kernels;
  double nanoseconds;  // rough cost of a vertex, for the choice of threads alone
};

Method method_of(SkinningMethod method) {
  switch (method) {
    case SkinningMethod::kDualQuat:
      return {dual_quat_kernels(), 3.5};
    case SkinningMethod::kCor:
      return {cor_kernels(), 5};
    case SkinningMethod::kBlended:
      return {blended_kernels(), 6};
    default:
      return {linear_kernels(), 1.7};
  }
}

// Palette rows of 16 vertices up to which blocks of dual quaternions gain more than it costs to put results back into
// the original order.
constexpr std::size_t kRowsToScatter = 3;

// Results in the original order are nearly always made faster from the mesh as it is. Morph targets on a prepared mesh
// name its own vertices.
bool runs_on_blocks(const SkinningJob<float>& job) {
  if (!job.prepared || !job.original_order || job.morphs) return job.prepared != nullptr;
  return job.method == SkinningMethod::kDualQuat &&
         kPreparedBlock * job.prepared->block_row_count() <= kRowsToScatter * job.mesh->vertex_count();
}

}  // namespace

void skin_all(const SkinningJob<float>& job) {
  if (runs_on_blocks(job)) return skin_prepared(job);
  if (job.prepared) {
    SkinningJob<float> plain = job;
    plain.prepared = nullptr;
    return skin_all(plain);
  }
  const Method method = method_of(job.method);
  const VectorRuns runs(job);
  SharedRows palettes(job, job.mesh->vertex_count());
  for_each_vertex_run(job.batch_count, job.mesh->vertex_count(), method.nanoseconds,
                      [&](std::size_t batch, std::size_t begin, std::size_t end) {
                        const PreparedRows& palette = palettes.of(batch);
                        runs.run(method.kernels, palette.rows(), palette.scaled_rows(), batch, begin, end);
                        palettes.done(batch, end - begin);
                      });
}

}  // namespace lissom
