#include "core/multicast/group_sink_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/multicast/group_batch.h"
#include "core/transport/multicast/group_socket.h"
#include "core/transport/path_checks.h"

namespace verbcast {
namespace {

// After this many requests without a datagram, warns that nothing comes by the group.
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

GroupSinkPath::~GroupSinkPath() {
    channel_->setHearer(nullptr);
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
        worked |= receiver_ ? receiveByRdma() : socket_ && receive();
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
        if (receiver_ && (!receiver_->arm() || receiveByRdma())) {
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

/// Our own Accept tells which ring is the main track's.
void GroupSinkPath::onLeaving(std::span<const std::byte> message) {
    if (message.empty() ||
        MessageType{std::to_integer<std::uint8_t>(message.front())} != MessageType::Accept) {
        return;
    }
    ByteReader reader(message.subspan(1));
    const Accept accept = decodeMessage<Accept>(reader);
    const auto ring = std::ranges::find(rings_, accept.ring, &Ring::id);
    if (accept.track != kMainTrack || !accept.wanted || ring == rings_.end() || mainRing_ == accept.ring) {
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
            throw Error(ErrorKind::Peer, "the peer named its group twice");
        }
        udOffer_ = decodeMessage<GroupUdOffer>(reader);
        udOffer_->check();
        return;
    }
    if (type == MessageType::GroupKey && offer_) {
        onKey(decodeMessage<GroupKeyMessage>(reader));
        return;
    }
    if (type == MessageType::GroupMoved && offer_) {
        leaveGroup(decodeMessage<GroupMoved>(reader).reason.value);
        return;
    }
    if (!frames_) {
        throw Error(ErrorKind::Peer, "the peer speaks of a group that it has not named");
    }
    switch (type) {
        case MessageType::GroupFrame: {
            const GroupFrame message = decodeMessage<GroupFrame>(reader);
            if (message.info.size() < kFrameInfoHeadBytes || message.info.size() > kFrameInfoBytes) {
                throw Error(ErrorKind::Peer, "the peer described a frame with the wrong length");
            }
            const FrameInfo info = frameInfoFrom(message.info);
            if (info.rectCount > kMaxFrameRects || frameInfoBytes(info) != message.info.size() ||
                info.track != kMainTrack) {
                throw Error(ErrorKind::Peer, "the peer announced an impossible frame");
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
    receiver_.reset();
    socket_.reset();
    warned_ = true;  // of a group that stays silent
    log(LogCategory::Stream)
        .warn("multicast: {} sends us our frames over a session of our own, not by the group: {}",
              channel_->description().peer, reason);
}

void GroupSinkPath::onKey(const GroupKeyMessage& message) {
    if (!offer_->tagged || message.keyId == 0) {
        throw Error(ErrorKind::Peer, "the peer sent an impossible key");
    }
    // There may be one of the same number, for the way that we did not take.
    std::erase_if(keys_, [&](const Key& key) { return key.id == message.keyId; });
    keys_.push_back({message.keyId, std::make_unique<DatagramSeal>(message.key, offer_->encrypted,
                                                                   DatagramSeal::Use::Open)});
    if (keys_.size() > 2) {
        keys_.erase(keys_.begin());
    }
    channel_->tell(GroupKeyTaken{message.keyId});
}

void GroupSinkPath::join(const GroupOffer& offer) {
    if (offer_) {
        throw Error(ErrorKind::Peer, "the peer named its group twice");
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
    interface_ = interface.name;
    if (std::string whyNot = objectionToRdma(); whyNot.empty()) {
        openReceiver(interface);
    } else {
        joinBy(nullptr, std::move(whyNot), interface);
    }
}

/// Joins by RDMA, or by UDP if there is no receiver that fits.
void GroupSinkPath::joinBy(std::shared_ptr<multicast::GroupReceiver> receiver, std::string whyNotRdma,
                           const multicast::GroupInterface& interface) {
    whyNotRdma = receiver ? objectionTo(*receiver) : whyNotRdma;
    if (whyNotRdma.empty()) {
        useReceiver(std::move(receiver));
    } else {
        const bool required = udOffer_ && udOffer_->required;
        if (required || group_.via == multicast::Via::Rdma) {
            throw Error(
                ErrorKind::Network,
                fmt::format("no frames by the group {}: not by RDMA, which {} asks for (via=rdma): {}",
                            group_.text(), required ? "the sender" : "this viewer", whyNotRdma),
                required ? "leave out via=rdma at the sender" : "leave out via=rdma");
        }
        joinByUdp(interface);
    }
    tellOfPeer(LogCategory::Stream, "group joined", "", "multicast: {} by {}", group_.text(),
               receiver_ ? "RDMA, " + receiver_->describe()
                         : fmt::format("UDP, {}; not by RDMA: {}", interface.name, whyNotRdma));
    frames_.emplace(offer_->chunkBytes, offer_->lossless);
    if (const auto ring = std::ranges::find(rings_, mainRing_.value_or(0), &Ring::id);
        mainRing_ && ring != rings_.end()) {
        frames_->useRing(ring->id, ring->pool);
    }
    if (receiver_) {
        channel_->tell(GroupUdJoined{receiver_->bitRate()});
    } else {
        channel_->tell(GroupJoined{interface.bitRate});
    }
}

void GroupSinkPath::joinByUdp(const multicast::GroupInterface& interface) {
    in_addr source{};
    std::memcpy(&source, offer_->source.data(), offer_->source.size());
    socket_ = multicast::joinGroup(group_, interface, source);
    multicast::takeMerged(socket_.get());
    wait_.add(socket_.get());
    batch_ = std::make_unique<Batch>(offer_->chunkBytes, offer_->tagged ? multicast::kTagBytes : 0);
}

FrameTarget GroupSinkPath::beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    if (frames_ && frames_->repairing(ring, slot) != nullptr) {
        return {frames_->beginRepair(ring, slot).pool, slot};
    }
    if (ring == mainRing_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer repaired slot {} of ring {} without being asked", slot, ring));
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
        ++stats_.frames;
        stats_.rdmaFrames += receiver_ ? 1 : 0;
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
    ++stats_.framesLate;
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
        ++stats_.requests;
        channel_->tell(message);
        warnIfSilent();
    }
    wait_.wakeAt(wakeAt);
}

void GroupSinkPath::warnIfSilent() {
    if (!warned_ && stats_.datagrams == 0 && stats_.requests >= kSilentFrames) {
        warned_ = true;
        if (receiver_) {
            warnOfPeer(
                LogCategory::Stream, "group silent", "",
                "nothing arrives from the group {} over RDMA on {}: every frame has to be requested. A "
                "switch or router may not forward it; ?via=udp uses UDP",
                group_.text(), interface_);
            return;
        }
        warnOfPeer(
            LogCategory::Stream, "group silent", "",
            "nothing arrives from the group {} on {}: every frame has to be requested. A switch may need "
            "an IGMP querier, a router a larger --ttl, or a firewall may block UDP port {}",
            group_.text(), interface_, group_.port);
    }
}

void GroupSinkPath::refused(multicast::Refusal why, const std::string& from) {
    ++stats_.refused;
    warnOfPeer(LogCategory::Stream, "group refused", from, "multicast {}: {} sends {}", group_.text(), from,
               why == multicast::Refusal::OtherStream && receiver_
                   ? "another stream to the same group: by RDMA groups have no ports"
               : why == multicast::Refusal::OtherStream ? "another stream to the same group and port"
                                                        : "datagrams of another stream");
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
