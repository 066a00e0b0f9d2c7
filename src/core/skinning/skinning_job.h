// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/error.h"
#include "core/skinning/skinned_mesh.h"

namespace lissom {

class MorphTargets;
class PreparedMesh;

enum class SkinningMethod : std::uint8_t {
  // The blended matrices move the vertex.
  kLinear,
  // The same with matrices rebuilt from rotation, translation and the scale before them.
  kQuatTrans,
  // The normalised blend of the signed dual quaternions moves it (Kavan, Collins, Zara, O'Sullivan, ACM TOG 27(4)
  // art. 105, 2008, algorithm 1 and, with scales, the two phases of section 4.2).
  kDualQuat,
  // The normalised blend of the signed rotations rotates it about its centre of rotation, which moves linearly
  // (Le and Hodgins, ACM TOG 35(4) art. 37, 2016).
  kCor,
  // Linear and dual quaternion skinning, blended vertex by vertex.
  kBlended,
};

// Skinning: B palettes of S rows move V vertices. Rigid rows are signed against that of the vertex's largest weight, so
// that q and -q are equivalent; with `scales` a vertex is first moved by the linear blend of those. Normals are moved
// by Motion::normal() or, with `upright`, by Motion::upright() of motion.h, and normalised; a zero one stays zero.
// Tangents move with the surface and stay perpendicular to the normals. Owns none of its buffers. float runs the
// vector kernels, double one vertex at a time. Results do not depend on the number of threads.
template <class T>
struct SkinningJob {
  Error validate() const;  // first broken rule below, or empty
  Error run() const;       // validates, then fills the outputs; writes nothing on error

  SkinningMethod method = SkinningMethod::kLinear;
  const SkinnedMesh* mesh = nullptr;
  // The same mesh in blocks, or null: then float runs on them, and results are in the prepared order unless
  // `original_order`. `mesh` and all arrays of vertices are in the order of the results; normals and tangents that the
  // prepared mesh keeps are read from there.
  const PreparedMesh* prepared = nullptr;
  bool original_order = false;
  // Inputs of the vertices, bind space. Empty where not needed.
  std::span<const float> normals;   // (V, 3)
  std::span<const float> tangents;  // (V, 4), the last number is copied; needs normals
  std::span<const float> centers;   // (V, 3) centres of rotation, finite: kCor
  std::span<const float> blend;     // (V) in [0, 1], 0 is all linear: kBlended
  bool upright = false;
  // Morph targets, or null: what they add to positions, normals and tangents comes before all else. On a
  // prepared mesh float reads the vertices in the prepared order, whatever that of the results.
  const MorphTargets* morphs = nullptr;
  std::span<const T> morph_weights;  // (B, M) finite; of M targets
  // Palettes, finite throughout, also where they are not read. Exactly those that the method reads must be given.
  std::span<const T> matrices;    // (B, S, 4, 4) model_from_bind, last rows not read: kLinear, kBlended
  std::span<const T> dual_quats;  // (B, S, 8) model_from_bind, no real part zero: kDualQuat, kCor, kBlended
  std::span<const T> quat_trans;  // (B, S, 8) rotation, none zero, translation, a number not read: kQuatTrans
  std::span<const T> scales;      // (B, S, 3, 4) bind from bind, or empty: all rows are rigid. Not kLinear
  std::size_t row_count = 0;      // S, at least mesh->row_count()
  std::size_t batch_count = 1;    // B
  // Outputs, model space; empty where the input is.
  std::span<T> positions_out;  // (B, V, 3)
  std::span<T> normals_out;    // (B, V, 3)
  std::span<T> tangents_out;   // (B, V, 4)
};

extern template struct SkinningJob<float>;
extern template struct SkinningJob<double>;

}  // namespace lissom
