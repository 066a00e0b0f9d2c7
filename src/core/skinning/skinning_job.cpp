// SPDX-License-Identifier: MIT
#include "core/skinning/skinning_job.h"

#include <string>

#include "core/math/conventions.h"
#include "core/skinning/morph_targets.h"
#include "core/skinning/palette_check.h"
#include "core/skinning/prepared_mesh.h"
#include "core/skinning/scalar_skinning.h"
#include "core/skinning/vector_skinning.h"

namespace lissom {
namespace {

// What a vertex array must be: given where the method or an output needs it, and nowhere else.
Error check_vertices(const char* name, std::size_t size, bool is_read, std::size_t expected) {
  if (size == (is_read ? expected : 0)) return {};
  return Error(std::string(name) +
               (is_read ? " must have one row per vertex" : " are not read by this method"));
}

Error check_unit_interval(std::span<const float> blend) {
  for (std::size_t v = 0; v < blend.size(); ++v) {
    if (blend[v] >= 0 && blend[v] <= 1) continue;
    return Error("blend must lie in [0, 1], got " + number_text(blend[v]) + " in vertex " +
                 std::to_string(v) + "; 0 is all linear, 1 all dual quaternion");
  }
  return {};
}

Error check_centers(std::span<const float> centers) {
  const std::size_t i = first_not_finite(centers);
  if (i == centers.size()) return {};
  return Error("centers must be finite, got " + number_text(centers[i]) + " in vertex " +
               std::to_string(i / 3) + "; a vertex without a centre takes its own position");
}

template <class T>
Error check_morphs(const MorphTargets* morphs, std::span<const T> weights, std::size_t batch_count,
                   std::size_t vertex_count) {
  const std::size_t target_count = morphs ? morphs->target_count() : 0;
  if (weights.size() != batch_count * target_count) {
    return Error("morphs must have the length that batch and targets give");
  }
  if (morphs && morphs->vertex_bound() > vertex_count) {
    return Error("morph targets must move vertices of the mesh");
  }
  const std::size_t i = first_not_finite(weights);
  if (i == weights.size()) return {};
  return Error("morphs must be finite, got " + number_text(weights[i]) + " for target " +
               std::to_string(i % target_count) +
               (batch_count > 1 ? " of pose " + std::to_string(i / target_count) : std::string()));
}

}  // namespace

template <class T>
Error SkinningJob<T>::validate() const {
  const std::size_t vertex_count = mesh->vertex_count();
  if (prepared && (prepared->vertex_count() != vertex_count || prepared->row_count() != mesh->row_count())) {
    return Error("the prepared mesh must be made of the mesh");
  }
  // Of no pose the outputs are empty whether they are asked for or not.
  const bool is_empty = batch_count == 0;
  const bool has_normals = !(is_empty ? normals.empty() : normals_out.empty());
  const bool has_tangents = !(is_empty ? tangents.empty() : tangents_out.empty());
  if (Error error = check_vertices("normals", normals.size(), has_normals, 3 * vertex_count)) return error;
  if (Error error = check_vertices("tangents", tangents.size(), has_tangents, 4 * vertex_count)) return error;
  const bool has_centers = method == SkinningMethod::kCor, has_blend = method == SkinningMethod::kBlended;
  if (Error error = check_vertices("centers", centers.size(), has_centers, 3 * vertex_count)) return error;
  if (Error error = check_vertices("blend", blend.size(), has_blend, vertex_count)) return error;
  if (has_tangents && !has_normals) return Error("tangents need normals, to which they stay perpendicular");
  const auto is_output = [&](std::span<T> out, std::size_t width) {
    return out.empty() || out.size() == batch_count * vertex_count * width;
  };
  if (positions_out.size() != batch_count * vertex_count * 3 || !is_output(normals_out, 3) ||
      !is_output(tangents_out, 4)) {
    return Error("outputs must have the lengths that batch and vertices give");
  }
  const bool is_quat_trans = method == SkinningMethod::kQuatTrans,
             is_linear = method == SkinningMethod::kLinear;
  struct Palette {
    const char* name;
    std::span<const T> values;
    std::size_t width;
    bool is_read;
  };
  for (const Palette& palette :
       {Palette{"matrices", matrices, kMatrixScalars, is_linear || has_blend},
        Palette{"dual_quats", dual_quats, kDualQuatScalars, !is_linear && !is_quat_trans},
        Palette{"quat_trans", quat_trans, kDualQuatScalars, is_quat_trans},
        Palette{"scales", scales, kAffineScalars, !is_linear && !scales.empty()}}) {
    if (palette.values.size() != (palette.is_read ? batch_count * row_count * palette.width : 0)) {
      return Error(std::string(palette.name) + (palette.is_read
                                                    ? " must have the length that batch and rows give"
                                                    : " are not read by this method"));
    }
    if (!palette.is_read) continue;
    if (Error error = check_palette_rows(palette.name, *mesh, row_count)) return error;
    if (Error error =
            check_palette_finite(palette.name, palette.values, palette.width, row_count, batch_count)) {
      return error;
    }
  }
  const auto rotations = is_quat_trans ? quat_trans : dual_quats;
  if (!rotations.empty()) {
    const char* const name = is_quat_trans ? "quat_trans" : "dual_quats";
    if (Error error = check_rotations(name, rotations, row_count, batch_count)) return error;
  }
  if (Error error = check_morphs(morphs, morph_weights, batch_count, vertex_count)) return error;
  if (Error error = check_unit_interval(blend)) return error;
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
