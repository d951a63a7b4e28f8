// Receives a group by RDMA, if that is possible. Steps for a datagram: 1. check its source, head, size and
// tag where it lies, in the receive ring; 2. copy its payload to where it belongs; 3. post its place in the
// ring again, with up to 63 others. No allocation, no lock. What it costs: tests/core/multicast/multicast_rdma.py
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/log/log.h"
#include "core/multicast/group_batch.h"
#include "core/multicast/group_sink_path.h"

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

/// Empty if a receiver is worth opening.
std::string GroupSinkPath::objectionToRdma() const {
    if (!udOffer_) {
        return group_.via == multicast::Via::Udp
                   ? "via=udp"
                   : "this viewer has no RDMA device for it, or the sender does not support RDMA";
    }
    return udOffer_->refusal.value.empty() ? "" : "the sender: " + udOffer_->refusal.value;
}

/// Opens in the background, so that the peer keeps hearing from us: memory is registered, and the network's
/// management may have to answer.
void GroupSinkPath::openReceiver(const multicast::GroupInterface& interface) {
    opening_.start([this, open = openRdma_, group = group_, interface]() -> BackgroundTasks::Use {
        std::shared_ptr<multicast::GroupReceiver> ring;  // shared: a std::function is copied
        std::string whyNot;
        try {
            ring = open(group, interface);
        } catch (const Error& error) {
            whyNot = error.what();
        }
        return [this, ring, whyNot, interface] { joinBy(ring, whyNot, interface); };
    });
}

/// Empty if frames can come by it.
std::string GroupSinkPath::objectionTo(const multicast::GroupReceiver& ring) const {
    if (ring.group() != udOffer_->group) {
        return fmt::format(
            "the sender's RDMA network has a different address for the group than that of {}: one may be "
            "InfiniBand and the other RoCE, or RoCE v1 and v2",
            ring.describe());
    }
    const std::size_t datagram =
        multicast::kHeadBytes + udOffer_->chunkBytes + (offer_->tagged ? multicast::kTagBytes : 0);
    return datagram > ring.datagramBytes()
               ? fmt::format("the sender's datagrams have {} bytes, and {} takes {}", datagram,
                             ring.describe(), ring.datagramBytes())
               : "";
}

void GroupSinkPath::useReceiver(std::shared_ptr<multicast::GroupReceiver> ring) {
    receiver_ = std::move(ring);
    for (const int descriptor : receiver_->descriptors()) {
        wait_.add(descriptor);
    }
    offer_->stream = udOffer_->stream;
    offer_->chunkBytes = udOffer_->chunkBytes;
    opened_.resize(offer_->encrypted ? offer_->chunkBytes : 0);
}

bool GroupSinkPath::receiveByRdma() {
    bool worked = false;
    std::array<multicast::GroupDatagram, kReceives> datagrams;
    for (int round = 0; round < kRounds; ++round) {
        const std::size_t count = receiver_->take(datagrams);
        const TimestampNs now = count > 0 ? nowNs() : 0;
        for (const multicast::GroupDatagram& datagram : std::span(datagrams).first(count)) {
            takeByRdma(datagram, now);
        }
        receiver_->giveBack();
        worked |= count > 0;
        if (count < datagrams.size()) {
            break;
        }
    }
    if (!receiver_->failure().empty()) {
        channel_->lose(
            fmt::format("the group {} is no longer received: {}", group_.text(), receiver_->failure()));
        receiver_.reset();  // its device may wait for that
    }
    return worked;
}

void GroupSinkPath::takeByRdma(const multicast::GroupDatagram& datagram, TimestampNs now) {
    multicast::Refusal why = multicast::Refusal::NotOurs;
    const auto chunk = multicast::readChunk(datagram.bytes, shape(), &why);
    const bool fromSender = datagram.from == multicast::GroupOrigin{udOffer_->source, udOffer_->sourceQueue};
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
    ++stats_.datagrams;
    ++stats_.rdmaDatagrams;
    stats_.bytes += chunk->payload.size();
    ComingFrame* const frame = frames_->place(chunk->head, chunk->payload.size());
    if (frame == nullptr) {
        return;  // there already, or for other viewers
    }
    const std::byte* const payload = offer_->encrypted ? opened_.data() : chunk->payload.data();
    std::memcpy(frame->data() + frames_->offsetOf(chunk->head.chunk), payload, chunk->payload.size());
    copied_ += chunk->payload.size();
    frames_->add(*frame, chunk->head.chunk, now);
}

std::uint64_t featuresOfViewer(const multicast::GroupAddress& group) {
    if (group.via == multicast::Via::Udp) {
        return kByGroup;
    }
    ud::DeviceFor device;
    try {
        device = ud::deviceFor(multicast::interfaceOf(group));
    } catch (const Error&) {
        return kByGroup | kByUdGroup;  // the interface is not there yet: connecting and joining will tell
    }
    if (!device.name.empty()) {
        return kByGroup | kByUdGroup;
    }
    if (group.via == multicast::Via::Rdma) {
        throw Error(ErrorKind::Device,
                    fmt::format("multicast by RDMA (via=rdma) from {}: {}", group.text(), device.whyNot),
                    "see \"verbcast devices\" for interfaces of RDMA devices, or leave out via=rdma");
    }
    log(LogCategory::Stream).info("multicast: {} by UDP, not by RDMA: {}", group.text(), device.whyNot);
    return kByGroup;
}

}  // namespace verbcast
