// Memory that a verbs device may touch: protection domains and registrations.
#pragma once

#include <memory>
#include <span>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/verbs/device_use.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

/// Memory that is registered with an ibv_pd.
class VerbsMemory final : public RegisteredMemory {
  public:
    explicit VerbsMemory(MemoryRegionHandle region);
    ibv_mr* region() const { return region_.get(); }
    void release() noexcept override { region_.reset(); }

  private:
    MemoryRegionHandle region_;
};

/// One ibv_pd.
class VerbsDomain final : public PortDomain {
  public:
    /// `windows`: peers are to write through memory windows of type 2 where the device has them: only through
    /// the queue pair that such a window is bound to. Throws Error{Device}.
    explicit VerbsDomain(ibv_context* context, bool windows = false);
    ~VerbsDomain() override;

    /// The domain that all sources on the device share. It lives until the program ends or the device goes.
    static std::shared_ptr<VerbsDomain> sharedForSources(ibv_context* context);
    /// The device leaves: the next source gets a new domain, and what used the device is closed with the
    /// last.
    static void forgetDevice(ibv_context* context);

    ibv_pd* get() const { return domain_.get(); }
    /// What is registered for RemoteWrite opens to peers through windows only, if one is large enough.
    bool hasWindows() const { return windows_; }
    /// Not bound yet. Null, with errno, when there is none left.
    MemoryWindowHandle makeWindow() const;

    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) override;
    /// By a dma-buf where GPU, kernel and RDMA device agree, else by the address (nvidia-peermem).
    std::unique_ptr<RegisteredMemory> registerDevice(const DeviceMemory& memory) override;
    /// Whether the kernel takes it is known only by trying.
    std::string cannotSendFrom(const Memory&) const override { return {}; }

  private:
    DeviceUse use_;
    ProtectionDomainHandle domain_;
    bool windows_ = false;
};

}  // namespace verbcast
