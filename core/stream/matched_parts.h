// Several streams whose frames belong together: parts of one picture, drawn by different programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/stream/frame_receiver.h"
#include "core/video/picture_changes.h"

namespace verbcast {

/// Gives sets: a frame of every part, with the same pts. Frames that some part has none for are let go. A
/// part that is lost holds the others up until it is back; what they send meanwhile is dropped by their own
/// policy. Used by one thread; the receivers may be used by any.
class MatchedParts {
  public:
    struct Part {
        std::string name;                                ///< for notes: its address
        std::shared_ptr<FrameReceiver> receiver;         ///< shared with what forwards input
        std::optional<ReceivedFrame> frame{};            ///< of the set, or waiting for it
        PictureChanges changed = PictureChanges::all();  ///< since the set before
        bool lost = false;
        std::uint64_t unmatched = 0;  ///< frames in a row that had no partner
        std::uint64_t left = 0;       ///< frames that came and belong to no set that was given
    };

    /// At least one.
    explicit MatchedParts(std::vector<Part> parts) : parts_(std::move(parts)) {}

    std::vector<Part>& parts() { return parts_; }
    const std::vector<Part>& parts() const { return parts_; }

    /// Until the part has a frame. Ok, TimedOut, Cancelled, or Closed when its stream is over. Throws as
    /// FrameReceiver::receive() does.
    Status awaitFrame(Part& part, std::chrono::nanoseconds timeout);
    /// Until every part has a frame of one set. The same; TimedOut also after a frame without a partner was
    /// let go, so that whoever waits hears of notes and of an interrupt.
    Status awaitSet(std::chrono::nanoseconds timeout);
    /// After the frames of a set were read: lets go those that their senders took back meanwhile, so that
    /// what was read is worth nothing. True when there were any.
    bool dropTakenBack();
    /// The set is done with.
    void finishSet();

    /// Of all parts.
    std::uint64_t framesLeft() const;
    /// What there is to say about parts that are lost or never match, in order.
    const std::vector<std::string>& notes() const { return notes_; }
    void note(std::string text) { notes_.push_back(std::move(text)); }

  private:
    static void leave(Part& part);
    bool dropUnmatched();
    void noteLoss(Part& part);
    void noteUnmatched(Part& part);

    std::vector<Part> parts_;
    std::vector<std::string> notes_;
};

}  // namespace verbcast
