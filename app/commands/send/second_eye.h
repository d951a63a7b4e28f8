// The right picture of a stereo pair, on a track of its own beside the left one's.
#pragma once

#include <memory>

#include "capture/frame_source.h"
#include "core/stream/broadcast.h"

namespace verbcast {

/// Used by the thread that sends the left pictures.
class SecondEye {
  public:
    static constexpr TrackId kTrack = kMainTrack + 1;

    explicit SecondEye(std::unique_ptr<FrameSource> source) : source_(std::move(source)) {}

    const FrameSource& source() const { return *source_; }
    /// Sends the source's next picture with the time stamp of a left one that was submitted so: both belong
    /// together. Returns Broadcast::submit()'s status, or that of a source that has none. Waits for a source
    /// that paces itself.
    Status sendWith(const FrameInfo& left, Rational timeBase, Broadcast& sender, const Event& cancel);

  private:
    const std::unique_ptr<FrameSource> source_;
};

}  // namespace verbcast
