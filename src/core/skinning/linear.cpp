// SPDX-License-Identifier: MIT
#include "core/skinning/linear.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/math/mat4.h"
#include "core/parallel/thread_pool.h"
#include "core/skinning/palette_check.h"

namespace lissom {
namespace {

// A step of about this much work each; chunk bounds stay multiples of it for every number of threads.
constexpr std::size_t kBlock = 16;
constexpr double kScalarNanoseconds = 12;

template <class T>
struct Rows {
  const Mat4<T>* palette;
  std::size_t begin, end;  // vertices
  T* positions_out;        // of the whole mesh
  T* normals_out;          // or null
};

template <class T, class Index>
void skin_vertices(const LinearSkinningJob<T>& job, const Rows<T>& rows) {
  const SkinnedMesh& mesh = *job.mesh;
  const std::size_t influence_count = mesh.influence_count();
  for (std::size_t vertex = rows.begin; vertex < rows.end; ++vertex) {
    const Index* indices = mesh.indices<Index>() + vertex * influence_count;
    const float* weights = mesh.weights() + vertex * influence_count;
    Affine<T> blend{};
    for (std::size_t k = 0; k < influence_count; ++k) {
      const Mat4<T>& matrix = rows.palette[indices[k]];
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) blend.m[i][j] += T(weights[k]) * matrix.m[i][j];
      }
    }
    const float* p = mesh.positions() + 3 * vertex;
    const Vec3<T> position = transform_point(blend, Vec3<T>{p[0], p[1], p[2]});
    T* out = rows.positions_out + 3 * vertex;
    out[0] = position.x, out[1] = position.y, out[2] = position.z;
    if (!rows.normals_out) continue;
    const float* n = job.normals.data() + 3 * vertex;
    const Vec3<T> normal = transform_vector(blend, Vec3<T>{n[0], n[1], n[2]});
    const T size = length(normal);
    const T scale = size > 0 ? 1 / size : T(0);
    out = rows.normals_out + 3 * vertex;
    out[0] = scale * normal.x, out[1] = scale * normal.y, out[2] = scale * normal.z;
  }
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
  const std::size_t vertex_count = mesh->vertex_count();
  if (vertex_count == 0) return {};
  const std::size_t blocks = (vertex_count + kBlock - 1) / kBlock;
  // One item is a block of one palette; a chunk may run over the end of a palette into the next.
  parallel_for(batch_count * blocks, 1, kBlock * kScalarNanoseconds, [&](std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t batch = begin / blocks;
      const std::size_t first = begin - batch * blocks;
      const std::size_t last = std::min(blocks, first + (end - begin));
      const std::size_t offset = batch * vertex_count * 3;
      const Rows<T> rows{reinterpret_cast<const Mat4<T>*>(matrices.data()) + batch * row_count,
                         first * kBlock, std::min(last * kBlock, vertex_count), positions_out.data() + offset,
                         normals_out.empty() ? nullptr : normals_out.data() + offset};
      mesh->is_wide() ? skin_vertices<T, std::uint32_t>(*this, rows)
                      : skin_vertices<T, std::uint16_t>(*this, rows);
      begin += last - first;
    }
  });
  return {};
}

template struct LinearSkinningJob<float>;
template struct LinearSkinningJob<double>;

}  // namespace lissom
