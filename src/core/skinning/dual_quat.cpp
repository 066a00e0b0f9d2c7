// SPDX-License-Identifier: MIT
#include "core/skinning/dual_quat.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/parallel/thread_pool.h"
#include "core/skinning/palette_check.h"

namespace lissom {
namespace {

constexpr std::size_t kBlock = 16;
constexpr double kScalarNanoseconds = 30;
// A cofactor that shortens a normal below this share of |S|^2 has left rounding alone: S has no area across
// it.
constexpr double kVanishing = 1e-6;
// Squared length below which a real part is no direction any more.
constexpr double kLeastRealSquared = 1e-12;

template <class T>
struct Rows {
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
void skin_vertices(const DualQuatSkinningJob<T>& job, const Rows<T>& rows) {
  const SkinnedMesh& mesh = *job.mesh;
  const std::size_t influence_count = mesh.influence_count();
  for (std::size_t vertex = rows.begin; vertex < rows.end; ++vertex) {
    const Index* indices = mesh.indices<Index>() + vertex * influence_count;
    const float* weights = mesh.weights() + vertex * influence_count;
    const Quat<T>& pivot = rows.palette[mesh.pivots<Index>()[vertex]].real;
    DualQuat<T> blend{};
    Affine<T> scale{};
    for (std::size_t k = 0; k < influence_count; ++k) {
      const DualQuat<T>& row = rows.palette[indices[k]];
      const T weight = weights[k];
      blend = blend + (dot(row.real, pivot) < 0 ? -weight : weight) * row;
      if (!rows.scales) continue;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) scale.m[i][j] += weight * rows.scales[indices[k]].m[i][j];
      }
    }
    // Both parts by |b0| alone: what the dual keeps along the real part does not move points.
    blend = (1 / length(blend.real)) * blend;

    const float* p = mesh.positions() + 3 * vertex;
    Vec3<T> position{p[0], p[1], p[2]};
    if (rows.scales) position = transform_point(scale, position);
    position = transform_point(blend, position);
    T* out = rows.positions_out + 3 * vertex;
    out[0] = position.x, out[1] = position.y, out[2] = position.z;

    if (!rows.normals_out) continue;
    const float* n = job.normals.data() + 3 * vertex;
    Vec3<T> normal{n[0], n[1], n[2]};
    if (rows.scales) {
      const Mat3<T> s = scale.linear();
      const Vec3<T> scaled = cofactor(s) * normal;
      T square = 0;
      for (int i = 0; i < 3; ++i) square += dot(s.row(i), s.row(i));
      if (length(scaled) > T(kVanishing) * square * length(normal)) normal = scaled;
    }
    normal = unit_or_zero(rotate(blend.real, normal));
    out = rows.normals_out + 3 * vertex;
    out[0] = normal.x, out[1] = normal.y, out[2] = normal.z;
  }
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
  const std::size_t vertex_count = mesh->vertex_count();
  if (vertex_count == 0) return {};
  const std::size_t blocks = (vertex_count + kBlock - 1) / kBlock;
  parallel_for(batch_count * blocks, 1, kBlock * kScalarNanoseconds, [&](std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t batch = begin / blocks;
      const std::size_t first = begin - batch * blocks;
      const std::size_t last = std::min(blocks, first + (end - begin));
      const std::size_t offset = batch * vertex_count * 3;
      const Rows<T> rows{
          reinterpret_cast<const DualQuat<T>*>(dual_quats.data()) + batch * row_count,
          scales.empty() ? nullptr : reinterpret_cast<const Affine<T>*>(scales.data()) + batch * row_count,
          first * kBlock,
          std::min(last * kBlock, vertex_count),
          positions_out.data() + offset,
          normals_out.empty() ? nullptr : normals_out.data() + offset};
      mesh->is_wide() ? skin_vertices<T, std::uint32_t>(*this, rows)
                      : skin_vertices<T, std::uint16_t>(*this, rows);
      begin += last - first;
    }
  });
  return {};
}

template struct DualQuatSkinningJob<float>;
template struct DualQuatSkinningJob<double>;

}  // namespace lissom
