#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/base/log/peer_log.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {
namespace {

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
    if (code == EFAULT) {
        throw Error(
            ErrorKind::Resource,
            fmt::format("{} registers no memory that this program may only read: that needs Linux 6.2 "
                        "and a file system that allows it",
                        device));
    }
    throwErrno(ErrorKind::Resource, "ibv_reg_mr", fmt::format("{} on {}", mebibytes(bytes), device), code,
               code == ENOMEM ? "use fewer slots (--slots) or a smaller --size" : "");
}

// The largest window that mlx5 binds (its provider refuses larger ones).
constexpr std::size_t kMaxWindow = 2ULL << 30;

int accessFlags(MemoryUse use, bool windows) {
    switch (use) {
        case MemoryUse::LocalRead:
            return 0;
        case MemoryUse::LocalWrite:
            return IBV_ACCESS_LOCAL_WRITE;
        case MemoryUse::RemoteWrite:
            return IBV_ACCESS_LOCAL_WRITE | (windows ? IBV_ACCESS_MW_BIND : IBV_ACCESS_REMOTE_WRITE);
    }
    return 0;
}

/// Why this kernel and device take no dma-bufs, or "": if they do, an invalid descriptor is rejected as such.
std::string dmaBufProblem(ibv_pd* domain) {
    const MemoryRegionHandle none(ibv_reg_dmabuf_mr(domain, 0, 4096, 0, -1, 0));
    const int code = errno;
    return none || code == EBADF ? "" : "the RDMA device takes none: " + errnoText(code);
}

/// The likely cause if the memory is a GPU's.
std::string deviceErrorText(int code) {
    return errnoText(code) + (code == EFAULT ? " (nvidia-peermem is not loaded)"
                              : code == ENOMEM
                                  ? " (BAR1, the window onto the GPU's memory, may be full: nvidia-smi "
                                    "-q -d MEMORY tells)"
                                  : "");
}

/// A ring of dma-bufs, each registered by itself.
class VerbsBuffers final : public RegisteredMemory {
  public:
    explicit VerbsBuffers(std::vector<MemoryRegionHandle> regions) : regions_(std::move(regions)) {
        way = "dma-buf";
        for (const MemoryRegionHandle& region : regions_) {
            slotHandles.push_back(region->lkey);
        }
    }
    void release() noexcept override { regions_.clear(); }

  private:
    std::vector<MemoryRegionHandle> regions_;
};

struct SharedDomains {
    std::mutex mutex;
    std::map<ibv_context*, std::shared_ptr<VerbsDomain>> byDevice;
};

SharedDomains& sharedDomains() {
    static SharedDomains domains;
    return domains;
}

}  // namespace

bool hasImmediateWrites(const ibv_context* context) {
    // IBTA makes the operation mandatory for reliable connections; iWARP (RFC 5040) does not have it.
    return context->device->transport_type == IBV_TRANSPORT_IB;
}

bool hasMemoryWindows(ibv_context* context) {
    ibv_device_attr device{};
    if (ibv_query_device(context, &device) != 0 || device.max_mw == 0 ||
        (device.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)) == 0) {
        return false;
    }
    // Some functions of a device that supports windows have none.
    const ProtectionDomainHandle domain(ibv_alloc_pd(context));
    return domain && MemoryWindowHandle(ibv_alloc_mw(domain.get(), IBV_MW_TYPE_2)) != nullptr;
}

VerbsMemory::VerbsMemory(MemoryRegionHandle region) : region_(std::move(region)) {
    localHandle = region_->lkey;
    remoteKey = region_->rkey;
    remoteAddress = reinterpret_cast<std::uint64_t>(region_->addr);
}

VerbsDomain::VerbsDomain(ibv_context* context, bool windows)
    : use_(context),
      domain_(checkPointer(ibv_alloc_pd(context), ErrorKind::Device, "ibv_alloc_pd",
                           ibv_get_device_name(context->device))) {
    windows_ = windows && hasMemoryWindows(context);
}

std::shared_ptr<VerbsDomain> VerbsDomain::sharedForSources(ibv_context* context) {
    SharedDomains& domains = sharedDomains();
    const std::lock_guard lock(domains.mutex);
    if (DeviceUse::isRemoved(context)) {
        return std::make_shared<VerbsDomain>(context);
    }
    auto& domain = domains.byDevice[context];
    if (!domain) {
        domain = std::make_shared<VerbsDomain>(context);
    }
    return domain;
}

