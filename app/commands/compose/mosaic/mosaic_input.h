// What a mosaic shows: streams that are received, and sources of this host that play for it alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/commands/compose/mosaic/sound/input_sound.h"
#include "app/commands/send/source_sound.h"
#include "app/host/pacer.h"
#include "app/view/streams/frame_mailbox.h"
#include "app/view/streams/receiver_thread.h"
#include "app/view/view_options.h"
#include "capture/frame_source.h"
#include "core/base/os/deadline.h"

namespace verbcast {

/// Leaves its newest frame in a mailbox. Belongs to the thread that draws, but for sendInput().
class MosaicInput {
  public:
    /// `sound`: gets the input's; null: it is not wanted.
    explicit MosaicInput(std::shared_ptr<InputSound> sound) : sound_(std::move(sound)) {}
    virtual ~MosaicInput() = default;

    const std::shared_ptr<InputSound>& sound() const { return sound_; }
    /// Whether there is sound, or may be. Call after waitUntilOpen().
    virtual bool mayHaveSound() const = 0;

    /// Returns once it is open, or interruptEvent() is set, or at the deadline: then it opens meanwhile.
    /// Throws what opening threw.
    virtual void waitUntilOpen(Deadline deadline) = 0;
    /// Readable when a frame enters the empty mailbox, or the condition changes, until clearWake().
    virtual int wakeDescriptor() const = 0;
    virtual void clearWake() = 0;
    virtual FrameMailbox& mailbox() = 0;
    virtual void frameShown(const ReceivedFrame& frame) = 0;

    /// Why no frames come; "": they do, or may.
    virtual std::string trouble() = 0;
    /// None will ever come again.
    virtual bool isOver() const = 0;
    /// Once it is over: what ended it before its end; null: nothing did.
    virtual std::exception_ptr failure() const { return nullptr; }
    /// Of its source; a stream's are its sender's.
    virtual SourceCounters counters() const { return {}; }
    /// As it calls itself, or as it was given.
    virtual std::string name() const = 0;

    /// Returns the event's number for its sender; 0: not sent. Thread-safe.
    virtual std::uint64_t sendInput(const InputEvent& event) = 0;

  private:
    const std::shared_ptr<InputSound> sound_;  // shared with who sends it
};

/// A sender's stream. A failure is tried again after a while; a sender that left may return.
class StreamInput final : public MosaicInput {
  public:
    /// `options` and `alignment` (may be null) must outlive this.
    StreamInput(const ViewOptions& options, const StreamPeer& peer, SharedAlignment* alignment,
                std::shared_ptr<InputSound> sound);

    bool mayHaveSound() const override { return sound() != nullptr; }
    void waitUntilOpen(Deadline /*deadline*/) override { receiver_->waitUntilOpen(); }
    int wakeDescriptor() const override { return receiver_->wakeDescriptor(); }
    void clearWake() override { receiver_->clearWake(); }
    FrameMailbox& mailbox() override { return receiver_->mailbox(); }
    void frameShown(const ReceivedFrame& frame) override { receiver_->frameShown(frame); }
    std::string trouble() override;
    bool isOver() const override { return false; }
    std::string name() const override;
    std::uint64_t sendInput(const InputEvent& event) override;

  private:
    void open();

    const ViewOptions& options_;
    const StreamPeer peer_;
    SharedAlignment* const alignment_;
    mutable std::mutex mutex_;  // guards the replacement of receiver_
    std::unique_ptr<ReceiverThread> receiver_;
    std::optional<TimestampNs> retryAt_;
    std::string failure_;
};

/// A source that is opened and captured on a thread of its own, at its own pace.
class LocalInput final : public MosaicInput {
  public:
    /// `alignment` (may be null) must outlive this.
    LocalInput(const SourceOptions& options, SharedAlignment* alignment, std::shared_ptr<InputSound> sound);
    ~LocalInput() override;

    bool mayHaveSound() const override { return opened_.isSet() ? hasSound_ : sound() != nullptr; }
    void waitUntilOpen(Deadline deadline) override;
    int wakeDescriptor() const override { return wake_.descriptor(); }
    void clearWake() override { wake_.clear(); }
    FrameMailbox& mailbox() override { return mailbox_; }
    void frameShown(const ReceivedFrame& /*frame*/) override {}
    std::string trouble() override;
    bool isOver() const override { return over_.load(std::memory_order_acquire); }
    std::exception_ptr failure() const override { return failure_; }
    SourceCounters counters() const override;
    std::string name() const override { return options_.source; }
    std::uint64_t sendInput(const InputEvent& event) override;

  private:
    void run();
    std::unique_ptr<SourceSound> openItsSound(FrameSource& pictures);
    void play(FrameSource& source, SourceSound* sound);
    bool playUntil(TimestampNs due, double media, SourceSound& sound, const SourceSound::Take& take);
    void playRest(SourceSound& sound, Pacer& pacer, const SourceSound::Take& take);
    void put(CapturedFrame frame);
    void count(const FrameSource& source);

    SourceOptions options_;
    Event wake_, cancel_;
    FrameMailbox mailbox_;
    std::optional<AlignedStream> aligned_;
    std::shared_ptr<const VideoFormat> format_;  // shared with the frames
    std::uint64_t sequence_ = 0;
    Event opened_;           // or that has failed
    bool hasSound_ = false;  // this and the next are valid once opened_ is set
    std::exception_ptr openFailure_;
    std::atomic<bool> over_{false};
    std::exception_ptr failure_;  // this and the next are valid once over_
    std::string failureText_;
    mutable std::mutex counting_;
    SourceCounters counters_;  // guarded by counting_
    std::mutex injecting_;     // guards the members below
    std::unique_ptr<InputInjector> injector_;
    std::uint64_t injected_ = 0;
    std::jthread thread_;  // last: it uses the members above
};

}  // namespace verbcast
