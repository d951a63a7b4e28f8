// Memory in a device (a GPU) that the processor cannot reach; no types of its driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

class Memory;

/// An address in a device: a number, deliberately not a pointer.
enum class DeviceMemoryAddress : std::uint64_t {};

constexpr DeviceMemoryAddress operator+(DeviceMemoryAddress address, std::uint64_t bytes) {
    return DeviceMemoryAddress{static_cast<std::uint64_t>(address) + bytes};
}

/// Host memory that a device can copy from and to by itself, for as long as this object lives.
class PinnedMemory {
  public:
    virtual ~PinnedMemory() = default;
};

/// A dma-buf, or the reason why there is none.
struct ExportedMemory {
    UniqueFd descriptor{};
    std::string problem{};
};

/// One allocation of a device. All functions are safe from any thread.
class DeviceMemory {
  public:
    virtual ~DeviceMemory() = default;

    /// Address of its first byte; a multiple of the page size, as is size(), unless it is lent.
    virtual DeviceMemoryAddress address() const = 0;
    virtual std::uint64_t size() const = 0;
    virtual const std::string& deviceName() const = 0;  ///< "NVIDIA RTX 6000 (GPU 0)", for messages

    /// Exports all of it to another device. That device's accesses are not ordered with this device's own
    /// work.
    virtual ExportedMemory exportDmaBuf() const = 0;

    /// Makes what other devices wrote before the call visible to this device's work after it. Throws
    /// Error{Device} when the device fails.
    virtual void settleRemoteWrites() const {}
    /// Why settleRemoteWrites() cannot promise that, so that no other device should write here; else "".
    virtual std::string remoteWritesProblem() const { return {}; }

    /// Identifies the device, the same in all processes of this machine; "" if others cannot map this memory.
    virtual std::string sharingId() const { return {}; }
    /// Shares all of it with another process that uses the same device, for DeviceAllocator::mapShared()
    /// there.
    virtual ExportedMemory share() const { return {{}, "this device shares no memory"}; }

    /// Copies over the bus; returns when the copy is done. Throws Error{Device} when the device fails,
    /// Error{Internal} if out of range.
    virtual void read(std::uint64_t offset, std::span<std::byte> into) const = 0;
    virtual void write(std::uint64_t offset, std::span<const std::byte> from) const = 0;

    /// Pins that memory (Host), so that copies to and from this device need no copy by the processor. Throws
    /// Error{Device, Resource}; copies work without it.
    virtual std::unique_ptr<PinnedMemory> pin(std::shared_ptr<const Memory> host) const = 0;
};

/// Allocates memory of one device. All functions are safe from any thread.
class DeviceAllocator {
  public:
    virtual ~DeviceAllocator() = default;
    virtual const std::string& deviceName() const = 0;
    /// Throws Error{Resource} when the device is out of memory, Error{Device} when it fails.
    virtual std::unique_ptr<const DeviceMemory> allocate(std::uint64_t bytes) const = 0;
    /// Free bytes of its memory; nothing if unknown.
    virtual std::optional<std::uint64_t> freeBytes() const = 0;

    /// Like DeviceMemory::sharingId(), for memory that mapShared() maps; "" if it maps none, or has failed
    /// to.
    virtual std::string sharingId() const { return {}; }
    /// Maps for reading what DeviceMemory::share() returned in another process; it stays valid while mapped,
    /// even if that process dies. `bytes` is the other process's claim. Throws Error{Device}.
    virtual std::unique_ptr<const DeviceMemory> mapShared(UniqueFd descriptor, std::uint64_t bytes) const;
};

}  // namespace verbcast
