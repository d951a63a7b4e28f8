// Puts parts of several senders' pictures straight into one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/flow/composed_slots.h"
#include "core/video/picture_region.h"

namespace verbcast {

/// Where a sender's region goes in slots that it shares with other senders.
struct PartPlace {
    ComposedPart part;
    VideoFormat picture;  ///< of a whole slot, without padding and depth
    PicturePoint corner;  ///< of the region in it: see regionProblem() of that rectangle
};

/// Says where the frames of one of a display's senders go. Must outlive the receiver.
class PartPlacer {
  public:
    /// Makes a ring, within the allowed memory. Throws Error{Resource}.
    using MakeRing = std::function<std::shared_ptr<FramePool>(std::uint64_t slotBytes, std::uint32_t slots)>;

    virtual ~PartPlacer() = default;
    /// Called on the thread that serves the connection, for each format that the sender announces, before it
    /// may send frames of it. `obstacle`: why frames cannot be placed over this connection, or "". Returns
    /// nullopt to receive them as any receiver does.
    virtual std::optional<PartPlace> place(const VideoFormat& format, const PictureRegion& region,
                                           const std::string& obstacle, const MakeRing& makeRing) = 0;
};

}  // namespace verbcast
