// Watches a program's stream: ends it before the program if need be, and reports to the runner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/preload/run_line.h"
#include "app/preload/run_settings.h"
#include "core/memory/device_pool.h"
#include "core/stream/broadcast.h"
#include "core/video/frame_md5.h"

namespace verbcast {

/// Used by the thread that submits to `sender`.
class StreamWatch {
  public:
    /// Both must outlive this object. Throws Error{Usage} if StreamOptions::frameMd5 cannot be written.
    StreamWatch(const RunSettings& settings, Broadcast& sender);

    static constexpr std::chrono::nanoseconds kInterval = std::chrono::milliseconds(100);
    /// Whether to call look() every kInterval.
    bool timed() const;
    /// Ends the stream when it is due, and tells the runner.
    void look();

    /// Call before a frame is submitted: records it if asked to.
    void submitting(const VideoFormat& format, const FrameInfo& info, const FrameLease& frame);
    void submitted();

    /// Ends the stream, but not the program.
    void giveUp(const std::string& reason);

    /// Whether the stream has ended: then submit no more.
    bool over() const { return over_; }
    /// Call when the program ends, after its stream. Throws Error{Resource} if the disk is full.
    void finish();

  private:
    std::optional<RunEnd> due(TimestampNs now);
    std::optional<RunEnd> endOfViewers(TimestampNs now);
    void end(const RunEnd& reason);
    void reportIfDue(TimestampNs now);
    void report(const std::string& exitReason);

    const RunSettings& settings_;
    Broadcast& sender_;
    std::unique_ptr<FrameMd5Writer> md5_;  // null if not asked for
    HostPayload payload_;
    const TimestampNs begunAt_;
    TimestampNs firstAt_ = 0, reportedAt_ = 0;
    std::uint64_t submitted_ = 0;
    bool seenViewer_ = false, over_ = false;
    Event never_;
};

}  // namespace verbcast
