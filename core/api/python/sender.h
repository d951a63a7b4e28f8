// vc_sender and its slots as Python's classes.
#pragma once

#include <pybind11/pybind11.h>

namespace verbcast::python {

/// Adds Sender and Slot.
void addSender(pybind11::module_& module);

}  // namespace verbcast::python
