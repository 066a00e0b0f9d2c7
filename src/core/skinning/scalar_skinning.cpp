// SPDX-License-Identifier: MIT
#include "core/skinning/scalar_skinning.h"

#include <algorithm>
#include <vector>

#include "core/skinning/morph_targets.h"
#include "core/skinning/motion.h"
#include "core/skinning/vertex_runs.h"

namespace lissom {
namespace {

using T = double;

constexpr double kNanoseconds = 30;  // rough cost of a vertex, for the choice of threads alone

// One palette of a batch; null where it has none.
struct Palette {
  const Mat4<T>* matrices;
  const DualQuat<T>* rigid;  // or rotation and translation
  const Affine<T>* scales;
};

template <class Row>
const Row* rows_from(std::span<const T> values, std::size_t first) {
  return values.empty() ? nullptr : reinterpret_cast<const Row*>(values.data()) + first;
}

Palette palette_of(const SkinningJob<T>& job, std::size_t batch) {
  const std::size_t first = batch * job.row_count;
  const auto& rigid = job.method == SkinningMethod::kQuatTrans ? job.quat_trans : job.dual_quats;
  return {rows_from<Mat4<T>>(job.matrices, first), rows_from<DualQuat<T>>(rigid, first),
          rows_from<Affine<T>>(job.scales, first)};
}

// The blends of one vertex's influences.
struct Vertex {
  const SkinnedMesh& mesh;
  std::size_t vertex;

  template <class Body>
  void each(Body body) const {  // body(row, weight)
    const std::size_t first = vertex * mesh.influence_count();
    for (std::size_t i = first; i < first + mesh.influence_count(); ++i) body(mesh.row(i), T(mesh.weight(i)));
  }

  // The weighted sum of row(index), an affine map.
  template <class Row>
  Affine<T> blend(Row row) const {
    Affine<T> sum{};
    each([&](std::size_t index, T weight) {
      const Affine<T> affine = row(index);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) sum.m[i][j] += weight * affine.m[i][j];
      }
    });
    return sum;
  }

  DualQuat<T> blend_signed(const DualQuat<T>* rows) const {
    const DualQuat<T>& pivot = rows[mesh.pivot(vertex)];
    DualQuat<T> sum{};
    each([&](std::size_t index, T weight) { sum = sum + weight * aligned(rows[index], pivot); });
    return sum;
  }
};

// The matrix of a rotation of any length.
Mat3<T> rotation_of(const Quat<T>& q) { return mat3_from((T(1) / length(q)) * q); }
Affine<T> rigid_affine(const DualQuat<T>& q) { return affine_from((T(1) / length(q.real)) * q); }

// Calls run(motion) for one vertex.
template <class Run>
void with_motion(const SkinningJob<T>& job, const Palette& palette, std::size_t v, Run run) {
  const Vertex vertex{*job.mesh, v};
  const auto matrix = [&](std::size_t index) { return affine_from(palette.matrices[index]); };
  const auto scale = [&](std::size_t index) { return palette.scales[index]; };
  const auto with_scale = [&](auto move) {
    palette.scales ? move(LinearScale<T>{vertex.blend(scale)}) : move(NoScale<T>{});
  };
  switch (job.method) {
    case SkinningMethod::kLinear:
      return run(LinearMotion<T>{vertex.blend(matrix)});
    case SkinningMethod::kQuatTrans:
      return run(LinearMotion<T>{vertex.blend([&](std::size_t index) {
        const DualQuat<T>& row = palette.rigid[index];
        const Affine<T> rigid = affine_from(rotation_of(row.real), row.dual.vector());
        return palette.scales ? rigid * palette.scales[index] : rigid;
      })});
    case SkinningMethod::kDualQuat: {
      const DualQuatMotion<T> rigid{vertex.blend_signed(palette.rigid)};
      return with_scale([&](const auto& first) { run(first.before(rigid)); });
    }
    case SkinningMethod::kCor: {
      const float* c = job.centers.data() + 3 * v;
      const Quat<T> rotation = vertex.blend_signed(palette.rigid).real;
      const Affine<T> blend =
          vertex.blend([&](std::size_t index) { return rigid_affine(palette.rigid[index]); });
      return with_scale([&](const auto& first) {
        run(first.before(CorMotion<T>{rotation, blend, first.point({c[0], c[1], c[2]})}));
      });
    }
    case SkinningMethod::kBlended: {
      const LinearMotion<T> linear{vertex.blend(matrix)};
      const DualQuatMotion<T> rigid{vertex.blend_signed(palette.rigid)};
      return with_scale(
          [&](const auto& first) { run(blended<T>(linear, first.before(rigid), job.blend[v])); });
    }
  }
}

