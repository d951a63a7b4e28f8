// Chooses the upload path by measuring both. No GL here.
#pragma once

#include <string>
#include <vector>

#include "render/stream_renderer.h"

namespace verbcast {

/// Alternates the two paths over the first frames (a few to warm up, then eight each) and keeps the path
/// whose fastest frame is faster.
class UploadChoice {
  public:
    /// A choice already made, with its reason.
    UploadChoice(UploadPath path, std::string reason);
    /// A choice still to be measured.
    UploadChoice() = default;

    bool measuring() const { return path_ == UploadPath::Measure; }
    /// The path for the next frame.
    UploadPath next() const;
    /// Records the cost of the frame that used next(). No effect once the choice is made.
    void record(double milliseconds);

    /// Measure while measuring.
    UploadPath path() const { return path_; }
    const std::string& reason() const { return reason_; }

  private:
    void decide();

    UploadPath path_ = UploadPath::Measure;
    std::string reason_ = "measuring";
    int frames_ = 0;
    std::vector<double> direct_, persistent_;
};

}  // namespace verbcast
