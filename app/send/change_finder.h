// What of a source's frames is said to have changed.
#pragma once

#include <cstdint>

#include "app/send/send_options.h"
#include "capture/frame_source.h"
#include "core/video/picture_comparer.h"

namespace verbcast {

/// Sees each frame that is sent, in order.
class ChangeFinder {
  public:
    explicit ChangeFinder(ChangesFrom from) : from_(from) {}

    /// Says in the frame what changed since the one before. `travels`: to some viewer as bytes.
    void look(CapturedFrame& frame, bool travels);
    /// A frame was captured and not sent.
    void skip();

  private:
    void lookWherePays(CapturedFrame& frame);

    const ChangesFrom from_;
    PictureComparer comparer_;
    bool skipped_ = false;
    bool sourceTells_ = false;
    // Auto: a source of which all changes all the time costs two pictures compared of a growing number.
    std::uint32_t resting_ = 0;  // frames that are not compared
    std::uint32_t nextRest_ = kFirstRest;
    static constexpr std::uint32_t kFirstRest = 4;
    static constexpr std::uint32_t kLongestRest = 512;  // below 1 % of the frames; 8.5 s at 60 fps
};

}  // namespace verbcast
