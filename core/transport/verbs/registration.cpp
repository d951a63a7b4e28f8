#include "core/transport/verbs/registration.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/transport/verbs/verbs_errors.h"

namespace verbcast {
namespace {

constexpr std::size_t kPage = 4096;

std::string mebibytes(std::uint64_t bytes) {
    return fmt::format("{} MiB", (bytes + (1 << 20) - 1) >> 20);
}

/// Memory that this process has already locked for devices, in bytes: the kernel counts it as VmPin.
std::uint64_t pinnedBytes() {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.starts_with("VmPin:")) {
            return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
        }
    }
    return 0;
}

[[noreturn]] void throwRegistrationFailure(std::string_view device, std::uint64_t bytes, int code) {
    rlimit limit{};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    const std::uint64_t needed = pinnedBytes() + bytes;
    if (code == ENOMEM && limit.rlim_cur != RLIM_INFINITY && needed > limit.rlim_cur) {
        throw Error(
            ErrorKind::Resource,
            fmt::format("{} cannot lock {} of memory: RLIMIT_MEMLOCK is {}, {} needed", device,
                        mebibytes(bytes), mebibytes(limit.rlim_cur), mebibytes(needed)),
            fmt::format(
                "as root: echo '* - memlock unlimited' > /etc/security/limits.d/verbcast.conf, then log "
                "in again (or \"ulimit -l {}\" in this shell; LimitMEMLOCK=infinity under systemd)",
                (needed + 1023) / 1024));
    }
    throwErrno(ErrorKind::Resource, "ibv_reg_mr", fmt::format("{} on {}", mebibytes(bytes), device), code,
               code == ENOMEM ? "use fewer slots (--slots) or a smaller --size" : "");
}

int accessFlags(MemoryRegistration::Access access) {
    switch (access) {
        case MemoryRegistration::Access::LocalRead:
            return 0;
        case MemoryRegistration::Access::LocalWrite:
            return IBV_ACCESS_LOCAL_WRITE;
        case MemoryRegistration::Access::RemoteWrite:
            return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    }
    return 0;
}

struct SharedDomains {
    std::mutex mutex;
    std::map<ibv_context*, std::shared_ptr<ProtectionDomain>> byDevice;
};

SharedDomains& sharedDomains() {
    static SharedDomains domains;
    return domains;
}

}  // namespace

MemoryRegistration::MemoryRegistration(ibv_pd* domain, std::span<std::byte> memory, Access access)
    : region_(ibv_reg_mr(domain, memory.data(), memory.size(), accessFlags(access))) {
    if (!region_) {
        throwRegistrationFailure(ibv_get_device_name(domain->context->device), memory.size(), errno);
    }
}

void RegisteredBuffer::Free::operator()(std::byte* memory) const {
    std::free(memory);
}

RegisteredBuffer::Memory RegisteredBuffer::allocate(std::size_t bytes) {
    const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
    Memory memory(static_cast<std::byte*>(std::aligned_alloc(kPage, rounded)));
    if (!memory) {
        throwErrno(ErrorKind::Resource, "aligned_alloc", mebibytes(rounded), ENOMEM);
    }
    std::memset(memory.get(), 0, rounded);
    return memory;
}

RegisteredBuffer::RegisteredBuffer(ibv_pd* domain, std::size_t bytes, MemoryRegistration::Access access)
    : memory_(allocate(bytes)), registration_(domain, {memory_.get(), bytes}, access) {}

ProtectionDomain::ProtectionDomain(ibv_context* context)
    : domain_(checkPointer(ibv_alloc_pd(context), ErrorKind::Device, "ibv_alloc_pd",
                           ibv_get_device_name(context->device))) {}

std::shared_ptr<ProtectionDomain> ProtectionDomain::sharedForSources(ibv_context* context) {
    SharedDomains& domains = sharedDomains();
    const std::lock_guard lock(domains.mutex);
    auto& domain = domains.byDevice[context];
    if (!domain) {
        domain = std::make_shared<ProtectionDomain>(context);
    }
    return domain;
}

void ProtectionDomain::forgetDevice(ibv_context* context) {
    SharedDomains& domains = sharedDomains();
    const std::lock_guard lock(domains.mutex);
    domains.byDevice.erase(context);
}

SourceRegistration ProtectionDomain::registerSource(const std::shared_ptr<FramePool>& pool) {
    std::promise<SourceRegistration> promise;
    std::shared_future<SourceRegistration> othersWork;
    {
        const std::lock_guard lock(mutex_);
        dropUnusedSourcesLocked();
        const auto [entry, isNew] = sources_.try_emplace(pool.get(), Source{pool, {}});
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
        auto registration = std::make_shared<const MemoryRegistration>(domain_.get(), pool->memory(),
                                                                       MemoryRegistration::Access::LocalRead);
        promise.set_value(registration);
        return registration;
    } catch (...) {
        promise.set_exception(std::current_exception());
        const std::lock_guard lock(mutex_);
        sources_.erase(pool.get());
        throw;
    }
}

SourceRegistration ProtectionDomain::findSource(const FramePool& pool) {
    const std::lock_guard lock(mutex_);
    const auto found = sources_.find(&pool);
    const bool done =
        found != sources_.end() && !found->second.pool.expired() &&
        found->second.registration.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    return done ? found->second.registration.get() : nullptr;
}

void ProtectionDomain::dropUnusedSources() {
    const std::lock_guard lock(mutex_);
    dropUnusedSourcesLocked();
}

void ProtectionDomain::dropUnusedSourcesLocked() {
    std::erase_if(sources_, [](const auto& entry) { return entry.second.pool.expired(); });
}

}  // namespace verbcast
