#include "core/multicast/group_sink_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/multicast/rdma_intake.h"
#include "core/multicast/udp_intake.h"
#include "core/transport/path_checks.h"

namespace verbcast {
namespace {

// After this many requests without a datagram, warns that nothing comes by the group, or no longer.
constexpr std::uint64_t kSilentFrames = 8;

}  // namespace

GroupSinkPath::GroupSinkPath(std::shared_ptr<FramePath> inside, std::shared_ptr<GroupChannel> channel,
                             const multicast::GroupAddress& group, Protection protection,
                             const OpenRdma& openRdma)
    : PathStage(std::move(inside)),
      channel_(std::move(channel)),
      group_(group),
      protection_(protection),
      openRdma_(openRdma),
      wait_(PathStage::waitDescriptor()) {
    wait_.add(opening_.descriptor());
    channel_->setHearer(this);
}

Progress GroupSinkPath::poll() {
    const Progress inside = PathStage::poll();
    if (inside == Progress::Closed || channel_->isLost()) {
        return Progress::Closed;
    }
    bool worked = inside == Progress::Worked;
    if (opening_.anyDone()) {
        opening_.finish();
        worked = true;
    }
    if (frames_) {
        worked |= intake_ && intake_->receive(*frames_);
        if (intake_ && !intake_->failure().empty()) {
            channel_->lose(
                fmt::format("the group {} is no longer received: {}", group_.text(), intake_->failure()));
            intake_.reset();  // its device may wait for that
        }
        const TimestampNs now = nowNs();
        worked |= settleFrames(now);
        askForMissing(now);
    }
    return channel_->isLost() ? Progress::Closed : worked ? Progress::Worked : Progress::Idle;
}

bool GroupSinkPath::readyToSleep() {
    if (frames_) {
        const TimestampNs now = nowNs();
        wait_.clearIfDue(now);
        askForMissing(now);
        if (intake_ && !intake_->arm(*frames_)) {
            return false;
        }
    }
    return !channel_->isLost() && PathStage::readyToSleep();
}

void GroupSinkPath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    if (!reachesRing(ring, *pool, *this)) {
        return;
    }
    rings_.push_back({ring, pool});
    PathStage::offer(ring, std::move(pool));
}

void GroupSinkPath::retire(RingId ring) {
    std::erase_if(rings_, [ring](const Ring& each) { return each.id == ring; });
    PathStage::retire(ring);
}

/// Our own Accept tells which ring is that track's.
void GroupSinkPath::onLeaving(std::span<const std::byte> message) {
    if (message.empty() ||
        MessageType{std::to_integer<std::uint8_t>(message.front())} != MessageType::Accept) {
        return;
    }
    ByteReader reader(message.subspan(1));
    const Accept accept = decodeMessage<Accept>(reader);
    const auto ring = std::ranges::find(rings_, accept.ring, &Ring::id);
    if (accept.track != kGroupTrack || !accept.wanted || ring == rings_.end() || mainRing_ == accept.ring) {
        return;
    }
    mainRing_ = accept.ring;
    if (frames_) {
        frames_->useRing(ring->id, ring->pool);
    }
}

void GroupSinkPath::onGroupMessage(MessageType type, ByteReader& reader) {
    if (type == MessageType::GroupOffer) {
        join(decodeMessage<GroupOffer>(reader));
        return;
    }
    if (type == MessageType::GroupUdOffer) {
        if (udOffer_ || offer_) {
            throw peerError("the peer named its group twice");
        }
        udOffer_ = decodeMessage<GroupUdOffer>(reader);
        udOffer_->check();
        return;
    }
    if (type == MessageType::GroupKey && offer_) {
        const auto key = decodeMessage<GroupKeyMessage>(reader);
        keys_.take(key, *offer_);
        channel_->tell(GroupKeyTaken{key.keyId});
        return;
    }
    if (type == MessageType::GroupMoved && offer_) {
        leaveGroup(decodeMessage<GroupMoved>(reader).reason.value);
        return;
    }
    if (!frames_) {
        throw peerError("the peer speaks of a group that it has not named");
    }
    switch (type) {
        case MessageType::GroupFrame: {
            const GroupFrame message = decodeMessage<GroupFrame>(reader);
            if (message.info.size() < kFrameInfoHeadBytes || message.info.size() > kFrameInfoBytes) {
                throw peerError("the peer described a frame with the wrong length");
            }
            const FrameInfo info = frameInfoFrom(message.info);
            if (info.rectCount > kMaxFrameRects || frameInfoBytes(info) != message.info.size() ||
                info.track != kGroupTrack) {
                throw peerError("the peer announced an impossible frame");
            }
            frames_->tell(message.frame, message.ring, info, nowNs());
            return;
        }
        case MessageType::GroupRepaired:
            frames_->answered(decodeMessage<GroupRepaired>(reader), nowNs());
            return;
        default:
            return;
    }
}

