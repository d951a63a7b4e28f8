#include "core/transport/rdma/ofi/ofi_domain.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>

namespace verbcast {
namespace {

class OfiMemory final : public RegisteredMemory {
  public:
    /// Memory that need not be registered.
    OfiMemory() = default;
    OfiMemory(FidHandle<fid_mr> region, std::uint64_t firstAddress) : region_(std::move(region)) {
        localHandle = reinterpret_cast<std::uint64_t>(fi_mr_desc(region_.get()));
        remoteKey = fi_mr_key(region_.get());
        remoteAddress = firstAddress;
    }

  private:
    FidHandle<fid_mr> region_;
};

std::uint64_t accessOf(MemoryUse use) {
    switch (use) {
        case MemoryUse::LocalRead:
            return FI_SEND | FI_WRITE;
        case MemoryUse::LocalWrite:
            return FI_RECV;
        case MemoryUse::RemoteWrite:
            return FI_REMOTE_WRITE;
    }
    return 0;
}

std::string nameOf(const fi_info& info) {
    return fmt::format("{} {}", info.fabric_attr->prov_name,
                       info.domain_attr->name != nullptr ? info.domain_attr->name : "");
}

struct SharedDomains {
    std::mutex mutex;
    std::map<std::string, std::weak_ptr<OfiDomain>> byName;
};

SharedDomains& sharedDomains() {
    static SharedDomains domains;
    return domains;
}

}  // namespace

SharedFabric openFabric(const fi_info& info) {
    fid_fabric* fabric = nullptr;
    checkOfi(fi_fabric(info.fabric_attr, &fabric, nullptr), ErrorKind::Device, "fi_fabric",
             info.fabric_attr->prov_name);
    return {fabric, FidDeleter<fid_fabric>()};
}

OfiDomain::OfiDomain(SharedFabric fabric, fi_info& info)
    : fabric_(std::move(fabric)),
      name_(nameOf(info)),
      modes_(info.domain_attr->mr_mode),
      keyBytes_(std::min(info.domain_attr->mr_key_size, sizeof(std::uint64_t))) {
    fid_domain* domain = nullptr;
    checkOfi(fi_domain(fabric_.get(), &info, &domain, nullptr), ErrorKind::Device, "fi_domain", name_);
    domain_.reset(domain);
}

std::shared_ptr<OfiDomain> OfiDomain::forQueue(const SharedFabric& fabric, fi_info& info, bool onlySends) {
    const int modes = info.domain_attr->mr_mode;
    if (!onlySends || (modes & FI_MR_LOCAL) == 0 || (modes & FI_MR_ENDPOINT) != 0) {
        return std::make_shared<OfiDomain>(fabric, info);
    }
    SharedDomains& domains = sharedDomains();
    const std::lock_guard lock(domains.mutex);
    auto& place = domains.byName[nameOf(info)];
    auto domain = place.lock();
    if (!domain) {
        domain = std::make_shared<OfiDomain>(fabric, info);
        place = domain;
    }
    return domain;
}

/// If the provider assigns no keys: one that nobody can guess.
std::uint64_t OfiDomain::newKey() const {
    std::uint64_t key = 0;
    if (::getrandom(&key, sizeof key, 0) != sizeof key) {
        throwErrno(ErrorKind::Internal, "getrandom", "a key of memory", errno);
    }
    return keyBytes_ < sizeof key ? key & ((1ULL << (8 * keyBytes_)) - 1) : key;
}

std::unique_ptr<RegisteredMemory> OfiDomain::registerMemory(std::span<std::byte> bytes, MemoryUse use) {
    if (use != MemoryUse::RemoteWrite && !has(FI_MR_LOCAL)) {
        return std::make_unique<OfiMemory>();
    }
    fid_mr* raw = nullptr;
    int code = -FI_ENOKEY;
    for (int attempt = 0; attempt < 8 && code == -FI_ENOKEY; ++attempt) {  // small keys may collide
        code = fi_mr_reg(domain_.get(), bytes.data(), bytes.size(), accessOf(use), 0,
                         has(FI_MR_PROV_KEY) ? 0 : newKey(), 0, &raw, nullptr);
    }
    if (code == -FI_ENOMEM) {
        throw Error(ErrorKind::Resource,
                    fmt::format("{} cannot lock {} MiB of memory", name_, (bytes.size() >> 20) + 1),
                    "as root: echo '* - memlock unlimited' > /etc/security/limits.d/verbcast.conf, then log "
                    "in again; or use fewer slots (--slots) or a smaller --size");
    }
    checkOfi(code, ErrorKind::Resource, "fi_mr_reg", name_);
    FidHandle<fid_mr> region(raw);
    if (has(FI_MR_ENDPOINT)) {
        checkOfi(fi_mr_bind(raw, &endpoint_->fid, 0), ErrorKind::Device, "fi_mr_bind", name_);
        checkOfi(fi_mr_enable(raw), ErrorKind::Device, "fi_mr_enable", name_);
    }
    return std::make_unique<OfiMemory>(
        std::move(region), has(FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uint64_t>(bytes.data()) : 0);
}

std::string OfiDomain::cannotSendFrom(const Memory& memory) const {
    if (const DeviceMemory* device = memory.device()) {
        return fmt::format("libfabric is not asked to reach the memory of {}", device->deviceName());
    }
    if (memory.kind() == MemoryKind::File && !has(FI_MR_LOCAL)) {
        return fmt::format("the provider {} may read it with the processor, and a file can become shorter",
                           name_);
    }
    return {};
}

}  // namespace verbcast
