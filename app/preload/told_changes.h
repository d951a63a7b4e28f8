// Changes that a program reports, tracked from the swap to the frame that is sent.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/video/picture_changes.h"

namespace verbcast {

/// Pictures are swapped; some of them are read, each under an increasing number; most of those are sent, in
/// order. The changes of the others are carried over to the next one. Used by the thread that swaps.
class ToldChanges {
  public:
    /// Rows count from the bottom.
    void swapped(const PictureChanges& changes) { unread_.add(changes); }
    /// Makes the next frame sent stand alone.
    void forget();
    /// The last swapped picture is being read under this number, from a surface of this size.
    void reading(std::uint64_t number, std::uint32_t width, std::uint32_t height);
    /// It is sent. Returns the changes since the last one sent; rows count from the top.
    PictureChanges sending(std::uint64_t number);

  private:
    PictureChanges unread_ = PictureChanges::all();
    std::vector<std::pair<std::uint64_t, PictureChanges>> read_;  // not sent yet: as many as are being read
};

}  // namespace verbcast
