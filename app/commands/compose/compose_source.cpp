#include "app/commands/compose/compose_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture/convert/merge_pictures.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kOneWait = 100ms;

std::vector<MatchedParts::Part> partsOf(const std::vector<ReceiverOptions>& options) {
    std::vector<MatchedParts::Part> parts;
    parts.reserve(options.size());
    for (const ReceiverOptions& each : options) {
        parts.push_back({.name = each.url.text(), .receiver = std::make_shared<FrameReceiver>(each)});
    }
    return parts;
}

}  // namespace

ComposeSource::ComposeSource(const Options& options)
    : parts_(partsOf(options.parts)),
      input_(std::make_shared<PartsInput>()),
      by_(options.by),
      keepDepth_(options.keepDepth),
      slots_(options.slots) {}

bool ComposeSource::open(ProgressLine& line, std::optional<std::chrono::nanoseconds> patience,
                         const Event& interrupt) {
    const TimestampNs begunAt = nowNs();
    for (MatchedParts::Part& part : parts_.parts()) {
        Status status = parts_.awaitFrame(part, kOneWait);
        for (; status == Status::TimedOut; status = parts_.awaitFrame(part, kOneWait)) {
            if (interrupt.isSet()) {
                return false;
            }
            line.state(part.receiver->status().text);
            if (patience && nowNs() - begunAt >= patience->count() &&
                part.receiver->stats().connections == 0) {
                throw Error(ErrorKind::Network, fmt::format("no sender connected within {:g} s (--wait): {}",
                                                            std::chrono::duration<double>(*patience).count(),
                                                            part.receiver->status().text));
            }
        }
        if (status != Status::Ok) {
            return false;
        }
        const ReceiverStatus from = part.receiver->status();
        line.note(fmt::format("receiving {} from {} over {} ({})", verbcast::describe(*part.frame->format),
                              from.channel.peer, from.channel.transport, from.transportReason));
    }
    if (const auto found = misfit()) {
        throw Error(ErrorKind::Input, found->text, found->remedy);
    }
    takeFormat();
    return true;
}

std::string ComposeSource::describe() const {
    return fmt::format("{} parts, merged by {}", parts_.parts().size(),
                       by_ == MergeBy::Order ? "order" : "depth");
}

bool ComposeSource::wasLost() const {
    return std::ranges::any_of(parts_.parts(), [](const MatchedParts::Part& part) {
        return part.receiver->status().state == StreamState::Lost;
    });
}

/// Why a part's pictures cannot be merged; nothing if they can.
std::optional<ComposeSource::Misfit> ComposeSource::misfitOf(const VideoFormat& format,
                                                             const std::string& name) const {
    if (by_ == MergeBy::Order) {
        const auto problem = orderProblem(format);
        return problem ? std::optional(Misfit{fmt::format("{} cannot be merged by order: {}", name, *problem),
                                              "send it as rgba, with premultiplied alpha"})
                       : std::nullopt;
    }
    const auto problem = mergeProblem(format);
    return problem
               ? std::optional(Misfit{fmt::format("{} cannot be merged by depth: {}", name, *problem),
                                      "send parts with verbcast render --part, or with compose --keep-depth; "
                                      "parts with alpha are merged with --by order"})
               : std::nullopt;
}

/// Why the current frames are not parts of one picture; nothing if they are.
std::optional<ComposeSource::Misfit> ComposeSource::misfit() const {
    const MatchedParts::Part& leader = parts_.parts().front();
    const VideoFormat& first = *leader.frame->format;
    for (const MatchedParts::Part& part : parts_.parts()) {
        const VideoFormat& format = *part.frame->format;
        if (auto problem = misfitOf(format, part.name)) {
            return problem;
        }
        if (format.width != first.width || format.height != first.height ||
            format.pixelFormat != first.pixelFormat || format.timeBase != first.timeBase) {
            return Misfit{
                fmt::format("{} sends {}, and {} sends {}: parts of one picture have the same size, "
                            "pixel format and rate",
                            part.name, verbcast::describe(format), leader.name, verbcast::describe(first)),
                ""};
        }
    }
    return std::nullopt;
}

/// Determines the format of the merged picture from the current frames, which fit.
void ComposeSource::takeFormat() {
    const VideoFormat merged = mergedFormat(*parts_.parts().front().frame->format, keepDepth_);
    if (!pool_ || merged != format_) {
        format_ = merged;
        pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = slots_});
    }
}

/// What a part sends is its own affair: viewers keep the last picture until the parts fit again.
bool ComposeSource::leaveMisfits() {
    const auto found = misfit();
    const std::string text = found ? found->text : "";
    if (text != lastMisfit_) {
        parts_.note(found ? text + "; the last picture stays until they fit" : "the parts fit again");
        lastMisfit_ = text;
    }
    if (found) {
        parts_.leaveSet();
    }
    return found.has_value();
}

void ComposeSource::merge(std::byte* payload) const {
    std::vector<PartPicture> pictures;
    for (const MatchedParts::Part& part : parts_.parts()) {
        pictures.push_back({part.frame->format.get(), part.frame->lease.data()});
    }
    by_ == MergeBy::Order ? mergeByOrder(pictures, format_, payload)
                          : mergeByDepth(pictures, format_, payload);
}

std::unique_ptr<InputInjector> ComposeSource::inputInjector() {
    std::vector<std::shared_ptr<FrameReceiver>> taking;
    for (const MatchedParts::Part& part : parts_.parts()) {
        if (part.receiver->inputAllowed()) {
            taking.push_back(part.receiver);
        } else {
            parts_.note(fmt::format("{} takes no input from viewers", part.name));
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

SourceCounters ComposeSource::counters() const {
    SourceCounters counters = counters_;
    counters.framesLost += parts_.framesLeft();
    return counters;
}

Status ComposeSource::capture(CapturedFrame& frame, const Event& cancel) {
    if (const Status status = parts_.awaitSet(kOneWait); status != Status::Ok) {
        return status == Status::TimedOut && cancel.isSet() ? Status::Cancelled : status;
    }
    if (leaveMisfits()) {
        return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    std::optional<FrameLease> lease = pool_->acquire(kOneWait, &cancel);
    if (!lease) {
        return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    takeFormat();
    if (lease->pool() != pool_) {
        return Status::TimedOut;  // of another size than before
    }
    const ReceivedFrame& first = *parts_.parts().front().frame;
    frame.flags = 0;
    frame.changed = PictureChanges::none();
    frame.capturedAt = first.arrivedAt;
    frame.pts = first.info.pts;
    for (const MatchedParts::Part& part : parts_.parts()) {
        const ReceivedFrame& each = *part.frame;
        frame.flags |= each.info.flags;
        frame.changed.add(part.changed);
        frame.capturedAt = std::min(frame.capturedAt, each.clockKnown ? each.capturedAt : each.arrivedAt);
        input_->shows(*part.receiver, each.info.inputSequence);
    }
    merge(lease->data());
    if (parts_.dropTakenBack()) {
        return Status::TimedOut;
    }
    frame.format = format_;
    frame.lease = std::move(*lease);
    frame.inputSequence = input_->shownByAll();
    parts_.finishSet();
    ++counters_.frames;
    ++counters_.pixelCopies;
    counters_.framesDamaged += (frame.flags & kFrameDamaged) != 0 ? 1 : 0;
    return Status::Ok;
}

}  // namespace verbcast
