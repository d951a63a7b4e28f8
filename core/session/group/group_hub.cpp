#include "core/session/group/group_hub.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/log.h"
#include "core/base/stranger_log.h"
#include "core/session/greeting/handshake.h"

namespace verbcast {
namespace {

using multicast::ChunkRange;
using multicast::DatagramHead;

// One leaves, and one follows it at once: more would only be older when they come.
constexpr std::size_t kMaxQueue = 2;
constexpr std::chrono::milliseconds kLookForOthers = multicast::kBeaconInterval * 5 / 2;

/// Only beacons: a group's sender hears its own frames on its host otherwise.
void hearOnlyBeacons(int socket) {
    constexpr std::uint32_t kKindAt = 8 + offsetof(DatagramHead, kind);  // behind UDP's head
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, kKindAt),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(multicast::DatagramKind::Beacon), 0,
                 1),
        BPF_STMT(BPF_RET | BPF_K, 0xffff),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const sock_fprog filter{std::size(program), program};
    ::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

UniqueFd roomOf(int socket) {
    UniqueFd room(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{};
    event.events = EPOLLOUT;
    if (!room || ::epoll_ctl(room.get(), EPOLL_CTL_ADD, socket, &event) != 0) {
        throwErrno(ErrorKind::Resource, "epoll", "a multicast group", errno,
                   "raise the limit of open files: ulimit -n 4096");
    }
    return room;
}

std::string describe(const multicast::FoundSender& other) {
    const std::string host = multicast::hostText(other.from.sin_addr);
    return other.beacon.name.empty() ? host : fmt::format("{} ({})", other.beacon.name, host);
}

}  // namespace

GroupHub::GroupHub(const GroupOptions& options)
    : options_(options),
      interface_(multicast::interfaceOf(options.address)),
      stream_(newInstance() | 1),
      chunkBytes_(multicast::chunkBytesFor(interface_.mtu, options.tagged)),
      sender_(options.address, interface_, options.ttl),
      ear_(multicast::joinGroup(options.address, interface_)),
      room_(roomOf(sender_.descriptor())),
      pace_(interface_.bitRate, options.bitRate) {
    hearOnlyBeacons(ear_.get());
    if (options_.tagged) {
        makeKey();
        useNewKey(nowNs());
    }
    refuseIfInUse();
    applyPace();
    log(LogCategory::Stream)
        .info("multicast: {} on {}, {} bytes in a datagram, {:.1f} Gbit/s", options_.address.text(),
              interface_.name, chunkBytes_, static_cast<double>(pace_.bytesPerSecond()) * 8e-9);
    thread_ = std::jthread([this] { run(); });
}

GroupHub::~GroupHub() {
    stopping_ = true;
    work_.notify();
}

void GroupHub::refuseIfInUse() {
    const Deadline end = Deadline::in(kLookForOthers);
    while (!end.passed()) {
        sayBeacon(true);
        const Deadline next = earlier(end, Deadline::in(multicast::kBeaconInterval / 2));
        while (const auto other = multicast::hearBeacon(ear_.get(), stream_, true, next, nullptr)) {
            // Of two that look at the same time, one has to give way.
            if (!other->beacon.asks || other->beacon.stream < stream_) {
                throw Error(ErrorKind::Network,
                            fmt::format("the group {} on {} is in use: {} sends a stream there",
                                        options_.address.text(), interface_.name, describe(*other)),
                            "choose another group or port: --multicast 239.10.0.8:7424");
            }
        }
    }
}

void GroupHub::announce(std::uint16_t port) {
    port_ = port;
    work_.notify();
}

GroupOffer GroupHub::offer() const {
    GroupOffer offer;
    const sockaddr_in source = sender_.source();
    offer.stream = stream_;
    std::memcpy(offer.group.data(), &options_.address.group, offer.group.size());
    std::memcpy(offer.source.data(), &source.sin_addr, offer.source.size());
    offer.port = options_.address.port;
    offer.sourcePort = ntohs(source.sin_port);
    offer.chunkBytes = chunkBytes_;
    offer.lossless = options_.lossless;
    offer.tagged = options_.tagged;
    offer.encrypted = options_.encrypted;
    return offer;
}

GroupStats GroupHub::stats() const {
    GroupStats stats;
    stats.frames = frames_;
    stats.datagrams = datagrams_;
    stats.bytes = sentBytes_;
    stats.repeatedBytes = repeatedBytes_;
    stats.repairedBytes = writtenBytes_;
    stats.requests = requests_;
    return stats;
}

GroupHub::Viewer GroupHub::join(std::uint64_t bitRate, const Event* room) {
    const std::lock_guard lock(mutex_);
    pace_.join(++lastViewer_, bitRate, nowNs());
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

GroupHub::Submitted GroupHub::submit(Viewer viewer, const OutgoingFrame& frame) {
    const std::uint64_t bytes = frame.info.payloadBytes;
    if (bytes == 0 || bytes > multicast::kMaxFrameBytes || bytes / chunkBytes_ >= multicast::kMaxChunks) {
        throw Error(ErrorKind::Usage, fmt::format("frames of {} bytes are too large for multicast", bytes),
                    "send smaller pictures, or leave out --multicast");
    }
    Submitted submitted;
    {
        const std::lock_guard lock(mutex_);
        Member& member = members_.at(viewer);
        const std::uint64_t sequence = frame.info.sequence;
        // Numbers rise for each viewer: who was given a late frame takes those that left before it late, too.
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
            made.bytes = bytes;
            made.chunks = multicast::chunksOf(bytes, chunkBytes_);
            made.alone = newestSequence_ && sequence <= *newestSequence_;
            submitted.leaves = !made.alone;
            newestSequence_ = std::max(newestSequence_.value_or(0), sequence);
        }
        Frame& taken = sending_[submitted.number];
        taken.uses.push_back({viewer});
        member.lastNumber = submitted.number;
        member.lastSequence = sequence;
        for (auto& [number, each] : sending_) {
            makeReady(number, each);  // who takes this one has been counted for those before, too
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

/// To the kernel, which may pace, too.
void GroupHub::applyPace() {
    if (const std::uint64_t pace = pace_.bytesPerSecond(); pace != paceSet_) {
        paceSet_ = pace;
        sender_.setPace(pace);
    }
}

/// Lossless waits for all that take part. Who takes a newer frame has dropped this one, or has it.
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
        ++frames_;
    }
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
        ++requests_;
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
        for (const ChunkRange& range : ranges) {
            for (std::uint32_t chunk = range.first; chunk < range.first + range.count; ++chunk) {
                std::uint16_t& asked = frame.askedBy[chunk];
                if (!frame.alone && chunk >= frame.next) {
                    break;  // it has not left yet, nor have those behind it
                }
                ++repair.lost;
                if (!writable) {
                    asked = kRepeated;
                    append(again, chunk);
                } else if (whole || asked == 0 || asked == self) {
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
        // What is missing after an answer is this viewer's own trouble.
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
