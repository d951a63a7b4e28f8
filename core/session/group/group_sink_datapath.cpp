// Datagrams come in: one recvmmsg() for up to 64 of them, straight to where the next chunks of the frame
// belong. Steps: 1. guess; 2. recvmmsg; 3. check heads, sizes, sources and tags; 4. what lies where it
// belongs is there;
// 5. what does not is set aside, all of it, and then copied to its place. A guess touches only chunks that
// are missing, of a frame that no repair is being written into. No allocation, no lock. What it costs:
// verbcast bench multicast
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "core/session/group/group_batch.h"
#include "core/session/group/group_sink_path.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {

using multicast::kHeadBytes;
using multicast::kTagBytes;

namespace {

constexpr int kBatchesAtOnce = 4;  // before messages and repairs get their turn

}  // namespace

bool GroupSinkPath::receive() {
    bool worked = false;
    for (int round = 0; round < kBatchesAtOnce; ++round) {
        Batch& batch = *batch_;
        const ComingFrame* const next = offer_->encrypted ? nullptr : frames_->expected();
        for (std::size_t i = 0; i < kBatch; ++i) {
            std::byte* place = batch.scratchOf(i);
            if (next != nullptr) {
                const std::uint64_t chunk = std::uint64_t{next->map.reached()} + i;
                const std::uint64_t offset = chunk * batch.chunkBytes;
                if (chunk < next->map.chunks() && offset + batch.chunkBytes <= next->pool->slotBytes()) {
                    place = next->data() + offset;
                }
            }
            batch.pieces[i][1] = {place, batch.chunkBytes};
            batch.messages[i].msg_hdr.msg_namelen = sizeof batch.from[i];
        }
        const int got = ::recvmmsg(socket_.get(), batch.messages.data(), kBatch, MSG_DONTWAIT, nullptr);
        if (got <= 0) {
            return worked;  // a socket of datagrams has no end; what its device says of itself, the session
                            // shows
        }
        worked = true;
        takeBatch(static_cast<std::size_t>(got), nowNs());
        if (static_cast<std::size_t>(got) < kBatch) {
            return worked;
        }
    }
    return worked;
}

/// Whether its tag fits. Where payloads are encrypted it is at `into` then.
bool GroupSinkPath::opens(const multicast::Chunk& chunk, std::byte* into) {
    if (!offer_->tagged) {
        return true;
    }
    const auto key = std::ranges::find(keys_, chunk.head.keyId, &Key::id);
    return key != keys_.end() && key->seal->open(chunk.head.counter, std::as_bytes(std::span(&chunk.head, 1)),
                                                 chunk.payload, chunk.tag, into);
}

void GroupSinkPath::takeBatch(std::size_t count, TimestampNs now) {
    Batch& batch = *batch_;
    const std::size_t tagBytes = offer_->tagged ? kTagBytes : 0;
    const multicast::StreamShape shape{offer_->stream, offer_->chunkBytes,
                                       static_cast<std::uint16_t>(offer_->tagged ? 1 : 0)};
    bool misplaced = false;
    for (std::size_t i = 0; i < count; ++i) {
        Batch::Found& found = batch.found[i];
        found.valid = false;
        const std::size_t bytes = batch.messages[i].msg_len;
        const bool fromSender = ntohs(batch.from[i].sin_port) == offer_->sourcePort &&
                                std::memcmp(&batch.from[i].sin_addr, offer_->source.data(), 4) == 0;
        multicast::Refusal why = multicast::Refusal::NotOurs;
        const auto head = multicast::readHead(batch.heads[i], bytes, shape, &why);
        if (!head || !fromSender) {
            if (!head && why == multicast::Refusal::Beacon) {
                continue;
            }
            refused(head ? multicast::Refusal::OtherStream : why, batch.from[i]);
            continue;
        }
        // The tag lies behind the payload: in part with it where that is shorter than a whole chunk.
        const std::size_t payloadBytes = bytes - kHeadBytes - tagBytes;
        std::array<std::byte, kTagBytes> tag{};
        for (std::size_t at = 0; at < tagBytes; ++at) {
            const std::size_t place = payloadBytes + at;
            tag[at] = place < batch.chunkBytes ? batch.payloadOf(i)[place]
                                               : batch.tails[i][place - batch.chunkBytes];
        }
        const multicast::Chunk chunk{
            *head, {batch.payloadOf(i), payloadBytes}, std::span(tag).first(tagBytes)};
        if (!opens(chunk, batch.scratchOf(i))) {
            refused(multicast::Refusal::Impossible, batch.from[i]);
            continue;
        }
        ++stats_.datagrams;
        stats_.bytes += payloadBytes;
        copied_ += payloadBytes;
        found = {*head, static_cast<std::uint32_t>(payloadBytes), true};
        ComingFrame* const frame = frames_->place(*head, payloadBytes);
        if (frame == nullptr) {
            found.valid = false;  // there already, or for others
        } else if (frame->data() + frames_->offsetOf(head->chunk) == batch.payloadOf(i)) {
            frames_->add(*frame, head->chunk, now);
            found.valid = false;  // done
        } else {
            misplaced = true;
        }
    }
    if (!misplaced) {
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (batch.found[i].valid && batch.payloadOf(i) != batch.scratchOf(i)) {
            std::memcpy(batch.scratchOf(i), batch.payloadOf(i), batch.found[i].bytes);
            copied_ += batch.found[i].bytes;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Batch::Found& found = batch.found[i];
        ComingFrame* const frame = found.valid ? frames_->place(found.head, found.bytes) : nullptr;
        if (frame != nullptr) {
            std::memcpy(frame->data() + frames_->offsetOf(found.head.chunk), batch.scratchOf(i), found.bytes);
            copied_ += found.bytes;
            frames_->add(*frame, found.head.chunk, now);
        }
    }
}

}  // namespace verbcast
