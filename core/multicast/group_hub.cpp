// Sends frames: one pass over the payload, by the port, however many viewers there are (two if datagrams are
// tagged, and a copy if they are encrypted). No allocation per frame except the ledger's; a lock is held for
// one call of the port with up to 60 datagrams. What it costs: scripts/multicast
#include "core/multicast/group_hub.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/log/log.h"
#include "core/base/os/early_wake.h"
#include "core/multicast/rdma_hub.h"
#include "core/session/greeting/handshake.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {
namespace {

using multicast::ChunkRange;
using multicast::DatagramHead;
using multicast::kHeadBytes;
using Sent = multicast::GroupPort::Sent;

// One is being sent, and one follows it at once: more would only be older when they arrive.
constexpr std::size_t kMaxQueue = 2;

}  // namespace

GroupHub::GroupHub(const GroupOptions& options, const OpenRdma& open)
    : GroupHub(options, multicast::interfaceOf(options.address), newInstance() | 1, open) {}

GroupHub::GroupHub(const GroupOptions& options, const multicast::GroupInterface& interface,
                   std::uint64_t stream, const OpenRdma& open)
    : GroupHub(options,
               std::make_unique<multicast::GroupSender>(options.address, interface, options.address.ttl),
               stream) {
    beacons_ = std::make_unique<GroupBeacons>(options.address, interface, options.address.ttl, stream,
                                              options.name, options.key);
    rdma_ = std::make_unique<RdmaHub>(options, interface, open, pace_);
    start();
}

GroupHub::GroupHub(const GroupOptions& options, std::unique_ptr<multicast::GroupPort> port,
                   const GroupPace& beside)
    : GroupHub(options, std::move(port), newInstance() | 1) {
    pace_.shareLink(beside);
    start();
}

GroupHub::GroupHub(const GroupOptions& options, std::unique_ptr<multicast::GroupPort> port,
                   std::uint64_t stream)
    : options_(options),
      port_(std::move(port)),
      origin_(port_->origin()),
      groupId_(port_->group()),
      stream_(stream),
      chunkBytes_(multicast::chunkBytesFor(port_->datagramBytes(), options.tagged)),
      unsent_("frames", options.address.text()),
      pace_(port_->bitRate(), options.address.bitRate),
      keys_(options.tagged, options.encrypted),
      repeatShare_(chunkBytes_) {}

void GroupHub::start() {
    applyPace();
    log(LogCategory::Stream)
        .info("multicast: {} by {}, {} bytes in a datagram, {:.1f} Gbit/s", options_.address.text(),
              port_->describe(), chunkBytes_, static_cast<double>(pace_.bytesPerSecond()) * 8e-9);
    thread_ = std::jthread([this] { run(); });
}

GroupHub::~GroupHub() {
    stopping_ = true;
    work_.notify();
}

void GroupHub::announce(std::uint16_t port) {
    beacons_->announce(port);
    work_.notify();
}

GroupOffer GroupHub::offer() const {
    GroupOffer offer;
    offer.stream = stream_;
    std::memcpy(offer.group.data(), &options_.address.group, offer.group.size());
    std::memcpy(offer.source.data(), &origin_.address[12], offer.source.size());
    offer.port = options_.address.port;
    offer.sourcePort = static_cast<std::uint16_t>(origin_.number);
    offer.chunkBytes = chunkBytes_;
    offer.lossless = options_.lossless;
    offer.tagged = options_.tagged;
    offer.encrypted = options_.encrypted;
    return offer;
}

std::string GroupHub::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

GroupStats GroupHub::stats() const {
    GroupStats stats;
    counters_.copyTo(stats);
    if (rdma_) {
        addCounts(stats, rdma_->stats());
    }
    return stats;
}

GroupHub::ByRdma GroupHub::byRdma() const {
    return rdma_->offer();
}

void GroupHub::nameIn(GroupUdOffer& offer) const {
    offer.stream = stream_;
    offer.group = groupId_;
    offer.source = origin_.address;
    offer.sourceQueue = origin_.number;
    offer.chunkBytes = chunkBytes_;
}

GroupKeyMessage GroupHub::key() {
    GroupKeyMessage key;
    {
        const std::lock_guard lock(mutex_);
        key = keys_.tell(nowNs());
    }
    work_.notify();
    return key;
}

void GroupHub::keyTaken(Viewer viewer, std::uint16_t keyId) {
    const std::lock_guard lock(mutex_);
    keys_.take(viewer, keyId, nowNs());
}

void GroupHub::renewKey() {
    {
        const std::lock_guard lock(mutex_);
        keys_.renew(nowNs());
    }
    work_.notify();
}

