// Chooses the upload path by measuring those that there are. No GL here.
#pragma once

#include <string>
#include <vector>

#include "render/upload/upload_path.h"

namespace verbcast {

/// "direct", "persistent PBO" and so on.
const char* nameOf(UploadPath path);

/// Takes the paths in turn over the first frames (two of each to warm up, then eight each) and keeps the one
/// whose fastest frame is fastest.
class UploadChoice {
  public:
    /// A choice already made, with its reason.
    UploadChoice(UploadPath path, std::string reason);
    /// A choice still to be measured, of at least two.
    explicit UploadChoice(const std::vector<UploadPath>& candidates);

    bool measuring() const { return path_ == UploadPath::Measure; }
    /// The path for the next frame.
    UploadPath next() const;
    /// Records the cost of the frame that used next(). No effect once the choice is made.
    void record(double milliseconds);
    /// next() does not work, as `why` says: chooses among the others. Not for the last one.
    void giveUp(const std::string& why);

    /// Measure while measuring.
    UploadPath path() const { return path_; }
    const std::string& reason() const { return reason_; }

  private:
    struct Candidate {
        UploadPath path;
        int frames = 0;
        double fastest = 0;  // milliseconds; not of the frames that warm up
    };
    bool measured() const;
    void decide();

    UploadPath path_ = UploadPath::Measure;
    std::string reason_ = "measuring";
    std::vector<Candidate> candidates_;
    std::size_t next_ = 0;  // while measuring
    std::string givenUp_;   // paths, and why
};

}  // namespace verbcast