Vec3<T> load(const T* from) { return {from[0], from[1], from[2]}; }
void store(T* to, const Vec3<T>& v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

// The bind arrays of vertices, in the precision of the job, with morph targets added.
struct BindVertices {
  BindVertices(const SkinningJob<T>& job, const ActiveMorphs& active, std::size_t batch, std::size_t begin,
               std::size_t end)
      : positions(job.mesh->positions() + 3 * begin, job.mesh->positions() + 3 * end) {
    if (!job.normals.empty()) normals.assign(&job.normals[3 * begin], job.normals.data() + 3 * end);
    if (!job.tangents.empty()) tangents.assign(&job.tangents[4 * begin], job.tangents.data() + 4 * end);
    if (active.of(batch).empty()) return;
    const MorphTargets::Arrays& rows = job.morphs->arrays();
    const auto add = [](std::span<const float> deltas, std::size_t row, T weight, std::vector<T>* to,
                        std::size_t at) {
      if (deltas.empty() || to->empty()) return;
      for (std::size_t i = 0; i < 3; ++i) (*to)[at + i] += weight * T(deltas[3 * row + i]);
    };
    for (const ActiveMorphs::Target& target : active.of(batch)) {
      const auto first = rows.vertices.begin();
      const auto from = std::lower_bound(first + static_cast<std::ptrdiff_t>(target.begin),
                                         first + static_cast<std::ptrdiff_t>(target.end), begin);
      for (auto row = static_cast<std::size_t>(from - first); row < target.end && rows.vertices[row] < end;
           ++row) {
        const std::size_t i = rows.vertices[row] - begin;
        add(rows.positions, row, target.weight, &positions, 3 * i);
        add(rows.normals, row, target.weight, &normals, 3 * i);
        add(rows.tangents, row, target.weight, &tangents, 4 * i);
      }
    }
  }
  std::vector<T> positions, normals, tangents;
};

void skin_vertices(const SkinningJob<T>& job, const ActiveMorphs& active, std::size_t batch,
                   std::size_t begin, std::size_t end) {
  const Palette palette = palette_of(job, batch);
  const BindVertices bind(job, active, batch, begin, end);
  const std::size_t first = batch * job.mesh->vertex_count();
  for (std::size_t v = begin; v < end; ++v) {
    with_motion(job, palette, v, [&](const auto& motion) {
      const std::size_t i = v - begin;
      store(&job.positions_out[3 * (first + v)], motion.point(load(&bind.positions[3 * i])));
      if (job.normals.empty()) return;
      const Vec3<T> normal = moved_normal(motion, load(&bind.normals[3 * i]), job.upright);
      store(&job.normals_out[3 * (first + v)], normal);
      if (job.tangents.empty()) return;
      const T* tangent = &bind.tangents[4 * i];
      T* const out = &job.tangents_out[4 * (first + v)];
      store(out, moved_tangent(motion, load(tangent), normal));
      out[3] = tangent[3];
    });
  }
}

}  // namespace

void skin_all(const SkinningJob<double>& job) {
  const ActiveMorphs active = job.morphs ? ActiveMorphs(*job.morphs, job.morph_weights) : ActiveMorphs();
  for_each_vertex_run(job.batch_count, job.mesh->vertex_count(), kNanoseconds,
                      [&](std::size_t batch, std::size_t begin, std::size_t end) {
                        skin_vertices(job, active, batch, begin, end);
                      });
}

}  // namespace lissom
