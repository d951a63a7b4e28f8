// Page-aligned memory of our own, with its registration.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "core/transport/rdma/port.h"

namespace verbcast {

/// Zeroed initially. Thread-bound, as is the device's use of it.
class RegisteredBuffer {
  public:
    /// Throws Error{Resource}.
    RegisteredBuffer(PortDomain& domain, std::size_t bytes, MemoryUse use)
        : memory_(allocate(bytes)), registration_(domain.registerMemory({memory_.get(), bytes}, use)) {}

    std::byte* data() const { return memory_.get(); }
    /// Not after revoke().
    const RegisteredMemory& registration() const { return *registration_; }
    /// Deregisters the memory but keeps it.
    void revoke() { registration_.reset(); }

  private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    using Pages = std::unique_ptr<std::byte, Free>;

    static Pages allocate(std::size_t bytes) {
        Pages memory(static_cast<std::byte*>(std::aligned_alloc(4096, wholePages(bytes))));
        if (!memory) {
            throwErrno(ErrorKind::Resource, "aligned_alloc", std::to_string(bytes) + " bytes", ENOMEM);
        }
        std::memset(memory.get(), 0, wholePages(bytes));
        return memory;
    }

    Pages memory_;
    std::unique_ptr<RegisteredMemory> registration_;
};

}  // namespace verbcast
