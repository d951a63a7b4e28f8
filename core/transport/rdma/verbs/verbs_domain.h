// Memory that a verbs device may touch: protection domains and registrations.
#pragma once

#include <memory>
#include <span>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

/// One ibv_pd.
class VerbsDomain final : public PortDomain {
  public:
    /// Throws Error{Device}.
    explicit VerbsDomain(ibv_context* context);
    ~VerbsDomain() override;

    /// The domain that all sources on the device share. It lives until the program ends or the device goes.
    static std::shared_ptr<VerbsDomain> sharedForSources(ibv_context* context);
    /// The device is gone: the next source gets a new domain.
    static void forgetDevice(ibv_context* context);

    ibv_pd* get() const { return domain_.get(); }

    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) override;
    /// Whether the kernel takes it is known only by trying.
    std::string cannotSendFrom(const Memory&) const override { return {}; }

  private:
    ProtectionDomainHandle domain_;
};

}  // namespace verbcast
