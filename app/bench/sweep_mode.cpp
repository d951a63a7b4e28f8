// bench sweep: blocks of one size, so many in flight, each acknowledged by a message of 8 bytes as soon as it
// has arrived. The parent sends, a worker acknowledges.
//
// A block is in flight from the moment its place in the window is free (for the first ones: from the start)
// until its acknowledgement is handled. It also waits there for a transport that takes fewer at once, so
// throughput times latency is the depth.
//
// Each block carries its number in its first and last 8 bytes, and the receiver looks at both: a byte that is
// counted has crossed.
#include "app/bench/sweep_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "app/bench/bench_roles.h"
#include "app/bench/channel_driver.h"
#include "app/bench/memory_info.h"
#include "app/bench/pinning.h"
#include "app/interrupt.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/session/messages.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kMaxDepth = 64;
constexpr std::uint64_t kMaxRingBytes = 512ULL << 20;
constexpr std::uint64_t kLeastBlocks = 8;
constexpr RingId kRing = 1;

struct Acknowledgement {
    std::uint32_t slot;
    std::uint32_t sequence;
};
static_assert(sizeof(Acknowledgement) == 8);

std::uint32_t slotsFor(const SweepRange& range, std::uint64_t blockBytes) {
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(range.ringBytes / blockBytes, 1, range.depths.back()));
}

void stamp(std::byte* block, std::uint64_t bytes, std::uint64_t sequence) {
    std::memcpy(block, &sequence, sizeof sequence);
    std::memcpy(block + bytes - sizeof sequence, &sequence, sizeof sequence);
}

bool holdsStamp(const std::byte* block, std::uint64_t bytes, std::uint64_t sequence) {
    return std::memcmp(block, &sequence, sizeof sequence) == 0 &&
           std::memcmp(block + bytes - sizeof sequence, &sequence, sizeof sequence) == 0;
}

std::shared_ptr<FramePool> touchedRing(std::uint64_t blockBytes, std::uint32_t slots) {
    auto pool = FramePool::create({.slotBytes = blockBytes, .slotCount = slots});
    std::memset(pool->memory()->bytes().data(), 1, pool->memory()->bytes().size());
    return pool;
}

/// The first message: of the sink, or of the source where memory is shared. Longer than an Acknowledgement.
std::vector<std::byte> encodeOffer(const FramePool& ring, std::span<const std::byte> offer) {
    return encodeMessage(RingMessage{
        .ring = kRing, .shape = {ring.slotBytes(), ring.slotCount()}, .offer = {offer.begin(), offer.end()}});
}

/// The peer's ring, where memory is shared.
std::shared_ptr<FramePool> acceptOffer(FramePath& path, std::span<const std::byte> message) {
    ByteReader reader(message);
    reader.get<std::uint8_t>();
    const auto ring = decodeMessage<RingMessage>(reader);
    return path.accept(ring.ring, ring.shape, ring.offer);
}

/// The sending end: one connection for all depths of one block size. measure() sets a depth; step() is done
/// when its blocks are measured and all are back.
class SweepSource final : public ChannelEnd {
  public:
    SweepSource(const Connection& connection, std::uint64_t blockBytes, std::uint32_t slots)
        : ChannelEnd(connection), blockBytes_(blockBytes), pool_(touchedRing(blockBytes, slots)) {
        path().prepare(pool_);
        if (path().sharesMemory()) {
            path().offer(kRing, pool_);
        }
    }

    void measure(std::uint32_t depth, const RateWindow::Length& length) {
        depth_ = depth;
        window_.emplace(length, std::max<std::uint64_t>(depth, 4));
        latency_.clear();
        const TimestampNs now = nowNs();
        for (std::uint32_t n = 0; n < depth; ++n) {
            offer(now);
        }
    }