GroupHub::Viewer GroupHub::join(std::uint64_t bitRate, const Event* room, const std::string& host) {
    const std::lock_guard lock(mutex_);
    pace_.join(++lastViewer_, bitRate, host, nowNs());
    keys_.join(lastViewer_);
    members_[lastViewer_].room = room;
    applyPace();
    return lastViewer_;
}

void GroupHub::leave(Viewer viewer) {
    {
        const std::lock_guard lock(mutex_);
        members_.erase(viewer);
        pace_.leave(viewer, nowNs());
        applyPace();
        for (auto& [number, frame] : sending_) {
            std::erase_if(frame.uses, [viewer](const Use& use) { return use.viewer == viewer; });
            makeReady(number, frame);
        }
        dropUnused();
        keys_.leave(viewer, nowNs());
    }
    work_.notify();
}

void GroupHub::requireFits(std::uint64_t bytes) const {
    if (bytes == 0 || bytes > multicast::kMaxFrameBytes || bytes / chunkBytes_ >= multicast::kMaxChunks) {
        throw Error(ErrorKind::Usage, fmt::format("frames of {} bytes are too large for multicast", bytes),
                    "send smaller pictures, or leave out --multicast");
    }
}

GroupHub::Submitted GroupHub::submit(Viewer viewer, const OutgoingFrame& frame) {
    Submitted submitted;
    {
        const std::lock_guard lock(mutex_);
        if (pace_.excludes(viewer)) {
            submitted.excluded = true;
            return submitted;
        }
        Member& member = members_.at(viewer);
        const std::uint64_t sequence = frame.info.sequence;
        // Numbers rise for each viewer: one that was given a late frame gets those that left before it late,
        // too.
        const auto same = std::ranges::find_if(sending_, [&](const auto& each) {
            return each.first > member.lastNumber && each.second.sequence == sequence &&
                   each.second.pool == frame.pool && each.second.slot == frame.localSlot;
        });
        if (same == sending_.end() && !options_.lossless && queue_.size() >= kMaxQueue) {
            member.waits = true;
            return submitted;
        }
        member.since = member.since ? *member.since : sequence;
        if (same != sending_.end()) {
            submitted.number = same->first;
        } else {
            submitted.number = ++lastNumber_;
            Frame& made = sending_[lastNumber_];
            made.pool = frame.pool;
            made.slot = frame.localSlot;
            made.sequence = sequence;
            made.bytes = frame.info.payloadBytes;
            made.chunks = multicast::chunksOf(made.bytes, chunkBytes_);
            made.alone = newestSequence_ && sequence <= *newestSequence_;
            submitted.leaves = !made.alone;
            newestSequence_ = std::max(newestSequence_.value_or(0), sequence);
        }
        Frame& taken = sending_[submitted.number];
        taken.uses.push_back({viewer});
        member.lastNumber = submitted.number;
        member.lastSequence = sequence;
        for (auto& [number, each] : sending_) {
            makeReady(number, each);  // taking this one also counts for those before it
        }
    }
    work_.notify();
    return submitted;
}

void GroupHub::wakeWaiting() {
    for (auto& [viewer, member] : members_) {
        if (std::exchange(member.waits, false) && member.room != nullptr) {
            member.room->notify();
        }
    }
}

/// Tells the port, which may pace, too.
void GroupHub::applyPace() {
    if (const std::uint64_t pace = pace_.bytesPerSecond(); pace != paceSet_ && port_) {
        paceSet_ = pace;
        port_->setPace(pace);
    }
}

/// Lossless waits for all that take part. A viewer that takes a newer frame has dropped this one, or has it.
void GroupHub::makeReady(std::uint64_t number, Frame& frame) {
    if (frame.ready || frame.alone) {
        return;
    }
    const bool all = !options_.lossless || std::ranges::all_of(members_, [&](const auto& member) {
        return !member.second.since || *member.second.since > frame.sequence ||
               member.second.lastSequence >= frame.sequence;
    });
    if (all) {
        frame.ready = true;
        queue_.push_back(number);
        ++counters_[&GroupStats::frames];
    }
}

bool GroupHub::waitsForOthers(Viewer viewer) const {
    const std::lock_guard lock(mutex_);
    const auto oldest = std::ranges::find_if(sending_, [viewer](const auto& each) {
        const auto use = std::ranges::find(each.second.uses, viewer, &Use::viewer);
        return use != each.second.uses.end() && !use->released;
    });
    return oldest != sending_.end() && !oldest->second.ready && !oldest->second.alone;
}

