// SPDX-License-Identifier: MIT
#include "core/skinning/inverse_skinning.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "core/math/dual_quat.h"
#include "core/math/mat4.h"
#include "core/number_text.h"
#include "core/skinning/palette_check.h"
#include "core/skinning/vertex_runs.h"

namespace lissom {
namespace {

constexpr double kNanoseconds = 60;  // rough cost of a vertex, for the choice of threads alone
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNone = ~std::size_t{0};

template <class T>
Vec3<double> load(const T* from) {
  return {double(from[0]), double(from[1]), double(from[2])};
}
template <class T>
void store(T* to, const Vec3<double>& v) {
  to[0] = static_cast<T>(v.x), to[1] = static_cast<T>(v.y), to[2] = static_cast<T>(v.z);
}

// Exact for vectors of any length; zero stays zero.
Vec3<double> unit_or_zero(const Vec3<double>& v) { return is_zero(v) ? v : direction(v); }

// The inverse motion of a vertex: `linear` and then a translation, and the condition of `linear`.
struct Inverse {
  Affine<double> bind_from_model;
  Mat3<double> normal_from_model;
  double condition;  // infinite or NaN where there is no inverse
};

Inverse inverse_of_linear(const Affine<double>& blend) {
  const Mat3<double> m = blend.linear();
  const Affine<double> bind_from_model = inverse(blend);
  return {bind_from_model, bind_from_model.linear(),
          std::sqrt(squared_norm(m) * squared_norm(bind_from_model.linear())) / 3};
}

Inverse inverse_of_rigid(const DualQuat<double>& blend) {
  // The blend is only divided by |b_0|: translation() does not depend on the part of the dual parallel to it.
  const DualQuat<double> unit = (1 / length(blend.real)) * blend;
  const Mat3<double> inverse_rotation = transpose(mat3_from(unit.real));
  return {affine_from(inverse_rotation, -(inverse_rotation * translation(unit))), inverse_rotation, 1};
}

// The inverse of `rigid`, then that of `scale`.
Inverse inverse_of_scaled(const Affine<double>& scale, const Inverse& rigid) {
  const Inverse of_scale = inverse_of_linear(scale);
  const double sign = determinant(scale.linear()) < 0 ? -1 : 1;
  return {of_scale.bind_from_model * rigid.bind_from_model,
          sign * (transpose(scale.linear()) * rigid.normal_from_model), of_scale.condition};
}

template <class T>
struct Rows {
  const T* matrices;  // of one palette; null where it has none
  const T* dual_quats;
  const T* scales;
};

// The weighted sum of 3x4 parts of rows that are `stride` numbers long.
template <class T>
Affine<double> blend_affine(const SkinnedMesh& mesh, std::size_t vertex, const T* rows, std::size_t stride) {
  Affine<double> sum{};
  const std::size_t first = vertex * mesh.influence_count();
  for (std::size_t k = first; k < first + mesh.influence_count(); ++k) {
    const T* row = rows + stride * mesh.row(k);
    const double weight = mesh.weight(k);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) sum.m[i][j] += weight * double(row[4 * i + j]);
    }
  }
  return sum;
}

template <class T>
DualQuat<double> dual_quat_at(const T* row) {
  return {{double(row[0]), double(row[1]), double(row[2]), double(row[3])},
          {double(row[4]), double(row[5]), double(row[6]), double(row[7])}};
}

template <class T>
DualQuat<double> blend_signed(const SkinnedMesh& mesh, std::size_t vertex, const T* rows) {
  const DualQuat<double> pivot = dual_quat_at(rows + 8 * mesh.pivot(vertex));
  DualQuat<double> sum{};
  const std::size_t first = vertex * mesh.influence_count();
  for (std::size_t k = first; k < first + mesh.influence_count(); ++k) {
    const DualQuat<double> row = dual_quat_at(rows + 8 * mesh.row(k));
    sum = sum + double(mesh.weight(k)) * aligned(row, pivot);
  }
  return sum;
}

template <class T>
Inverse inverse_of(const SkinnedMesh& mesh, std::size_t vertex, const Rows<T>& rows) {
  if (rows.matrices) return inverse_of_linear(blend_affine(mesh, vertex, rows.matrices, 16));
  const Inverse rigid = inverse_of_rigid(blend_signed(mesh, vertex, rows.dual_quats));
  if (!rows.scales) return rigid;
  return inverse_of_scaled(blend_affine(mesh, vertex, rows.scales, 12), rigid);
}

// Counts from several threads; the first by number, whichever thread finds it.
class UnsolvedCount {
 public:
  void add(std::size_t count, std::size_t first) {
    count_.fetch_add(count, std::memory_order_relaxed);
    std::size_t seen = first_.load(std::memory_order_relaxed);
    while (first < seen && !first_.compare_exchange_weak(seen, first, std::memory_order_relaxed)) {
    }
  }
  Unsolved result(std::size_t vertex_count) const {
    const std::size_t count = count_.load(), first = first_.load();
    return count == 0 ? Unsolved() : Unsolved{count, first / vertex_count, first % vertex_count};
  }

