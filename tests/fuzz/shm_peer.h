// The other end of an shm channel, implemented by hand.
#pragma once

#include <vector>

#include "core/memory/memory.h"
#include "core/transport/shm/shm_channel.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {

class ShmPeer {
  public:
    ShmPeer();

    /// For the channel under test. Call once.
    UniqueFd takeOtherEnd() { return std::move(other_); }

    /// Writes into the ring that this side reads, whether it was passed or not.
    void record(shm::RecordKind kind, Bytes head, Bytes tail = {});
    void rawRecord(Bytes bytes);
    /// Sends what the script contains: see shm_targets.cpp.
    void packet(Script& script);
    /// Receives the pending packets, with their descriptors.
    void hear();
    void tellDeathSocket(Bytes bytes) const;
    void hangUp();

    const shm::RingMemory& itsRing() const { return itsRing_; }
    /// Empty until hear() has received it.
    const shm::RingMemory& ourRing() const { return ourRing_; }

  private:
    UniqueFd descriptor(std::uint8_t kind);

    UniqueFd socket_, other_;
    shm::RingProducer producer_;  // of its ring
    shm::RingMemory itsRing_;
    shm::RingMemory ourRing_;
    std::vector<UniqueFd> memories_;
    std::vector<UniqueFd> deathSockets_;
};

}  // namespace verbcast::fuzz
