#include "core/transport/rdma/receive_ring.h"

#include <fmt/format.h>

namespace verbcast {

ReceiveRing::ReceiveRing(QueuePort& port) : port_(port) {
    grow(kBaseReceives);
}

void ReceiveRing::makeRoomFor(std::uint32_t slots) {
    const std::uint32_t wanted = kBaseReceives + slots;
    if (wanted > port_.limits().receiveDepth) {
        throw Error(ErrorKind::Device,
                    fmt::format("{} allows {} receives, {} needed", port_.deviceName(),
                                port_.limits().receiveDepth, wanted),
                    "use fewer slots (--slots)");
    }
    grow(wanted);
}

void ReceiveRing::grow(std::uint32_t wanted) {
    while (blocks_.size() * kReceivesPerBlock < wanted) {
        blocks_.emplace_back(*port_.domain(), kReceivesPerBlock * kMaxWireMessageBytes,
                             MemoryUse::LocalWrite);
    }
    for (; count_ < wanted; ++count_) {
        if (!repost(count_)) {
            throw Error(ErrorKind::Device, fmt::format("{}: {}", port_.deviceName(), port_.failure()));
        }
    }
}

const std::byte* ReceiveRing::data(std::uint64_t workId) const {
    return blocks_[workId / kReceivesPerBlock].data() + (workId % kReceivesPerBlock) * kMaxWireMessageBytes;
}

bool ReceiveRing::repost(std::uint64_t workId) {
    const RegisteredBuffer& block = blocks_[workId / kReceivesPerBlock];
    return port_.receive(workId, block.data() + (workId % kReceivesPerBlock) * kMaxWireMessageBytes,
                         kMaxWireMessageBytes, block.registration().localHandle);
}

}  // namespace verbcast
