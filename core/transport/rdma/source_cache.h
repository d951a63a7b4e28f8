// Memories that frames are sent from, with their registrations: one per device, shared by all connections.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>

#include "core/memory/memory.h"
#include "core/transport/rdma/port.h"

namespace verbcast {

/// Shared by the cache, which keeps it as long as the memory lives, and by the connections that have its
/// frames in flight.
using SourceRegistration = std::shared_ptr<const RegisteredMemory>;

/// Owned by a domain. All functions are safe from any thread.
class SourceCache : public std::enable_shared_from_this<SourceCache> {
  public:
    explicit SourceCache(PortDomain& domain) : domain_(domain) {}

    /// Registers the memory for reading. The registration is kept as long as the memory lives, so that
    /// further receivers and reconnects find it; registrations of freed memory are dropped here and in
    /// dropUnused(). Blocks while registering, even if another thread is doing it. Throws as
    /// PortDomain::registerMemory() does.
    SourceRegistration registerSource(const std::shared_ptr<const Memory>& memory);
    /// The same if already registered; else null. Does not block.
    SourceRegistration find(const Memory& memory);
    void dropUnused() {
        const std::lock_guard lock(mutex_);
        dropUnusedLocked();
    }
    /// Call before the domain is destroyed.
    void dropAll() {
        const std::lock_guard lock(mutex_);
        sources_.clear();
    }

  private:
    struct Source {
        std::weak_ptr<const Memory> memory;
        std::shared_future<std::shared_ptr<RegisteredMemory>> registration;
    };
    void dropUnusedLocked();
    void release(const Memory* gone) noexcept;

    PortDomain& domain_;
    std::mutex mutex_;
    std::map<const Memory*, Source> sources_;
};

}  // namespace verbcast
