// Several streams whose frames belong together: parts of one picture, drawn by different programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stream/frame_receiver.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// Returns sets: a frame of every part, with the same pts. Drops frames that have no partner in some part. A
/// lost part holds the others up until it is back; their own policy drops what they send meanwhile. Used by
/// one thread; the receivers may be used by any.
class MatchedParts {
  public:
    struct Part {
        std::string name;                         ///< for notes: its address
        std::shared_ptr<FrameReceiver> receiver;  ///< shared with what forwards input
        /// Sets are complete without it while it has no sender, or its stream is over.
        bool spare = false;
        std::optional<ReceivedFrame> frame{};            ///< of the set, or waiting for it
        PictureChanges changed = PictureChanges::all();  ///< since the set before
        bool lost = false;
        std::uint64_t unmatched = 0;  ///< frames in a row that had no partner
        std::uint64_t left = 0;       ///< frames that arrived but belong to no returned set
    };

    /// At least one.
    explicit MatchedParts(std::vector<Part> parts) : parts_(std::move(parts)) {}

    std::vector<Part>& parts() { return parts_; }
    const std::vector<Part>& parts() const { return parts_; }

    /// Waits until the part has a frame. Returns Ok, TimedOut, Cancelled, or Closed if its stream is over.
    /// Throws what FrameReceiver::receive() throws.
    Status awaitFrame(Part& part, std::chrono::nanoseconds timeout);
    /// Waits until every part has a frame of one set, or is spare and has none (Part::frame). Returns the
    /// same; TimedOut also after a frame without a partner was dropped, so that the caller notices notes and
    /// an interrupt.
    Status awaitSet(std::chrono::nanoseconds timeout);
    /// Whether every part except spare ones has a frame.
    bool complete() const;
    /// Call after reading a set's frames: drops those that their senders took back meanwhile, so that what
    /// was read is worthless. Returns true if there were any.
    bool dropTakenBack();
    /// Call when done with the set.
    void finishSet();
    /// Or for a set that cannot be used.
    void leaveSet();

    /// Why no set has come for a long time; "" once one has.
    const std::string& mismatch() const { return mismatch_; }
    /// Of all parts.
    std::uint64_t framesLeft() const;
    /// Messages about parts that are lost or never match, in order: those since the last call.
    std::vector<std::string> takeNotes() { return std::exchange(notes_, {}); }
    void note(std::string text) { notes_.push_back(std::move(text)); }

  private:
    static void leave(Part& part);
    Status awaitSpare(Part& part, std::chrono::nanoseconds timeout);
    bool dropUnmatched();
    void noteLoss(Part& part);
    bool noteUnmatched(Part& part);

    std::vector<Part> parts_;
    std::vector<std::string> notes_;
    std::string mismatch_;
};

}  // namespace verbcast
