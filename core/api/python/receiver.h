// vc_receiver and what it takes as Python's classes.
#pragma once

#include <pybind11/pybind11.h>

namespace verbcast::python {

/// Adds Receiver, Frame and SoundBlock.
void addReceiver(pybind11::module_& module);

}  // namespace verbcast::python
