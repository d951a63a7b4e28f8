#include "core/session/group/group_source_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace verbcast {
namespace {

using multicast::ChunkRange;

// Of the group's rate, what one viewer may have written to it alone: so none can take it from the others.
constexpr double kRepairShare = 0.5;
constexpr double kBurstFrames = 2;
// Of a request itself, in bytes: asking for nothing all the time is bounded, too.
constexpr double kRequestCost = 2048;

/// Why this viewer gets nothing by the group; empty: it does.
std::string objectionTo(const Guest& guest, const GroupHub& hub) {
    const bool open = guest.trust.protection == Protection::None;
    if (hub.options().tagged && open) {
        return "its datagrams have a key, which is told only where nobody else hears it: view with the key, "
               "or "
               "pair with the sender (verbcast key --help)";
    }
    if (guest.trust.protection == Protection::Encrypted && !hub.options().encrypted) {
        return "this viewer wants encrypted frames, and the group's are not: send with --encrypt";
    }
    return "";
}

}  // namespace

GroupSourcePath::GroupSourcePath(std::shared_ptr<FramePath> inside, std::shared_ptr<GroupChannel> channel,
                                 std::shared_ptr<GroupHub> hub)
    : channel_(std::move(channel)),
      hub_(std::move(hub)),
      inside_(std::move(inside)),
      wait_(inside_->waitDescriptor()) {
    channel_->setHearer(this);
    inside_->setHandler(this);
    channel_->tell(hub_->offer());
    tellKey();
}

GroupSourcePath::~GroupSourcePath() {
    channel_->setHearer(nullptr);
    if (viewer_) {
        hub_->leave(*viewer_);
    }
}

bool GroupSourcePath::tellKey() {
    if (!hub_->options().tagged || hub_->newestKey() == keyTold_) {
        return false;
    }
    const GroupKeyMessage key = hub_->key();
    if (channel_->tell(key)) {
        keyTold_ = key.keyId;
    }
    return true;
}

Progress GroupSourcePath::poll() {
    const Progress inside = inside_->poll();
    if (inside == Progress::Closed) {
        return inside;
    }
    bool worked = tellKey();
    worked |= writeRequests();
    return worked ? Progress::Worked : inside;
}

bool GroupSourcePath::readyToSleep() {
    wait_.clearIfDue(nowNs());
    return !writeRequests() && inside_->readyToSleep();
}

Import GroupSourcePath::import(const std::shared_ptr<const Memory>& memory) {
    return memory->bytes().empty()
               ? Import::needsCopy("datagrams are made from memory that the processor reaches")
               : inside_->import(memory);
}

std::shared_ptr<FramePool> GroupSourcePath::accept(RingId ring, const RingShape& shape,
                                                   std::span<const std::byte> offer) {
    auto pool = inside_->accept(ring, shape, offer);
    shapes_.push_back({ring, shape});
    return pool;
}

void GroupSourcePath::forget(RingId ring) {
    inside_->forget(ring);
    std::erase_if(shapes_, [ring](const Shape& shape) { return shape.ring == ring; });
}

Status GroupSourcePath::send(const OutgoingFrame& frame) {
    if (!viewer_) {
        return Status::Busy;  // it does not listen yet
    }
    leaving_.makeRoom();
    insideLeaving_.makeRoom();
    if (frame.info.track == kMainTrack) {
        return sendByGroup(frame);
    }
    const Status status = inside_->send(frame);
    if (status == Status::Ok) {
        leaving_.push({frame});
        insideLeaving_.push(Inside::OtherTrack);
    }
    return status;
}