void GroupSinkPath::leaveGroup(const std::string& reason) {
    if (frames_) {
        frames_->leaveGroup();
    }
    intake_.reset();
    log(LogCategory::Stream)
        .warn("multicast: {} sends us our frames over a session of our own, not by the group: {}",
              channel_->description().peer, reason);
}

void GroupSinkPath::join(const GroupOffer& offer) {
    if (offer_) {
        throw peerError("the peer named its group twice");
    }
    const auto refuse = [this](const std::string& why, const std::string& remedy) {
        throw Error(ErrorKind::Network, fmt::format("no frames by the group {}: {}", group_.text(), why),
                    remedy);
    };
    if (!offer.refusal.value.empty()) {
        refuse(offer.refusal.value, "");
    }
    multicast::GroupAddress named = group_;
    std::memcpy(&named.group, offer.group.data(), offer.group.size());
    named.port = offer.port;
    if (named.text() != group_.text()) {
        refuse("the sender sends to " + named.text(), "view multicast://" + named.text());
    }
    const bool hasKey = protection_ == Protection::Proven || protection_ == Protection::Encrypted;
    if (hasKey && !offer.tagged) {
        refuse("its datagrams have no tags, and anybody could make them", "give the sender a key");
    }
    if (protection_ == Protection::Encrypted && !offer.encrypted) {
        refuse("its datagrams are not encrypted", "send with --encrypt");
    }
    const multicast::GroupInterface interface = multicast::interfaceOf(group_);
    offer_ = offer;
    if (std::string whyNot = objectionToRdma(); whyNot.empty()) {
        openReceiver(interface);
    } else {
        joinBy(nullptr, std::move(whyNot), interface);
    }
}

/// Joins by RDMA, or by UDP if there is no receiver that fits.
void GroupSinkPath::joinBy(std::shared_ptr<multicast::GroupReceiver> receiver, std::string whyNotRdma,
                           const multicast::GroupInterface& interface) {
    whyNotRdma = receiver ? RdmaIntake::objectionTo(*receiver, *offer_, *udOffer_) : whyNotRdma;
    std::uint32_t chunkBytes = offer_->chunkBytes;
    if (whyNotRdma.empty()) {
        chunkBytes = udOffer_->chunkBytes;
        intake_ = std::make_unique<RdmaIntake>(group_, interface.name, std::move(receiver), *offer_,
                                               *udOffer_, keys_, tally_);
    } else {
        const bool required = udOffer_ && udOffer_->required;
        if (required || group_.via == multicast::Via::Rdma) {
            throw Error(
                ErrorKind::Network,
                fmt::format("no frames by the group {}: not by RDMA, which {} asks for (via=rdma): {}",
                            group_.text(), required ? "the sender" : "this viewer", whyNotRdma),
                required ? "leave out via=rdma at the sender" : "leave out via=rdma");
        }
        intake_ = std::make_unique<UdpIntake>(group_, interface, *offer_, keys_, tally_);
    }
    tellOfPeer(LogCategory::Stream, "group joined", "", "multicast: {} by {}", group_.text(),
               intake_->describe() + (whyNotRdma.empty() ? "" : "; not by RDMA: " + whyNotRdma));
    for (const int descriptor : intake_->descriptors()) {
        wait_.add(descriptor);
    }
    frames_.emplace(chunkBytes, offer_->lossless);
    if (const auto ring = std::ranges::find(rings_, mainRing_.value_or(0), &Ring::id);
        mainRing_ && ring != rings_.end()) {
        frames_->useRing(ring->id, ring->pool);
    }
    intake_->tellJoined(*channel_);
}

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

