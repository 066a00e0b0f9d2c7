// SPDX-License-Identifier: MIT
#include "core/skinning/vector_skinning.h"

#include "core/simd/isa.h"
#include "core/skinning/kernels.h"
#include "core/skinning/palette_rows.h"
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

}  // namespace

void skin_all(const SkinningJob<float>& job) {
  if (job.prepared) return skin_prepared(job);
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
