// SPDX-License-Identifier: MIT
#include <array>
#include <string>

#include "bindings/array_args.h"
#include "bindings/module.h"
#include "core/compression/meshopt_stream.h"

namespace lissom::bindings {
namespace {

template <std::size_t N>
std::size_t choice(const ArrayArgs& args, const char* argument, const std::string& value,
                   const std::array<const char*, N>& names) {
  std::string all;
  for (std::size_t i = 0; i < N; ++i) {
    if (value == names[i]) return i;
    all += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
  }
  args.value_error(argument, "must be " + all + ", got " + value);
}

MeshoptStreamJob job_of(ArrayArgs& args, const py::object& stream, const std::string& mode,
                        const std::string& filter, std::uint64_t count, std::uint64_t stride) {
  constexpr std::array kModes = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
  constexpr std::array kFilters = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"};
  MeshoptStreamJob job;
  job.mode = static_cast<MeshoptMode>(choice(args, "mode", mode, kModes));
  job.filter = static_cast<MeshoptFilter>(choice(args, "filter", filter, kFilters));
  job.count = count;
  job.stride = stride;
  job.stream = args.in<std::uint8_t>(stream, "stream", {"byte"});
  return job;
}

}  // namespace

void bind_meshopt(py::module_& module) {
  module.def(
      "meshopt_fault",
      [](const py::object& stream, const std::string& mode, const std::string& filter, std::uint64_t count,
         std::uint64_t stride) {
        ArrayArgs args("meshopt_fault");
        return job_of(args, stream, mode, filter, count, stride).validate().sentence();
      },
      "Say what is wrong with a stream, as far as its header and its length tell; empty where nothing is.",
      py::arg("stream"), py::arg("mode"), py::arg("filter"), py::arg("count"), py::arg("stride"));

  module.def(
      "meshopt_decode",
      [](const py::object& stream, const std::string& mode, const std::string& filter, std::uint64_t count,
         std::uint64_t stride, const py::object& out) {
        ArrayArgs args("meshopt_decode");
        MeshoptStreamJob job = job_of(args, stream, mode, filter, count, stride);
        job.out = args.out<std::uint8_t>(out, "out", {"decoded"});
        Error error;
        {
          const GilRelease nogil;
          error = job.run();
        }
        return error.sentence();
      },
      "Decode a stream into `out`; say what is wrong with it, and empty where nothing is.", py::arg("stream"),
      py::arg("mode"), py::arg("filter"), py::arg("count"), py::arg("stride"), py::arg("out"));
}

}  // namespace lissom::bindings
