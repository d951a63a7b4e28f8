// vc_video_format as Python's VideoFormat.
#pragma once

#include <pybind11/pybind11.h>

#include <verbcast/verbcast.h>

namespace verbcast::python {

/// Adds the class, whose objects never change.
void addFormats(pybind11::module_& module);

/// x, y, width, height.
pybind11::tuple tupleOf(const vc_rect& rect);
/// Throws ValueError for anything else than four such numbers.
vc_rect rectFrom(const pybind11::handle& numbers);

}  // namespace verbcast::python
