// Memory that a device may touch: protection domains, registrations, and the cache of source pools.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "core/pool/frame_pool.h"
#include "core/transport/verbs/verbs_handles.h"

namespace verbcast {

/// A registration of memory that somebody else owns and keeps mapped. Deregisters when destroyed.
/// Safe to share between threads: it never changes.
class MemoryRegistration {
  public:
    enum class Access { LocalRead, LocalWrite, RemoteWrite };

    /// Throws Error{Resource} when memory cannot be locked, with the line that raises the limit.
    MemoryRegistration(ibv_pd* domain, std::span<std::byte> memory, Access access);

    std::uint32_t localKey() const { return region_->lkey; }
    std::uint32_t remoteKey() const { return region_->rkey; }
    std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(region_->addr); }

  private:
    MemoryRegionHandle region_;
};

/// Page-aligned memory of our own with its registration.
class RegisteredBuffer {
  public:
    RegisteredBuffer(ibv_pd* domain, std::size_t bytes, MemoryRegistration::Access access);

    std::byte* data() const { return memory_.get(); }
    std::uint64_t address() const { return registration_.address(); }
    std::uint32_t localKey() const { return registration_.localKey(); }
    std::uint32_t remoteKey() const { return registration_.remoteKey(); }

  private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    using Memory = std::unique_ptr<std::byte, Free>;
    static Memory allocate(std::size_t bytes);

    Memory memory_;
    MemoryRegistration registration_;
};

/// Shared: see ProtectionDomain::registerSource().
using SourceRegistration = std::shared_ptr<const MemoryRegistration>;

/// One ibv_pd. A sink has one per peer, so that a peer's keys open nothing of another's; sources share one
/// per device (their memory grants no remote rights at all), and with it the registrations of their pools.
/// Shared between the channels of the device and the table of sharedForSources(): the last one frees it.
/// All functions are safe from any thread.
class ProtectionDomain {
  public:
    explicit ProtectionDomain(ibv_context* context);

    /// The domain that all sources on the device share. It lives until the program ends or the device goes.
    static std::shared_ptr<ProtectionDomain> sharedForSources(ibv_context* context);
    /// The device is gone: the next source gets a new domain.
    static void forgetDevice(ibv_context* context);

    ibv_pd* get() const { return domain_.get(); }

    /// The pool registered for reading by this device. The registration is kept as long as the pool lives, so
    /// that further receivers and reconnects find it; those of pools that are gone are dropped here and in
    /// dropUnusedSources(). Shared with the channels that have frames of the pool in flight.
    /// Blocks while it registers (0.3 s per GiB), also when another thread is already at it.
    SourceRegistration registerSource(const std::shared_ptr<FramePool>& pool);
    /// The same, if that is already done; else null. Does not block.
    SourceRegistration findSource(const FramePool& pool);
    void dropUnusedSources();

  private:
    struct Source {
        std::weak_ptr<FramePool> pool;
        std::shared_future<SourceRegistration> registration;
    };
    void dropUnusedSourcesLocked();

    ProtectionDomainHandle domain_;
    std::mutex mutex_;
    std::map<const FramePool*, Source> sources_;
};

}  // namespace verbcast
