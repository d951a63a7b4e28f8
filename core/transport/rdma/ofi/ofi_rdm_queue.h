// One end of a pair of connectionless endpoints.
#pragma once

#include "core/transport/rdma/ofi/ofi_hello.h"
#include "core/transport/rdma/ofi/ofi_queue.h"

namespace verbcast {

class OfiRdmQueue final : public OfiQueue {
  public:
    /// `peer`: the caller's hello; nothing if we call. Throws Error{Device, Resource}.
    OfiRdmQueue(UniqueFd socket, const fi_info& info, bool onlySends, std::optional<OfiHello> peer);
    ~OfiRdmQueue() override { stop(); }

    void begin(std::span<const std::byte> greeting) override;
    bool established() override;
    std::string localAddress() const override { return localAddress_; }
    std::string peerAddress() const override { return peerAddress_; }
    std::vector<int> descriptors() const override;
    void checkPeer() override;
    void stop() noexcept override;

  private:
    void meet(const OfiHello& peer);

    UniqueFd socket_;
    const std::string localAddress_;
    const std::string peerAddress_;
    FidHandle<fid_av> addresses_;
    std::optional<OfiHello> peer_;
    std::vector<std::byte> name_;  // the endpoint's, once the peer may know it
    OfiHelloReader reader_;
    bool accepts_;
};

}  // namespace verbcast
