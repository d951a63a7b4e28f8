// Memory of frames and sound, as Python's other libraries read and write it without a copy.
#pragma once

#include <pybind11/pybind11.h>

#include <verbcast/verbcast.h>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/api/python/dlpack.h"

namespace verbcast::python {

/// What an element of an array is.
struct Element {
    char type;  ///< of Python's struct module: B, H, I or f, in this machine's byte order
    std::uint8_t bytes;
};

/// Offered by the buffer protocol and by DLPack. Every view of it shares `owner`, so that the memory is kept
/// as long as there is one.
struct Buffer {
    void* data = nullptr;
    Element element{};
    std::vector<Py_ssize_t> shape;
    std::vector<Py_ssize_t> strides;  ///< bytes
    bool readOnly = true;
    std::shared_ptr<const void> owner;
    dlpack::Device device = dlpack::kCpu;  ///< of a GPU, only DLPack offers it
};

/// Plane `plane` of a vc_frame or a vc_slot.
struct Plane {
    void* data;
    std::uint32_t stride, rowBytes, rows;
};

/// Height x width, of formats with several components in a plane x components.
Buffer planeBuffer(vc_pixel_format format, std::size_t index, const Plane& plane, bool readOnly,
                   std::shared_ptr<const void> owner);

template <typename Frame>
std::vector<Buffer> planeBuffers(const Frame& frame, vc_pixel_format format, bool readOnly,
                                 const std::shared_ptr<const void>& owner,
                                 dlpack::Device device = dlpack::kCpu) {
    std::vector<Buffer> buffers;
    for (std::size_t i = 0; i < frame.plane_count; ++i) {
        const Plane plane{const_cast<std::uint8_t*>(frame.planes[i]), frame.strides[i], frame.row_bytes[i],
                          frame.rows[i]};
        buffers.push_back(planeBuffer(format, i, plane, readOnly, owner));
        buffers.back().device = device;
    }
    return buffers;
}

/// Samples x channels; `samples` of each channel lie behind one another.
Buffer soundBuffer(const vc_sound_block& block, std::shared_ptr<const void> owner);

/// A list of Buffer, and of numpy's arrays on them.
pybind11::list listOf(std::vector<Buffer> buffers);
pybind11::list arraysOn(const std::vector<Buffer>& buffers);
pybind11::object arrayOn(const Buffer& buffer);
/// The one of a picture with one plane. Throws AttributeError for others.
Buffer onlyBuffer(std::vector<Buffer> buffers, vc_pixel_format format);

/// Adds the class Buffer.
void addBuffers(pybind11::module_& module);

/// Adds buffers, planes and array to a class with functions std::vector<Buffer> buffers(), pixelFormat() and
/// device(), and with them DLPack.
template <typename Class>
void addViews(Class& type) {
    using Object = typename Class::type;
    type.def_property_readonly("buffers", [](const Object& object) { return listOf(object.buffers()); })
        .def_property_readonly("planes", [](const Object& object) { return arraysOn(object.buffers()); })
        .def_property_readonly(
            "array",
            [](const Object& object) { return arrayOn(onlyBuffer(object.buffers(), object.pixelFormat())); })
        .def("__dlpack__",
             [](const Object& object, const pybind11::args& none, const pybind11::kwargs& wishes) {
                 return pybind11::cast(onlyBuffer(object.buffers(), object.pixelFormat()))
                     .attr("__dlpack__")(*none, **wishes);
             })
        .def("__dlpack_device__", [](const Object& object) {
            return pybind11::make_tuple(object.device().type, object.device().id);
        });
}

}  // namespace verbcast::python
