// SPDX-License-Identifier: MIT
#include "core/skinning/linear.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/math/conventions.h"
#include "core/math/mat4.h"
#include "core/simd/isa.h"
#include "core/skinning/kernels.h"
#include "core/skinning/palette_check.h"
#include "core/skinning/vertex_runs.h"

namespace lissom {

LISSOM_KERNEL_TABLE(LinearKernels, linear_kernels)

namespace {

// Rough costs of a vertex, for the choice of threads alone.
constexpr double kVectorNanoseconds = 1.7;
constexpr double kScalarNanoseconds = 12;

template <class T>
struct Run {
  const Mat4<T>* palette;
  std::size_t begin, end;  // vertices
  T* positions_out;        // of the whole mesh
  T* normals_out;          // or null
};

template <class T, class Index>
void skin_vertices(const LinearSkinningJob<T>& job, const Run<T>& run) {
  const SkinnedMesh& mesh = *job.mesh;
  const std::size_t influence_count = mesh.influence_count();
  for (std::size_t vertex = run.begin; vertex < run.end; ++vertex) {
    const Index* indices = mesh.indices<Index>() + vertex * influence_count;
    const float* weights = mesh.weights() + vertex * influence_count;
    Affine<T> blend{};
    for (std::size_t k = 0; k < influence_count; ++k) {
      const Mat4<T>& matrix = run.palette[indices[k]];
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) blend.m[i][j] += T(weights[k]) * matrix.m[i][j];
      }
    }
    const float* p = mesh.positions() + 3 * vertex;
    const Vec3<T> position = transform_point(blend, Vec3<T>{p[0], p[1], p[2]});
    T* out = run.positions_out + 3 * vertex;
    out[0] = position.x, out[1] = position.y, out[2] = position.z;
    if (!run.normals_out) continue;
    const float* n = job.normals.data() + 3 * vertex;
    const Vec3<T> normal = transform_vector(blend, Vec3<T>{n[0], n[1], n[2]});
    const T size = length(normal);
    const T scale = size > 0 ? 1 / size : T(0);
    out = run.normals_out + 3 * vertex;
    out[0] = scale * normal.x, out[1] = scale * normal.y, out[2] = scale * normal.z;
  }
}

void skin_all(const LinearSkinningJob<double>& job) {
  const std::size_t vertex_count = job.mesh->vertex_count();
  const auto skin_run = [&](std::size_t batch, std::size_t begin, std::size_t end) {
    const std::size_t offset = batch * vertex_count * 3;
    const Run<double> run{reinterpret_cast<const Mat4<double>*>(job.matrices.data()) + batch * job.row_count,
                          begin, end, job.positions_out.data() + offset,
                          job.normals_out.empty() ? nullptr : job.normals_out.data() + offset};
    job.mesh->is_wide() ? skin_vertices<double, std::uint32_t>(job, run)
                        : skin_vertices<double, std::uint16_t>(job, run);
  };
  for_each_vertex_run(job.batch_count, vertex_count, kScalarNanoseconds, skin_run);
}

void skin_all(const LinearSkinningJob<float>& job) {
  const VectorRuns runs(*job.mesh, job.normals);
  const std::size_t vertex_count = job.mesh->vertex_count();
  const auto skin_run = [&](std::size_t batch, std::size_t begin, std::size_t end) {
    // The user's rows are the kernels' already, but may
    // straddle cache lines, which costs more than this copy.
    AlignedFloats rows(job.row_count * kMatrixScalars);
    std::memcpy(rows.data(), job.matrices.data() + batch * job.row_count * kMatrixScalars,
                job.row_count * kMatrixScalars * sizeof(float));
    const std::size_t offset = batch * vertex_count * 3;
    runs.run(linear_kernels().narrow, linear_kernels().wide, {rows.data(), nullptr, nullptr, job.row_count},
             begin, end, job.positions_out.data() + offset, job.normals_out.data() + offset);
  };
  for_each_vertex_run(job.batch_count, vertex_count, kVectorNanoseconds, skin_run);
}

}  // namespace

template <class T>
Error LinearSkinningJob<T>::validate() const {
  const std::size_t out_count = batch_count * mesh->vertex_count() * 3;
  if (normals.size() != (normals_out.empty() ? 0 : mesh->vertex_count() * 3)) {
    return Error("normals must have one row per vertex");
  }
  if (matrices.size() != batch_count * row_count * 16 || positions_out.size() != out_count ||
      (!normals_out.empty() && normals_out.size() != out_count)) {
    return Error("matrices and outputs must have the lengths that batch, rows and vertices give");
  }
  if (Error error = check_palette_rows("matrices", *mesh, row_count)) return error;
  return check_palette_finite("matrices", matrices, 16, row_count, batch_count);
}

template <class T>
Error LinearSkinningJob<T>::run() const {
  if (Error error = validate()) return error;
  if (!positions_out.empty()) skin_all(*this);
  return {};
}

template struct LinearSkinningJob<float>;
template struct LinearSkinningJob<double>;

}  // namespace lissom
