#include "core/multicast/group_source_path.h"

#include <algorithm>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

// Numbers of frames that do not leave by the group: above all others of the hub.
constexpr std::uint64_t kAloneNumbers = std::uint64_t{1} << 63;

bool hearsRdma(const PeerConnection& peer) {
    return (peer.hello.features & kByUdGroup) != 0;
}

/// Why this viewer gets nothing by the group; empty if it does.
std::string objectionTo(const PeerConnection& peer, const GroupHub& hub) {
    if (hub.options().address.via == multicast::Via::Rdma && !hearsRdma(peer)) {
        return "it is sent by RDMA only (via=rdma), and this viewer takes it by UDP: view where an RDMA "
               "device "
               "leads to the group and without via=udp, or leave out via=rdma at the sender";
    }
    const bool open = peer.trust.protection == Protection::None;
    if (hub.options().tagged && open) {
        return "its datagrams have a key, which is sent only over encrypted sessions: view with the key, or "
               "pair with the sender (verbcast key --help)";
    }
    if (peer.trust.protection == Protection::Encrypted && !hub.options().encrypted) {
        return "this viewer wants encrypted frames, and the group's are not: send with --encrypt";
    }
    return "";
}

}  // namespace

GroupSourcePath::GroupSourcePath(std::shared_ptr<FramePath> inside, std::shared_ptr<GroupChannel> channel,
                                 std::shared_ptr<GroupHub> hub, bool hearsRdma)
    : PathStage(std::move(inside)),
      channel_(std::move(channel)),
      group_(std::move(hub)),
      hub_(group_),
      hearsRdma_(hearsRdma),
      wait_(PathStage::waitDescriptor()),
      repairs_(*this, *channel_, wait_) {
    wait_.add(room_.descriptor());
    channel_->setHearer(this);
    if (hearsRdma_) {
        const auto [offer, rdma] = group_->byRdma();
        hub_ = rdma ? rdma : group_;
        channel_->tell(offer);
    }
    channel_->tell(group_->offer());
    tellKey();
}

GroupSourcePath::~GroupSourcePath() {
    channel_->setHearer(nullptr);
    if (viewer_) {
        hub_->leave(*viewer_);
    } else if (keyTold_ != 0) {
        hub_->renewKey();
    }
}

bool GroupSourcePath::tellKey() {
    if (!moved_.empty() || !hub_->options().tagged || hub_->newestKey() == keyTold_) {
        return false;
    }
    const GroupKeyMessage key = hub_->key();
    if (!channel_->tell(key)) {
        return false;  // the channel is full: the next poll() tells it
    }
    keyTold_ = key.keyId;
    return true;
}

Progress GroupSourcePath::poll() {
    const Progress inside = PathStage::poll();
    if (inside == Progress::Closed) {
        return inside;
    }
    if (moved_.empty() && hub_->failed()) {
        channel_->lose("the group is not sent by RDMA any more: " + hub_->failure());
        return Progress::Closed;
    }
    bool worked = tellKey();
    worked |= tellMoved();
    worked |= writeRepairs();
    return worked ? Progress::Worked : inside;
}

bool GroupSourcePath::readyToSleep() {
    wait_.clearIfDue(nowNs());
    const bool room = room_.clear() > 0;  // and the caller tries to send again
    return !room && !writeRepairs() && PathStage::readyToSleep();
}

std::optional<Import> GroupSourcePath::reaches(const Memory& memory) const {
    return memory.bytes().empty()
               ? Import::needsCopy("datagrams can only be made from memory that the processor can reach")
               : PathStage::reaches(memory);
}

std::shared_ptr<FramePool> GroupSourcePath::accept(RingId ring, const RingShape& shape,
                                                   std::span<const std::byte> offer) {
    auto pool = PathStage::accept(ring, shape, offer);
    repairs_.accept(ring, shape);
    return pool;
}

void GroupSourcePath::forget(RingId ring) {
    PathStage::forget(ring);
    repairs_.forget(ring);
}

bool GroupSourcePath::uses(RingId ring) {
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        if (leaving_[i].frame.ring == ring) {
            return true;
        }
    }
    return false;
}

/// Outside the group, all is written; except what a ring lacks that was replaced, for which nobody is left to
/// ask.
GroupHub::Repair GroupSourcePath::choose(std::uint64_t number, std::span<const multicast::ChunkRange> ranges,
                                         bool writable) {
    if (viewer_) {
        return hub_->repair(*viewer_, number, ranges, writable);
    }
    GroupHub::Repair all;
    if (writable) {
        all.alone.assign(ranges.begin(), ranges.end());
    }
    for (const multicast::ChunkRange& range : all.alone) {
        all.lost += range.count;
    }
    return all;
}