    SweepPoint point() const {
        SweepPoint point;
        point.transport = channel().description().transport;
        point.blockBytes = blockBytes_;
        point.inFlight = depth_;
        point.blocksPerSecond = window_->perSecond();
        point.gigabytesPerSecond = point.blocksPerSecond * static_cast<double>(blockBytes_) * 1e-9;
        point.latency = latency_.percentiles();
        return point;
    }
    bool measuredAnything() const { return window_ && window_->perSecond() > 0; }

    bool step() override {
        send();
        return window_->complete() && acknowledged_ == offered_;
    }

    void onOfferReady(RingId, std::span<const std::byte> offer) override {
        offer_ = encodeOffer(*pool_, offer);
    }

    void onFrameSent(std::uint32_t) override {
        ++released_;
        send();
    }

    void onMessage(std::span<const std::byte> message) override {
        if (!ready_ && !path().sharesMemory()) {
            acceptOffer(path(), message);
            ready_ = true;
            return send();
        }
        Acknowledgement acknowledgement{};
        if (message.size() == sizeof acknowledgement) {
            std::memcpy(&acknowledgement, message.data(), sizeof acknowledgement);
        }
        if (message.size() != sizeof acknowledgement || acknowledged_ == sent_ ||
            acknowledgement.sequence != static_cast<std::uint32_t>(acknowledged_) ||
            acknowledgement.slot != slotOf(acknowledged_)) {
            throw Error(ErrorKind::Peer, fmt::format("block {} was not acknowledged in turn", acknowledged_));
        }
        const TimestampNs now = nowNs();
        if (window_->count(now)) {
            latency_.record(now - offeredAt_[acknowledged_ % kMaxDepth]);
        }
        ++acknowledged_;
        if (!window_->complete()) {
            offer(now);
        }
        send();
    }

  private:
    std::uint32_t slotOf(std::uint64_t sequence) const {
        return static_cast<std::uint32_t>(sequence % pool_->slotCount());
    }

    void offer(TimestampNs now) { offeredAt_[offered_++ % kMaxDepth] = now; }

    /// A slot is written again when its last block is acknowledged and the transport reads it no more.
    bool slotIsFree() const { return path().sharesMemory() || sent_ - released_ < pool_->slotCount(); }

    void send() {
        if (!offer_.empty() && channel().send(offer_) == Status::Ok) {
            offer_.clear();
            ready_ = true;  // where the ring is ours, the peer hears of it before its first block
        }
        while (ready_ && sent_ < offered_ && slotIsFree()) {
            const std::uint32_t slot = slotOf(sent_);
            stamp(pool_->slotData(slot), blockBytes_, sent_);
            FrameInfo info;
            info.sequence = sent_;
            info.payloadBytes = blockBytes_;
            if (path().send(
                    {.pool = pool_, .localSlot = slot, .ring = kRing, .remoteSlot = slot, .info = info}) !=
                Status::Ok) {
                return;
            }
            ++sent_;
        }
    }

    std::uint64_t blockBytes_;
    std::shared_ptr<FramePool> pool_;  // shared with the path, which reads from it
    std::vector<std::byte> offer_;     ///< to be sent
    bool ready_ = false;               ///< there is a ring to send into
    std::uint32_t depth_ = 1;
    std::uint64_t offered_ = 0;       ///< may be in flight
    std::uint64_t sent_ = 0;          ///< taken by the transport
    std::uint64_t released_ = 0;      ///< not read by it any more
    std::uint64_t acknowledged_ = 0;  ///< arrived
    std::array<TimestampNs, kMaxDepth> offeredAt_{};
    std::optional<RateWindow> window_;
    LatencyHistogram latency_;
};

/// The receiving end. With a shared pool it copies each block into a ring of its own.
class SweepSink final : public ChannelEnd {
  public:
    SweepSink(const Connection& connection, std::uint64_t blockBytes, std::uint32_t slots,
              std::uint64_t& blocks)
        : ChannelEnd(connection),
          blockBytes_(blockBytes),
          ring_(touchedRing(blockBytes, slots)),
          blocks_(blocks) {
        if (!path().sharesMemory()) {
            ring_->slots().takeFree([](std::uint32_t) {});
            path().offer(kRing, ring_);
        }
    }

