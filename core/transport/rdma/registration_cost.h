// Measures what registering memory with an RDMA device costs; no verbs types.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/memory/device_memory.h"

namespace verbcast {

struct RegistrationTimes {
    std::chrono::nanoseconds registering{0}, deregistering{0};
};

/// Device memory: how it was registered, "dma-buf" or "address".
struct DeviceRegistration {
    RegistrationTimes times;
    std::string way;
};

/// One opened RDMA device with its own protection domain. Thread-bound.
class RegistrationProbe {
  public:
    virtual ~RegistrationProbe() = default;
    virtual const std::string& device() const = 0;

    /// Registers the memory as a receiver registers its ring (writable by the peer) and deregisters it again.
    /// Throws Error{Resource} if memory cannot be locked, with the command that raises the limit.
    virtual RegistrationTimes measure(std::span<std::byte> memory) = 0;

    /// The same for all of a GPU's memory, including its export as a dma-buf. Throws Error{Resource} saying
    /// why each way failed.
    virtual DeviceRegistration measure(const DeviceMemory& memory) = 0;

    /// Keeps the memory registered until the result is destroyed, which must happen before this object is. A
    /// shared_ptr only to hide its type: it has one owner. Throws like measure().
    virtual std::shared_ptr<void> keepRegistered(std::span<std::byte> memory) = 0;
};

/// `device`: its name, or empty for the first one. Throws Error{Device} if there is none, naming those that
/// exist.
std::unique_ptr<RegistrationProbe> openRegistrationProbe(const std::string& device);

}  // namespace verbcast
