// Sends frames: one pass over the payload, by the port, however many viewers there are (two if datagrams are
// tagged, and a copy if they are encrypted). No allocation per frame except the ledger's; a lock is held for
// one call of the port with up to 60 datagrams. What it costs: scripts/multicast
#include <sys/prctl.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/log/log.h"
#include "core/multicast/group_hub.h"

namespace verbcast {

using multicast::ChunkRange;
using multicast::DatagramHead;
using multicast::kHeadBytes;
using Sent = multicast::GroupPort::Sent;

namespace {

// One byte in this many may be a repeat, so viewers that request much cost the others no more.
constexpr std::uint64_t kPerRepeat = 32;

}  // namespace

std::uint32_t GroupHub::burstChunks() const {
    const std::size_t datagram = chunkBytes_ + kHeadBytes + multicast::kTagBytes;
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>(port_->burstBytes() / datagram, 1, multicast::GroupPort::kMaxBurst));
}

/// Sends `range`, which is at most a burst.
Sent GroupHub::sendChunks(std::uint64_t number, const Frame& frame, ChunkRange range) {
    constexpr std::size_t kMax = multicast::GroupPort::kMaxBurst;
    std::array<DatagramHead, kMax> heads;
    std::array<std::array<std::byte, multicast::kTagBytes>, kMax> tags;
    std::array<iovec, 3 * kMax> pieces;
    const std::size_t tagBytes = seal_ ? multicast::kTagBytes : 0;
    if (seal_ && seal_->encrypts()) {
        sealed_.resize(std::size_t{burstChunks()} * chunkBytes_);
    }
    std::byte* const payload = frame.pool->slotData(frame.slot);
    std::size_t count = 0;
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < range.count; ++i) {
        const std::uint32_t chunk = range.first + i;
        const std::uint32_t size = multicast::bytesOfChunk(frame.bytes, chunkBytes_, chunk);
        DatagramHead& head = heads[i];
        head = DatagramHead{};
        head.keyId = used_.id;
        head.stream = stream_;
        head.counter = ++counter_;
        head.frame = number;
        head.chunk = chunk;
        head.chunks = frame.chunks;
        std::byte* data = payload + std::uint64_t{chunk} * chunkBytes_;
        if (seal_) {
            std::byte* const into =
                seal_->encrypts() ? sealed_.data() + std::size_t{i} * chunkBytes_ : nullptr;
            seal_->seal(head.counter, std::as_bytes(std::span(&head, 1)), {data, size}, into, tags[i].data());
            data = into != nullptr ? into : data;
        }
        pieces[count++] = {&head, kHeadBytes};
        pieces[count++] = {data, size};
        if (tagBytes > 0) {
            pieces[count++] = {tags[i].data(), tagBytes};
        }
        bytes += kHeadBytes + size + tagBytes;
    }
    const Sent sent = port_->send(std::span(pieces).first(count), kHeadBytes + chunkBytes_ + tagBytes, bytes);
    if (sent != Sent::Later) {
        pace_.sent(bytes + std::uint64_t{range.count} * port_->overheadBytes(), nowNs());
        counters_[&GroupStats::datagrams] += range.count;
        counters_[&GroupStats::bytes] += bytes - range.count * (kHeadBytes + tagBytes);
    }
    return sent;
}

/// Sends a burst. Repeats go first, because others wait behind them.
GroupHub::Turn GroupHub::sendSome() {
    const std::lock_guard lock(mutex_);
    if (!repeats_.empty()) {
        Repeat& repeat = repeats_.front();
        const ChunkRange part{repeat.range.first, std::min(repeat.range.count, burstChunks())};
        const Frame& frame = sending_.at(repeat.number);
        if (sendChunks(repeat.number, frame, part) == Sent::Later) {
            return Turn::Full;
        }
        counters_[&GroupStats::repeatedBytes] += std::uint64_t{part.count} * chunkBytes_;
        repeat.range.first += part.count;
        repeat.range.count -= part.count;
        if (repeat.range.count == 0) {
            repeats_.pop_front();
        }
        return Turn::Sent;
    }
    if (queue_.empty()) {
        return Turn::Idle;
    }
    Frame& frame = sending_.at(queue_.front());
    const ChunkRange part{frame.next, std::min(frame.chunks - frame.next, burstChunks())};
    if (sendChunks(queue_.front(), frame, part) == Sent::Later) {
        return Turn::Full;
    }
    frame.next += part.count;
    repeatable_ = std::min(frame.bytes, repeatable_ + std::uint64_t{part.count} * chunkBytes_ / kPerRepeat);
    if (frame.next == frame.chunks) {
        queue_.pop_front();
        wakeWaiting();
    }
    return Turn::Sent;
}

/// Tells viewers, which come back by another way, and lets go of the port's device.
void GroupHub::endByFailure() {
    std::unique_ptr<multicast::GroupPort>
        gone;  // destroyed outside the lock: on a dead device that takes seconds
    const std::lock_guard lock(mutex_);
    failure_ = port_->failure();
    failed_ = true;
    log(LogCategory::Stream)
        .warn("multicast: {} by {} has ended: {}", options_.address.text(), port_->describe(), failure_);
    gone = std::move(port_);
    for (auto& [viewer, member] : members_) {
        if (member.room != nullptr) {
            member.room->notify();
        }
    }
}

void GroupHub::run() {
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // pacing sleeps for some 50 us
    TimestampNs nextBeacon = 0;
    while (!stopping_) {
        TimestampNs now = nowNs();
        if (beacons_ && beacons_->announced() && now >= nextBeacon) {
            beacons_->say();
            beacons_->hearOthers();
            nextBeacon = now + std::chrono::nanoseconds(multicast::kBeaconInterval).count();
        }
        if (open_) {
            keepRdma(now);
        }
        work_.arm();
        if (stopping_) {
            return;  // a notify() before arm() goes unheard
        }
        TimestampNs until = nextBeacon == 0 ? now + 1'000'000'000 : nextBeacon;
        bool full = false;
        const auto readyAt = [&] {
            const std::lock_guard lock(mutex_);
            useNewKey(now);
            until = keyDueAt_ == 0 ? until : std::min(until, keyDueAt_);
            return queue_.empty() && repeats_.empty() ? TimestampNs{0} : pace_.readyAt();
        };
        if (const TimestampNs ready = readyAt(); ready > now + GroupPace::kAhead) {
            until = std::min(until, ready);
        } else {
            const Turn turn = sendSome();
            full = turn == Turn::Full;
            until = turn == Turn::Sent ? 0 : until;
        }
        if (until > now && (!full || port_->awaitRoom())) {
            waitReadable({work_.descriptor(), port_->eventDescriptor(), full ? port_->roomDescriptor() : -1,
                          reopening_.descriptor()},
                         std::chrono::nanoseconds(until - now));
            port_->takeEvents();
        }
        if (!port_->failure().empty()) {
            endByFailure();
            return;
        }
        work_.disarm();
    }
}

}  // namespace verbcast