    bool step() override {
        if (!offer_.empty() && channel().send(offer_) == Status::Ok) {
            offer_.clear();
        }
        while (!late_.empty() && send(late_.front())) {
            late_.erase(late_.begin());
        }
        return false;  // the source ends it
    }

    void onMessage(std::span<const std::byte> message) override { peerPool_ = acceptOffer(path(), message); }

    void onOfferReady(RingId, std::span<const std::byte> offer) override {
        offer_ = encodeOffer(*ring_, offer);
    }

    FrameTarget beginFrame(RingId, std::uint32_t slot, const FrameInfo& info) override {
        if (!ring_->slots().isTaken(slot) || info.payloadBytes != blockBytes_) {
            throw Error(ErrorKind::Peer, fmt::format("{} bytes for slot {}", info.payloadBytes, slot));
        }
        return {ring_, slot};
    }

    void onFrame(std::uint32_t, std::uint32_t slot, const FrameInfo& info) override {
        if (info.payloadBytes != blockBytes_ || info.sequence != blocks_ || slot >= ring_->slotCount()) {
            throw Error(ErrorKind::Peer, fmt::format("block {} did not come in turn", blocks_));
        }
        if (peerPool_) {
            std::memcpy(ring_->slotData(slot), peerPool_->slotData(slot), blockBytes_);
        }
        if (!holdsStamp(ring_->slotData(slot), blockBytes_, info.sequence)) {
            throw Error(ErrorKind::Corrupt, fmt::format("block {} arrived with other bytes", blocks_));
        }
        ++blocks_;
        const Acknowledgement acknowledgement{slot, static_cast<std::uint32_t>(info.sequence)};
        if (!late_.empty() || !send(acknowledgement)) {
            late_.push_back(acknowledgement);
        }
    }

  private:
    bool send(const Acknowledgement& acknowledgement) {
        return channel().send(std::as_bytes(std::span(&acknowledgement, 1))) != Status::Busy;
    }

    std::uint64_t blockBytes_;
    std::shared_ptr<FramePool> ring_;      // shared with the path, which writes into it
    std::shared_ptr<FramePool> peerPool_;  // the source's, where it is shared
    std::uint64_t& blocks_;
    std::vector<std::byte> offer_;       ///< to be sent
    std::vector<Acknowledgement> late_;  ///< refused as Busy; at most as many as blocks in flight
};

std::string bytesText(std::uint64_t bytes) {
    return bytes >= 1 << 20 ? fmt::format("{} MiB", bytes >> 20) : fmt::format("{} KiB", bytes >> 10);
}

/// All depths of one block size over one connection. False: interrupted.
class SweepRun {
  public:
    SweepRun(const SweepRange& range, const BenchOptions& options, BenchReport& report,
             BenchProgress& progress, std::size_t points)
        : range_(range), options_(options), report_(report), progress_(progress), points_(points) {}

    bool measureBlock(const std::string& scheme, std::uint64_t blockBytes) {
        const std::uint32_t slots = slotsFor(range_, blockBytes);
        WorkerLink link(options_, scheme, "sweep-echo", {{"block_bytes", blockBytes}, {"slots", slots}},
                        {.sendsFrames = true});
        if (!link.connected()) {
            return false;
        }
        SweepSource source(link.connection(), blockBytes, slots);
        for (const std::uint32_t depth : range_.depths) {
            if (depth > slots) {
                continue;
            }
            progress_.step(++done_, points_,
                           fmt::format("{} blocks of {}, {} in flight{}", scheme, bytesText(blockBytes),
                                       depth, lastSpeed_));
            source.measure(depth, pointLength(options_, kLeastBlocks, depth));
            const bool finished = link.run(source);
            if (source.measuredAnything()) {
                report_.sweep.push_back(source.point());
                lastSpeed_ = fmt::format(" (last: {:.2f} GB/s)", report_.sweep.back().gigabytesPerSecond);
            }
            if (!finished) {
                return false;
            }
        }
        link.finish();
        return true;
    }

