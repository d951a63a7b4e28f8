// Where a mosaic's pictures are, and how they move when that changes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/view/layout.h"
#include "core/base/os/clock.h"

namespace verbcast {

/// Pure arithmetic, in pixels of the picture that is made. Pictures are told apart by a number of their own,
/// so that they are followed when their order changes. Not thread-safe.
class Arrangement {
  public:
    using PictureId = std::uint64_t;
    struct Picture {
        PictureId id = 0;
        DisplaySize size;  ///< 0 by 0: it has not come yet
    };

    explicit Arrangement(const LayoutRequest& request) : request_(request) {}

    /// What follows says in the next places(). `panes` are borrowed.
    LayoutRequest& request() { return request_; }
    const LayoutRequest& request() const { return request_; }
    /// How long pictures take to their new places from the next change on; 0: no time.
    void setFade(std::chrono::nanoseconds fade) { fade_ = fade; }

    /// In drawing order; PicturePlace::picture is an index of `pictures`.
    std::vector<PicturePlace> places(const std::vector<Picture>& pictures, TimestampNs now);
    /// Whether places() will return others at a later time.
    bool isMoving(TimestampNs now) const { return now - since_ < lasts_.count(); }

  private:
    struct Placed {
        PictureId id = 0;
        PicturePlace place;  // its number means nothing
        friend bool operator==(const Placed&, const Placed&) = default;
    };
    std::vector<Placed> between(TimestampNs now) const;

    LayoutRequest request_;
    std::chrono::nanoseconds fade_{0};
    std::vector<Placed> from_, to_;
    TimestampNs since_ = 0;
    std::chrono::nanoseconds lasts_{0};  // of the change since then
};

}  // namespace verbcast
