// Memories that frames are sent from, with their registrations: once for each device, shared by all
// connections.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>

#include "core/memory/memory.h"
#include "core/transport/rdma/port.h"

namespace verbcast {

/// Shared: by the cache, which keeps it as long as the memory lives, and by the connections that have frames
/// of it in flight.
using SourceRegistration = std::shared_ptr<const RegisteredMemory>;

/// Belongs to a domain. All functions are safe from any thread.
class SourceCache : public std::enable_shared_from_this<SourceCache> {
  public:
    explicit SourceCache(PortDomain& domain) : domain_(domain) {}

    /// The memory registered for reading. The registration is kept as long as the memory lives, so that
    /// further receivers and reconnects find it; those of memory that is gone are dropped here and in
    /// dropUnused(). Blocks while it registers, also when another thread is already at it. Throws as
    /// PortDomain::registerMemory().
    SourceRegistration registerSource(const std::shared_ptr<const Memory>& memory);
    /// The same, if that is already done; else null. Does not block.
    SourceRegistration find(const Memory& memory);
    void dropUnused();
    /// Before the domain goes.
    void dropAll();

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
