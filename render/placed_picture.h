// A picture placed among others in a target.
#pragma once

#include "render/stream_renderer.h"

namespace verbcast {

/// A picture and its placement in its part of a target.
struct PlacedPicture {
    StreamRenderer& picture;
    Placement placement;
};

}  // namespace verbcast
