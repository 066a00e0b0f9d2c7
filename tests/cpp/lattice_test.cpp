// SPDX-License-Identifier: MIT
#include "core/volume/lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/progress.h"
#include "core/simd/isa.h"
#include "core/volume/lattice_places.h"
#include "core/volume/winding_numbers.h"

namespace lissom {
LISSOM_EQUAL_KERNEL_TABLE(WindingKernels, winding_kernels)
namespace {

struct Boxes {
  std::vector<double> positions;
  std::vector<std::uint32_t> triangles;

  // A closed box, counter-clockwise seen from outside.
  Boxes& add(const std::array<double, 3>& low, const std::array<double, 3>& high) {
    static const std::uint32_t sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                            2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    const auto first = static_cast<std::uint32_t>(positions.size() / 3);
    for (int corner = 0; corner < 8; ++corner) {
      for (std::size_t axis = 0; axis < 3; ++axis)
        positions.push_back(corner >> axis & 1 ? high[axis] : low[axis]);
    }
    for (const std::uint32_t corner : sides) triangles.push_back(first + corner);
    return *this;
  }
};

SolidSurface surface_of(const Boxes& boxes) {
  SolidSurface surface;
  EXPECT_EQ(SolidSurface::make(boxes.positions, boxes.triangles, &surface).sentence(), "");
  return surface;
}

// `cell` in the units of the boxes.
Lattice lattice_of(const Boxes& boxes, double cell) {
  SolidSurface surface = surface_of(boxes);
  cell /= surface.scale();
  Lattice lattice;
  EXPECT_EQ(Lattice::make(surface, cell, [](double) { return false; }, &lattice).sentence(), "");
  return lattice;
}

std::size_t part_count(const Lattice& lattice) {
  const std::vector<std::int32_t> components = lattice.components();
  return std::set<std::int32_t>(components.begin(), components.end()).size();
}

// What holds for every lattice: each corner of a copy is a node at that corner's place, and each vertex lies in a copy
// of the cube around it.
void expect_consistent(const Lattice& lattice) {
  std::vector<char> is_used(lattice.node_count(), 0);
  for (std::size_t copy = 0; copy < lattice.copy_count(); ++copy) {
    const auto at = lattice.grid().at(lattice.copy_cells()[copy]);
    for (int corner = 0; corner < 8; ++corner) {
      const std::int32_t node = lattice.copy_nodes()[copy][static_cast<std::size_t>(corner)];
      is_used[static_cast<std::size_t>(node)] = 1;
      const std::array<std::int32_t, 3> want = {at[0] + (corner & 1), at[1] + (corner >> 1 & 1),
                                                at[2] + (corner >> 2)};
      ASSERT_EQ(lattice.nodes()[static_cast<std::size_t>(node)], want);
    }
  }
  EXPECT_EQ(std::count(is_used.begin(), is_used.end(), 0), 0);
  for (std::size_t vertex = 0; vertex < lattice.surface().vertex_count(); ++vertex) {
    const std::int32_t copy = lattice.vertex_copies()[vertex];
    ASSERT_GE(copy, 0);
    EXPECT_EQ(lattice.copy_cells()[static_cast<std::size_t>(copy)],
              lattice.grid().index(lattice.grid().cell_of(lattice.surface().point(vertex))));
  }
}

TEST(CellGrid, CountsCubesAndFindsThemAgain) {
  const SolidSurface surface = surface_of(Boxes().add({0, 0, 0}, {4, 2, 1}));
  const CellGrid grid(surface, 0.1);
  EXPECT_EQ(grid.counts(), (std::array<std::int32_t, 3>{11, 6, 3}));  // a little beyond the box
  for (std::size_t index = 0; index < grid.cell_count(); ++index) {
    EXPECT_EQ(grid.index(grid.at(index)), index);
    EXPECT_EQ(grid.index(grid.cell_of(grid.box(grid.at(index)).center)), index);
  }
  EXPECT_EQ(grid.cell_of({{-9, 9, 0}}), (std::array<std::int32_t, 3>{0, 5, 1}));  // the nearest
  EXPECT_FALSE(grid.holds({{-9, 9, 0}}));
  EXPECT_TRUE(grid.holds({{0.5, -0.25, 0.1}}));
}

TEST(CellGrid, TellsInsideFromOutsideAndCrossed) {
  const SolidSurface surface = surface_of(Boxes().add({0, 0, 0}, {1, 1, 1}).add({3, 0, 0}, {4, 1, 1}));
  CellGrid grid(surface, 0.05);
  ASSERT_TRUE(grid.classify(surface, [](double) { return false; }));
  std::size_t inside_count = 0, crossed_count = 0;
  for (std::size_t index = 0; index < grid.cell_count(); ++index) {
    const HalfBox box = grid.box(grid.at(index));
    const Point middle = surface.to_model(box.center);
    const double half = 0.5 * grid.cell() * surface.scale();
    // Distance of the middle to the nearer box's border, as boxes count: above 0 inside.
    double depth = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const double along = axis == 0 && middle[0] > 2 ? middle[0] - 3 : middle[axis];
      depth = std::min({depth, along, 1 - along});
    }
    const auto want = depth > half    ? CellGrid::kInside
                      : depth > -half ? CellGrid::kCrossed
                                      : CellGrid::kOutside;
    ASSERT_EQ(grid.kind(index), want) << depth << " of " << half;
    inside_count += want == CellGrid::kInside;
    crossed_count += want == CellGrid::kCrossed;
    const auto triangles = grid.triangles(index);
    EXPECT_EQ(triangles.empty(), want != CellGrid::kCrossed);
    EXPECT_TRUE(std::is_sorted(triangles.begin(), triangles.end()));
  }
  EXPECT_GT(inside_count, 0u);
  EXPECT_EQ(grid.inside_count(), inside_count);
  EXPECT_EQ(grid.crossed_count(), crossed_count);
  EXPECT_FALSE(grid.classify(surface, [](double) { return true; }));
}

// What is spread from cube to cube inside a closed surface is what winding numbers say of each; of one with a hole, where
// they change between cubes that nothing passes through, each is asked.
TEST(CellGrid, KindsAreThoseOfWindingNumbers) {
  Boxes boxes =
      Boxes().add({0, 0, 0}, {1, 1, 1}).add({0.8, 0.3, 0.2}, {2, 0.7, 0.9}).add({3, 0, 0}, {4, 1, 1});
  for (const bool is_closed : {true, false}) {
    if (!is_closed) boxes.triangles.resize(boxes.triangles.size() - 3);
    const SolidSurface surface = surface_of(boxes);
    EXPECT_EQ(surface.is_closed(), is_closed);
    CellGrid grid(surface, 0.02);
    ASSERT_TRUE(grid.classify(surface, [](double) { return false; }));
    EXPECT_GT(grid.inside_count(), 1000u);
    for (std::size_t index = 0; index < grid.cell_count(); ++index) {
      if (grid.kind(index) == CellGrid::kCrossed) continue;
      double winding = 0;
      const Point middle = grid.box(grid.at(index)).center;
      surface.winding_numbers({&middle, 1}, {&winding, 1});
      ASSERT_EQ(grid.kind(index), winding > kInsideAbove ? CellGrid::kInside : CellGrid::kOutside) << winding;
    }
  }
}

TEST(Lattice, FillsABox) {
  const Lattice lattice = lattice_of(Boxes().add({0, 0, 0}, {1, 1, 1}), 0.25);
  expect_consistent(lattice);
  EXPECT_EQ(lattice.copy_count(), 125u);  // a cube more than 4: the grid reaches beyond the box
  EXPECT_EQ(lattice.node_count(), 216u);
  EXPECT_EQ(part_count(lattice), 1u);
}

TEST(Lattice, KeepsApartWhatAThinGapDivides) {
  for (const double gap : {0.1, 1e-2, 1e-4, 1e-6}) {
    // Two fingers in the same cubes.
    Boxes fingers;
    fingers.add({0, 0, 0}, {0.3, 0.3, 2}).add({0.3 + gap, 0, 0}, {0.6 + gap, 0.3, 2});
    const Lattice apart = lattice_of(fingers, 0.75);
    expect_consistent(apart);
    EXPECT_EQ(part_count(apart), 2u) << gap;
    const std::vector<std::int32_t> components = apart.components();
    const auto component = [&](std::size_t vertex) {
      return components[static_cast<std::size_t>(
          apart.copy_nodes()[static_cast<std::size_t>(apart.vertex_copies()[vertex])][0])];
    };
    for (std::size_t vertex = 0; vertex < 16; ++vertex)
      EXPECT_EQ(component(vertex) == component(0), vertex < 8);
    // A palm that both run into joins them below, and there only: the same places are there twice above.
    fingers.add({0, 0, -0.5}, {0.6 + gap, 0.3, 0.1});
    const Lattice hand = lattice_of(fingers, 0.75);
    expect_consistent(hand);
    EXPECT_EQ(part_count(hand), 1u) << gap;
    std::set<std::array<std::int32_t, 3>> places(hand.nodes().begin(), hand.nodes().end());
    EXPECT_GT(hand.node_count(), places.size()) << gap;
  }
}

TEST(Lattice, JoinsPartsThatOverlapOrFit) {
  EXPECT_EQ(
      part_count(lattice_of(Boxes().add({0, 0, 0}, {1, 1, 1}).add({0.9, 0.1, 0.1}, {2, 0.8, 0.8}), 0.3)), 1u);
  EXPECT_EQ(part_count(lattice_of(Boxes().add({0, 0, 0}, {1, 1, 1}).add({1, 0, 0}, {2, 1, 1}), 0.3)), 1u);
}

TEST(Lattice, HoldsSheetsAndThinPartsInOnePiece) {
  for (const double thickness : {0.3, 1e-2, 1e-5}) {
    const Lattice lattice = lattice_of(Boxes().add({0, 0, 0}, {1, 1, thickness}), 0.2);
    expect_consistent(lattice);
    EXPECT_EQ(part_count(lattice), 1u) << thickness;
  }
  Boxes sheet = Boxes().add({0, 0, 0}, {1, 1, 1});
  sheet.triangles.resize(6);  // two triangles
  EXPECT_EQ(part_count(lattice_of(sheet, 0.2)), 1u);
}

TEST(Lattice, IsMirroredWhereItsSurfaceIs) {
  Boxes one;
  one.add({0, 0, 0}, {0.31, 0.3, 2})
      .add({0.32, 0.03, 0.4}, {0.66, 0.3, 1.7})
      .add({0, -0.4, -0.5}, {0.6, 0.3, 0.1});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Boxes other = one;
    for (std::size_t i = axis; i < other.positions.size(); i += 3) other.positions[i] *= -1;
    const Lattice lattice = lattice_of(one, 0.17), mirrored = lattice_of(other, 0.17);
    ASSERT_EQ(lattice.copy_count(), mirrored.copy_count());
    auto places = lattice.nodes(), mirrored_places = mirrored.nodes();
    const std::int32_t last = lattice.grid().counts()[axis];
    for (auto& place : mirrored_places) place[axis] = last - place[axis];
    std::sort(places.begin(), places.end());
    std::sort(mirrored_places.begin(), mirrored_places.end());
    EXPECT_EQ(places, mirrored_places);
  }
}