void VerbsDomain::forgetDevice(ibv_context* context) {
    DeviceUse::deviceRemoved(context);
    SharedDomains& domains = sharedDomains();
    const std::lock_guard lock(domains.mutex);
    domains.byDevice.erase(context);
}

std::unique_ptr<RegisteredMemory> VerbsDomain::registerMemory(std::span<std::byte> bytes, MemoryUse use) {
    const bool window = use == MemoryUse::RemoteWrite && windows_ && bytes.size() <= kMaxWindow;
    MemoryRegionHandle region(
        ibv_reg_mr(domain_.get(), bytes.data(), bytes.size(), accessFlags(use, window)));
    if (!region) {
        throwRegistrationFailure(ibv_get_device_name(domain_->context->device), bytes.size(), errno);
    }
    auto memory = std::make_unique<VerbsMemory>(std::move(region));
    memory->needsWindow = window;
    return memory;
}

std::unique_ptr<RegisteredMemory> VerbsDomain::registerDevice(const DeviceMemory& memory, MemoryUse use) {
    const auto address = static_cast<std::uint64_t>(memory.address());
    const bool window = use == MemoryUse::RemoteWrite && windows_ && memory.size() <= kMaxWindow;
    const auto made = [&](MemoryRegionHandle region, std::string_view way, bool needsWindow) {
        auto registered = std::make_unique<VerbsMemory>(std::move(region));
        registered->remoteAddress = address;  // the library reports a different one for a dma-buf
        registered->way = way;
        registered->needsWindow = needsWindow;
        return registered;
    };
    std::string noDmaBuf = dmaBufProblem(domain_.get());
    if (noDmaBuf.empty()) {
        const ExportedMemory exported = memory.exportDmaBuf();
        noDmaBuf = exported.problem;
        if (exported.descriptor) {
            MemoryRegionHandle region(ibv_reg_dmabuf_mr(domain_.get(), 0, memory.size(), address,
                                                        exported.descriptor.get(), accessFlags(use, false)));
            if (region) {
                return made(std::move(region), "dma-buf", false);
            }
            noDmaBuf = "ibv_reg_dmabuf_mr: " + deviceErrorText(errno);
        }
    }
    MemoryRegionHandle region(
        ibv_reg_mr(domain_.get(), reinterpret_cast<void*>(address), memory.size(), accessFlags(use, window)));
    if (region) {
        tellOfPeer(LogCategory::Rdma, "memory by its address", "",
                   "{} reaches the memory of {} by its address; no dma-buf: {}",
                   ibv_get_device_name(domain_->context->device), memory.deviceName(), noDmaBuf);
        return made(std::move(region), "address", window);
    }
    const int code = errno;
    throw Error(ErrorKind::Resource,
                fmt::format("{} cannot reach the memory of {}: no dma-buf ({}), and by its address {}",
                            ibv_get_device_name(domain_->context->device), memory.deviceName(), noDmaBuf,
                            deviceErrorText(code)));
}

std::unique_ptr<RegisteredMemory> VerbsDomain::registerBuffers(const Memory& memory) {
    const std::string device = ibv_get_device_name(domain_->context->device);
    if (const std::string problem = dmaBufProblem(domain_.get()); !problem.empty()) {
        throw Error(ErrorKind::Resource, fmt::format("{}: {}", device, problem));
    }
    const std::span<const UniqueFd> buffers = memory.buffers();
    const std::uint64_t bytes = memory.size() / buffers.size();
    auto address = reinterpret_cast<std::uint64_t>(memory.bytes().data());
    std::vector<MemoryRegionHandle> regions;
    for (const UniqueFd& buffer : buffers) {
        MemoryRegionHandle region(ibv_reg_dmabuf_mr(domain_.get(), 0, bytes, address, buffer.get(),
                                                    accessFlags(MemoryUse::LocalRead, false)));
        if (!region) {
            throwErrno(ErrorKind::Resource, "ibv_reg_dmabuf_mr",
                       fmt::format("{} of {} buffers of {} on {}", regions.size() + 1, buffers.size(),
                                   mebibytes(bytes), device),
                       errno);
        }
        regions.push_back(std::move(region));
        address += bytes;
    }
    tellOfPeer(LogCategory::Rdma, "dma-bufs read", "", "{} reads {} dma-bufs where they lie", device,
               buffers.size());
    return std::make_unique<VerbsBuffers>(std::move(regions));
}

}  // namespace verbcast
