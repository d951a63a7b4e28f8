// The compiled part of the Python package verbcast, on the public interface of libverbcast alone.
#include <pybind11/pybind11.h>

#include <verbcast/verbcast.h>

#include "core/api/python/buffers.h"
#include "core/api/python/errors.h"
#include "core/api/python/formats.h"
#include "core/api/python/receiver.h"
#include "core/api/python/sender.h"

PYBIND11_MODULE(_verbcast, module) {
    using namespace verbcast::python;
    module.attr("version") = vc_version();
    addErrors(module);
    addBuffers(module);
    addFormats(module);
    addReceiver(module);
    addSender(module);
}
