#include "core/multicast/group_hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/log/log.h"
#include "core/session/greeting/handshake.h"
#include "core/transport/multicast/group_socket.h"

namespace verbcast {
namespace {

using multicast::ChunkRange;

// One is being sent, and one follows it at once: more would only be older when they arrive.
constexpr std::size_t kMaxQueue = 2;

}  // namespace

GroupHub::GroupHub(const GroupOptions& options, const OpenRdma& open)
    : GroupHub(options, multicast::interfaceOf(options.address), newInstance() | 1, open) {}

GroupHub::GroupHub(const GroupOptions& options, const multicast::GroupInterface& interface,
                   std::uint64_t stream, const OpenRdma& open)
    : GroupHub(options,
               std::make_unique<GroupBeacons>(options.address, interface, options.ttl, stream, options.name,
                                              options.key),
               std::make_unique<multicast::GroupSender>(options.address, interface, options.ttl), stream,
               interface, open) {
    openRdma();
}

GroupHub::GroupHub(const GroupOptions& options, std::unique_ptr<multicast::GroupPort> port)
    : GroupHub(options, nullptr, std::move(port), newInstance() | 1, {}, {}) {}

GroupHub::GroupHub(const GroupOptions& options, std::unique_ptr<GroupBeacons> beacons,
                   std::unique_ptr<multicast::GroupPort> port, std::uint64_t stream,
                   const multicast::GroupInterface& interface, OpenRdma open)
    : options_(options),
      beacons_(std::move(beacons)),
      port_(std::move(port)),
      origin_(port_->origin()),
      groupId_(port_->group()),
      stream_(stream),
      chunkBytes_(multicast::chunkBytesFor(port_->datagramBytes(), options.tagged)),
      interface_(interface),
      open_(std::move(open)),
      pace_(port_->bitRate(), options.bitRate) {
    if (options_.tagged) {
        makeKey();
        useNewKey(nowNs());
    }
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
    const std::lock_guard lock(mutex_);
    GroupStats byRdma = pastRdma_;
    if (rdma_) {
        addCounts(byRdma, rdma_->stats());
    }
    byRdma.rdmaFrames = byRdma.frames;
    byRdma.rdmaDatagrams = byRdma.datagrams;
    addCounts(stats, byRdma);
    return stats;
}

GroupHub::Viewer GroupHub::join(std::uint64_t bitRate, const Event* room, const std::string& host) {
    const std::lock_guard lock(mutex_);
    pace_.join(++lastViewer_, bitRate, host, nowNs());
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
        changeKey();
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
    Repair repair;
    {
        const std::lock_guard lock(mutex_);
        ++counters_[&GroupStats::requests];
        const auto found = sending_.find(number);
        if (found == sending_.end()) {
            return repair;
        }
        Frame& frame = found->second;
        const auto use = std::ranges::find(frame.uses, viewer, &Use::viewer);
        if (use == frame.uses.end()) {
            return repair;
        }
        if (frame.askedBy.empty()) {
            frame.askedBy.assign(frame.chunks, 0);
        }
        const auto self = static_cast<std::uint16_t>(viewer % (kRepeated - 1) + 1);
        const bool whole = use->repairedByGroup || frame.alone;
        const auto append = [](auto& list, std::uint32_t chunk) {
            if (!list.empty() && list.back().first + list.back().count == chunk) {
                ++list.back().count;
            } else {
                list.push_back({chunk, 1});
            }
        };
        std::vector<ChunkRange> again;
        const auto mayRepeat = [this] {
            const bool may = repeatable_ >= chunkBytes_;
            repeatable_ -= may ? chunkBytes_ : 0;
            return may;
        };
        for (const ChunkRange& range : ranges) {
            for (std::uint32_t chunk = range.first; chunk < range.first + range.count; ++chunk) {
                std::uint16_t& asked = frame.askedBy[chunk];
                if (!frame.alone && chunk >= frame.next) {
                    break;  // it has not left yet, nor have those behind it
                }
                ++repair.lost;
                if (!writable) {
                    if (mayRepeat()) {
                        asked = kRepeated;
                        append(again, chunk);
                    }
                } else if (whole || asked == 0 || asked == self || (asked != kRepeated && !mayRepeat())) {
                    asked = asked == 0 ? self : asked;
                    append(repair.alone, chunk);
                } else if (std::exchange(asked, kRepeated) != kRepeated) {
                    append(again, chunk);
                }
            }
        }
        for (const ChunkRange& range : again) {
            repeats_.push_back({number, range});
        }
        // What is still missing after an answer is this viewer's own problem.
        use->repairedByGroup |= repair.lost > 0;
        if (again.empty()) {
            return repair;
        }
    }
    work_.notify();
    return repair;
}

std::uint64_t GroupHub::bytesPerSecond() const {
    const std::lock_guard lock(mutex_);
    return pace_.bytesPerSecond();
}

}  // namespace verbcast
