// SPDX-License-Identifier: MIT
#include "core/skinning/dual_quat.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/math/conventions.h"
#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/simd/isa.h"
#include "core/skinning/kernels.h"
#include "core/skinning/palette_check.h"
#include "core/skinning/vertex_runs.h"

namespace lissom {

LISSOM_KERNEL_TABLE(DualQuatKernels, dual_quat_kernels)

namespace {

// Rough costs of a vertex, for the choice of threads alone.
constexpr double kVectorNanoseconds = 3.5;
constexpr double kScalarNanoseconds = 30;
// The table of signs is made where it has no more entries than this times the vertices: an entry costs about
// a tenth of a nanosecond, asking the dot product instead several per vertex.
constexpr std::size_t kSignsPerVertex = 4;
// Squared length below which a real part is no direction any more.
constexpr double kLeastRealSquared = 1e-12;

template <class T>
struct Run {
  const DualQuat<T>* palette;
  const Affine<T>* scales;  // or null
  std::size_t begin, end;   // vertices
  T* positions_out;         // of the whole mesh
  T* normals_out;           // or null
};

template <class T>
Vec3<T> unit_or_zero(const Vec3<T>& v) {
  const T size = length(v);
  return (size > 0 ? 1 / size : T(0)) * v;
}

template <class T, class Index>
void skin_vertices(const DualQuatSkinningJob<T>& job, const Run<T>& run) {
  const SkinnedMesh& mesh = *job.mesh;
  const std::size_t influence_count = mesh.influence_count();
  for (std::size_t vertex = run.begin; vertex < run.end; ++vertex) {
    const Index* indices = mesh.indices<Index>() + vertex * influence_count;
    const float* weights = mesh.weights() + vertex * influence_count;
    const Quat<T>& pivot = run.palette[mesh.pivots<Index>()[vertex]].real;
    DualQuat<T> blend{};
    Affine<T> scale{};
    for (std::size_t k = 0; k < influence_count; ++k) {
      const DualQuat<T>& row = run.palette[indices[k]];
      const T weight = weights[k];
      blend = blend + (dot(row.real, pivot) < 0 ? -weight : weight) * row;
      if (!run.scales) continue;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) scale.m[i][j] += weight * run.scales[indices[k]].m[i][j];
      }
    }
    // Both parts by |b0| alone: what the dual keeps along the real part does not move points.
    blend = (1 / length(blend.real)) * blend;

    const float* p = mesh.positions() + 3 * vertex;
    Vec3<T> position{p[0], p[1], p[2]};
    if (run.scales) position = transform_point(scale, position);
    position = transform_point(blend, position);
    T* out = run.positions_out + 3 * vertex;
    out[0] = position.x, out[1] = position.y, out[2] = position.z;

    if (!run.normals_out) continue;
    const float* n = job.normals.data() + 3 * vertex;
    Vec3<T> normal{n[0], n[1], n[2]};
    if (run.scales) {
      const Mat3<T> s = scale.linear();
      const Vec3<T> scaled = cofactor(s) * normal;
      T square = 0;
      for (int i = 0; i < 3; ++i) square += dot(s.row(i), s.row(i));
      if (length(scaled) > T(kVanishing) * square * length(normal)) normal = scaled;
    }
    normal = unit_or_zero(rotate(blend.real, normal));
    out = run.normals_out + 3 * vertex;
    out[0] = normal.x, out[1] = normal.y, out[2] = normal.z;
  }
}

void skin_all(const DualQuatSkinningJob<double>& job) {
  const std::size_t vertex_count = job.mesh->vertex_count();
  const auto skin_run = [&](std::size_t batch, std::size_t begin, std::size_t end) {
    const std::size_t first_row = batch * job.row_count;
    const std::size_t offset = batch * vertex_count * 3;
    const Run<double> run{
        reinterpret_cast<const DualQuat<double>*>(job.dual_quats.data()) + first_row,
        job.scales.empty() ? nullptr : reinterpret_cast<const Affine<double>*>(job.scales.data()) + first_row,
        begin,
        end,
        job.positions_out.data() + offset,
        job.normals_out.empty() ? nullptr : job.normals_out.data() + offset};
    job.mesh->is_wide() ? skin_vertices<double, std::uint32_t>(job, run)
                        : skin_vertices<double, std::uint16_t>(job, run);
  };
  for_each_vertex_run(job.batch_count, vertex_count, kScalarNanoseconds, skin_run);
}

