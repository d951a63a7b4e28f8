// One stream that is received without a window.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "app/cli/stream_progress.h"
#include "app/view/frame_lock_stream.h"
#include "app/view/shared_alignment.h"
#include "app/view/source/viewed_stream.h"
#include "app/view/streams/view_outcome.h"
#include "app/view/view_options.h"
#include "capture/output/frame_sink.h"
#include "core/memory/device_pool.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// Additional outputs for the frames; null: none.
struct StreamOutputs {
    std::unique_ptr<FrameMd5Writer> md5;
    std::unique_ptr<FrameSink> video;
    std::string videoPath;
};

/// Opens the outputs of the stream with that number; 0: the only stream, whose file names have no number.
/// Throws Error{Usage} if one cannot be written.
StreamOutputs openOutputs(const ViewOptions& options, std::uint32_t number);

/// How a stream ended; without a reason: the sender called but sent nothing.
struct StreamOutcome : ViewOutcome {
    /// Shell exit codes: interrupted, and writing to a pipe that nobody reads.
    static constexpr int kByInterrupt = 128 + SIGINT, kBySigpipe = 128 + SIGPIPE;

    StreamStats stats{};
};

/// Takes, counts and releases every frame; hashes and writes it if asked. The options' limits on frames, time
/// and losses apply to each stream.
class HeadlessStream {
  public:
    /// With an `alignment`, which must outlive this, each frame is shown when it is due.
    HeadlessStream(const ViewOptions& options, const StreamProgress& progress,
                   std::unique_ptr<ViewedSource> stream, SharedAlignment* alignment = nullptr);
    /// With a FrameLockStream, each frame is shown when it is due. It belongs to `stream` and must outlive
    /// both.
    HeadlessStream(const ViewOptions& options, const StreamProgress& progress,
                   std::unique_ptr<ViewedSource> stream, FrameLockStream* frameLock);
    ~HeadlessStream();

    /// Returns when the stream ends or interruptEvent() is set. Call once. Throws what the stream and its
    /// outputs throw.
    StreamOutcome run(StreamOutputs outputs);
    /// Call in a catch block instead: ends the stream by the error, which is reported.
    StreamOutcome failed();
    // Thread-safe:
    StreamStats stats() const;
    std::optional<StreamAlignment> alignment() const {
        return aligned_ ? std::optional(aligned_->stats()) : std::nullopt;
    }
    ReceiverStatus status() const { return stream_->status(); }
    void end() { stream_->end(); }

  private:
    bool takeOne();
    bool tookOne();
    void tellSkipped() const;
    bool writeVideo(const ReceivedFrame& frame, const std::byte* payload);
    bool ended();
    void showStats();
    bool idle();
    bool givenUp(const ReceiverStatus& status);
    void greet(const ReceivedFrame& frame);
    bool fitsTile(const ReceivedFrame& frame);
    StreamOutcome finish();
    std::string wordsOfEnd() const;
    int judge(const StreamStats& stats);
    // headless_frame_lock.cpp
    void presentFrameLocked(const std::stop_token& stop);
    void presentDue(std::optional<ReceivedFrame>& drawn);
    void presentTheRest();
    void stopPresenting();

    const ViewOptions& options_;
    StreamProgress progress_;
    std::unique_ptr<ViewedSource> stream_;
    StreamOutputs outputs_;
    HostPayload payload_;
    std::size_t notesPrinted_ = 0;
    std::shared_ptr<const VideoFormat> format_;    // shared with the frames: detects a change of format
    std::shared_ptr<const PictureRegion> region_;  // likewise for the region
    std::uint64_t taken_ = 0;
    const TimestampNs begunAt_ = nowNs();
    TimestampNs firstAt_ = 0;
    std::string lastSeen_;
    std::string exitReason_ = "end of stream";
    std::optional<AlignedStream> aligned_;
    FrameLockStream* frameLock_ = nullptr;
    Event stopPresenting_;
    std::jthread presenting_;  // last: it uses the members above
};

}  // namespace verbcast