Status GroupSourcePath::sendByGroup(const OutgoingFrame& frame) {
    if (!channel_->hasRoomToSpare()) {
        return Status::Busy;
    }
    tellKey();
    const auto [number, leaves] = hub_->submit(*viewer_, frame);
    const auto info = std::as_bytes(std::span(&frame.info, 1)).first(frameInfoBytes(frame.info));
    if (!channel_->tell(GroupFrame{number, frame.ring, {info.begin(), info.end()}})) {
        hub_->release(*viewer_, number, 0);
        return Status::Closed;
    }
    groupBytes_ += leaves ? frame.info.payloadBytes : 0;
    Leaving leaving{frame, number};
    leaving.frame.blocks = {};
    leaving.chunks = multicast::chunksOf(frame.info.payloadBytes, hub_->chunkBytes());
    leaving_.push(std::move(leaving));
    return Status::Ok;
}

GroupSourcePath::Leaving* GroupSourcePath::find(std::uint64_t number) {
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        if (leaving_[i].number == number) {
            return &leaving_[i];
        }
    }
    return nullptr;
}

/// A request for parts of that frame.
bool GroupSourcePath::waits(std::uint64_t number) {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].frame == number) {
            return true;
        }
    }
    return false;
}

void GroupSourcePath::onGroupMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::GroupJoined: {
            const GroupJoined joined = decodeMessage<GroupJoined>(reader);
            if (viewer_) {
                throw Error(ErrorKind::Peer, "the peer joined the group twice");
            }
            viewer_ = hub_->join(joined.bitRate);
            return;
        }
        case MessageType::GroupKeyTaken: {
            const std::uint16_t keyId = decodeMessage<GroupKeyTaken>(reader).keyId;
            if (viewer_ && keyId == keyTold_) {
                hub_->keyTaken(*viewer_, keyId);
            }
            return;
        }
        case MessageType::GroupMissing:
            onMissing(decodeMessage<GroupMissing>(reader));
            return;
        case MessageType::GroupDone:
            onDone(decodeMessage<GroupDone>(reader));
            return;
        default:
            return;
    }
}

void GroupSourcePath::onMissing(const GroupMissing& message) {
    Leaving* const leaving = message.frame == 0 ? nullptr : find(message.frame);
    if (leaving == nullptr || leaving->over) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer lacks parts of frame {}, which it was not sent", message.frame));
    }
    const auto shape = std::ranges::find(shapes_, message.ring, &Shape::ring);
    const bool fits = shape != shapes_.end() && message.slot < shape->shape.slotCount &&
                      leaving->frame.info.payloadBytes <= shape->shape.slotBytes;
    if (!fits || !multicast::rangesArePossible(message.ranges.span(), leaving->chunks)) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer asks for {} ranges of frame {} in slot {} of ring {}: they cannot be",
                        message.ranges.count, message.frame, message.slot, message.ring));
    }
    if (waits(message.frame) || message.request <= leaving->lastRequest) {
        throw Error(ErrorKind::Peer, "the peer asks for parts of a frame again before it was answered");
    }
    leaving->lastRequest = message.request;
    const auto ranges = message.ranges.span();
    requests_.push(
        {message.frame, message.request, message.ring, message.slot, {ranges.begin(), ranges.end()}});
    writeRequests();
}

