// How the stream of a program goes: where it ends before the program does, and what the runner hears of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capture/run/run_line.h"
#include "capture/run/run_settings.h"
#include "core/stream/broadcast.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// Belongs to the thread that submits to `sender`.
class StreamWatch {
  public:
    /// Both outlive this object. Throws Error{Usage} when RunSettings::frameMd5 cannot be written.
    StreamWatch(const RunSettings& settings, Broadcast& sender);

    static constexpr std::chrono::nanoseconds kInterval = std::chrono::milliseconds(100);
    /// Whether look() has to be called every kInterval.
    bool timed() const;
    /// Ends the stream when its time has come, and tells the runner.
    void look();

    /// A frame that will be submitted: written down if asked for.
    void submitting(const VideoFormat& format, const FrameInfo& info, const std::byte* payload);
    void submitted();

    /// The stream has ended: nothing more is to be submitted.
    bool over() const { return over_; }
    /// The program ends, and the stream has. Throws Error{Resource} when the disk did not take everything.
    void finish();

  private:
    std::optional<RunEnd> due(TimestampNs now);
    std::optional<RunEnd> endOfViewers(TimestampNs now);
    void end(const RunEnd& reason);
    void reportIfDue(TimestampNs now);
    void report(const std::string& exitReason);

    const RunSettings& settings_;
    Broadcast& sender_;
    std::unique_ptr<FrameMd5Writer> md5_;  // when asked for
    const TimestampNs begunAt_;
    TimestampNs firstAt_ = 0, reportedAt_ = 0;
    std::uint64_t submitted_ = 0;
    bool seenViewer_ = false, over_ = false;
    Event never_;
};

}  // namespace verbcast
