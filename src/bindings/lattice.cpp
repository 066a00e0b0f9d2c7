// SPDX-License-Identifier: MIT
#include "core/volume/lattice.h"

#include <pybind11/typing.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bindings/array_args.h"
#include "bindings/job_progress.h"
#include "bindings/module.h"
#include "core/parallel/thread_pool.h"

namespace lissom::bindings {
namespace {

using Shape = py::typing::Tuple<int, int, int>;
using Counts = py::typing::Tuple<int, int>;
using Places =
    py::typing::Tuple<py::array_t<std::int32_t>, py::array_t<double>, py::array_t<bool>, py::array_t<double>>;

constexpr const char* kName = "weights.bounded_biharmonic";
constexpr const char* kStage = "lattice";
constexpr const char* kCounting = "counting";
constexpr double kNanosecondsPerPoint = 5000;

SolidSurface make_surface(const std::string& function, const py::object& positions,
                          const py::object& triangles) {
  ArrayArgs args(function.c_str());
  const auto position_span = args.in<double>(positions, "positions", {"V", 3});
  const auto triangle_span = args.in<std::uint32_t>(triangles, "triangles", {"F", 3});
  SolidSurface surface;
  Error error;
  {
    const py::gil_scoped_release nogil;
    error = SolidSurface::make(position_span, triangle_span, &surface);
  }
  raise_if(function.c_str(), error);
  return surface;
}

// Model units to a part of the surface's longest side.
double unit_cell(const SolidSurface& surface, double cell_size) { return cell_size / surface.scale(); }

py::array_t<double> winding_numbers(const SolidSurface& surface, const py::object& points) {
  ArrayArgs args("winding_numbers");
  const auto point_span = args.in<double>(points, "points", {"P", 3});
  py::array_t<double> result(static_cast<py::ssize_t>(args.length("P")));
  double* out = result.mutable_data();
  {
    const py::gil_scoped_release nogil;
    parallel_for(point_span.size() / 3, 16, kNanosecondsPerPoint, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Point point{{point_span[3 * i], point_span[3 * i + 1], point_span[3 * i + 2]}};
        out[i] = surface.winding_number(surface.to_unit(point));
      }
    });
  }
  return result;
}

Shape grid_of(const SolidSurface& surface, double cell_size) {
  const auto counts = CellGrid(surface, unit_cell(surface, cell_size)).counts();
  return Shape(py::make_tuple(counts[0], counts[1], counts[2]));
}

// How many cubes the surface passes through, and how many others are inside.
Counts count_cells(const SolidSurface& surface, double cell_size, const py::object& progress) {
  JobProgress asked(progress);
  CellGrid grid(surface, unit_cell(surface, cell_size));
  asked.call([&](const Progress& ask) {
    grid.classify(surface, [&](double done) { return ask(kCounting, done); });
    return Error();
  });
  return Counts(py::make_tuple(grid.crossed_count(), grid.inside_count()));
}

std::unique_ptr<Lattice> make_lattice(const SolidSurface& surface, double cell_size,
                                      const py::object& progress) {
  JobProgress asked(progress);
  auto lattice = std::make_unique<Lattice>();
  raise_if(kName, asked.call([&](const Progress& ask) {
    return Lattice::make(
        surface, unit_cell(surface, cell_size), [&](double done) { return ask(kStage, done); },
        lattice.get());
  }));
  return lattice;
}

py::array_t<double> node_places(const Lattice& lattice) {
  py::array_t<double> result({static_cast<py::ssize_t>(lattice.node_count()), py::ssize_t{3}});
  double* out = result.mutable_data();
  for (const auto& at : lattice.nodes()) {
    const Point place = lattice.surface().to_model(lattice.grid().place(at[0], at[1], at[2]));
    out = std::copy(place.at, place.at + 3, out);
  }
  return result;
}

py::array_t<std::int32_t> copy_nodes(const Lattice& lattice) {
  py::array_t<std::int32_t> result({static_cast<py::ssize_t>(lattice.copy_count()), py::ssize_t{8}});
  std::int32_t* out = result.mutable_data();
  for (const auto& nodes : lattice.copy_nodes()) out = std::copy(nodes.begin(), nodes.end(), out);
  return result;
}

py::array_t<std::int32_t> copy_cells(const Lattice& lattice) {
  py::array_t<std::int32_t> result({static_cast<py::ssize_t>(lattice.copy_count()), py::ssize_t{3}});
  std::int32_t* out = result.mutable_data();
  for (const std::size_t cell : lattice.copy_cells()) {
    const auto at = lattice.grid().at(cell);
    out = std::copy(at.begin(), at.end(), out);
  }
  return result;
}

py::array_t<std::int32_t> as_array(const std::vector<std::int32_t>& values) {
  py::array_t<std::int32_t> result(static_cast<py::ssize_t>(values.size()));
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

// Where points are: copies (P), places within their cubes (P, 3) each 0 to 1, inside (P), distances (P) model
// units.
Places locate(const Lattice& lattice, const py::object& points, const py::object& copies) {
  ArrayArgs args(kName);
  const auto point_span = args.in<double>(points, "points", {"P", 3});
  const auto given =
      copies.is_none() ? std::span<const std::int32_t>() : args.in<std::int32_t>(copies, "copies", {"P"});
  const auto count = static_cast<py::ssize_t>(args.length("P"));
  py::array_t<std::int32_t> found(count);
  py::array_t<double> within({count, py::ssize_t{3}}), distances(count);
  py::array_t<bool> inside(count);
  std::int32_t* copy_out = found.mutable_data();
  double *within_out = within.mutable_data(), *distance_out = distances.mutable_data();
  bool* inside_out = inside.mutable_data();
  {
    const py::gil_scoped_release nogil;
    parallel_for(point_span.size() / 3, 16, kNanosecondsPerPoint, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const SolidSurface& surface = lattice.surface();
        Lattice::Place place;
        place.point = surface.to_unit({{point_span[3 * i], point_span[3 * i + 1], point_span[3 * i + 2]}});
        if (given.empty() || given[i] < 0) {
          place = lattice.locate(place.point);
        } else {
          place.copy = given[i];
        }
        copy_out[i] = place.copy;
        inside_out[i] = place.is_inside;
        distance_out[i] = place.distance * surface.scale();
        const auto at = lattice.grid().at(lattice.copy_cells()[place.copy]);
        const Point low = lattice.grid().place(at[0], at[1], at[2]);
        for (int axis = 0; axis < 3; ++axis) {
          within_out[3 * i + axis] =
              std::clamp((place.point[axis] - low[axis]) / lattice.grid().cell(), 0.0, 1.0);
        }
      }
    });
  }
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
      .def_property_readonly("nodes", &node_places)
      .def_property_readonly("copy_nodes", &copy_nodes)
      .def_property_readonly("copy_cells", &copy_cells)
      .def_property_readonly("components",
                             [](const Lattice& lattice) { return as_array(lattice.components()); })
      .def_property_readonly("vertex_copies",
                             [](const Lattice& lattice) { return as_array(lattice.vertex_copies()); })
      .def("locate", &locate, "points"_a, "copies"_a = py::none());
}

}  // namespace lissom::bindings
