// Memory that a libfabric provider may access: fabrics, domains and registrations.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/transport/rdma/ofi/ofi_handles.h"
#include "core/transport/rdma/port.h"

namespace verbcast {

/// Shared by the listener, the queues that come from it, and domains: the last one closes it.
using SharedFabric = std::shared_ptr<fid_fabric>;
/// Throws Error{Device}.
SharedFabric openFabric(const fi_info& info);

/// One fid_domain. Sources share one per provider and device if memory must be registered before sending;
/// otherwise there is nothing to share.
class OfiDomain final : public PortDomain {
  public:
    /// Throws Error{Device, Resource}.
    OfiDomain(SharedFabric fabric, fi_info& info);
    ~OfiDomain() override { dropSources(); }

    /// For a queue over `info`: its own domain, or the one that the device's sources share.
    static std::shared_ptr<OfiDomain> forQueue(const SharedFabric& fabric, fi_info& info, bool onlySends);

    fid_domain* get() const { return domain_.get(); }
    fid_fabric* fabric() const { return fabric_.get(); }
    /// Providers with FI_MR_ENDPOINT bind memory to the endpoint. Call before the first registration.
    void setEndpoint(fid_ep* endpoint) { endpoint_ = endpoint; }

    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) override;
    std::string cannotSendFrom(const Memory& memory) const override;

  private:
    bool has(int mode) const { return (modes_ & mode) != 0; }
    std::uint64_t newKey() const;

    SharedFabric fabric_;
    const std::string name_;
    const int modes_;
    const std::size_t keyBytes_;
    FidHandle<fid_domain> domain_;
    fid_ep* endpoint_ = nullptr;
};

}  // namespace verbcast
