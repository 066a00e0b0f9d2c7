// SPDX-License-Identifier: MIT
#include "core/skinning/skinning_job.h"

#include <string>

#include "core/math/conventions.h"
#include "core/math/dual_quat.h"
#include "core/skinning/palette_check.h"
#include "core/skinning/prepared_mesh.h"
#include "core/skinning/scalar_skinning.h"
#include "core/skinning/vector_skinning.h"

namespace lissom {
namespace {

// Squared length below which a real part is no direction any more.
constexpr double kLeastRealSquared = 1e-12;

template <class T>
Error check_rotations(const char* argument, std::span<const T> rows, std::size_t row_count,
                      std::size_t batch_count) {
  for (std::size_t row = 0; row < batch_count * row_count; ++row) {
    const T* q = rows.data() + row * kDualQuatScalars;
    if (!(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > T(kLeastRealSquared))) {
      return Error(std::string(argument) + " must have unit real parts, got zero" +
                   palette_row_text(row, row_count, batch_count) +
                   "; the identity is 0, 0, 0, 1, 0, 0, 0, 0");
    }
  }
  return {};
}

// What a vertex array must be: given where the method or an output needs it, and nowhere else.
Error check_vertices(const char* name, std::size_t size, bool wanted, std::size_t expected) {
  if (size == (wanted ? expected : 0)) return {};
  return Error(std::string(name) +
               (wanted ? " must have one row per vertex" : " are not read by this method"));
}

Error check_unit_interval(std::span<const float> mix) {
  for (std::size_t v = 0; v < mix.size(); ++v) {
    if (mix[v] >= 0 && mix[v] <= 1) continue;
    return Error("blend must be in [0, 1], got " + std::to_string(mix[v]) + " in vertex " +
                 std::to_string(v) + "; 0 is all linear, 1 all dual quaternion");
  }
  return {};
}

Error check_centers(std::span<const float> centers) {
  if (all_finite(centers)) return {};
  std::size_t i = 0;
  while (std::isfinite(centers[i])) ++i;
  return Error("centers must be finite, got " + std::to_string(centers[i]) + " in vertex " +
               std::to_string(i / 3) + "; a vertex without a centre takes its own position");
}

}  // namespace

template <class T>
Error SkinningJob<T>::validate() const {
  const std::size_t vertex_count = mesh->vertex_count();
  if (prepared && prepared->vertex_count() != vertex_count) {
    return Error("the prepared mesh must be made of the mesh");
  }
  const bool has_normals = !normals_out.empty(), has_tangents = !tangents_out.empty();
  if (Error error = check_vertices("normals", normals.size(), has_normals, 3 * vertex_count)) return error;
  if (Error error = check_vertices("tangents", tangents.size(), has_tangents, 4 * vertex_count)) return error;
  const bool has_centers = method == SkinningMethod::kCenters, has_mix = method == SkinningMethod::kMixed;
  if (Error error = check_vertices("centers", centers.size(), has_centers, 3 * vertex_count)) return error;
  if (Error error = check_vertices("blend", mix.size(), has_mix, vertex_count)) return error;
  if (has_tangents && !has_normals) return Error("tangents need normals, to which they stay at right angles");
  const auto is_output = [&](std::span<T> out, std::size_t width) {
    return out.empty() || out.size() == batch_count * vertex_count * width;
  };
  if (positions_out.size() != batch_count * vertex_count * 3 || !is_output(normals_out, 3) ||
      !is_output(tangents_out, 4)) {
    return Error("outputs must have the lengths that batch and vertices give");
  }
  struct Palette {
    const char* name;
    std::span<const T> values;
    std::size_t width;
  };
  for (const Palette& palette :
       {Palette{"matrices", matrices, kMatrixScalars}, Palette{"dual_quats", dual_quats, kDualQuatScalars},
        Palette{"quat_trans", quat_trans, kDualQuatScalars}, Palette{"scales", scales, kAffineScalars}}) {
    if (palette.values.empty()) continue;
    if (palette.values.size() != batch_count * row_count * palette.width) {
      return Error(std::string(palette.name) + " must have the length that batch and rows give");
    }
    if (Error error = check_palette_rows(palette.name, *mesh, row_count)) return error;
    if (Error error =
            check_palette_finite(palette.name, palette.values, palette.width, row_count, batch_count)) {
      return error;
    }
  }
  // An empty palette fits an empty mesh alone.
  if (Error error = check_palette_rows("palette", *mesh, row_count)) return error;
  if (!dual_quats.empty()) {
    if (Error error = check_rotations("dual_quats", dual_quats, row_count, batch_count)) return error;
  }
  if (!quat_trans.empty()) {
    if (Error error = check_rotations("quat_trans", quat_trans, row_count, batch_count)) return error;
  }
  if (Error error = check_unit_interval(mix)) return error;
  return check_centers(centers);
}

template <class T>
Error SkinningJob<T>::run() const {
  if (Error error = validate()) return error;
  if (!positions_out.empty()) skin_all(*this);
  return {};
}

template struct SkinningJob<float>;
template struct SkinningJob<double>;

}  // namespace lissom