TEST(Lattice, LocatesPoints) {
  Boxes fingers;
  fingers.add({0, 0, 0}, {0.3, 0.3, 2}).add({0.31, 0, 0}, {0.61, 0.3, 2});
  const Lattice lattice = lattice_of(fingers, 0.4);
  const std::vector<std::int32_t> components = lattice.components();
  const auto locate = [&](double x, double y, double z) {
    return lattice.locate(lattice.surface().to_unit({{x, y, z}}));
  };
  const auto component = [&](const Lattice::Place& place) {
    EXPECT_GE(place.copy, 0);
    return components[static_cast<std::size_t>(
        lattice.copy_nodes()[static_cast<std::size_t>(place.copy)][0])];
  };
  const auto left = locate(0.2, 0.1, 1), right = locate(0.4, 0.1, 1), gap = locate(0.304, 0.1, 1),
             far = locate(5, 0.1, 1);
  EXPECT_TRUE(left.is_inside);
  EXPECT_TRUE(right.is_inside);
  EXPECT_EQ(left.distance, 0);
  EXPECT_NE(component(left), component(right));
  EXPECT_FALSE(gap.is_inside);
  EXPECT_NEAR(gap.distance * lattice.surface().scale(), 0.004, 1e-9);
  EXPECT_EQ(component(gap), component(left));  // the nearer side
  EXPECT_FALSE(far.is_inside);
  EXPECT_EQ(component(far), component(right));
  const Point end = lattice.surface().to_model(far.point);
  EXPECT_NEAR(end[0], 0.61, 1e-12);
  EXPECT_NEAR(end[1], 0.1, 1e-12);
}

