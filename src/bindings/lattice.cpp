// SPDX-License-Identifier: MIT
#include "core/volume/lattice.h"

#include <pybind11/typing.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"
#include "core/volume/lattice_places.h"
#include "core/volume/winding_numbers.h"

namespace lissom::bindings {
namespace {

using Shape = py::typing::Tuple<int, int, int>;
using Counts = py::typing::Tuple<int, int>;
using Places =
    py::typing::Tuple<py::array_t<std::int32_t>, py::array_t<double>, py::array_t<bool>, py::array_t<double>>;

constexpr const char* kName = "weights.bounded_biharmonic";
constexpr const char* kStage = "lattice";
constexpr const char* kCounting = "counting";

template <class T>
std::span<T> span_of(py::array_t<T>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.size())};
}

SolidSurface make_surface(const std::string& function, const py::object& positions,
                          const py::object& triangles) {
  ArrayArgs args(function.c_str());
  const auto position_span = args.in<double>(positions, "positions", {"V", 3});
  const auto triangle_span = args.in<std::uint32_t>(triangles, "triangles", {"F", 3});
  SolidSurface surface;
  Error error;
  {
    const GilRelease nogil;
    error = SolidSurface::make(position_span, triangle_span, &surface);
  }
  raise_if(function.c_str(), error);
  return surface;
}

py::array_t<double> winding_numbers(const SolidSurface& surface, const py::object& points) {
  ArrayArgs args("winding_numbers");
  const auto point_span = args.in<double>(points, "points", {"P", 3});
  py::array_t<double> result(static_cast<py::ssize_t>(args.length("P")));
  run("winding_numbers", WindingNumbersJob{&surface, point_span, span_of(result)});
  return result;
}

Shape grid_of(const SolidSurface& surface, double cell_size) {
  const auto counts = CellGrid(surface, surface.to_unit(cell_size)).counts();
  return Shape(py::make_tuple(counts[0], counts[1], counts[2]));
}

// The numbers of cubes that the surface passes through, and of others that are inside.
Counts count_cells(const SolidSurface& surface, double cell_size, const py::object& progress) {
  JobProgress asked(progress);
  CellGrid grid(surface, surface.to_unit(cell_size));
  raise_if(kName, asked.call([&](const Progress& ask) {
    grid.classify(surface, [&](double done) { return ask(kCounting, done); });
    return Error();
  }));
  return Counts(py::make_tuple(grid.crossed_count(), grid.inside_count()));
}

std::unique_ptr<Lattice> make_lattice(const SolidSurface& surface, double cell_size,
                                      const py::object& progress) {
  JobProgress asked(progress);
  auto lattice = std::make_unique<Lattice>();
  raise_if(kName, asked.call([&](const Progress& ask) {
    return Lattice::make(
        surface, surface.to_unit(cell_size), [&](double done) { return ask(kStage, done); }, lattice.get());
  }));
  return lattice;
}

py::array_t<double> node_positions(const Lattice& lattice) {
  const std::vector<Point> positions = lattice.node_positions();
  static_assert(sizeof(Point) == 3 * sizeof(double));
  return py::array_t<double>({static_cast<py::ssize_t>(positions.size()), py::ssize_t{3}},
                             reinterpret_cast<const double*>(positions.data()));
}

// (rows, N) of contiguous rows.
template <std::size_t N>
py::array_t<std::int32_t> as_array(const std::vector<std::array<std::int32_t, N>>& rows) {
  return py::array_t<std::int32_t>({static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(N)},
                                   reinterpret_cast<const std::int32_t*>(rows.data()));
}
py::array_t<std::int32_t> as_array(const std::vector<std::int32_t>& values) {
  return py::array_t<std::int32_t>(static_cast<py::ssize_t>(values.size()), values.data());
}

// Places of points: copies (P), positions within their cubes (P, 3) each 0 to 1, inside (P), distances (P) model units.
Places locate(const Lattice& lattice, const py::object& points, const py::object& copies) {
  ArrayArgs args(kName);
  const auto point_span = args.in<double>(points, "points", {"P", 3});
  LatticePlacesJob job;
  job.lattice = &lattice;
  job.points = point_span;
  if (!copies.is_none()) job.known_copies = args.in<std::int32_t>(copies, "copies", {"P"});
  const auto count = static_cast<py::ssize_t>(args.length("P"));
  py::array_t<std::int32_t> found(count);
  py::array_t<double> within({count, py::ssize_t{3}}), distances(count);
  py::array_t<bool> inside(count);
  job.copies = span_of(found);
  job.within = span_of(within);
  job.inside = span_of(inside);
  job.distances = span_of(distances);
  run(kName, job);
  return Places(py::make_tuple(found, within, inside, distances));
}

}  // namespace

void bind_lattice(py::module_& module) {
  using py::operator""_a;
  py::class_<SolidSurface>(module, "SolidSurface", "A triangle surface read as the boundary of a solid.")
      .def(py::init(&make_surface), "function"_a, "positions"_a, "triangles"_a)
      .def_property_readonly("scale", &SolidSurface::scale)
      .def_property_readonly("degenerate_count", &SolidSurface::degenerate_count)
      .def_property_readonly("doubled_count", &SolidSurface::doubled_count)
      .def("winding_numbers", &winding_numbers, "points"_a)
      .def("grid", &grid_of, "cell_size"_a)
      .def("count_cells", &count_cells, "cell_size"_a, "progress"_a = py::none());
  py::class_<Lattice>(module, "Lattice",
                      "Cubes over a solid and its surface, with a copy for each part of it.")
      .def(py::init(&make_lattice), "surface"_a, "cell_size"_a, "progress"_a = py::none())
      .def_property_readonly("nodes", &node_positions)
      .def_property_readonly("copy_nodes",
                             [](const Lattice& lattice) { return as_array(lattice.copy_nodes()); })
      .def_property_readonly("copy_cells",
                             [](const Lattice& lattice) { return as_array(lattice.copy_cubes()); })
      .def_property_readonly("components",
                             [](const Lattice& lattice) { return as_array(lattice.components()); })
      .def_property_readonly("vertex_copies",
                             [](const Lattice& lattice) { return as_array(lattice.vertex_copies()); })
      .def(
          "copies_of_triangles",
          [](const Lattice& lattice, std::size_t first) {
            return as_array(lattice.copies_of_triangles(first));
          },
          "first"_a)
      .def("locate", &locate, "points"_a, "copies"_a = py::none());
}

}  // namespace lissom::bindings
