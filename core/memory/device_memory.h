// Memory that lies in a device (a GPU), where the processor cannot follow; no types of its driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/unique_fd.h"

namespace verbcast {

class Memory;

/// Where something lies in a device: a number, which is no pointer on purpose.
enum class DeviceMemoryAddress : std::uint64_t {};

constexpr DeviceMemoryAddress operator+(DeviceMemoryAddress address, std::uint64_t bytes) {
    return DeviceMemoryAddress{static_cast<std::uint64_t>(address) + bytes};
}

/// Memory of ours that a device copies from and to by itself, for as long as this lives.
class PinnedMemory {
  public:
    virtual ~PinnedMemory() = default;
};

/// A dma-buf, or why there is none.
struct ExportedMemory {
    UniqueFd descriptor{};
    std::string problem{};
};

/// One allocation of a device. All functions are safe from any thread.
class DeviceMemory {
  public:
    virtual ~DeviceMemory() = default;

    /// Of its first byte; a multiple of the page size, as is size().
    virtual DeviceMemoryAddress address() const = 0;
    virtual std::uint64_t size() const = 0;
    virtual const std::string& deviceName() const = 0;  ///< "NVIDIA RTX 6000 (GPU 0)", for messages

    /// All of it for another device. What that writes, or reads, is not ordered with this device's own work.
    virtual ExportedMemory exportDmaBuf() const = 0;

    /// Copies over the bus, and returns when that is done. Throws Error{Device} when the device fails,
    /// Error{Internal} for what lies outside.
    virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;
    virtual void write(std::uint64_t offset, std::span<const std::byte> from) const = 0;

    /// Makes copies between this device and that memory (Host) need no copy by the processor. Throws
    /// Error{Device, Resource}; copies work without it.
    virtual std::unique_ptr<PinnedMemory> pin(std::shared_ptr<const Memory> host) const = 0;
};

}  // namespace verbcast
