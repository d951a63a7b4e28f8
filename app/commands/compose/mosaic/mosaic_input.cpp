#include "app/commands/compose/mosaic/mosaic_input.h"

#include <fmt/format.h>

#include <utility>

#include "app/commands/send/open_sound.h"
#include "app/host/interrupt.h"
#include "app/view/streams/view_outcome.h"
#include "app/view/words/kiosk_words.h"
#include "core/base/log/peer_log.h"
#include "core/base/os/clock.h"

namespace verbcast {

StreamInput::StreamInput(const ViewOptions& options, const StreamPeer& peer, SharedAlignment* alignment,
                         std::shared_ptr<InputSound> sound)
    : MosaicInput(std::move(sound)), options_(options), peer_(peer), alignment_(alignment) {
    open();
}

void StreamInput::open() {
    retryAt_.reset();
    const std::lock_guard lock(mutex_);
    receiver_ = std::make_unique<ReceiverThread>(options_, peer_, nullptr, std::move(receiver_),
                                                 ShownWith{.alignment = alignment_, .sound = sound().get()});
}

std::string StreamInput::trouble() {
    if (retryAt_ && nowNs() >= *retryAt_) {
        open();
    }
    if (!retryAt_ && receiver_->finished()) {
        retryAt_ = nowNs() + std::chrono::nanoseconds(kKioskRetry).count();
        try {
            if (receiver_->failure()) {
                std::rethrow_exception(receiver_->failure());
            }
            failure_ = outcomeOf(receiver_->status()).reason;
        } catch (const std::exception& error) {
            failure_ = error.what();
            warnOfPeer(LogCategory::General, "input", "", "{}: {}", peer_.url.text(), failure_);
        }
    }
    if (retryAt_) {
        return failure_;
    }
    const std::optional<ReceiverStatus> status = receiver_->status();
    if (!status || status->state == StreamState::Streaming) {
        return status ? std::string() : "connecting";
    }
    return status->state == StreamState::Lost || status->state == StreamState::Ended
               ? fmt::format("{}{}{}",
                             status->state == StreamState::Lost ? "signal lost" : "the stream has ended",
                             status->senderReason.empty() ? "" : ": ", status->senderReason)
               : status->text;
}

std::string StreamInput::name() const {
    const std::optional<ReceiverStatus> status = receiver_->status();
    return status && !status->peerName.empty() ? status->peerName : peer_.url.text();
}

std::uint64_t StreamInput::sendInput(const InputEvent& event) {
    const std::lock_guard lock(mutex_);
    return receiver_->sendInput(event);
}

LocalInput::LocalInput(const SourceOptions& options, SharedAlignment* alignment,
                       std::shared_ptr<InputSound> sound)
    : MosaicInput(std::move(sound)), options_(options) {
    options_.cancel = &cancel_;
    if (this->sound()) {
        options_.soundTrack = SoundWish().track;
    }
    if (alignment != nullptr) {
        aligned_.emplace(*alignment, options.slots,
                         [this](ReceivedFrame frame) { mailbox_.put(std::move(frame)); });
    }
    thread_ = std::jthread([this] { run(); });
}

LocalInput::~LocalInput() {
    cancel_.notify();
}

void LocalInput::waitUntilOpen(Deadline deadline) {
    static_cast<void>(waitReadable({opened_.descriptor(), interruptEvent().descriptor()}, deadline));
    if (opened_.isSet() && openFailure_) {
        std::rethrow_exception(openFailure_);
    }
}

SourceCounters LocalInput::counters() const {
    const std::lock_guard lock(counting_);
    return counters_;
}

void LocalInput::count(const FrameSource& source) {
    const std::lock_guard lock(counting_);
    counters_ = source.counters();
}

std::string LocalInput::trouble() {
    return isOver() ? failureText_ : std::string();
}

void LocalInput::run() {
    try {
        const std::unique_ptr<FrameSource> source = openSource(options_);
        const std::unique_ptr<SourceSound> itsSound = sound() ? openItsSound(*source) : nullptr;
        hasSound_ = itsSound != nullptr;
        opened_.notify();
        play(*source, itsSound.get());
    } catch (const std::exception& error) {
        failure_ = std::current_exception();
        failureText_ = error.what();
        if (!opened_.isSet()) {
            openFailure_ = failure_;
            opened_.notify();
        }
        if (!cancel_.isSet()) {
            warnOfPeer(LogCategory::General, "input", "", "{}: {}", options_.source, failureText_);
        }
    }
    {
        const std::lock_guard lock(injecting_);
        injector_.reset();
    }
    if (aligned_) {
        aligned_->expectNone();
    }
    over_.store(true, std::memory_order_release);
    wake_.notify();
}

std::unique_ptr<SourceSound> LocalInput::openItsSound(FrameSource& pictures) {
    std::vector<std::string> notes;
    auto opened = openSound({}, options_, pictures, nowNs(), notes);
    for (const std::string& note : notes) {
        log(LogCategory::General).warn("{}: {}", options_.source, note);
    }
    return opened;
}

void LocalInput::play(FrameSource& source, SourceSound* sound) {
    {
        const std::lock_guard lock(injecting_);
        injector_ = source.inputInjector();
    }
    const SourceSound::Take take = [this](const CapturedSound& block, const SoundFormat& format,
                                          std::int64_t pts) {
        this->sound()->put(format, pts, block.samples, true, block.capturedAt);
        return Status::Ok;
    };
    if (sound != nullptr) {
        sound->start(take);
    }
    Pacer pacer(Pacing::Source, {}, source.mayJump());
    for (std::uint64_t index = 0; !cancel_.isSet();) {
        CapturedFrame frame;
        frame.format = source.format();
        const bool live = source.isLive();
        const Rational rate = frame.format.frameRate;
        const Rational frameTime =
            rate.value() > 0 ? Rational{rate.denominator, rate.numerator} : Rational{1, 60};
        // A live source is asked when its frame is due; others have it, and it waits until then.
        if (live && !source.pacesItself() &&
            !waitUntil(pacer.due(index, static_cast<std::int64_t>(index), frameTime, nowNs()), cancel_)) {
            return;
        }
        const Status status = source.capture(frame, cancel_);
        count(source);
        if (sound != nullptr) {
            sound->readMeanwhile(take);
        }
        if (status == Status::TimedOut) {
            continue;
        }
        if (status != Status::Ok) {
            break;
        }
        const double media = static_cast<double>(frame.pts) * frame.format.timeBase.value();
        if (!live) {
            const TimestampNs due = pacer.due(index, frame.pts, frame.format.timeBase, nowNs());
            if ((sound != nullptr && !playUntil(due, media, *sound, take)) || !waitUntil(due, cancel_)) {
                return;
            }
            frame.capturedAt = nowNs();
        }
        ++index;
        PlaceOfPicture place{.media = media, .capturedAt = frame.capturedAt};
        if (Playback* const playback = source.playback()) {
            place.position = playback->position();
        }
        put(std::move(frame));
        if (sound != nullptr) {
            static_cast<void>(sound->readWith(place, take));
        }
    }
    if (sound != nullptr) {
        playRest(*sound, pacer, take);
    }
}

/// Plays while the picture of time `media` waits, which is due then. Returns false if cancelled.
bool LocalInput::playUntil(TimestampNs due, double media, SourceSound& sound, const SourceSound::Take& take) {
    constexpr auto kTurn = static_cast<TimestampNs>(kSoundStep * 1e9);
    for (TimestampNs now = nowNs(); due - now > kTurn && isDueBefore(sound.moreDue(), media); now = nowNs()) {
        if (!waitUntil(now + kTurn, cancel_)) {
            return false;
        }
        static_cast<void>(sound.readMore(media - static_cast<double>(due - nowNs()) * 1e-9, take));
    }
    return true;
}

/// What lasts longer than the pictures.
void LocalInput::playRest(SourceSound& sound, Pacer& pacer, const SourceSound::Take& take) {
    for (auto due = sound.moreDue(); due; due = sound.moreDue()) {
        const auto milliseconds = static_cast<std::int64_t>(*due * 1000);
        if (!waitUntil(pacer.due(0, milliseconds, {1, 1000}, nowNs()), cancel_)) {
            return;
        }
        static_cast<void>(sound.readMore(*due, take));
    }
}

void LocalInput::put(CapturedFrame frame) {
    if (!format_ || *format_ != frame.format) {
        format_ = std::make_shared<const VideoFormat>(frame.format);
        frame.changed = PictureChanges::all();
    }
    ReceivedFrame received;
    received.info.sequence = sequence_++;
    received.info.flags = frame.flags;
    received.info.pts = frame.pts;
    received.info.payloadBytes = format_->payloadBytes;
    received.info.capturedAt = frame.capturedAt;
    received.info.inputSequence = frame.inputSequence;
    frame.changed.tellIn(received.info);
    received.lease = std::move(frame.lease);
    received.format = format_;
    received.capturedAt = frame.capturedAt;
    received.arrivedAt = nowNs();
    received.clockKnown = true;
    if (aligned_) {
        aligned_->put(std::move(received));
    } else if (mailbox_.put(std::move(received))) {
        wake_.notify();
    }
}

std::uint64_t LocalInput::sendInput(const InputEvent& event) {
    const std::lock_guard lock(injecting_);
    if (!injector_) {
        return 0;
    }
    ViewerInput input;
    input.serial = ++injected_;
    input.event = event;
    injector_->apply({&input, 1});
    return input.serial;
}

}  // namespace verbcast
