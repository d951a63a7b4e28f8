#include "capture/screen/portal/node_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// A busy machine needs a while.
constexpr auto kFormatPatience = 15s;
constexpr Rational kNoLimit{1000, 1};
// Viewers have to learn of another ring at each change between the producer's buffers and ours.
constexpr std::uint32_t kCopiesAfterShortage = 60;

PipeWireNode wanted(std::uint32_t node, const ScreenPace& pace, ScreenMemoryChoice memory) {
    return {.id = node,
            .fastest = pace.isLimited() ? pace.rate() : kNoLimit,
            .inDmaBufs = memory == ScreenMemoryChoice::DmaBuf};
}

}  // namespace

NodeFrames::NodeFrames(const SourceOptions& options, UniqueFd remote, std::uint32_t node)
    : pace_(options),
      memory_(options.screenMemory),
      stream_(std::move(remote), wanted(node, pace_, memory_), kFormatPatience, options.cancel),
      slots_(std::max(1U, options.slots)) {
    if (memory_ == ScreenMemoryChoice::Copy) {
        addNote("each picture is copied once: asked for");
    }
    takeLayout(stream_.agreed());
    format_ = copied_;
}

void NodeFrames::addNote(const std::string& note) {
    if (std::ranges::find(notes_, note) == notes_.end()) {
        notes_.push_back(note);
    }
}

void NodeFrames::takeLayout(const PictureLayout& layout) {
    if (copied_.width != 0 && layout == layout_) {
        return;
    }
    if (layout.mirrored && !layout_.mirrored) {
        addNote("this monitor's picture is mirrored by the desktop: it is sent as it is drawn");
    }
    layout_ = layout;
    copied_ = pace_.format(layout.width, layout.height, layout.pixelFormat);
    copied_.rotation = layout.rotation;
    last_.reset();
    if (pool_ && pool_->slotBytes() < copied_.payloadBytes) {
        slot_.reset();
        pool_.reset();
    }
}

Status NodeFrames::capture(CapturedFrame& frame, const Event& cancel, const Revocation& revocation) {
    frame.lease.reset();
    if (!waitUntil(pace_.nextAt(), cancel)) {
        return Status::Cancelled;
    }
    for (const Deadline deadline = Deadline::in(kLongestCapture); !deadline.passed();) {
        stream_.clearNews();
        if (revocation.happened() || stream_.hasEnded()) {
            return Status::Closed;
        }
        if (const auto waiting = stream_.waiting()) {
            takeLayout(waiting->layout);
            if (takeNext(frame, *waiting, cancel)) {
                return Status::Ok;
            }
        } else if (isRepeatDue() && acquireSlot(cancel) && !stream_.waiting()) {
            repeat(frame);
            return Status::Ok;
        }
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
        const Deadline repeat =
            last_ ? Deadline::in(std::chrono::nanoseconds(pace_.repeatAt() - nowNs())) : Deadline::never();
        waitReadable({stream_.descriptor(), revocation.descriptor, cancel.descriptor()},
                     earlier(deadline, repeat));
    }
    return Status::TimedOut;
}

bool NodeFrames::acquireSlot(const Event& cancel) {
    if (!pool_) {
        const std::uint32_t kept = 1;  // last_
        pool_ = FramePool::create({.slotBytes = copied_.payloadBytes, .slotCount = slots_ + kept});
    }
    return slot_ || pool_->acquire(slot_, cancel) == Status::Ok;
}

bool NodeFrames::takeNext(CapturedFrame& frame, const PipeWireStream::Waiting& waiting, const Event& cancel) {
    // A slot comes first: while we wait for one, newer pictures come.
    if ((copiesLeft_ > 0 || !waiting.inDmaBuf) && !acquireSlot(cancel)) {
        return false;
    }
    if (waiting.inDmaBuf) {
        auto loan = stream_.borrow(layout_);
        return loan && takeLoan(frame, *loan, cancel);
    }
    const auto taken = stream_.take(layout_, slot_.data());
    if (!taken) {
        return false;
    }
    if (const std::string why = stream_.whyNoDmaBufs(); !why.empty()) {
        addNote(fmt::format("each picture is copied once: the desktop's dma-bufs cannot be used: {}", why));
    } else if (memory_ == ScreenMemoryChoice::DmaBuf) {
        addNote("each picture is copied once: the desktop offers no dma-bufs that can be read row by row");
    }
    frame.changed = taken->changed;
    completeCopy(frame, taken->at);
    return true;
}

bool NodeFrames::takeLoan(CapturedFrame& frame, PipeWireStream::Loan& loan, const Event& cancel) {
    frame.changed = loan.taken.changed;
    VideoFormat inPlace = copied_;
    inPlace.planes[0].stride = static_cast<std::uint32_t>(std::abs(loan.picture.stride));
    inPlace.payloadBytes =
        std::uint64_t{inPlace.planes[0].stride} * (inPlace.height - 1) + rowBytes(loan.picture.layout);
    if (mayKeep(loan, inPlace)) {
        addNote("the pictures stay in the desktop's memory, as dma-bufs");
        complete(frame, std::move(loan.lease), inPlace, loan.taken.at);
        return true;
    }
    if (!acquireSlot(cancel)) {
        missed_ = true;
        return false;
    }
    copyRows(loan.picture, loan.lease.data(), slot_.data());
    loan.lease.reset();
    copiesLeft_ -= copiesLeft_ > 0 ? 1 : 0;
    completeCopy(frame, loan.taken.at);
    return true;
}

/// Whether the frame may lie in the producer's buffer; else notes why not.
bool NodeFrames::mayKeep(const PipeWireStream::Loan& loan, const VideoFormat& format) {
    if (loan.shortage) {
        copiesLeft_ = kCopiesAfterShortage;
    }
    std::string why = loan.mustBeCopied;
    if (const auto problem = why.empty() ? formatProblem(format) : std::nullopt) {
        why = *problem;
    }
    if (!why.empty()) {
        addNote(fmt::format("{} copied once, from the desktop's dma-bufs: {}",
                            loan.shortage ? "some pictures are" : "each picture is", why));
    }
    return why.empty() && copiesLeft_ == 0;
}

bool NodeFrames::isRepeatDue() {
    if (last_ && last_.pool() != pool_ && !stream_.stillLends(last_)) {
        last_.reset();  // the producer may draw there
    }
    return last_ && nowNs() >= pace_.repeatAt();
}

void NodeFrames::repeat(CapturedFrame& frame) {
    copyRows({.layout = layout_, .stride = std::ptrdiff_t{format_.planes[0].stride}}, last_.data(),
             slot_.data());
    frame.changed = PictureChanges::none();
    completeCopy(frame, nowNs());
}

void NodeFrames::completeCopy(CapturedFrame& frame, TimestampNs capturedAt) {
    ++counters_.pixelCopies;
    complete(frame, std::move(slot_), copied_, capturedAt);
}

void NodeFrames::complete(CapturedFrame& frame, FrameLease lease, const VideoFormat& format,
                          TimestampNs capturedAt) {
    if (std::exchange(missed_, false)) {
        frame.changed = PictureChanges::all();
    }
    frame.pts = pace_.taken(nowNs());
    frame.lease = std::move(lease);
    last_ = frame.lease.share();
    frame.format = format_ = format;
    frame.flags = 0;
    frame.capturedAt = capturedAt;
    frame.inputSequence = 0;
    ++counters_.frames;
}

}  // namespace verbcast
