// What registering memory with an RDMA device costs, measured; no verbs types.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace verbcast {

struct RegistrationTimes {
    std::chrono::nanoseconds registering{0}, deregistering{0};
};

/// One opened RDMA device and a protection domain of its own. Thread-bound.
class RegistrationProbe {
  public:
    virtual ~RegistrationProbe() = default;
    virtual const std::string& device() const = 0;

    /// Registers the memory as a receiver registers its ring (writable by the peer) and takes that back.
    /// Throws Error{Resource} when memory cannot be locked, with the line that raises the limit.
    virtual RegistrationTimes measure(std::span<std::byte> memory) = 0;

    /// Keeps the memory registered until the result is dropped, which must come before this object's end.
    /// Shared only to hide its type: it has one owner. Throws like measure().
    virtual std::shared_ptr<void> keepRegistered(std::span<std::byte> memory) = 0;
};

/// `device`: its name, or empty for the first. Throws Error{Device} when there is none, naming what exists.
std::unique_ptr<RegistrationProbe> openRegistrationProbe(const std::string& device);

}  // namespace verbcast
