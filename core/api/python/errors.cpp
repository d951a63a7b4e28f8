#include "core/api/python/errors.h"

#include <array>
#include <cstring>
#include <utility>

namespace py = pybind11;

namespace verbcast::python {
namespace {

/// By vc_error_kind.
constexpr std::array kKinds{"none",     "internal", "usage",  "input",   "network",
                            "resource", "peer",     "device", "display", "corrupt"};

/// Owned by the module, which is never unloaded.
struct {
    PyObject *error, *closed, *busy, *interrupted;
} types;

PyObject* addType(py::module_& module, const char* name, PyObject* base, const char* kind,
                  const char* meaning) {
    py::dict attributes;
    attributes["kind"] = kind;
    const std::string full = std::string("verbcast.") + name;
    PyObject* const type = PyErr_NewExceptionWithDoc(full.c_str(), meaning, base, attributes.ptr());
    if (type == nullptr) {
        throw py::error_already_set();
    }
    module.attr(name) = py::handle(type);
    return type;
}

void raise(const std::string& what, const char* kind) {
    const py::object error = py::reinterpret_borrow<py::object>(types.error)(textFrom(what.c_str()));
    error.attr("kind") = kind;
    PyErr_SetObject(types.error, error.ptr());
}

PyObject* typeOf(vc_status status) {
    return status == VC_CLOSED ? types.closed : status == VC_BUSY ? types.busy : types.interrupted;
}

void translate(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const vc::Error& error) {
        const auto kind = static_cast<std::size_t>(error.kind);
        raise(error.what(), kind < kKinds.size() ? kKinds[kind] : "internal");
    } catch (const Refusal& refusal) {
        raise(refusal.what, "usage");
    } catch (const Unavailable& unavailable) {
        PyErr_SetObject(typeOf(unavailable.status), textFrom(unavailable.what.c_str()).ptr());
    }
}

}  // namespace

bool happened(vc_status status) {
    switch (status) {
        case VC_OK:
            return true;
        case VC_TIMEOUT:
            return false;
        case VC_CLOSED:
            throw Unavailable{status, "the other end has left and will not return"};
        case VC_BUSY:
            throw Unavailable{status, "there is nobody to take it: call wait() first"};
        default:
            throw Unavailable{status, "interrupt() or close() was called"};
    }
}

void addErrors(py::module_& module) {
    types.error =
        addType(module, "Error", PyExc_Exception, "internal",
                "A call failed. The text says what to do; `kind` is one of internal, usage, input, network, "
                "resource, peer, device, display, corrupt, closed, busy and interrupted.");
    types.closed =
        addType(module, "Closed", types.error, "closed", "The other end has left and will not return.");
    types.busy = addType(module, "Busy", types.error, "busy", "There is nobody to take it now.");
    types.interrupted = addType(module, "Interrupted", types.error, "interrupted",
                                "A wait was ended by interrupt(), or by close() in another thread.");
    py::register_exception_translator(&translate);
}

py::str textFrom(const char* text) {
    PyObject* const decoded =
        PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace");
    if (decoded == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::str>(decoded);
}

}  // namespace verbcast::python
