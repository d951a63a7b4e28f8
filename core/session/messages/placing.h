// How the senders of one display's parts agree, without talking to each other, on the slot that they all
// write into.
//
// The display's ring has more slots than places. At any time a place has one slot or none; the display's
// credit tells all senders which one. A frame's time stamp determines its place, so a sender never chooses a
// slot.
#pragma once

#include <cstdint>

#include "core/session/messages/messages.h"

namespace verbcast {

/// Hello::features of a sender: it sends parts of its pictures into slots that hold a larger picture.
inline constexpr std::uint64_t kPlacesParts = 32;

/// Maps a frame to its place.
struct PlaceRule {
    std::uint16_t places = 1;  ///< 1 to kMaxSlots
    std::uint32_t pace = 1;    ///< FrameInfo::pts from one frame to the next; at least 1

    std::uint16_t placeOf(std::int64_t pts) const {
        const std::int64_t step = pace, count = places;
        const std::int64_t number = pts / step - (pts % step < 0 ? 1 : 0);
        return static_cast<std::uint16_t>((number % count + count) % count);
    }
    friend bool operator==(const PlaceRule&, const PlaceRule&) = default;
    static void fields(auto& self, auto& visit) { visit(self.places, self.pace); }
    void check() const {
        if (places < 1 || places > kMaxSlots || pace < 1) {
            throw peerError("the peer asks for frames in an impossible number of places");
        }
    }
};

/// Receiver, instead of a RegionMessage, to a sender with kPlacesParts: write the region, its top left corner
/// at x, y, into slots that hold an unpadded picture of width x height in the same pixel format.
/// FrameInfo::payloadBytes is that picture's size.
struct PlaceMessage {
    static constexpr MessageType kType = MessageType::Place;
    TrackId track = 0;
    std::uint32_t epoch = 0;
    FrameRect region;
    std::uint16_t width = 0, height = 0;
    std::uint16_t x = 0, y = 0;
    PlaceRule rule;
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.epoch, self.region.x, self.region.y, self.region.width, self.region.height,
              self.width, self.height, self.x, self.y, self.rule);
    }
};

/// Like Credit, for a ring with places: slot slots[i] may be written with a frame whose place is places[i].
struct PlacedCredit {
    static constexpr MessageType kType = MessageType::PlacedCredit;
    TrackId track = 0;
    RingId ring = 0;
    std::uint64_t nextSequence = 0;
    WireList<std::uint16_t, kMaxSlots> places;
    WireList<std::uint16_t, kMaxSlots> slots;

    void push(std::uint16_t place, std::uint32_t slot) {
        places.push(place);
        slots.push(static_cast<std::uint16_t>(slot));
    }
    static void fields(auto& self, auto& visit) {
        visit(self.track, self.ring, self.nextSequence, self.places, self.slots);
    }
    void check() const {
        if (places.count != slots.count) {
            throw peerError("the peer gives slots without their places");
        }
    }
};

}  // namespace verbcast
