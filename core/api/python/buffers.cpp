#include "core/api/python/buffers.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/api/python/errors.h"

namespace py = pybind11;

namespace verbcast::python {
namespace {

struct Layout {
    Element element;
    std::array<std::uint8_t, VC_MAX_PLANES> components;  ///< of each plane
};

Layout layoutOf(vc_pixel_format format) {
    constexpr Element kByte{'B', 1}, kWord{'H', 2}, kDoubleWord{'I', 4};
    switch (format) {
        case VC_PIXEL_RGBA:
        case VC_PIXEL_BGRA:
            return {kByte, {4, 1, 1, 1}};
        case VC_PIXEL_RGB24:
            return {kByte, {3, 1, 1, 1}};
        case VC_PIXEL_NV12:
            return {kByte, {1, 2, 1, 1}};
        case VC_PIXEL_UYVY422:
        case VC_PIXEL_YUYV422:
            return {kByte, {2, 1, 1, 1}};
        case VC_PIXEL_YUV420P10LE:
        case VC_PIXEL_YUV422P10LE:
        case VC_PIXEL_YUV444P10LE:
            return {kWord, {1, 1, 1, 1}};
        case VC_PIXEL_P010LE:
            return {kWord, {1, 2, 1, 1}};
        case VC_PIXEL_X2RGB10LE:
        case VC_PIXEL_V210:
            return {kDoubleWord, {1, 1, 1, 1}};
        default:
            return {kByte, {1, 1, 1, 1}};
    }
}

/// For the C interface of the buffer protocol.
int refuseView(Py_buffer* view, const char* why) {
    view->obj = nullptr;
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
}

bool asks(int flags, int wish) {
    return (flags & wish) == wish;
}

constexpr const char* kInGpu = "it lies in a GPU's memory: see __dlpack__";

int fillView(PyObject* self, Buffer& buffer, Py_buffer* view, int flags) {
    if (buffer.device != dlpack::kCpu) {
        return refuseView(view, kInGpu);
    }
    if (buffer.readOnly && asks(flags, PyBUF_WRITABLE)) {
        return refuseView(view, "what was received cannot be written: copy it");
    }
    *view = Py_buffer{};
    view->buf = buffer.data;
    view->itemsize = buffer.element.bytes;
    view->ndim = static_cast<int>(buffer.shape.size());
    view->shape = buffer.shape.data();
    view->strides = buffer.strides.data();
    view->readonly = buffer.readOnly ? 1 : 0;
    view->len = view->itemsize;
    for (const Py_ssize_t extent : buffer.shape) {
        view->len *= extent;
    }
    const char order = asks(flags, PyBUF_C_CONTIGUOUS) || !asks(flags, PyBUF_STRIDES) ? 'C'
                       : asks(flags, PyBUF_F_CONTIGUOUS)                              ? 'F'
                       : asks(flags, PyBUF_ANY_CONTIGUOUS)                            ? 'A'
                                                                                      : '\0';
    if (order != '\0' && PyBuffer_IsContiguous(view, order) == 0) {
        return refuseView(view, "its rows do not follow each other without a gap: copy it");
    }
    static constexpr std::array kFormats{"B", "H", "I", "f"};
    if (asks(flags, PyBUF_FORMAT)) {
        view->format =
            const_cast<char*>(*std::find_if(kFormats.begin(), kFormats.end(), [&](const char* format) {
                return format[0] == buffer.element.type;
            }));
    }
    if (!asks(flags, PyBUF_STRIDES)) {
        view->strides = nullptr;
    }
    if (!asks(flags, PyBUF_ND)) {
        view->shape = nullptr;
    }
    Py_INCREF(self);
    view->obj = self;
    return 0;
}

/// pybind11's own hides the gaps between rows from programs that know no strides.
int getBuffer(PyObject* self, Py_buffer* view, int flags) {
    try {
        return fillView(self, py::handle(self).cast<Buffer&>(), view, flags);
    } catch (const py::cast_error&) {
        return refuseView(view, "a Buffer of verbcast's own making expected");
    }
}

/// A tensor that lives until its user calls the deleter, on any thread.
template <typename Managed>
struct Exported {
    Managed managed{};
    std::vector<std::int64_t> shape, strides;
    std::shared_ptr<const void> owner;

    static void destroy(Managed* managed) { delete static_cast<Exported*>(managed->context); }
};

/// Nobody has taken the tensor out of the capsule, or its name would be another.
template <typename Managed>
void destroyCapsule(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, Managed::kName) != 0) {
        auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::kName));
        managed->deleter(managed);
    }
}

template <typename Managed>
py::object exported(const Buffer& buffer) {
    auto tensor = std::make_unique<Exported<Managed>>();
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
        if (buffer.strides[i] % buffer.element.bytes != 0) {
            throw py::buffer_error("DLPack: rows begin in the middle of an element: copy it");
        }
        tensor->shape.push_back(buffer.shape[i]);
        tensor->strides.push_back(buffer.strides[i] / buffer.element.bytes);
    }
    tensor->owner = buffer.owner;
    dlpack::Tensor& told = tensor->managed.tensor;
    told.data = buffer.data;
    told.device = buffer.device;
    told.ndim = static_cast<std::int32_t>(tensor->shape.size());
    told.dtype = {buffer.element.type == 'f' ? dlpack::kFloat : dlpack::kUnsigned,
                  static_cast<std::uint8_t>(buffer.element.bytes * 8), 1};
    told.shape = tensor->shape.data();
    told.strides = tensor->strides.data();
    tensor->managed.context = tensor.get();
    tensor->managed.deleter = &Exported<Managed>::destroy;
    if constexpr (std::is_same_v<Managed, dlpack::VersionedTensor>) {
        tensor->managed.major = 1;
        tensor->managed.flags = buffer.readOnly ? dlpack::kReadOnly : 0;
    }
    PyObject* const capsule = PyCapsule_New(&tensor->managed, Managed::kName, &destroyCapsule<Managed>);
    if (capsule == nullptr) {
        throw py::error_already_set();
    }
    static_cast<void>(tensor.release());
    return py::reinterpret_steal<py::object>(capsule);
}

