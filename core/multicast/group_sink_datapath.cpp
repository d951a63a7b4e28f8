// Receives datagrams: one recvmmsg() for 64 of them or more, straight to where the next chunks of the frame
// belong. Steps: 1. guess; 2. recvmmsg; 3. check heads, sizes, sources and tags; 4. accept what lies where it
// belongs;
// 5. set aside all that does not, then copy it to its place. A guess touches only missing chunks of a frame
// that no repair is being written into. No allocation, no lock. What it costs: scripts/multicast
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "core/multicast/group_batch.h"
#include "core/multicast/group_sink_path.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {

using multicast::kHeadBytes;

namespace {

constexpr int kBatchesAtOnce = 4;  // before messages and repairs get a turn

}  // namespace

bool GroupSinkPath::receive() {
    bool worked = false;
    for (int round = 0; round < kBatchesAtOnce; ++round) {
        Batch& batch = *batch_;
        const ComingFrame* const next = offer_->encrypted ? nullptr : frames_->expected();
        for (std::size_t i = 0; i < batch.places; ++i) {
            std::byte* place = batch.scratchOf(i);
            if (next != nullptr) {
                const std::uint64_t chunk = std::uint64_t{next->map.reached()} + i;
                const std::uint64_t offset = chunk * batch.chunkBytes;
                if (chunk < next->map.chunks() && offset + batch.chunkBytes <= next->pool->slotBytes()) {
                    place = next->data() + offset;
                }
            }
            batch.found[i].payload = place;
        }
        batch.layOut();
        const int got = ::recvmmsg(socket_.get(), batch.messages.data(), static_cast<unsigned>(batch.count),
                                   MSG_DONTWAIT, nullptr);
        if (got <= 0) {
            return worked;  // a datagram socket has no end; the session shows a failed device
        }
        worked = true;
        takeBatch(static_cast<std::size_t>(got), nowNs());
        if (static_cast<std::size_t>(got) < batch.count) {
            return worked;
        }
    }
    return worked;
}

multicast::StreamShape GroupSinkPath::shape() const {
    return {offer_->stream, offer_->chunkBytes, static_cast<std::uint16_t>(offer_->tagged ? 1 : 0)};
}

/// Whether its tag matches. If payloads are encrypted, decrypts this one to `into`.
bool GroupSinkPath::opens(const multicast::Chunk& chunk, std::byte* into) {
    if (!offer_->tagged) {
        return true;
    }
    const auto key = std::ranges::find(keys_, chunk.head.keyId, &Key::id);
    return key != keys_.end() && key->seal->open(chunk.head.counter, std::as_bytes(std::span(&chunk.head, 1)),
                                                 chunk.payload, chunk.tag, into);
}

void GroupSinkPath::takeBatch(std::size_t messages, TimestampNs now) {
    Batch& batch = *batch_;
    bool misplaced = false;
    bool several = false;
    for (std::size_t i = 0; i < messages; ++i) {
        const bool fromSender = ntohs(batch.from[i].sin_port) == offer_->sourcePort &&
                                std::memcmp(&batch.from[i].sin_addr, offer_->source.data(), 4) == 0;
        std::size_t left = batch.messages[i].msg_len;
        several |= left > batch.datagramBytes() || (batch.messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
        for (std::size_t run = 0; run < batch.runs; ++run) {
            const std::size_t bytes = std::min(left, batch.datagramBytes());
            const std::size_t place = i * batch.runs + run;
            batch.found[place].misplaced = bytes > 0 && takeOne(place, bytes, fromSender, batch.from[i], now);
            misplaced |= batch.found[place].misplaced;
            left -= bytes;
        }
    }
    const std::size_t taken = messages * batch.runs;
    if (misplaced) {
        movePlaces(taken, now);
    }
    // After a full call without any merged message, expect single ones.
    batch.merged = several || (batch.merged && messages < batch.count);
}

/// Returns true if it is a chunk that lies in the wrong place.
bool GroupSinkPath::takeOne(std::size_t place, std::size_t bytes, bool fromSender, const sockaddr_in& from,
                            TimestampNs now) {
    Batch& batch = *batch_;
    multicast::Refusal why = multicast::Refusal::NotOurs;
    const auto head = multicast::readHead(batch.heads[place], bytes, shape(), &why);
    if (!head || !fromSender) {
        if (head || why != multicast::Refusal::Beacon) {
            refused(head ? multicast::Refusal::OtherStream : why, multicast::hostText(from.sin_addr));
        }
        return false;
    }
    // The tag follows the payload, so part of it is in the payload's place if that is shorter than a chunk.
    const std::size_t payloadBytes = bytes - kHeadBytes - batch.tagBytes;
    std::array<std::byte, multicast::kTagBytes> tag{};
    for (std::size_t at = 0; at < batch.tagBytes; ++at) {
        const std::size_t byte = payloadBytes + at;
        tag[at] = byte < batch.chunkBytes ? batch.payloadOf(place)[byte]
                                          : batch.tags[place][byte - batch.chunkBytes];
    }
    const multicast::Chunk chunk{
        *head, {batch.payloadOf(place), payloadBytes}, std::span(tag).first(batch.tagBytes)};
    if (!opens(chunk, batch.scratchOf(place))) {
        refused(multicast::Refusal::Impossible, multicast::hostText(from.sin_addr));
        return false;
    }
    ++stats_.datagrams;
    stats_.bytes += payloadBytes;
    copied_ += payloadBytes;
    batch.found[place].head = *head;
    batch.found[place].bytes = static_cast<std::uint32_t>(payloadBytes);
    ComingFrame* const frame = frames_->place(*head, payloadBytes);
    if (frame == nullptr) {
        return false;  // there already, or for other viewers
    }
    if (frame->data() + frames_->offsetOf(head->chunk) != batch.payloadOf(place)) {
        return true;
    }
    frames_->add(*frame, head->chunk, now);
    return false;
}

/// Sets all misplaced chunks aside before copying any: one may lie where another belongs.
void GroupSinkPath::movePlaces(std::size_t taken, TimestampNs now) {
    Batch& batch = *batch_;
    for (std::size_t i = 0; i < taken; ++i) {
        if (batch.found[i].misplaced && batch.payloadOf(i) != batch.scratchOf(i)) {
            std::memcpy(batch.scratchOf(i), batch.payloadOf(i), batch.found[i].bytes);
            copied_ += batch.found[i].bytes;
        }
    }
    for (std::size_t i = 0; i < taken; ++i) {
        const Batch::Found& found = batch.found[i];
        ComingFrame* const frame = found.misplaced ? frames_->place(found.head, found.bytes) : nullptr;
        if (frame != nullptr) {
            std::memcpy(frame->data() + frames_->offsetOf(found.head.chunk), batch.scratchOf(i), found.bytes);
            copied_ += found.bytes;
            frames_->add(*frame, found.head.chunk, now);
        }
    }
}

}  // namespace verbcast
