#include "app/commands/relay/relay_source.h"

#include <fmt/format.h>

#include <utility>

#include "app/commands/relay/relayed_sound.h"

namespace verbcast {
namespace {

constexpr std::chrono::nanoseconds kPatience = std::chrono::milliseconds(100);
/// Sound that came for so long without a picture is alone; pictures may need a while for their ring.
constexpr TimestampNs kSoundAlone = 1'000'000'000;

}  // namespace

bool RelaySource::open(ProgressLine& line, std::optional<std::chrono::nanoseconds> patience,
                       const Event& interrupt) {
    const TimestampNs begunAt = nowNs();
    Status status = receive(interrupt);
    for (; status == Status::TimedOut && !soundIsAlone(status); status = receive(interrupt)) {
        line.state(receiver_.status().text);
        if (patience && nowNs() - begunAt >= patience->count() && receiver_.stats().connections == 0) {
            throw Error(ErrorKind::Network, fmt::format("no sender connected within {:g} s (--wait): {}",
                                                        std::chrono::duration<double>(*patience).count(),
                                                        receiver_.status().text));
        }
    }
    if (status == Status::Ok) {
        format_ = *next_.format;
        begin(line, verbcast::describe(format_), next_.lossless);
    } else if (soundIsAlone(status)) {
        begin(line, "sound of " + verbcast::describe(*firstSound_.sound), firstSound_.lossless);
    } else {
        return false;
    }
    return true;
}

/// `pictures`: what became of waiting for one. Takes the first block.
bool RelaySource::soundIsAlone(Status pictures) {
    if (firstSound_.lease) {
        return true;
    }
    const TimestampNs now = nowNs();
    if (soundSince_ == 0 && receiver_.status().state == StreamState::Streaming) {
        soundSince_ = now;
    }
    const bool alone = pictures == Status::Closed || (soundSince_ != 0 && now - soundSince_ >= kSoundAlone);
    return alone && receiver_.receive(firstSound_, std::chrono::nanoseconds(0), kSoundTrack) == Status::Ok;
}

void RelaySource::begin(ProgressLine& line, const std::string& what, bool lossless) {
    policy_ = lossless ? Policy::Lossless : Policy::Latest;
    const ReceiverStatus from = receiver_.status();
    line.note(fmt::format("receiving {} from {} over {} ({}; {})", what, from.channel.peer,
                          from.channel.transport, from.transportReason, from.channel.detail));
}

std::string RelaySource::describe() const {
    const ReceiverStatus status = receiver_.status();
    return fmt::format("stream of {} ({})", status.peerName, status.channel.transport);
}

std::unique_ptr<SoundBeside> RelaySource::soundBeside(Policy policy) {
    waitsForSound_ = !mayDrop(policy);
    return std::make_unique<RelayedSound>(receiver_, policy, std::move(firstSound_));
}

Status RelaySource::receive(const Event& cancel) {
    if (cancel.isSet()) {  // however fast frames come
        return Status::Cancelled;
    }
    if (next_.lease) {
        return Status::Ok;
    }
    const Status status = waitsForSound_ ? receiver_.receiveUnless(kSoundTrack, next_, kPatience)
                                         : receiver_.receive(next_, kPatience);
    if (status == Status::Ok && !receiver_.confirm(next_)) {
        next_ = {};
        return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    if (status == Status::TimedOut) {
        noteLoss();
        return cancel.isSet() ? Status::Cancelled : Status::TimedOut;
    }
    return status;
}

void RelaySource::noteLoss() {
    const ReceiverStatus status = receiver_.status();
    if (status.state == StreamState::Lost && !std::exchange(lost_, true)) {
        news_.push_back(fmt::format("signal lost ({}); trying again", status.senderReason));
    }
}

Status RelaySource::capture(CapturedFrame& frame, const Event& cancel) {
    if (const Status status = receive(cancel); status != Status::Ok) {
        return status;
    }
    if (std::exchange(lost_, false)) {
        news_.emplace_back("signal restored");
    }
    format_ = *next_.format;
    frame.format = format_;
    frame.lease = std::move(next_.lease);
    frame.pts = next_.info.pts;
    frame.flags = next_.info.flags;
    frame.changed = PictureChanges::of(next_.info);
    frame.capturedAt = next_.clockKnown ? next_.capturedAt : next_.arrivedAt;
    next_ = {};
    ++counters_.frames;
    counters_.framesDamaged += (frame.flags & kFrameDamaged) != 0 ? 1 : 0;
    return Status::Ok;
}

}  // namespace verbcast