TEST(Lattice, SaysWhereItsNodesAndCubesAre) {
  const Lattice lattice = lattice_of(Boxes().add({1, 2, 3}, {2, 3, 4}), 0.25);
  const std::vector<Point> positions = lattice.node_positions();
  const auto cubes = lattice.copy_cubes();
  ASSERT_EQ(positions.size(), lattice.node_count());
  ASSERT_EQ(cubes.size(), lattice.copy_count());
  for (std::size_t copy = 0; copy < cubes.size(); ++copy) {
    EXPECT_EQ(lattice.grid().index(cubes[copy]), lattice.copy_cells()[copy]);
    const auto& nodes = lattice.copy_nodes()[copy];
    const Point low = positions[static_cast<std::size_t>(nodes[0])],
                high = positions[static_cast<std::size_t>(nodes[7])];
    for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(high[axis] - low[axis], 0.25, 1e-12);
  }
  // The grid is centred on the box.
  Point sum;
  for (const Point& position : positions) sum = sum + position;
  const Point mean = 1 / static_cast<double>(positions.size()) * sum;
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(mean[axis], 1.5 + axis, 1e-12);
}

TEST(LatticePlaces, AreThoseOfEachPoint) {
  const Lattice lattice =
      lattice_of(Boxes().add({0, 0, 0}, {0.3, 0.3, 2}).add({0.31, 0, 0}, {0.61, 0.3, 2}), 0.4);
  const std::vector<double> points = {0.2, 0.1, 1, 0.4, 0.1, 1, 0.304, 0.1, 1};
  std::vector<std::int32_t> copies(3);
  std::vector<double> within(9), distances(3);
  bool inside[3];
  LatticePlacesJob job;
  job.lattice = &lattice;
  job.points = points;
  job.copies = copies;
  job.within = within;
  job.inside = inside;
  job.distances = distances;
  ASSERT_FALSE(job.run());
  const std::vector<Point> positions = lattice.node_positions();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto place =
        lattice.locate(lattice.surface().to_unit({{points[3 * i], points[3 * i + 1], points[3 * i + 2]}}));
    EXPECT_EQ(copies[i], place.copy);
    EXPECT_EQ(inside[i], i < 2);
    EXPECT_NEAR(distances[i], i < 2 ? 0 : 0.004, 1e-9);  // model units
    const auto& nodes = lattice.copy_nodes()[static_cast<std::size_t>(copies[i])];
    const Point low = positions[static_cast<std::size_t>(nodes[0])];
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(low[static_cast<int>(axis)] + 0.4 * within[3 * i + axis], points[3 * i + axis], 1e-12);
  }

  // A copy that is known is taken, whatever it is, and the place within it is clamped to it.
  const std::vector<std::int32_t> known = {copies[1], -1, 0};
  const std::int32_t second = copies[1];
  job.known_copies = known;
  ASSERT_FALSE(job.run());
  EXPECT_EQ(copies, (std::vector<std::int32_t>{second, second, 0}));
  EXPECT_FALSE(inside[0]);
  EXPECT_TRUE(inside[1]);
  for (const double coordinate : within) EXPECT_TRUE(coordinate >= 0 && coordinate <= 1);
}