/// As far as the viewer's budget goes, and the path inside takes them.
bool GroupSourcePath::writeRequests() {
    bool worked = false;
    while (!requests_.empty()) {
        const TimestampNs now = nowNs();
        Request& request = requests_.front();
        Leaving* const leaving = find(request.frame);
        if (leaving == nullptr) {
            static_cast<void>(requests_.pop());
            continue;
        }
        const double rate = static_cast<double>(hub_->bytesPerSecond()) * kRepairShare;
        const double most = kBurstFrames * static_cast<double>(leaving->frame.info.payloadBytes);
        budget_ = budgetAt_ == 0
                      ? most
                      : std::min(most, budget_ + static_cast<double>(now - budgetAt_) * 1e-9 * rate);
        budgetAt_ = now;
        if (budget_ < 0) {
            wait_.wakeAt(now + static_cast<TimestampNs>(-budget_ / rate * 1e9) + 1);
            return worked;
        }
        if (!channel_->hasRoomToSpare()) {
            return worked;
        }
        // Which of them are written is decided once: others may ask for the same chunks meanwhile.
        const auto [alone, lost] = hub_->repair(*viewer_, request.frame, request.ranges);
        const std::uint32_t chunkBytes = hub_->chunkBytes();
        std::array<ByteBlock, multicast::kMaxRanges> blocks;
        GroupRepaired answer{request.frame, request.request, {}};
        std::uint64_t bytes = 0;
        // A part of a range may be told apart by others' requests: what there is no room for is asked for
        // again.
        for (const ChunkRange& range :
             std::span(alone).first(std::min(alone.size(), multicast::kMaxRanges))) {
            const std::uint64_t begin = std::uint64_t{range.first} * chunkBytes;
            const std::uint64_t end = std::min<std::uint64_t>(begin + std::uint64_t{range.count} * chunkBytes,
                                                              leaving->frame.info.payloadBytes);
            blocks[answer.written.count] = {begin, end - begin, end - begin, 1};
            answer.written.push(range);
            bytes += end - begin;
        }
        if (answer.written.count > 0) {
            OutgoingFrame repair = leaving->frame;
            repair.ring = request.ring;
            repair.remoteSlot = request.slot;
            repair.info.sequence = request.request;
            repair.info.rectCount = 0;
            repair.blocks = std::span(blocks).first(answer.written.count);
            insideLeaving_.makeRoom();
            if (inside_->send(repair) != Status::Ok) {
                wait_.wakeAt(now + 1'000'000);  // as many frames are on their way as it takes
                return worked;
            }
            insideLeaving_.push(Inside::Repair);
            hub_->countWritten(bytes);
            budget_ -= static_cast<double>(bytes);
        }
        leaving->lost += lost;
        budget_ -= kRequestCost;
        channel_->tell(answer);
        static_cast<void>(requests_.pop());
        worked = true;
    }
    return worked;
}

void GroupSourcePath::onFrameSent(std::uint32_t) {
    if (insideLeaving_.empty()) {
        throw Error(ErrorKind::Internal, "a transport sent more frames than it was given");
    }
    if (insideLeaving_.pop() == Inside::Repair) {
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
    Leaving* const leaving = message.frame == 0 ? nullptr : find(message.frame);
    if (leaving == nullptr || leaving->over) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer is done with frame {}, which it was not sent", message.frame));
    }
    if (waits(message.frame)) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer is done with frame {} before its request was answered", message.frame));
    }
    leaving->over = true;
    const double part = static_cast<double>(leaving->lost) / static_cast<double>(leaving->chunks);
    hub_->release(*viewer_, message.frame, message.lost ? 1 : part);
    reportLeft();
}

/// In the order in which they were sent.
void GroupSourcePath::reportLeft() {
    while (!leaving_.empty() && leaving_.front().over) {
        const std::uint32_t slot = leaving_.front().frame.localSlot;
        static_cast<void>(leaving_.pop());
        handler_->onFrameSent(slot);
    }
}

void sendByGroup(Guest& guest, const std::shared_ptr<GroupHub>& hub) {
    if (!hub || (guest.peer.features & kByGroup) == 0 || !guest.connection.frames) {
        return;
    }
    auto channel = std::make_shared<GroupChannel>(guest.connection.messages, hub->options().address.text());
    guest.connection.messages = channel;
    if (const std::string objection = objectionTo(guest, *hub);
        !objection.empty() || guest.connection.frames->sharesMemory()) {
        GroupOffer refusal;
        refusal.refusal =
            objection.empty() ? "its session shares memory with the sender, and needs no group" : objection;
        channel->tell(refusal);
        return;
    }
    guest.connection.frames = std::make_shared<GroupSourcePath>(guest.connection.frames, channel, hub);
    std::erase_if(guest.early, [&](const auto& message) { return channel->hear(message); });
}

}  // namespace verbcast