bool GroupSourcePath::write(std::uint64_t number, const OutgoingFrame& repair) {
    insideLeaving_.makeRoom();
    if (PathStage::send(repair) != Status::Ok) {
        return false;
    }
    insideLeaving_.push(number);
    return true;
}

Status GroupSourcePath::send(const OutgoingFrame& frame) {
    if (!viewer_ && moved_.empty()) {
        return Status::Busy;  // it does not listen yet
    }
    leaving_.makeRoom();
    insideLeaving_.makeRoom();
    if (frame.info.track == kGroupTrack) {
        return sendByGroup(frame);
    }
    const Status status = PathStage::send(frame);
    if (status == Status::Ok) {
        leaving_.push({frame});
        insideLeaving_.push(0);
    }
    return status;
}

Status GroupSourcePath::sendByGroup(const OutgoingFrame& frame) {
    if (!channel_->hasRoomToSpare()) {
        return Status::Busy;
    }
    hub_->requireFits(frame.info.payloadBytes);
    tellKey();
    const auto [number, leaves, excluded] = submit(frame);
    if (number == 0) {
        return Status::Busy;
    }
    const auto info = std::as_bytes(std::span(&frame.info, 1)).first(frameInfoBytes(frame.info));
    if (!channel_->tell(GroupFrame{number, frame.ring, {info.begin(), info.end()}})) {
        if (viewer_) {
            hub_->release(*viewer_, number, 0);
        }
        return Status::Closed;
    }
    groupBytes_ += leaves ? frame.info.payloadBytes : 0;
    LeavingFrame leaving{frame, number};
    leaving.frame.blocks = {};
    leaving.chunks = multicast::chunksOf(frame.info.payloadBytes, hub_->chunkBytes());
    leaving_.push(std::move(leaving));
    return Status::Ok;
}

/// By the hub, or by ourselves if this viewer is not in the group.
GroupHub::Submitted GroupSourcePath::submit(const OutgoingFrame& frame) {
    if (viewer_) {
        const GroupHub::Submitted submitted = hub_->submit(*viewer_, frame);
        if (!submitted.excluded) {
            return submitted;
        }
        leaveGroup(
            "its interface is slower, or its losses are higher, than those of most viewers, or nothing "
            "reaches it");
    }
    return {.number = kAloneNumbers + ++framesAlone_};
}

LeavingFrame* GroupSourcePath::find(std::uint64_t number) {
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        if (leaving_[i].number == number) {
            return &leaving_[i];
        }
    }
    return nullptr;
}

void GroupSourcePath::onGroupMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::GroupJoined:
            if (group_->options().address.via == multicast::Via::Rdma) {
                throw peerError("the peer joined the group by UDP, by which nothing is sent");
            }
            join(group_, decodeMessage<GroupJoined>(reader).bitRate);
            return;
        case MessageType::GroupUdJoined: {
            const GroupUdJoined joined = decodeMessage<GroupUdJoined>(reader);
            if (!hearsRdma_ || hub_ == group_) {
                throw peerError("the peer joined the group by RDMA, where none was offered");
            }
            join(hub_, joined.bitRate);
            return;
        }
        case MessageType::GroupKeyTaken: {
            const std::uint16_t keyId = decodeMessage<GroupKeyTaken>(reader).keyId;
            if (keyId == keyTold_) {
                keyTaken_ = keyId;
                takeKey();
            }
            return;
        }
        case MessageType::GroupMissing:
            if (const auto missing = decodeMessage<GroupMissing>(reader); !declined_) {
                repairs_.ask(missing);
                writeRepairs();
            }
            return;
        case MessageType::GroupDone:
            onDone(decodeMessage<GroupDone>(reader));
            return;
        default:
            return;
    }
}

/// Who wants nothing of the main track does not hold up those who do.
void GroupSourcePath::onArriving(std::span<const std::byte> message) {
    if (message.empty() ||
        MessageType{std::to_integer<std::uint8_t>(message.front())} != MessageType::Accept) {
        return;
    }
    ByteReader reader(message.subspan(1));
    const Accept accept = decodeMessage<Accept>(reader);
    if (accept.track == kGroupTrack && !accept.wanted) {
        leaveGroup("it declined the pictures");
        declined_ = true;
        giveUpAll();
    }
}

/// It needs none of the frames that are on their way.
void GroupSourcePath::giveUpAll() {
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        LeavingFrame& leaving = leaving_[i];
        if (leaving.number != 0) {
            leaving.done = true;
            leaving.over = leaving.repairs == 0;
        }
    }
    reportLeft();
}

