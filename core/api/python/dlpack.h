// What libraries of arrays exchange without copying: the structs of DLPack 1.0, github.com/dmlc/dlpack. Older
// libraries ask for DLManagedTensor, in which nothing says that memory must not be written.
#pragma once

#include <cstdint>

namespace verbcast::python::dlpack {

struct Device {
    std::int32_t type;
    std::int32_t id;
    friend bool operator==(const Device&, const Device&) = default;
};
inline constexpr Device kCpu{1, 0};
inline constexpr std::int32_t kCuda = 2;

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
inline constexpr std::uint8_t kUnsigned = 1, kFloat = 2;

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  ///< in elements
    std::uint64_t byteOffset;
};

struct ManagedTensor {
    static constexpr const char* kName = "dltensor";
    Tensor tensor;
    void* context;
    void (*deleter)(ManagedTensor*);
};

struct VersionedTensor {
    static constexpr const char* kName = "dltensor_versioned";
    std::uint32_t major, minor;
    void* context;
    void (*deleter)(VersionedTensor*);
    std::uint64_t flags;
    Tensor tensor;
};
inline constexpr std::uint64_t kReadOnly = 1;

}  // namespace verbcast::python::dlpack
