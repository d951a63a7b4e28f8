// Python's exceptions for what the C interface reports.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <verbcast/verbcast.hpp>

namespace verbcast::python {

/// verbcast.Error of the kind "usage": a call that the C interface would not have seen.
struct Refusal {
    std::string what;
};

/// verbcast.Closed, Busy or Interrupted.
struct Unavailable {
    vc_status status;
    std::string what;
};

/// VC_OK: true; VC_TIMEOUT: false. Throws Unavailable for the others.
bool happened(vc_status status);

/// Adds verbcast.Error and its subclasses; from then on vc::Error and the above become those.
void addErrors(pybind11::module_& module);

/// Text from peers may be anything.
pybind11::str textFrom(const char* text);

}  // namespace verbcast::python