TEST(LatticePlaces, RefuseUnknownCopiesAndWriteNothing) {
  const Lattice lattice = lattice_of(Boxes().add({0, 0, 0}, {1, 1, 1}), 0.25);
  const std::vector<double> points = {0.5, 0.5, 0.5};
  const std::vector<std::int32_t> known = {125};
  std::vector<std::int32_t> copies = {-7};
  std::vector<double> within(3), distances(1);
  bool inside[1];
  LatticePlacesJob job{&lattice, points, known, copies, within, inside, distances};
  EXPECT_EQ(job.run().sentence(), "copies must be below 125, got 125 in row 0");
  EXPECT_EQ(copies[0], -7);
  job.points = job.points.first(2);
  EXPECT_EQ(job.run().sentence(), "points and what is said of them must have 1 rows");
}

TEST(WindingNumbers, AreOneInsideAndZeroOutside) {
  const SolidSurface surface = surface_of(Boxes().add({10, 0, 0}, {14, 4, 4}).add({11, 1, 1}, {12, 2, 2}));
  const std::vector<double> points = {13, 3, 3, 9, 0, 0, 11.5, 1.5, 1.5};
  std::vector<double> numbers(3);
  WindingNumbersJob job{&surface, points, numbers};
  ASSERT_FALSE(job.run());
  EXPECT_NEAR(numbers[0], 1, 0.01);  // far triangles are dipoles
  EXPECT_NEAR(numbers[1], 0, 0.01);
  EXPECT_NEAR(numbers[2], 2, 0.01);
  job.points = job.points.first(6);
  EXPECT_EQ(job.run().sentence(), "points must hold three numbers for each of 3, got 6 numbers");
}

