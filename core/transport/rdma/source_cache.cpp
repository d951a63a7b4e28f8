#include "core/transport/rdma/source_cache.h"
#include "core/base/log/peer_log.h"

#include <fmt/format.h>

#include <chrono>

namespace verbcast {
namespace {

/// As dma-bufs, or else where they are mapped. Throws Error{Resource} that says why neither is possible.
std::unique_ptr<RegisteredMemory> registerEither(PortDomain& domain, const Memory& memory) {
    std::string noDmaBuf;
    try {
        return domain.registerBuffers(memory);
    } catch (const Error& error) {
        noDmaBuf = error.what();
    }
    try {
        auto registered = domain.registerMemory(memory.bytes(), MemoryUse::LocalRead);
        registered->way = "mapping";
        registered->readsMapping = true;
        tellOfPeer(LogCategory::Rdma, "mapped dma-bufs", "",
                   "frames are sent from where dma-bufs are mapped: {}", noDmaBuf);
        return registered;
    } catch (const Error& error) {
        throw Error(ErrorKind::Resource,
                    fmt::format("the frames are in dma-bufs: {}; and where they are mapped: {}", noDmaBuf,
                                error.what()));
    }
}

}  // namespace

PortDomain::PortDomain() : sources_(std::make_shared<SourceCache>(*this)) {}
PortDomain::~PortDomain() = default;

std::unique_ptr<RegisteredMemory> PortDomain::registerDevice(const DeviceMemory& memory, MemoryUse) {
    throw Error(ErrorKind::Resource, "this port cannot reach the memory of " + memory.deviceName());
}

std::unique_ptr<RegisteredMemory> PortDomain::registerBuffers(const Memory&) {
    throw Error(ErrorKind::Resource, "this port registers no dma-bufs");
}

void PortDomain::dropSources() noexcept {
    if (sources_) {
        sources_->dropAll();
        sources_.reset();
    }
}

SourceRegistration SourceCache::registerSource(const std::shared_ptr<const Memory>& memory) {
    std::promise<std::shared_ptr<RegisteredMemory>> promise;
    std::shared_future<std::shared_ptr<RegisteredMemory>> othersWork;
    {
        const std::lock_guard lock(mutex_);
        dropUnusedLocked();
        const auto [entry, isNew] = sources_.try_emplace(memory.get(), Source{memory, {}});
        if (isNew) {
            entry->second.registration = promise.get_future().share();
        } else {
            othersWork = entry->second.registration;
        }
    }
    if (othersWork.valid()) {
        return othersWork.get();
    }
    try {
        std::shared_ptr<RegisteredMemory> registration;
        if (const DeviceMemory* device = memory->device()) {
            registration = domain_.registerDevice(*device, MemoryUse::LocalRead);
            registration->localAddress = static_cast<std::uint64_t>(device->address());
        } else {
            registration = memory->buffers().empty()
                               ? domain_.registerMemory(memory->bytes(), MemoryUse::LocalRead)
                               : registerEither(domain_, *memory);
            registration->localAddress = reinterpret_cast<std::uint64_t>(memory->bytes().data());
        }
        promise.set_value(registration);
        if (memory->device() != nullptr) {
            memory->beforeRelease([cache = weak_from_this(), gone = memory.get()] {
                if (const auto alive = cache.lock()) {
                    alive->release(gone);
                }
            });
        }
        return registration;
    } catch (...) {
        {
            const std::lock_guard lock(mutex_);
            sources_.erase(memory.get());  // before the answer, which find() would take for a registration
        }
        promise.set_exception(std::current_exception());
        throw;
    }
}

SourceRegistration SourceCache::find(const Memory& memory) {
    const std::lock_guard lock(mutex_);
    const auto found = sources_.find(&memory);
    const bool done =
        found != sources_.end() && !found->second.memory.expired() &&
        found->second.registration.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return done ? found->second.registration.get() : nullptr;
}

/// No frames are in flight: they would hold the memory.
void SourceCache::release(const Memory* gone) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto found = sources_.find(gone); found != sources_.end()) {
        found->second.registration.get()->release();
        sources_.erase(found);
    }
}

void SourceCache::dropUnusedLocked() {
    std::erase_if(sources_, [](const auto& entry) {
        const bool unused = entry.second.memory.expired();
        if (unused) {
            entry.second.registration.get()->release();  // others may still share it
        }
        return unused;
    });
}

}  // namespace verbcast
