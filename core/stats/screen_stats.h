// How a viewer's pictures came to its screen.
#pragma once

#include <cstdint>
#include <string>

#include "core/stats/histogram.h"
#include "core/stats/stats_fields.h"

namespace verbcast {

/// For a screen without a window system.
struct ScreenStats {
    std::string connector;  ///< "HDMI-A-1"
    bool connected = false;
    std::uint32_t width = 0, height = 0;  ///< of the mode
    double refreshHz = 0;
    std::string pageFlips;        ///< "atomic", or "legacy"
    std::string shownBy;          ///< what tells when a picture was shown: "display", or "swap"
    std::uint64_t flips = 0;      ///< pictures put on the screen, with fades and stills
    std::uint64_t unplugged = 0;  ///< times that the display went away
    Percentiles interval;         ///< microseconds between two frames of the stream on the screen
    Percentiles wait;             ///< microseconds from drawing a frame until it is on the screen

    static constexpr void fields(auto visit) {
        visit("connector", &ScreenStats::connector);
        visit("connected", &ScreenStats::connected);
        visit("width", &ScreenStats::width);
        visit("height", &ScreenStats::height);
        visit("refresh_hz", &ScreenStats::refreshHz);
        visit("page_flips", &ScreenStats::pageFlips);
        visit("shown_by", &ScreenStats::shownBy);
        visit("flips", &ScreenStats::flips);
        visit("unplugged", &ScreenStats::unplugged);
        visit("interval_us", &ScreenStats::interval);
        visit("wait_us", &ScreenStats::wait);
    }
};

/// For a window whose window system can tell when its pictures were shown.
struct WindowStats {
    std::string shownBy;                 ///< what tells when a picture was shown: see nameOf(ShownBy)
    std::string reason;                  ///< why the display does not tell, if it does not; else ""
    double refreshHz = 0;                ///< of the output, as last told; 0: not known
    std::uint64_t picturesShown = 0;     ///< that held a new frame of some stream
    std::uint64_t picturesNotShown = 0;  ///< of those given to the window system
    Percentiles interval;                ///< microseconds between two of them on the screen
    Percentiles wait;  ///< microseconds from giving a picture to the window system until it is shown

    static constexpr void fields(auto visit) {
        visit("shown_by", &WindowStats::shownBy);
        visit("reason", &WindowStats::reason);
        visit("refresh_hz", &WindowStats::refreshHz);
        visit("pictures_shown", &WindowStats::picturesShown);
        visit("pictures_not_shown", &WindowStats::picturesNotShown);
        visit("interval_us", &WindowStats::interval);
        visit("wait_us", &WindowStats::wait);
    }
};

/// How a viewer's pictures became textures.
struct UploadStats {
    std::uint64_t inPlace = 0;  ///< pictures read where they lie, as the sender's dma-bufs
    std::uint64_t withinGpu =
        0;                       ///< pictures in the memory of the GPU that draws, copied into textures there
    std::uint64_t uploaded = 0;  ///< all others, copied into textures
    /// How the last one did, and why: "dma-buf: read where it lies", "direct: 2.1 ms, ...".
    std::string reason;

    static constexpr void fields(auto visit) {
        visit("frames_in_place", &UploadStats::inPlace);
        visit("frames_within_gpu", &UploadStats::withinGpu);
        visit("frames_uploaded", &UploadStats::uploaded);
        visit("reason", &UploadStats::reason);
    }

    friend bool operator==(const UploadStats&, const UploadStats&) = default;
};

}  // namespace verbcast
