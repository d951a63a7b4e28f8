#include "app/compose/compose_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture/convert/merge_by_depth.h"
#include "capture/convert/merge_by_order.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kOneWait = 100ms;
/// Frames in a row that belong to none of another part: the hosts' clocks are apart.
constexpr std::uint64_t kManyUnmatched = 120;

}  // namespace

ComposeSource::ComposeSource(const Options& options)
    : input_(std::make_shared<PartsInput>()),
      by_(options.by),
      keepDepth_(options.keepDepth),
      slots_(options.slots) {
    for (const ReceiverOptions& each : options.parts) {
        Part part;
        part.name = each.url.text();
        part.receiver = std::make_shared<FrameReceiver>(each);
        parts_.push_back(std::move(part));
    }
}

bool ComposeSource::open(ProgressLine& line, std::optional<std::chrono::nanoseconds> patience,
                         const Event& interrupt) {
    const TimestampNs begunAt = nowNs();
    for (Part& part : parts_) {
        Status status = awaitFrame(part, interrupt);
        for (; status == Status::TimedOut; status = awaitFrame(part, interrupt)) {
            line.state(part.receiver->status().text);
            if (patience && nowNs() - begunAt >= patience->count() &&
                part.receiver->stats().connections == 0) {
                throw Error(ErrorKind::Network, fmt::format("no sender has come in {:g} s (--wait): {}",
                                                            std::chrono::duration<double>(*patience).count(),
                                                            part.receiver->status().text));
            }
        }
        if (status != Status::Ok) {
            return false;
        }
        const ReceiverStatus from = part.receiver->status();
        line.note(fmt::format("receiving {} from {} over {} ({})",
                              verbcast::describe(*part.waiting.front().format), from.channel.peer,
                              from.channel.transport, from.transportReason));
    }
    takeFormat();
    return true;
}

std::string ComposeSource::describe() const {
    return fmt::format("{} parts, merged by {}", parts_.size(), by_ == MergeBy::Order ? "order" : "depth");
}

bool ComposeSource::wasLost() const {
    return std::ranges::any_of(
        parts_, [](const Part& part) { return part.receiver->status().state == StreamState::Lost; });
}

/// Until the part has a frame that waits.
Status ComposeSource::awaitFrame(Part& part, const Event& cancel) {
    if (!part.waiting.empty()) {
        return Status::Ok;
    }
    ReceivedFrame frame;
    const Status status = part.receiver->receive(frame, kOneWait);
    if (status == Status::Ok) {
        part.changed.add(PictureChanges::of(frame.info));
        part.waiting.push_back(std::move(frame));
        if (std::exchange(part.lost, false)) {
            notes_.push_back(fmt::format("{}: signal restored", part.name));
        }
        return Status::Ok;
    }
    if (status == Status::TimedOut) {
        noteLoss(part);
        return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    return status;
}

void ComposeSource::noteLoss(Part& part) {
    const ReceiverStatus status = part.receiver->status();
    if (status.state == StreamState::Lost && !std::exchange(part.lost, true)) {
        notes_.push_back(fmt::format("{}: signal lost ({}); trying again", part.name, status.senderReason));
    }
}

void ComposeSource::noteUnmatched(Part& part) {
    if (++part.unmatched == kManyUnmatched) {
        notes_.push_back(
            fmt::format("{}: none of its last {} frames has the time stamp of one of every other part: use "
                        "the same --fps "
                        "for all, and keep the hosts' clocks together (NTP, PTP)",
                        part.name, kManyUnmatched));
    }
}

/// Drops what is older than the oldest frame of some part: its partner will not come any more. False when
/// nothing was.
bool ComposeSource::dropUnmatched() {
    std::int64_t latest = parts_.front().waiting.front().info.pts;
    for (const Part& part : parts_) {
        latest = std::max(latest, part.waiting.front().info.pts);
    }
    bool dropped = false;
    for (Part& part : parts_) {
        if (part.waiting.front().info.pts < latest) {
            part.waiting.pop_front();
            ++counters_.framesLost;
            noteUnmatched(part);
            dropped = true;
        }
    }
    return dropped;
}

/// Until the oldest frames of all parts belong together. TimedOut between two frames that do not, so that
/// whoever waits hears of notes and of an interrupt.
Status ComposeSource::awaitMatch(const Event& cancel) {
    for (Part& part : parts_) {
        if (const Status status = awaitFrame(part, cancel); status != Status::Ok) {
            return status;
        }
    }
    if (!dropUnmatched()) {
        return Status::Ok;
    }
    return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
}

/// Drops those that their senders took back while they waited or were merged.
bool ComposeSource::dropTakenBack() {
    bool dropped = false;
    for (Part& part : parts_) {
        if (!part.receiver->confirm(part.waiting.front())) {
            part.waiting.pop_front();
            ++counters_.framesLost;
            dropped = true;
        }
    }
    return dropped;
}

void ComposeSource::requireMergeable(const Part& part) const {
    const VideoFormat& format = *part.waiting.front().format;
    if (by_ == MergeBy::Order) {
        if (const auto problem = orderProblem(format)) {
            throw Error(ErrorKind::Input,
                        fmt::format("{} cannot be merged by order: {}", part.name, *problem),
                        "send it as rgba, with colours that are premultiplied by alpha");
        }
    } else if (const auto problem = mergeProblem(format)) {
        throw Error(ErrorKind::Input, fmt::format("{} cannot be merged by depth: {}", part.name, *problem),
                    "send parts with verbcast render --part, or with compose --keep-depth; what has alpha "
                    "is merged with --by order");
    }
}

/// What the frames in front make together.
void ComposeSource::takeFormat() {
    const VideoFormat& first = *parts_.front().waiting.front().format;
    for (const Part& part : parts_) {
        const VideoFormat& format = *part.waiting.front().format;
        requireMergeable(part);
        if (format.width != first.width || format.height != first.height ||
            format.pixelFormat != first.pixelFormat || format.timeBase != first.timeBase) {
            throw Error(ErrorKind::Input,
                        fmt::format("{} sends {}, and {} sends {}: parts of one picture have the same size, "
                                    "pixel format and rate",
                                    part.name, verbcast::describe(format), parts_.front().name,
                                    verbcast::describe(first)));
        }
    }
    const VideoFormat merged = mergedFormat(first, keepDepth_);
    if (!pool_ || merged != format_) {
        format_ = merged;
        pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = slots_});
    }
}

