#include "capture/screen/portal/portal_source.h"

#include <fmt/format.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "capture/screen/portal/portal.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

// A busy machine needs a while.
constexpr auto kPatience = 15s;
constexpr Rational kNoLimit{1000, 1};

}  // namespace

PortalSupport portalSupport() {
    return {true,
            fmt::format("libpipewire {}, libsystemd {}", pw_get_library_version(), VERBCAST_SYSTEMD_VERSION)};
}

std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions& options, std::string_view what) {
    return std::make_unique<PortalSource>(options, what);
}

PortalSource::PortalSource(const SourceOptions& options, std::string_view what)
    : PortalSource(options, parseScreenChoice(what), RestoreToken(parseScreenChoice(what).types)) {}

PortalSource::PortalSource(const SourceOptions& options, const ScreenChoice& choice,
                           const RestoreToken& token)
    : pace_(options),
      cast_({choice.types, choice.askAgain ? std::string() : token.load(), options.cancel}),
      stream_(cast_.openPipeWire(), cast_.node(), pace_.isLimited() ? pace_.rate() : kNoLimit, kPatience,
              options.cancel),
      slots_(std::max(1U, options.slots)) {
    if (!token.save(cast_.restoreToken())) {
        notes_.push_back(fmt::format("the desktop will ask again: {} cannot be written", token.path()));
    }
    if (!cast_.pointerInPicture()) {
        notes_.push_back("this desktop's portal draws no pointer into the picture");
    }
    takeLayout(stream_.agreed());
}

std::string PortalSource::describe() const {
    return "screen of the desktop (ScreenCast portal)";
}

std::unique_ptr<InputInjector> PortalSource::inputInjector() {
    throw Error(ErrorKind::Display,
                "--allow-input: the desktop's ScreenCast portal takes no input from viewers",
                "leave --allow-input out; in an X11 session verbcast send screen takes it");
}

void PortalSource::takeLayout(const PictureLayout& layout) {
    if (pool_ && layout == layout_) {
        return;
    }
    if (layout.mirrored && !layout_.mirrored) {
        notes_.push_back("this monitor's picture is mirrored by the desktop: it is sent as it is drawn");
    }
    layout_ = layout;
    format_ = pace_.format(layout.width, layout.height, layout.pixelFormat);
    format_.rotation = layout.rotation;
    last_.reset();
    if (!pool_ || pool_->slotBytes() < format_.payloadBytes) {
        slot_.reset();
        const std::uint32_t kept = 1;  // last_
        pool_ = FramePool::create({.slotBytes = format_.payloadBytes, .slotCount = slots_ + kept});
    }
}

Status PortalSource::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    if (!waitUntil(pace_.nextAt(), cancel)) {
        return Status::Cancelled;
    }
    for (;;) {
        stream_.clearNews();
        if (cast_.hasEnded() || stream_.hasEnded()) {
            return end();
        }
        if (const auto layout = stream_.waiting()) {
            takeLayout(*layout);
        }
        if (cancel.isSet() || !acquireSlot(cancel)) {
            return Status::Cancelled;
        }
        if (tryTake(frame) || tryRepeat(frame)) {
            return Status::Ok;
        }
        const TimestampNs left = last_ ? std::max<TimestampNs>(0, pace_.repeatAt() - nowNs()) : -1;
        waitReadable({stream_.descriptor(), cast_.descriptor(), cancel.descriptor()},
                     std::chrono::nanoseconds(left));
    }
}

bool PortalSource::acquireSlot(const Event& cancel) {
    while (!slot_) {
        if (cancel.isSet()) {
            return false;
        }
        if (auto lease = pool_->acquire(std::chrono::hours(1), &cancel)) {
            slot_ = std::move(*lease);
        }
    }
    return true;
}

bool PortalSource::tryTake(CapturedFrame& frame) {
    const auto taken = stream_.take(layout_, slot_.data());
    if (!taken) {
        return false;
    }
    frame.changed = taken->changed;
    complete(frame, taken->at);
    return true;
}

bool PortalSource::tryRepeat(CapturedFrame& frame) {
    const TimestampNs now = nowNs();
    if (!last_ || now < pace_.repeatAt()) {
        return false;
    }
    std::memcpy(slot_.data(), last_.data(), format_.payloadBytes);
    frame.changed = PictureChanges::none();
    complete(frame, now);
    return true;
}

void PortalSource::complete(CapturedFrame& frame, TimestampNs capturedAt) {
    frame.pts = pace_.taken(nowNs());
    frame.lease = std::move(slot_);
    last_ = frame.lease.share();
    frame.format = format_;
    frame.flags = 0;
    frame.capturedAt = capturedAt;
    frame.inputSequence = 0;
    ++counters_.frames;
    ++counters_.pixelCopies;
}

Status PortalSource::end() {
    if (!std::exchange(ended_, true)) {
        notes_.push_back("the picture ends: the desktop has stopped the screen cast");
    }
    return Status::Closed;
}

}  // namespace verbcast
