// SPDX-License-Identifier: MIT
#include "core/geometry/vertex_normals.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/math/vec.h"
#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

// Rough costs, for the choice of threads alone.
constexpr double kFaceNanoseconds = 8;
constexpr double kVertexNanoseconds = 15;
constexpr std::size_t kGrain = 64;

template <class T>
Vec3<double> position_of(const T* positions, std::uint32_t vertex) {
  const T* p = positions + 3 * std::size_t{vertex};
  return {double(p[0]), double(p[1]), double(p[2])};
}

// Normals of [begin, end), of twice the areas' lengths.
template <class T>
void face_normals(const VertexFaces& faces, const T* positions, std::size_t begin, std::size_t end,
                  Vec3<double>* normals) {
  for (std::size_t face = begin; face < end; ++face) {
    const std::uint32_t* corners = faces.triangle(face);
    const Vec3<double> a = position_of(positions, corners[0]);
    normals[face] = cross(position_of(positions, corners[1]) - a, position_of(positions, corners[2]) - a);
  }
}

template <class T>
void sum_normals(const VertexFaces& faces, const Vec3<double>* of_faces, std::size_t begin, std::size_t end,
                 T* normals) {
  for (std::size_t vertex = begin; vertex < end; ++vertex) {
    Vec3<double> sum{0, 0, 0};
    for (const std::uint32_t face : faces.of_vertex(vertex)) sum = sum + of_faces[face];
    const double size = length(sum);
    const double scale = size > 0 ? 1 / size : 0;
    T* out = normals + 3 * vertex;
    out[0] = static_cast<T>(scale * sum.x);
    out[1] = static_cast<T>(scale * sum.y);
    out[2] = static_cast<T>(scale * sum.z);
  }
}

template <class T>
void normals_of_pose(const VertexFaces& faces, const T* positions, std::vector<Vec3<double>>* of_faces,
                     T* normals) {
  of_faces->resize(faces.triangle_count());
  parallel_for(faces.triangle_count(), kGrain, kFaceNanoseconds, [&](std::size_t begin, std::size_t end) {
    face_normals(faces, positions, begin, end, of_faces->data());
  });
  parallel_for(faces.vertex_count(), kGrain, kVertexNanoseconds, [&](std::size_t begin, std::size_t end) {
    sum_normals(faces, of_faces->data(), begin, end, normals);
  });
}

}  // namespace

Error VertexFaces::make(std::span<const std::uint32_t> triangles, std::size_t vertex_count,
                        VertexFaces* faces) {
  if (triangles.size() % 3) return Error("triangles must have three corners each");
  VertexFaces made;
  made.starts_.assign(vertex_count + 1, 0);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (triangles[i] >= vertex_count) {
      return Error("triangles must be in [0, " + std::to_string(vertex_count) +
                   "), the number of vertices, got " + std::to_string(triangles[i]) + " in row " +
                   std::to_string(i / 3));
    }
    ++made.starts_[triangles[i] + 1];
  }
  for (std::size_t v = 0; v < vertex_count; ++v) made.starts_[v + 1] += made.starts_[v];
  made.triangles_.assign(triangles.begin(), triangles.end());
  made.faces_.resize(triangles.size());
  std::vector<std::size_t> next(made.starts_.begin(), made.starts_.end() - 1);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    made.faces_[next[triangles[i]]++] = static_cast<std::uint32_t>(i / 3);
  }
  *faces = std::move(made);
  return {};
}

template <class T>
Error VertexNormalsJob<T>::validate() const {
  const std::size_t expected = batch_count * faces->vertex_count() * 3;
  if (positions.size() != expected || normals.size() != expected) {
    return Error("positions and normals must have one row per vertex and pose");
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      const std::size_t vertex = i / 3;
      return Error("positions must be finite, got " + std::to_string(positions[i]) + " in vertex " +
                   std::to_string(vertex % faces->vertex_count()) + " of pose " +
                   std::to_string(vertex / faces->vertex_count()));
    }
  }
  return {};
}

template <class T>
Error VertexNormalsJob<T>::run() const {
  if (Error error = validate()) return error;
  const std::size_t stride = faces->vertex_count() * 3;
  const auto run_poses = [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3<double>> of_faces;
    for (std::size_t pose = begin; pose < end; ++pose) {
      normals_of_pose(*faces, positions.data() + pose * stride, &of_faces, normals.data() + pose * stride);
    }
  };
  // Few poses are each divided among the threads, many are distributed whole.
  if (batch_count < static_cast<std::size_t>(thread_count())) {
    run_poses(0, batch_count);
  } else {
    const double nanoseconds = kFaceNanoseconds * static_cast<double>(faces->triangle_count()) +
                               kVertexNanoseconds * static_cast<double>(faces->vertex_count());
    parallel_for(batch_count, 1, nanoseconds, run_poses);
  }
  return {};
}

template struct VertexNormalsJob<float>;
template struct VertexNormalsJob<double>;

}  // namespace lissom