void ComposeSource::merge(std::byte* payload) const {
    if (by_ == MergeBy::Order) {
        std::vector<AlphaPicture> pictures;
        for (const Part& part : parts_) {
            pictures.push_back({part.waiting.front().format.get(), part.waiting.front().lease.data()});
        }
        mergeByOrder(pictures, format_, payload);
        return;
    }
    std::vector<DepthPicture> pictures;
    for (const Part& part : parts_) {
        pictures.push_back({part.waiting.front().format.get(), part.waiting.front().lease.data()});
    }
    mergeByDepth(pictures, format_, payload);
}

std::unique_ptr<InputInjector> ComposeSource::inputInjector() {
    std::vector<std::shared_ptr<FrameReceiver>> taking;
    for (const Part& part : parts_) {
        if (part.receiver->inputAllowed()) {
            taking.push_back(part.receiver);
        } else {
            notes_.push_back(fmt::format("{} takes no input from viewers", part.name));
        }
    }
    if (taking.empty()) {
        throw Error(ErrorKind::Usage, "--allow-input: no part takes input from viewers",
                    "start the parts with --allow-input, too, for example verbcast render --part 1/2 "
                    "--allow-input");
    }
    input_->sendTo(std::move(taking));
    return input_->injector(input_);
}

Status ComposeSource::capture(CapturedFrame& frame, const Event& cancel) {
    if (const Status status = awaitMatch(cancel); status != Status::Ok) {
        return status;
    }
    std::optional<FrameLease> lease = pool_->acquire(kOneWait, &cancel);
    if (!lease) {
        return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    takeFormat();
    if (lease->pool() != pool_) {
        return Status::TimedOut;  // of another size than the one before
    }
    frame.flags = 0;
    frame.changed = PictureChanges::none();
    frame.capturedAt = parts_.front().waiting.front().arrivedAt;
    for (Part& part : parts_) {
        const ReceivedFrame& each = part.waiting.front();
        frame.flags |= each.info.flags;
        frame.changed.add(part.changed);
        frame.capturedAt = std::min(frame.capturedAt, each.clockKnown ? each.capturedAt : each.arrivedAt);
        input_->shows(*part.receiver, each.info.inputSequence);
    }
    merge(lease->data());
    if (dropTakenBack()) {
        return Status::TimedOut;
    }
    frame.format = format_;
    frame.lease = std::move(*lease);
    frame.pts = parts_.front().waiting.front().info.pts;
    frame.inputSequence = input_->shownByAll();
    for (Part& part : parts_) {
        part.waiting.pop_front();
        part.changed = PictureChanges::none();
        part.unmatched = 0;
    }
    ++counters_.frames;
    ++counters_.pixelCopies;
    counters_.framesDamaged += (frame.flags & kFrameDamaged) != 0 ? 1 : 0;
    return Status::Ok;
}

}  // namespace verbcast