/// Frames that are still on their way to it are finished over its session.
void GroupSourcePath::leaveGroup(const std::string& reason) {
    if (!moved_.empty()) {
        return;
    }
    moved_ = reason;
    if (viewer_) {
        hub_->leave(*viewer_);
        viewer_.reset();
    } else if (keyTold_ != 0) {
        hub_->renewKey();
    }
    keyTold_ = 0;
    const std::string& peer = channel_->description().peer;
    tellOfPeer(LogCategory::Stream, "moved out of the group", hostOfAddress(peer),
               "multicast: {} gets its frames over a session of its own: {}", peer, reason);
    tellMoved();
}

bool GroupSourcePath::tellMoved() {
    if (moved_.empty() || toldMoved_) {
        return false;
    }
    toldMoved_ = channel_->tell(GroupMoved{moved_});
    return toldMoved_;
}

void GroupSourcePath::join(const std::shared_ptr<GroupHub>& hub, std::uint64_t bitRate) {
    if (viewer_) {
        throw peerError("the peer joined the group twice");
    }
    if (!moved_.empty()) {
        return;  // it joined before it knew
    }
    if (hub != hub_) {  // it was told the other hub's key, but takes no part there
        if (std::exchange(keyTold_, 0) != 0) {
            hub_->renewKey();
        }
        keyTaken_ = 0;
        hub_ = hub;
        tellKey();
    }
    viewer_ = hub_->join(bitRate, &room_, hostOfAddress(channel_->description().peer));
    takeKey();
}

/// A viewer takes its key before it joins.
void GroupSourcePath::takeKey() {
    if (viewer_ && keyTaken_ != 0) {
        hub_->keyTaken(*viewer_, keyTaken_);
    }
}

void GroupSourcePath::onFrameSent(std::uint32_t) {
    if (insideLeaving_.empty()) {
        throw Error(ErrorKind::Internal, "a transport sent more frames than it was given");
    }
    if (const std::uint64_t repaired = insideLeaving_.pop(); repaired != 0) {
        if (LeavingFrame* const leaving = find(repaired)) {
            --leaving->repairs;
            leaving->over = leaving->done && leaving->repairs == 0;
        }
        reportLeft();
        return;
    }
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        if (leaving_[i].number == 0 && !leaving_[i].over) {
            leaving_[i].over = true;
            break;
        }
    }
    reportLeft();
}

void GroupSourcePath::onDone(const GroupDone& message) {
    if (declined_) {
        return;
    }
    LeavingFrame* const leaving = message.frame == 0 ? nullptr : find(message.frame);
    if (leaving == nullptr || leaving->done) {
        throw peerError("the peer is done with frame {}, which it was not sent", message.frame);
    }
    if (repairs_.waits(message.frame)) {
        throw peerError("the peer is done with frame {} before its request was answered", message.frame);
    }
    leaving->done = true;
    leaving->givenUp = message.lost;
    leaving->over = leaving->repairs == 0;  // else its slot is still being read
    const double part = static_cast<double>(leaving->lost) / static_cast<double>(leaving->chunks);
    if (viewer_) {
        hub_->release(*viewer_, message.frame, message.lost ? std::max(part, GroupPace::kGivenUp) : part);
    }
    reportLeft();
}

/// Reports frames in the order in which they were sent.
void GroupSourcePath::reportLeft() {
    while (!leaving_.empty() && leaving_.front().over) {
        const std::uint32_t slot = leaving_.front().frame.localSlot;
        const bool givenUp = leaving_.front().givenUp;
        leaving_.drop();
        settledBytes_ = PathStage::payloadBytesMoved();
        if (givenUp) {
            PathStage::onFrameGivenUp();
        }
        PathStage::onFrameSent(slot);
    }
}

void sendByGroup(PeerConnection& peer, const std::shared_ptr<GroupHub>& hub) {
    if (!hub || (peer.hello.features & kByGroup) == 0 || peer.hello.isRail() || !peer.connection.frames) {
        return;
    }
    auto channel = std::make_shared<GroupChannel>(peer.connection.messages, hub->options().address.text());
    peer.connection.messages = channel;
    if (const std::string objection = objectionTo(peer, *hub);
        !objection.empty() || peer.connection.frames->sharesMemory()) {
        GroupOffer refusal;
        refusal.refusal =
            objection.empty() ? "its session shares memory with the sender, and needs no group" : objection;
        channel->tell(refusal);
        return;
    }
    peer.connection.frames =
        std::make_shared<GroupSourcePath>(peer.connection.frames, channel, hub, hearsRdma(peer));
    std::erase_if(peer.early, [&](const auto& message) { return channel->hear(message); });
}

}  // namespace verbcast
