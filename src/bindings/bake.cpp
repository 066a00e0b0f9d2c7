// SPDX-License-Identifier: MIT
#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/bake/error_metric.h"
#include "core/bake/pose_texture.h"

namespace lissom::bindings {
namespace {

using namespace py::literals;

ScaleTexels scale_texels(const ArrayArgs& args, int count) {
  if (count != 0 && count != 1 && count != 3)
    args.value_error("scale_texels", "must be 0, 1 or 3, got " + std::to_string(count));
  return static_cast<ScaleTexels>(count);
}

// float16 arrays cross as their bits, viewed as uint16 by the Python layer.
template <class Texel, class Bits>
void write(const py::object& dual_quats, const py::object& scales, int scale_count, const py::object& out) {
  constexpr const char* kName = "write_pose_texture";
  ArrayArgs args(kName);
  WritePoseTextureJob<Texel> job;
  job.scale = scale_texels(args, scale_count);
  job.dual_quats = args.in<float>(dual_quats, "dual_quats", {"frames", "rows", 8});
  if (!scales.is_none()) job.scales = args.in<float>(scales, "scales", {"frames", "rows", 3, 4});
  const auto texels =
      args.out<Bits>(out, "out", {"frames", "rows", static_cast<int>(texel_count(job.scale)), 4});
  job.frame_count = args.length("frames");
  job.row_count = args.length("rows");
  job.out = {reinterpret_cast<Texel*>(texels.data()), texels.size()};
  run(kName, job);
}

template <class Texel, class Bits>
void sample(const py::object& texels, int scale_count, const py::object& frames, const py::object& nexts,
            const py::object& fractions, const py::object& dual_quats, const py::object& scales) {
  constexpr const char* kName = "sample_pose_texture";
  ArrayArgs args(kName);
  SamplePoseTextureJob<Texel> job;
  job.scale = scale_texels(args, scale_count);
  const auto bits =
      args.in<Bits>(texels, "texels", {"stored frames", "rows", static_cast<int>(texel_count(job.scale)), 4});
  job.texels = {reinterpret_cast<const Texel*>(bits.data()), bits.size()};
  job.frame_count = args.length("stored frames");
  job.row_count = args.length("rows");
  job.frames = args.in<std::int32_t>(frames, "frames", {"samples"});
  job.nexts = args.in<std::int32_t>(nexts, "nexts", {"samples"});
  job.fractions = args.in<float>(fractions, "fractions", {"samples"});
  job.dual_quats = args.out<float>(dual_quats, "dual_quats", {"samples", "rows", 8});
  if (!scales.is_none()) job.scales = args.out<float>(scales, "scales", {"samples", "rows", 3, 4});
  run(kName, job);
}

void measure(const py::object& expected, const py::object& actual, const py::object& groups,
             const py::object& sums, const py::object& maxima, const py::object& histogram,
             const py::object& bounds) {
  constexpr const char* kName = "measure_error";
  ArrayArgs args(kName);
  ErrorMetricJob job;
  job.expected = args.in<float>(expected, "expected", {"samples", "vertices", 3});
  job.actual = args.in<float>(actual, "actual", {"samples", "vertices", 3});
  job.groups = args.in<std::int32_t>(groups, "groups", {"samples"});
  job.sums = args.out<double>(sums, "sums", {"samples"});
  job.maxima = args.out<float>(maxima, "maxima", {"samples"});
  job.histogram =
      args.out<std::int64_t>(histogram, "histogram", {"groups", static_cast<int>(kDistanceBinCount)});
  job.bounds = args.out<float>(bounds, "bounds", {2, 3});
  job.sample_count = args.length("samples");
  job.vertex_count = args.length("vertices");
  run(kName, job);
}

}  // namespace

void bind_bake(py::module_& module) {
  module.attr("DISTANCE_BIN_COUNT") = kDistanceBinCount;
  module.def("distance_bin_end", &distance_bin_end, "bin"_a,
             "Upper end of a bin of measure_error, as a distance.");
  module.def("write_pose_texture_f32", &write<float, float>, "dual_quats"_a, "scales"_a, "scale_texels"_a,
             "out"_a);
  module.def("write_pose_texture_f16", &write<Half, std::uint16_t>, "dual_quats"_a, "scales"_a,
             "scale_texels"_a, "out"_a);
  module.def("sample_pose_texture_f32", &sample<float, float>, "texels"_a, "scale_texels"_a, "frames"_a,
             "nexts"_a, "fractions"_a, "dual_quats"_a, "scales"_a);
  module.def("sample_pose_texture_f16", &sample<Half, std::uint16_t>, "texels"_a, "scale_texels"_a,
             "frames"_a, "nexts"_a, "fractions"_a, "dual_quats"_a, "scales"_a);
  module.def("measure_error", &measure, "expected"_a, "actual"_a, "groups"_a, "sums"_a, "maxima"_a,
             "histogram"_a, "bounds"_a);
}

}  // namespace lissom::bindings
