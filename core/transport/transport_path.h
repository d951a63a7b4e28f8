// What the paths of transports have in common.
#pragma once

#include "core/transport/frame_path.h"

namespace verbcast {

/// A path of which nothing special is said: it is served by its channel's process(), copies frames from any
/// memory that it reaches to one peer, in the clear, and loses none.
class TransportPath : public FramePath {
  public:
    int waitDescriptor() const override { return -1; }
    Progress poll() override { return Progress::Idle; }
    bool readyToSleep() override { return true; }
    bool sharesMemory() const override { return false; }
    bool sinkPlaces(std::uint16_t /*track*/) const override { return false; }
    void peerUsesDevice(const std::string& /*sharingId*/) override {}
    void useDevice(const std::shared_ptr<const DeviceAllocator>& /*device*/) override {}
    Import import(const std::shared_ptr<const Memory>& memory) override { return reaches(*memory).value(); }
    std::uint64_t ownRingBytes(const RingShape& /*shape*/) const override { return 0; }
    UniqueFd takeDeathSocket(RingId /*ring*/) override { return {}; }
    std::uint64_t payloadBytesCopied() const override { return 0; }
    CipherWork cipherWork() const override { return {}; }
    bool reachesMany() const override { return false; }
    bool waitsForOthers() const override { return false; }
    GroupStats groupStats() const override { return {}; }
};

}  // namespace verbcast