  private:
    const SweepRange& range_;
    const BenchOptions& options_;
    BenchReport& report_;
    BenchProgress& progress_;
    std::size_t points_;
    std::size_t done_ = 0;
    std::string lastSpeed_;
};

std::size_t pointsPerTransport(const SweepRange& range) {
    std::size_t points = 0;
    for (const std::uint64_t block : range.blocks) {
        points += static_cast<std::size_t>(
            std::count_if(range.depths.begin(), range.depths.end(),
                          [&](std::uint32_t depth) { return depth <= slotsFor(range, block); }));
    }
    return points;
}

void addNotes(const SweepRange& range, const BenchOptions& options,
              const std::vector<std::string>& transports, BenchReport& report) {
    const auto shared = std::count(transports.begin(), transports.end(), "shm");
    if (shared > 0) {
        report.notes.emplace_back(
            "shm moves no payload: in this sweep its receiver copies each block into a ring of its own, so "
            "that a byte counted is a byte moved; frames over shm do without that copy");
    }
    if (static_cast<std::size_t>(shared) < transports.size()) {
        report.notes.emplace_back(
            "the other transports take few blocks at once (tcp two); deeper ones wait at the sender, and "
            "that "
            "wait is in their latency");
    }
    const std::size_t all = range.blocks.size() * range.depths.size();
    const std::size_t left = all - pointsPerTransport(range);
    if (left > 0) {
        report.notes.push_back(
            fmt::format("{} of the {} points of each transport are left out: their rings would exceed {}",
                        left, all, bytesText(range.ringBytes)));
    }
    addDrivingNotes(options, transports, report);
}

}  // namespace

SweepRange standardSweepRange() {
    SweepRange range;
    for (std::uint64_t bytes = 4ULL << 10; bytes <= 64ULL << 20; bytes *= 4) {
        range.blocks.push_back(bytes);
    }
    range.depths = {1, 2, 4, 8, 16, kMaxDepth};
    // A ring at either end, and room for everybody else.
    const std::uint64_t available = memoryInfo("MemAvailable") * 1024;
    range.ringBytes = available == 0 ? kMaxRingBytes : std::min(kMaxRingBytes, available / 4);
    return range;
}

void sweepRange(const SweepRange& range, const BenchOptions& options, BenchReport& report,
                BenchProgress& progress) {
    const std::vector<std::string> transports = usableTransports(options, report);
    if (transports.empty()) {
        return;
    }
    addNotes(range, options, transports, report);
    const Burners burners(options.load);
    const PinnedThread pinned(options.pin.empty() ? -1 : options.pin.front());
    SweepRun run(range, options, report, progress, pointsPerTransport(range) * transports.size());
    try {
        for (const std::string& scheme : transports) {
            for (const std::uint64_t block : range.blocks) {
                if (!run.measureBlock(scheme, block)) {
                    return fitSweep(report);
                }
            }
        }
    } catch (const Error&) {
        // The worker hears the same Ctrl-C, and may be gone before we have looked.
        if (!interruptEvent().isSet()) {
            throw;
        }
    }
    fitSweep(report);
}

void benchSweep(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    sweepRange(standardSweepRange(), options, report, progress);
}

nlohmann::json sweepEchoRole(const nlohmann::json& job, const WorkerEmit& emit) {
    const auto blockBytes = job.at("block_bytes").get<std::uint64_t>();
    const auto slots = job.at("slots").get<std::uint32_t>();
    std::uint64_t blocks = 0;
    serveWorker(job, emit, [&](const Connection& connection) -> std::unique_ptr<ChannelEnd> {
        return std::make_unique<SweepSink>(connection, blockBytes, slots, blocks);
    });
    return {{"blocks", blocks}};
}

}  // namespace verbcast