FrameTarget GroupSinkPath::beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    if (frames_ && frames_->repairing(ring, slot) != nullptr) {
        return {frames_->beginRepair(ring, slot).pool, slot};
    }
    if (ring == mainRing_) {
        throw peerError("the peer repaired slot {} of ring {} without being asked", slot, ring);
    }
    return PathStage::beginFrame(ring, slot, info);  // of another track
}

void GroupSinkPath::onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    if (frames_ && (ring == mainRing_ || frames_->repairing(ring, slot) != nullptr)) {
        frames_->wrote(frames_->repaired(ring, slot, info.sequence), nowNs());
    } else {
        PathStage::onFrame(ring, slot, info);
    }
}

bool GroupSinkPath::settleFrames(TimestampNs now) {
    bool worked = false;
    for (;; worked = true) {
        if (frames_->ready() != nullptr) {
            deliver();
        } else if (frames_->late(now) != nullptr) {
            giveUp();
        } else {
            return worked;
        }
    }
}

void GroupSinkPath::deliver() {
    ComingFrame& frame = *frames_->ready();
    FrameInfo info = *frame.info;
    if (std::exchange(gap_, false)) {
        info.rectCount = 0;  // what changed in between is not known here
    }
    const RingId ring = frame.ring;
    const std::uint32_t slot = frame.slot;
    channel_->tell(GroupDone{frame.number, false});
    if (frame.requests == 0) {
        ++tally_.stats.frames;
        if (intake_) {
            intake_->countFrame();
        }
    }
    frames_->finish();
    static_cast<void>(PathStage::beginFrame(ring, slot, info));
    PathStage::onFrame(ring, slot, info);
}

void GroupSinkPath::giveUp() {
    ComingFrame& frame = *frames_->late(std::numeric_limits<TimestampNs>::max());
    const FrameInfo info = *frame.info;
    const RingId ring = frame.ring;
    channel_->tell(GroupDone{frame.number, true});
    frames_->finish();
    gap_ = true;
    ++tally_.stats.framesLate;
    PathStage::onFrameLost(ring, info);
}

void GroupSinkPath::askForMissing(TimestampNs now) {
    TimestampNs wakeAt = 0;
    while (channel_->hasRoomToSpare()) {
        const ComingFrame* frame = frames_->ask(now, wakeAt);
        if (frame == nullptr) {
            break;
        }
        GroupMissing message{
            frame->number, frame->request, frame->ring, static_cast<std::uint16_t>(frame->slot), {}};
        for (const multicast::ChunkRange& range : frame->asked) {
            message.ranges.push(range);
        }
        ++tally_.stats.requests;
        channel_->tell(message);
        warnIfSilent();
    }
    wait_.wakeAt(wakeAt);
}

void GroupSinkPath::warnIfSilent() {
    const GroupStats& stats = tally_.stats;
    if (std::exchange(heard_, stats.datagrams) != stats.datagrams) {
        askedBefore_ = stats.requests;
        warned_ = false;
    }
    if (!warned_ && stats.requests - askedBefore_ >= kSilentFrames && intake_) {
        warned_ = true;
        warnOfPeer(LogCategory::Stream, "group silent", "", "nothing arrives from the group {} {}",
                   group_.text(), intake_->whySilent());
    }
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

void receiveByGroup(PeerConnection& peer, const multicast::GroupAddress& group) {
    if ((peer.hello.features & kByGroup) == 0 || !peer.connection.frames) {
        throw Error(ErrorKind::Network,
                    fmt::format("the sender {} does not send by multicast", peer.hello.name.value),
                    fmt::format("start it with --multicast {}", group.text()));
    }
    auto channel = std::make_shared<GroupChannel>(peer.connection.messages, group.text());
    peer.connection.messages = channel;
    if (!peer.connection.frames->sharesMemory()) {
        peer.connection.frames =
            std::make_shared<GroupSinkPath>(peer.connection.frames, channel, group, peer.trust.protection);
    }
    std::erase_if(peer.early, [&](const auto& message) { return channel->hear(message); });
}

}  // namespace verbcast
