#include "app/view/streams/receiver_thread.h"

#include <utility>

namespace verbcast {
namespace {

std::unique_ptr<StreamSound> playedSound(const ViewOptions& options, const ShownWith& with) {
    return options.wantsSound() && with.sound == nullptr ? std::make_unique<StreamSound>(options) : nullptr;
}

}  // namespace

ReceiverThread::ReceiverThread(const ViewOptions& options, const StreamPeer& peer,
                               std::shared_ptr<Recorder> recorder, std::unique_ptr<ReceiverThread> previous,
                               const ShownWith& with)
    : opens_([options, peer, lock = with.frameLock] { return openStream(options, peer, lock); }),
      frameMd5_(options.frameMd5),
      recorder_(std::move(recorder)),
      soundTaker_(options.wantsSound() ? with.sound : nullptr),
      sound_(playedSound(options, with)),
      aligned_(with.alignment != nullptr),
      intake_(*this, options.receiver.slots, with) {
    start(std::move(previous));
}

ReceiverThread::ReceiverThread(const ViewOptions& options, std::shared_ptr<IncomingStream> accepted,
                               std::unique_ptr<ReceiverThread> previous, const ShownWith& with)
    : soundTaker_(options.wantsSound() ? with.sound : nullptr),
      sound_(playedSound(options, with)),
      aligned_(with.alignment != nullptr),
      intake_(*this, options.receiver.slots, with) {
    intake_.open(std::make_unique<SenderStream>(std::move(accepted)));
    start(std::move(previous));
}

void ReceiverThread::start(std::unique_ptr<ReceiverThread> previous) {
    if (previous) {
        previous->cancel();
    }
    thread_ = std::jthread([this, last = std::move(previous)]() mutable { run(std::move(last)); });
}

ReceiverThread::~ReceiverThread() {
    cancel();
}

void ReceiverThread::waitUntilOpen() {
    opened_.get_future().get();
}

void ReceiverThread::cancel() {
    stop_.request_stop();
    intake_.end();
}

void ReceiverThread::close() {
    cancel();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void ReceiverThread::run(std::unique_ptr<ReceiverThread> previous) {
    if (previous) {
        previous->close();
        intake_.sums() = std::move(previous->intake_.sums());
        previous.reset();
    }
    try {
        open();
        static_cast<void>(intake_.run());
        if (intake_.sums()) {
            intake_.sums()->flush();
        }
    } catch (...) {
        failure_ = std::current_exception();
    }
    intake_.finish();
    finished_.store(true, std::memory_order_release);
    wake_.notify();
}

void ReceiverThread::open() {
    try {
        if (!frameMd5_.empty() && !intake_.sums()) {
            intake_.sums() = std::make_unique<FrameMd5Writer>(frameMd5_);
        }
        if (opens_) {
            intake_.open(opens_());
        }
    } catch (...) {
        opened_.set_exception(std::current_exception());
        throw;
    }
    if (IncomingStream* confirms = stream()->stream()) {
        mailbox_.belongsTo(*confirms);
    }
    opened_.set_value();
    wake_.notify();
}

void ReceiverThread::record(std::shared_ptr<Recorder> recorder) {
    const std::lock_guard lock(recorderMutex_);
    recorder_ = std::move(recorder);
}

std::shared_ptr<Recorder> ReceiverThread::recorder() const {
    const std::lock_guard lock(recorderMutex_);
    return recorder_;
}

void ReceiverThread::frameShown(const ReceivedFrame& frame) {
    intake_.frameShown(frame);
    if (sound_) {
        sound_->pictureShown(frame, frame.shownAt != 0 ? frame.shownAt : nowNs());
    }
}

void ReceiverThread::controlSound(const SoundControls& controls) {
    if (sound_) {
        sound_->control(controls);
    }
}

StreamStats ReceiverThread::stats() const {
    StreamStats stats = intake_.stats();
    if (stats.sound && sound_) {
        stats.sound->playback = sound_->stats();
        if (stats.sound->playback) {
            stats.sound->playback->heldShort = intake_.heldShort();
        }
    }
    return stats;
}

void ReceiverThread::takeSound(const ArrivedSound& sound) {
    if (soundTaker_ != nullptr) {
        soundTaker_->take(sound);
    } else {
        sound_->put(sound);
    }
    if (const auto taker = recorder()) {
        taker->put(sound);
    }
}

bool ReceiverThread::take(const ReceivedFrame& frame) {
    if (const auto taker = recorder(); taker && frame.fits()) {
        taker->put(frame, intake_.hasSound(), stop_.get_token());
    }
    return true;
}

void ReceiverThread::show(ReceivedFrame frame) {
    if (mailbox_.put(std::move(frame)) && !aligned_) {
        wake_.notify();
    }
}

void ReceiverThread::onSilence(const ReceiverStatus&, bool changed) {
    if (changed) {
        wake_.notify();
    }
}

}  // namespace verbcast