py::dtype dtypeOf(Element element) {
    switch (element.type) {
        case 'H':
            return py::dtype::of<std::uint16_t>();
        case 'I':
            return py::dtype::of<std::uint32_t>();
        case 'f':
            return py::dtype::of<float>();
        default:
            return py::dtype::of<std::uint8_t>();
    }
}

using Version = std::pair<int, int>;

py::object dlpackOf(const Buffer& buffer, const py::object& stream, const std::optional<Version>& newest,
                    const std::optional<Version>& device, const std::optional<bool>& copy) {
    static_cast<void>(stream);  // what has arrived is complete
    if (device && *device != Version{buffer.device.type, buffer.device.id}) {
        throw py::buffer_error("DLPack: it lies in the memory of device (" +
                               std::to_string(buffer.device.type) + ", " + std::to_string(buffer.device.id) +
                               ")");
    }
    if (copy.value_or(false)) {
        throw py::buffer_error("DLPack: a view is all that is offered: copy that");
    }
    return newest && newest->first >= 1 ? exported<dlpack::VersionedTensor>(buffer)
                                        : exported<dlpack::ManagedTensor>(buffer);
}

}  // namespace

Buffer planeBuffer(vc_pixel_format format, std::size_t index, const Plane& plane, bool readOnly,
                   std::shared_ptr<const void> owner) {
    const Layout layout = layoutOf(format);
    const Py_ssize_t bytes = layout.element.bytes, components = layout.components.at(index);
    Buffer buffer;
    buffer.data = plane.data;
    buffer.element = layout.element;
    buffer.shape = {plane.rows, plane.rowBytes / (bytes * components)};
    buffer.strides = {plane.stride, bytes * components};
    if (components > 1) {
        buffer.shape.push_back(components);
        buffer.strides.push_back(bytes);
    }
    buffer.readOnly = readOnly;
    buffer.owner = std::move(owner);
    return buffer;
}

Buffer soundBuffer(const vc_sound_block& block, std::shared_ptr<const void> owner) {
    Buffer buffer;
    buffer.data = const_cast<float*>(block.planar);
    buffer.element = {'f', sizeof(float)};
    buffer.shape = {block.samples, block.channels};
    buffer.strides = {sizeof(float), static_cast<Py_ssize_t>(sizeof(float)) * block.samples};
    buffer.owner = std::move(owner);
    return buffer;
}

py::list listOf(std::vector<Buffer> buffers) {
    py::list list;
    for (Buffer& buffer : buffers) {
        list.append(py::cast(std::move(buffer)));
    }
    return list;
}

// numpy is loaded when first needed: a program that only asks for statistics starts without it.
py::object arrayOn(const Buffer& buffer) {
    if (buffer.device != dlpack::kCpu) {
        throw py::buffer_error(kInGpu);
    }
    py::array array(dtypeOf(buffer.element), buffer.shape, buffer.strides, buffer.data, py::cast(buffer));
    if (buffer.readOnly) {
        // If it is to be made writable, numpy asks the buffer, which refuses.
        py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    }
    return array;
}

py::list arraysOn(const std::vector<Buffer>& buffers) {
    py::list list;
    for (const Buffer& buffer : buffers) {
        list.append(arrayOn(buffer));
    }
    return list;
}

Buffer onlyBuffer(std::vector<Buffer> buffers, vc_pixel_format format) {
    if (buffers.size() != 1) {
        const char* const name = vc_pixel_format_name(format);
        throw py::attribute_error("a picture of " + std::string(name != nullptr ? name : "several planes") +
                                  " has " + std::to_string(buffers.size()) +
                                  " planes: see planes and buffers");
    }
    return std::move(buffers.front());
}

void addBuffers(py::module_& module) {
    using namespace py::literals;
    py::class_<Buffer>(module, "Buffer", py::custom_type_setup([](PyHeapTypeObject* type) {
                           type->ht_type.tp_as_buffer = &type->as_buffer;
                           type->as_buffer.bf_getbuffer = &getBuffer;
                       }))
        .def_property_readonly("shape",
                               [](const Buffer& buffer) { return py::tuple(py::cast(buffer.shape)); })
        .def_property_readonly("strides",
                               [](const Buffer& buffer) { return py::tuple(py::cast(buffer.strides)); })
        .def_readonly("readonly", &Buffer::readOnly)
        .def("__dlpack__", &dlpackOf, py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
             "dl_device"_a = py::none(), "copy"_a = py::none())
        .def("__dlpack_device__",
             [](const Buffer& buffer) { return py::make_tuple(buffer.device.type, buffer.device.id); });
}

}  // namespace verbcast::python