// One palette as the kernels read it.
class PreparedPalette {
 public:
  PreparedPalette(const DualQuatSkinningJob<float>& job, std::size_t batch)
      : row_count_(job.row_count),
        dual_quats_(2 * kDualQuatScalars * row_count_),
        matrices_(job.scales.empty() ? 0 : kMatrixScalars * row_count_),
        has_matrices_(!job.scales.empty()) {
    const float* q = job.dual_quats.data() + batch * row_count_ * kDualQuatScalars;
    float* pair = dual_quats_.data();
    for (std::size_t row = 0; row < row_count_; ++row, q += kDualQuatScalars, pair += 2 * kDualQuatScalars) {
      for (int i = 0; i < kDualQuatScalars; ++i) {
        pair[i] = q[i];
        pair[kDualQuatScalars + i] = -q[i];
      }
    }
    if (has_matrices_) {
      const float* scale = job.scales.data() + batch * row_count_ * kAffineScalars;
      for (std::size_t row = 0; row < row_count_; ++row) {
        std::memcpy(matrices_.data() + row * kMatrixScalars, scale + row * kAffineScalars,
                    kAffineScalars * sizeof(float));
      }
    }
    if (job.mesh->influence_count() > 1 &&
        row_count_ * row_count_ <= kSignsPerVertex * job.mesh->vertex_count()) {
      signs_.resize(row_count_ * row_count_);
      dual_quat_kernels().find_signs(dual_quats_.data(), row_count_, signs_.data());
    }
  }
  PaletteRows rows() {
    return {has_matrices_ ? matrices_.data() : nullptr, dual_quats_.data(),
            signs_.empty() ? nullptr : signs_.data(), row_count_};
  }

 private:
  std::size_t row_count_;
  AlignedFloats dual_quats_, matrices_;
  bool has_matrices_;
  std::vector<std::uint8_t> signs_;
};

void skin_all(const DualQuatSkinningJob<float>& job) {
  const VectorRuns runs(*job.mesh, job.normals);
  const std::size_t vertex_count = job.mesh->vertex_count();
  const auto skin_run = [&](std::size_t batch, std::size_t begin, std::size_t end) {
    PreparedPalette palette(job, batch);
    const std::size_t offset = batch * vertex_count * 3;
    runs.run(dual_quat_kernels().narrow, dual_quat_kernels().wide, palette.rows(), begin, end,
             job.positions_out.data() + offset, job.normals_out.data() + offset);
  };
  for_each_vertex_run(job.batch_count, vertex_count, kVectorNanoseconds, skin_run);
}

}  // namespace

template <class T>
Error DualQuatSkinningJob<T>::validate() const {
  const std::size_t out_count = batch_count * mesh->vertex_count() * 3;
  if (normals.size() != (normals_out.empty() ? 0 : mesh->vertex_count() * 3)) {
    return Error("normals must have one row per vertex");
  }
  if (dual_quats.size() != batch_count * row_count * 8 || positions_out.size() != out_count ||
      (!normals_out.empty() && normals_out.size() != out_count) ||
      (!scales.empty() && scales.size() != batch_count * row_count * 12)) {
    return Error("dual_quats, scales and outputs must have the lengths that batch, rows and vertices give");
  }
  if (Error error = check_palette_rows("dual_quats", *mesh, row_count)) return error;
  if (Error error = check_palette_finite("dual_quats", dual_quats, 8, row_count, batch_count)) return error;
  if (Error error = check_palette_finite("scales", scales, 12, row_count, batch_count)) return error;
  const auto* rows = reinterpret_cast<const DualQuat<T>*>(dual_quats.data());
  for (std::size_t row = 0; row < batch_count * row_count; ++row) {
    if (!(dot(rows[row].real, rows[row].real) > T(kLeastRealSquared))) {
      return Error("dual_quats must have unit real parts, got zero" +
                   palette_row_text(row, row_count, batch_count) +
                   "; the identity is 0, 0, 0, 1, 0, 0, 0, 0");
    }
  }
  return {};
}

template <class T>
Error DualQuatSkinningJob<T>::run() const {
  if (Error error = validate()) return error;
  if (!positions_out.empty()) skin_all(*this);
  return {};
}

template struct DualQuatSkinningJob<float>;
template struct DualQuatSkinningJob<double>;

}  // namespace lissom
