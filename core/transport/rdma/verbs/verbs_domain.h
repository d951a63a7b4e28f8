// Memory that a verbs device may access: protection domains and registrations.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/verbs/device_use.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

/// RDMA WRITE with immediate is usable on the device's reliable connections.
bool hasImmediateWrites(const ibv_context* context);

/// Memory windows of type 2 can be bound on the device's reliable connections. Creates one to find out.
bool hasMemoryWindows(ibv_context* context);

class VerbsMemory final : public RegisteredMemory {
  public:
    explicit VerbsMemory(MemoryRegionHandle region);
    ibv_mr* region() const { return region_.get(); }
    void release() noexcept override { region_.reset(); }

  private:
    MemoryRegionHandle region_;
};

class VerbsDomain final : public PortDomain {
  public:
    /// `windows`: peers should write through memory windows of type 2 if the device has them: only through
    /// the queue pair that such a window is bound to. Throws Error{Device}.
    explicit VerbsDomain(ibv_context* context, bool windows = false);
    ~VerbsDomain() override { dropSources(); }

    /// The domain that all sources on the device share. It lives until the program ends or the device leaves.
    static std::shared_ptr<VerbsDomain> sharedForSources(ibv_context* context);
    /// The device is being removed: the next source gets a new domain, and what used the device is closed
    /// with its last user.
    static void forgetDevice(ibv_context* context);

    ibv_pd* get() const { return domain_.get(); }
    /// Memory registered for RemoteWrite is opened to peers through windows only, if one can be large enough.
    bool hasWindows() const { return windows_; }
    /// Not bound yet. Null, with errno set, if there is none left.
    MemoryWindowHandle makeWindow() const {
        return MemoryWindowHandle(ibv_alloc_mw(domain_.get(), IBV_MW_TYPE_2));
    }

    std::unique_ptr<RegisteredMemory> registerMemory(std::span<std::byte> bytes, MemoryUse use) override;
    /// By a dma-buf if GPU, kernel and RDMA device support it, else by address (nvidia-peermem). The kernel
    /// binds no windows to dma-bufs: there the registration's own key opens the memory, to this domain's
    /// peer.
    std::unique_ptr<RegisteredMemory> registerDevice(const DeviceMemory& memory, MemoryUse use) override;
    std::unique_ptr<RegisteredMemory> registerBuffers(const Memory& memory) override;
    /// Only trying shows whether the kernel accepts it.
    std::string cannotSendFrom(const Memory&) const override { return {}; }

  private:
    DeviceUse use_;
    ProtectionDomainHandle domain_;
    bool windows_ = false;
};

}  // namespace verbcast
