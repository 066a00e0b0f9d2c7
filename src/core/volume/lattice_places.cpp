// SPDX-License-Identifier: MIT
#include "core/volume/lattice_places.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/parallel/thread_pool.h"

namespace lissom {
namespace {

constexpr double kNanosecondsPerPoint = 3000;

}  // namespace

Error LatticePlacesJob::validate() const {
  const std::size_t count = copies.size();
  if (points.size() != 3 * count || within.size() != 3 * count || inside.size() != count ||
      distances.size() != count || !(known_copies.empty() || known_copies.size() == count)) {
    return Error("points and what is said of them must have " + std::to_string(count) + " rows");
  }
  for (std::size_t i = 0; i < known_copies.size(); ++i) {
    if (known_copies[i] < 0 || static_cast<std::size_t>(known_copies[i]) < lattice->copy_count()) continue;
    return Error("copies must be below " + std::to_string(lattice->copy_count()) + ", got " +
                 std::to_string(known_copies[i]) + " in row " + std::to_string(i));
  }
  return {};
}

Error LatticePlacesJob::run() const {
  if (Error error = validate()) return error;
  const SolidSurface& surface = lattice->surface();
  const CellGrid& grid = lattice->grid();
  const auto is_known = [&](std::size_t i) { return !known_copies.empty() && known_copies[i] >= 0; };
  parallel_for(copies.size(), kWindingsAtOnce, kNanosecondsPerPoint, [&](std::size_t begin, std::size_t end) {
    std::vector<Point> unknown;
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_known(i))
        unknown.push_back(surface.to_unit({{points[3 * i], points[3 * i + 1], points[3 * i + 2]}}));
    }
    std::vector<double> windings(unknown.size());
    surface.winding_numbers(unknown, windings);
    std::size_t next = 0;  // of what is unknown
    for (std::size_t i = begin; i < end; ++i) {
      Lattice::Place place;
      if (!is_known(i)) {
        place = lattice->locate(unknown[next], windings[next]);
        ++next;
      } else {
        place.point = surface.to_unit({{points[3 * i], points[3 * i + 1], points[3 * i + 2]}});
        place.copy = known_copies[i];
      }
      copies[i] = place.copy;
      inside[i] = place.is_inside;
      distances[i] = place.distance * surface.scale();
      const auto at = grid.at(lattice->copy_cells()[static_cast<std::size_t>(place.copy)]);
      const Point low = grid.place(at[0], at[1], at[2]);
      for (int axis = 0; axis < 3; ++axis) {
        within[3 * i + static_cast<std::size_t>(axis)] =
            std::clamp((place.point[axis] - low[axis]) / grid.cell(), 0.0, 1.0);
      }
    }
  });
  return {};
}

}  // namespace lissom
