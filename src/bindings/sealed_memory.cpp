// SPDX-License-Identifier: MIT
#include <utility>
#include <vector>

#include "bindings/array_args.h"
#include "bindings/module.h"

namespace lissom::bindings {
namespace {

// Memory of an array that nobody can write any more. It shows its bytes for reading alone, and not the array: NumPy
// refuses to unlock what is viewed of it.
struct SealedMemory {
  py::array array;
};

// The array that owns the memory of another, all of it; none where something else does.
py::object owner_of(const py::array& array) {
  py::object owner = array;
  for (;;) {
    const py::array view = owner;
    const py::object base = view.base();
    if (!base || base.is_none())
      return view.owndata() && view.nbytes() == array.nbytes() ? owner : py::object();
    if (!py::isinstance<py::array>(base)) return {};
    owner = base;
  }
}

py::object sealed(const py::array& array) {
  if ((array.flags() & py::array::c_style) == 0) return py::none();
  const py::object owner = owner_of(array);
  if (!owner) return py::none();
  owner.attr("flags").attr("writeable") = false;
  const std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
  const std::vector<py::ssize_t> strides(array.strides(), array.strides() + array.ndim());
  py::array view(array.dtype(), shape, strides, array.data(), py::cast(SealedMemory{owner}));
  view.attr("flags").attr("writeable") = false;
  return std::move(view);
}

}  // namespace

void bind_sealed_memory(py::module_& module) {
  py::class_<SealedMemory>(module, "SealedMemory", py::buffer_protocol(),
                           "The memory of an array that can only be read from now on.")
      .def_buffer([](const SealedMemory& memory) {
        return py::buffer_info(const_cast<void*>(memory.array.data()), 1, "B", 1, {memory.array.nbytes()},
                               {1}, true);
      });
  module.def(
      "sealed", &sealed, py::arg("array"),
      "Return a view of an array that nobody can write; the caller gives up all other references. None "
      "where the array does not own its memory, or is not contiguous.");
}

}  // namespace lissom::bindings