 private:
  std::atomic<std::size_t> count_{0}, first_{kNone};
};

// Vertices [begin, end) of one pose; with `dry` they are counted, and nothing is written.
template <class T>
void bring_back(const InverseSkinningJob<T>& job, std::size_t batch, std::size_t begin, std::size_t end,
                bool dry, UnsolvedCount* unsolved) {
  const auto row = [&](std::span<const T> values, std::size_t length) {
    return values.empty() ? nullptr : values.data() + batch * job.row_count * length;
  };
  const Rows<T> rows{row(job.matrices, 16), row(job.dual_quats, 8), row(job.scales, 12)};
  std::size_t count = 0, first = kNone;
  for (std::size_t vertex = begin; vertex < end; ++vertex) {
    const std::size_t at = batch * job.mesh->vertex_count() + vertex;
    const Inverse inverse = inverse_of(*job.mesh, vertex, rows);
    const bool solved = inverse.condition <= job.max_condition;
    if (!solved && count++ == 0) first = at;
    if (dry) continue;
    const Vec3<double> nowhere{kNaN, kNaN, kNaN};
    store(&job.positions_out[3 * at],
          solved ? transform_point(inverse.bind_from_model, load(&job.positions[3 * at])) : nowhere);
    if (job.normals.empty()) continue;
    store(&job.normals_out[3 * at],
          solved ? unit_or_zero(inverse.normal_from_model * load(&job.normals[3 * at])) : nowhere);
  }
  if (count > 0) unsolved->add(count, first);
}

template <class T>
Unsolved bring_all_back(const InverseSkinningJob<T>& job, bool dry) {
  UnsolvedCount unsolved;
  for_each_vertex_run(job.batch_count, job.mesh->vertex_count(), kNanoseconds,
                      [&](std::size_t batch, std::size_t begin, std::size_t end) {
                        bring_back(job, batch, begin, end, dry, &unsolved);
                      });
  return unsolved.result(std::max<std::size_t>(job.mesh->vertex_count(), 1));
}

template <class T>
Error check_vertices_finite(const char* argument, std::span<const T> values, std::size_t vertex_count,
                            std::size_t batch_count) {
  const std::size_t i = first_not_finite(values);
  if (i == values.size()) return {};
  const std::string pose = batch_count == 1 ? "" : " of pose " + std::to_string(i / 3 / vertex_count);
  return Error(std::string(argument) + " must be finite, got " + number_text(values[i]) + " in vertex " +
               std::to_string(i / 3 % vertex_count) + pose +
               "; fill in what was not measured, or leave it out");
}

}  // namespace

template <class T>
Error InverseSkinningJob<T>::validate() const {
  const std::size_t length = batch_count * mesh->vertex_count() * 3, row_total = batch_count * row_count;
  const bool is_linear = dual_quats.empty();
  if (positions.size() != length || positions_out.size() != length || normals.size() != normals_out.size() ||
      (!normals.empty() && normals.size() != length)) {
    return Error("positions, normals and outputs must have one row per vertex and pose");
  }
  if (matrices.size() != (is_linear ? 16 * row_total : 0) ||
      dual_quats.size() != (is_linear ? 0 : 8 * row_total) ||
      (!scales.empty() && (is_linear || scales.size() != 12 * row_total))) {
    return Error("the palette must be matrices, or dual_quats with scales or without, a row for each joint");
  }
  if (!(max_condition >= 1 && std::isfinite(max_condition))) {
    return Error("max_condition must be finite and at least 1, the condition of a rotation, got " +
                 number_text(max_condition));
  }
  if (Error error = check_palette_rows(is_linear ? "matrices" : "dual_quats", *mesh, row_count)) return error;
  if (Error error = check_palette_finite("matrices", matrices, 16, row_count, batch_count)) return error;
  if (Error error = check_palette_finite("dual_quats", dual_quats, 8, row_count, batch_count)) return error;
  if (Error error = check_palette_finite("scales", scales, 12, row_count, batch_count)) return error;
  if (!is_linear) {
    if (Error error = check_rotations("dual_quats", dual_quats, row_count, batch_count)) return error;
  }
  if (Error error = check_vertices_finite("positions", positions, mesh->vertex_count(), batch_count))
    return error;
  return check_vertices_finite("normals", normals, mesh->vertex_count(), batch_count);
}

template <class T>
Error InverseSkinningJob<T>::run(Unsolved* unsolved) const {
  if (Error error = validate()) return error;
  if (refuse_unsolved) {
    *unsolved = bring_all_back(*this, true);
    if (unsolved->count > 0) {
      return Error("vertices cannot be brought back where their blended transform has a condition above " +
                   number_text(max_condition) + ", got " + std::to_string(unsolved->count) +
                   " of them, the first is vertex " + std::to_string(unsolved->vertex) + " of pose " +
                   std::to_string(unsolved->batch) + "; leave them out, or take NaN for them");
    }
  }
  *unsolved = bring_all_back(*this, false);
  return {};
}

template struct InverseSkinningJob<float>;
template struct InverseSkinningJob<double>;

}  // namespace lissom
