#include "core/multicast/rdma_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace verbcast {
namespace {

constexpr std::size_t kReceives = 64;  // with one call
constexpr int kRounds = 4;             // before messages and repairs get a turn

/// A GID or a mapped IPv4 address as text for messages: "10.0.0.2", "fe80:0000:…".
std::string hostOf(const multicast::GroupOrigin& origin) {
    const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(origin.address[at]); };
    if (std::all_of(origin.address.begin(), origin.address.begin() + 10,
                    [](std::byte each) { return each == std::byte{}; }) &&
        byte(10) == 0xff && byte(11) == 0xff) {
        return fmt::format("{}.{}.{}.{}", byte(12), byte(13), byte(14), byte(15));
    }
    std::string text;
    for (std::size_t at = 0; at < origin.address.size(); at += 2) {
        text += fmt::format("{}{:02x}{:02x}", at == 0 ? "" : ":", byte(at), byte(at + 1));
    }
    return text;
}

}  // namespace

RdmaIntake::RdmaIntake(const multicast::GroupAddress& group, const std::string& interface,
                       std::shared_ptr<multicast::GroupReceiver> receiver, const GroupOffer& offer,
                       const GroupUdOffer& udOffer, DatagramKeys& keys, GroupTally& tally)
    : GroupIntake(group, offer,
                  {udOffer.stream, udOffer.chunkBytes, static_cast<std::uint16_t>(offer.tagged)}, keys,
                  tally),
      interface_(interface),
      from_{udOffer.source, udOffer.sourceQueue},
      receiver_(std::move(receiver)),
      opened_(offer.encrypted ? udOffer.chunkBytes : 0) {}

std::string RdmaIntake::objectionTo(const multicast::GroupReceiver& ring, const GroupOffer& offer,
                                    const GroupUdOffer& udOffer) {
    if (ring.group() != udOffer.group) {
        return fmt::format(
            "the sender's RDMA network has a different address for the group than that of {}: one may be "
            "InfiniBand and the other RoCE, or RoCE v1 and v2",
            ring.describe());
    }
    const std::size_t datagram =
        multicast::kHeadBytes + udOffer.chunkBytes + (offer.tagged ? multicast::kTagBytes : 0);
    return datagram > ring.datagramBytes()
               ? fmt::format("the sender's datagrams have {} bytes, and {} takes {}", datagram,
                             ring.describe(), ring.datagramBytes())
               : "";
}

std::string RdmaIntake::whySilent() const {
    return fmt::format(
        "over RDMA on {}: every frame has to be requested. A switch or router may not forward "
        "it; ?via=udp uses UDP",
        interface_);
}

std::vector<int> RdmaIntake::descriptors() const {
    const auto all = receiver_->descriptors();
    return {all.begin(), all.end()};
}

bool RdmaIntake::arm(FrameAssembly& frames) {
    return receiver_->arm() && !receive(frames) && receiver_->failure().empty();
}

bool RdmaIntake::receive(FrameAssembly& frames) {
    bool worked = false;
    std::array<multicast::GroupDatagram, kReceives> datagrams;
    for (int round = 0; round < kRounds; ++round) {
        const std::size_t count = receiver_->take(datagrams);
        const TimestampNs now = count > 0 ? nowNs() : 0;
        for (const multicast::GroupDatagram& datagram : std::span(datagrams).first(count)) {
            take(frames, datagram, now);
        }
        receiver_->giveBack();
        worked |= count > 0;
        if (count < datagrams.size()) {
            break;
        }
    }
    return worked;
}

void RdmaIntake::take(FrameAssembly& frames, const multicast::GroupDatagram& datagram, TimestampNs now) {
    multicast::Refusal why = multicast::Refusal::NotOurs;
    const auto chunk = multicast::readChunk(datagram.bytes, shape_, &why);
    const bool fromSender = datagram.from == from_;
    if (!chunk || !fromSender) {
        if (!chunk && why == multicast::Refusal::Beacon) {
            return;
        }
        refused(chunk ? multicast::Refusal::OtherStream : why, hostOf(datagram.from));
        return;
    }
    if (!opens(*chunk, opened_.data())) {
        refused(multicast::Refusal::Impossible, hostOf(datagram.from));
        return;
    }
    ++tally_.stats.rdmaDatagrams;
    ComingFrame* const frame = frames.place(chunk->head, chunk->payload.size());
    if (frame == nullptr) {
        return;  // there already, or for other viewers
    }
    const std::byte* const payload = offer_.encrypted ? opened_.data() : chunk->payload.data();
    std::memcpy(frame->data() + frames.offsetOf(chunk->head.chunk), payload, chunk->payload.size());
    tally_.copied += chunk->payload.size();
    frames.add(*frame, chunk->head.chunk, now);
}

}  // namespace verbcast
