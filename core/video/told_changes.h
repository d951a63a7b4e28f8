// What a program says of its changes, from the swap to the frame that is sent.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/video/picture_changes.h"

namespace verbcast {

/// Pictures are swapped; some of them are read, each under a number that rises; most of those are sent, in
/// order. What the others would have told goes to the next one. Used by the thread that swaps.
class ToldChanges {
  public:
    /// Rows from the bottom.
    void swapped(const PictureChanges& changes) { unread_.add(changes); }
    /// Whatever is sent next stands for itself.
    void forget();
    /// The picture swapped last is read as this number, of a surface of this size.
    void reading(std::uint64_t number, std::uint32_t width, std::uint32_t height);
    /// It is sent: rows from the top, since the one sent before.
    PictureChanges sending(std::uint64_t number);

  private:
    PictureChanges unread_ = PictureChanges::all();
    std::vector<std::pair<std::uint64_t, PictureChanges>> read_;  // not sent yet: as many as are being read
};

}  // namespace verbcast