// Points near surfaces and far from them, which take other ways through the tree than their neighbours.
TEST(WindingNumbers, OfAPointAreTheSameBitsAloneAndInAllSets) {
  Boxes boxes;
  for (int i = 0; i < 12; ++i) boxes.add({2.0 * i, 0, 0.3 * i}, {2.0 * i + 1, 1, 0.3 * i + 2.5});
  const SolidSurface surface = surface_of(boxes);
  std::vector<Point> points;
  for (int i = 0; i < 301; ++i)
    points.push_back(surface.to_unit({{std::fmod(7.3 * i, 26) - 1, std::fmod(0.37 * i, 2) - 0.5, 0.01 * i}}));
  std::vector<double> together(points.size());
  surface.winding_numbers(points, together);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double alone = 0;
    surface.winding_numbers({&points[i], 1}, {&alone, 1});
    ASSERT_EQ(alone, together[i]) << i;
  }
  std::vector<Triangle> triangles;
  for (std::size_t f = 0; f < 8; ++f) triangles.push_back(surface.triangle(f));
  SurfaceNode leaf;
  leaf.end = 8;
  leaf.radius = 10;
  std::vector<double> of_set(points.size()), first;
  for (const Isa isa : runnable_isas()) {
    winding_kernels(isa).sum({&leaf, triangles.data()}, points.data(), points.size(), of_set.data());
    if (first.empty()) first = of_set;
    EXPECT_EQ(of_set, first) << isa_name(isa);
  }
}

// The sum of many halves of solid angles passes a whole turn, back and forth.
TEST(WindingNumbers, CountTurns) {
  const Triangle triangle = {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}};
  const Triangle flipped = {{triangle.corners[0], triangle.corners[2], triangle.corners[1]}};
  SurfaceNode leaf;
  leaf.radius = 10;
  const Point above = {{0.25, 0.25, 1e-3}};
  const auto number = [&](const std::vector<Triangle>& triangles) {
    double sum = 0;
    leaf.end = static_cast<std::uint32_t>(triangles.size());
    winding_kernels().sum({&leaf, triangles.data()}, &above, 1, &sum);
    return sum;
  };
  const double one = number({triangle});
  EXPECT_NEAR(std::abs(one), 0.5, 0.01);
  std::vector<Triangle> many;
  for (int k = 1; k <= 7; ++k) {
    many.push_back(triangle);
    EXPECT_NEAR(number(many), k * one, 1e-12);
  }
  for (int k = 6; k >= -6; --k) {
    many.push_back(flipped);
    EXPECT_NEAR(number(many), k * one, 1e-12);
  }
}

TEST(Lattice, KnowsTheCopiesThatATrianglePassesThrough) {
  const Lattice lattice = lattice_of(Boxes().add({0, 0, 0}, {2, 3, 4}).add({3, 0, 0}, {4, 1, 1}), 0.3);
  constexpr std::size_t kFirst = 12;  // of the second box
  const auto found = lattice.copies_of_triangles(kFirst);
  for (std::size_t f = kFirst; f < lattice.surface().triangle_count(); ++f) {
    const Triangle triangle = lattice.surface().triangle(f);
    std::set<std::size_t> want, got;
    for (std::size_t cell = 0; cell < lattice.grid().cell_count(); ++cell) {
      if (meets(triangle, lattice.grid().box(lattice.grid().at(cell)))) want.insert(cell);
    }
    for (const auto& [copy, number] : found) {
      if (static_cast<std::size_t>(number) == f - kFirst)
        got.insert(lattice.copy_cells()[static_cast<std::size_t>(copy)]);
    }
    EXPECT_EQ(got, want);
  }
}

TEST(Lattice, RefusesCellsWithoutSizeAndStops) {
  const SolidSurface surface = surface_of(Boxes().add({0, 0, 0}, {1, 1, 1}));
  Lattice lattice;
  const Stop go_on = [](double) { return false; };
  for (const double cell : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_EQ(Lattice::make(surface, cell, go_on, &lattice).sentence(),
              "cell_size must be above zero and finite");
  // Asked often, from 0 to 1 and never back; stopped whenever it is asked.
  std::vector<double> told;
  ASSERT_FALSE(Lattice::make(
      surface, 0.05,
      [&](double done) {
        told.push_back(done);
        return false;
      },
      &lattice));
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1);
  for (std::size_t stop_at = 0; stop_at < told.size(); ++stop_at) {
    std::size_t asked = 0;
    Lattice none;
    EXPECT_EQ(
        Lattice::make(surface, 0.05, [&](double) { return asked++ == stop_at; }, &none).sentence(), kStopped);
    EXPECT_EQ(none.copy_count(), 0u);
  }
}

}  // namespace
}  // namespace lissom
