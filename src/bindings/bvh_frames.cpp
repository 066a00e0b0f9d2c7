// SPDX-License-Identifier: MIT
#include "core/animation/bvh_frames.h"

#include <pybind11/stl.h>

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {

void bind_bvh_frames(py::module_& module) {
  module.def("bvh_capacity", &BvhFramesJob::capacity, "Numbers that the out of bvh_frames must hold.",
             py::arg("text_size"), py::arg("channel_count"));

  module.def(
      "bvh_frames",
      [](const py::object& text, std::int64_t first_line, std::size_t channel_count, const py::object& out) {
        ArrayArgs args("load_bvh");
        BvhFramesJob job;
        const auto bytes = args.in<std::uint8_t>(text, "text", {"byte"});
        job.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        job.first_line = first_line;
        job.channel_count = channel_count;
        job.out = args.out<double>(out, "out", {"number"});
        run("load_bvh", job);
        return py::make_tuple(job.frame_count, job.left_over_count, job.last_line, job.fault_line, job.fault);
      },
      "Read the numbers of frames; return frame_count, left_over_count, last_line, fault_line, fault.",
      py::arg("text"), py::arg("first_line"), py::arg("channel_count"), py::arg("out"));
}

}  // namespace lissom::bindings