void GroupHub::dropUnused() {
    std::erase_if(sending_,
                  [](const auto& each) { return std::ranges::all_of(each.second.uses, &Use::released); });
    if (std::erase_if(queue_, [this](std::uint64_t number) { return !sending_.contains(number); }) > 0) {
        wakeWaiting();
    }
    std::erase_if(repeats_, [this](const Repeat& repeat) { return !sending_.contains(repeat.number); });
}

void GroupHub::release(Viewer viewer, std::uint64_t number, double lossPart) {
    const std::lock_guard lock(mutex_);
    const auto found = sending_.find(number);
    if (found == sending_.end()) {
        return;
    }
    if (!found->second.alone) {
        pace_.frameOver(viewer, lossPart, nowNs());
        applyPace();
    }
    const auto use = std::ranges::find(found->second.uses, viewer, &Use::viewer);
    if (use != found->second.uses.end()) {
        use->released = true;
    }
    dropUnused();
}

GroupHub::Repair GroupHub::repair(Viewer viewer, std::uint64_t number, std::span<const ChunkRange> ranges,
                                  bool writable) {
    multicast::ChunkRequests::Choice choice;
    {
        const std::lock_guard lock(mutex_);
        ++counters_[&GroupStats::requests];
        const auto found = sending_.find(number);
        if (found == sending_.end()) {
            return {};
        }
        Frame& frame = found->second;
        const auto use = std::ranges::find(frame.uses, viewer, &Use::viewer);
        if (use == frame.uses.end()) {
            return {};
        }
        choice = frame.requests.choose({.viewer = viewer,
                                        .ranges = ranges,
                                        .chunks = frame.chunks,
                                        .left = frame.alone ? frame.chunks : frame.next,
                                        .alone = use->repairedByGroup || frame.alone,
                                        .writable = writable},
                                       repeatShare_);
        for (const ChunkRange& range : choice.again) {
            repeats_.push_back({number, range});
        }
        // What is still missing after an answer is this viewer's own problem.
        use->repairedByGroup |= choice.lost > 0;
    }
    if (!choice.again.empty()) {
        work_.notify();
    }
    return {.alone = std::move(choice.alone), .lost = choice.lost};
}

std::uint64_t GroupHub::bytesPerSecond() const {
    const std::lock_guard lock(mutex_);
    return pace_.bytesPerSecond();
}

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
    DatagramSeal* const seal = keys_.seal();
    const std::size_t tagBytes = seal != nullptr ? multicast::kTagBytes : 0;
    if (seal != nullptr && seal->encrypts()) {
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
        head.keyId = keys_.used();
        head.stream = stream_;
        head.counter = ++counter_;
        head.frame = number;
        head.chunk = chunk;
        head.chunks = frame.chunks;
        std::byte* data = payload + std::uint64_t{chunk} * chunkBytes_;
        if (seal != nullptr) {
            std::byte* const into =
                seal->encrypts() ? sealed_.data() + std::size_t{i} * chunkBytes_ : nullptr;
            seal->seal(head.counter, std::as_bytes(std::span(&head, 1)), {data, size}, into, tags[i].data());
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
    const TimestampNs now = nowNs();
    unsent_.note(sent, *port_, now);
    if (sent != Sent::Later) {
        pace_.sent(bytes + std::uint64_t{range.count} * port_->overheadBytes(), now);
    }
    if (sent == Sent::Yes) {
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
        const Sent sent = sendChunks(repeat.number, frame, part);
        if (sent == Sent::Later) {
            return Turn::Full;
        }
        counters_[&GroupStats::repeatedBytes] +=
            sent == Sent::Yes ? std::uint64_t{part.count} * chunkBytes_ : 0;
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
    repeatShare_.earn(part.count, frame.bytes);
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
    wakeExactly();  // pacing sleeps for some 50 us
    TimestampNs nextBeacon = 0;
    while (!stopping_) {
        TimestampNs now = nowNs();
        if (beacons_ && beacons_->announced() && now >= nextBeacon) {
            beacons_->say();
            beacons_->hearOthers();
            nextBeacon = now + std::chrono::nanoseconds(multicast::kBeaconInterval).count();
        }
        if (rdma_) {
            rdma_->keep(now);
        }
        work_.arm();
        if (stopping_) {
            return;  // a notify() before arm() goes unheard
        }
        TimestampNs until = nextBeacon == 0 ? now + 1'000'000'000 : nextBeacon;
        bool full = false;
        const auto readyAt = [&] {
            const std::lock_guard lock(mutex_);
            keys_.use(now);
            until = keys_.dueAt() == 0 ? until : std::min(until, keys_.dueAt());
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
                          rdma_ ? rdma_->descriptor() : -1},
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
