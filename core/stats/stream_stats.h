// What both sides count about a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/alignment_stats.h"
#include "core/stats/decoding_stats.h"
#include "core/stats/frame_lock_stats.h"
#include "core/stats/histogram.h"
#include "core/stats/numa_stats.h"
#include "core/stats/path_stats.h"
#include "core/stats/screen_stats.h"
#include "core/stats/sound_stats.h"
#include "core/stats/stats_fields.h"
#include "core/stats/viewer_stats.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Counters of one side since it began. A sender's are sums over its viewers unless they say otherwise.
struct StreamStats {
    std::string transport;              ///< of the last connection; "" before the first
    std::optional<VideoFormat> format;  ///< of the last frame
    /// Sender: handed to a transport, each counted once however many viewers got it; receiver: arrived whole.
    std::uint64_t framesTransferred = 0;
    std::uint64_t framesSent = 0;   ///< sender
    std::uint64_t framesShown = 0;  ///< by the viewer's screen (headless: taken by its consumer)
    std::uint64_t framesDropped =
        0;  ///< by the transport: offered by the source and never sent, or missing on arrival
    std::uint64_t framesLost = 0;  ///< of a lossless stream: sent and never accepted, or missing on arrival
    /// Arrived, but a newer one was there when the screen was ready, or the viewer ended.
    std::uint64_t framesSkipped = 0;
    std::uint64_t framesCorrupt = 0;  ///< damaged in decoding or not as announced
    std::uint64_t bytes = 0;          ///< payload: frames times their size
    std::uint64_t bytesMoved = 0;     ///< of it, what travelled: none with shared memory, and of frames that
                                      ///< changed in parts only those
    std::uint64_t bytesCopied = 0;    ///< payload that this side's processor copied
    std::optional<std::uint64_t> bytesAssembled{};  ///< of it, to put the parts of several senders together
    std::uint64_t bytesFromDevice = 0;              ///< payload that came over PCIe from a GPU to be sent
    std::uint64_t bytesToDevice = 0;  ///< payload that went over PCIe into a GPU after it had arrived
    CipherWork cipher{};
    double seconds = 0;   ///< from the first to the last frame transferred
    Percentiles latency;  ///< microseconds, from submit at the sender to arrival at the receiver; a sender's
                          ///< only while it has had one viewer
    Percentiles latencyToScreen;  ///< receiver: microseconds, from submit at the sender to the screen
    Percentiles stageCapture;     ///< captured -> submitted
    Percentiles stagePost;        ///< submitted -> posted
    Percentiles stageWire;        ///< posted -> arrived
    Percentiles stageShow;        ///< arrived -> shown
    Percentiles inputToPicture;   ///< viewer: from an input event sent to the picture with its effect shown
    double connectToFirstShownMs = 0;  ///< receiver: from the start of connecting to the first frame shown
    double clockErrorUs = 0;           ///< uncertainty of latency between two hosts; 0 on one host
    std::uint64_t connections = 0;
    std::uint64_t connectionsLost = 0;
    std::vector<ViewerStats> viewers;   ///< sender: the last ones that left, then those that are there
    std::uint64_t viewersLeftOut = 0;   ///< and how many had left before
    std::optional<GroupStats> group{};  ///< if frames leave, or come, by a multicast group

    std::vector<RailStats> rails{};  ///< receiver: if frames come over several

    std::optional<SoundStats> sound{};          ///< if there is any
    std::optional<FrameLockStats> frameLock{};  ///< if displays show together
    std::optional<ScreenStats> screen{};        ///< receiver: if it shows without a window system
    std::optional<UploadStats> upload{};        ///< receiver: if it draws pictures
    std::optional<WindowStats> window{};        ///< receiver: if its window's display tells, or might
    std::optional<DecodingStats> decoding{};    ///< sender: for sources that are decoded

    /// Sound has come, and no picture.
    bool isSoundAlone() const { return framesTransferred == 0 && sound && sound->blocks > 0; }
    double framesPerSecond() const {
        return seconds > 0 && framesTransferred > 1 ? static_cast<double>(framesTransferred - 1) / seconds
                                                    : 0;
    }
    /// `seconds` spans the intervals between frames: one fewer than there are frames.
    double gigabytesPerSecond() const {
        const auto frames = static_cast<double>(framesTransferred);
        return seconds > 0 && frames > 1
                   ? static_cast<double>(bytes) * ((frames - 1) / frames) / seconds / 1e9
                   : 0;
    }
    /// Percentiles of several viewers do not add up: `viewers` has each one's.
    bool latencyKnown() const { return viewers.size() + viewersLeftOut <= 1; }

    static constexpr void fields(auto visit) {
        visit("transport", &StreamStats::transport);
        visit("width", [](const StreamStats& s) { return s.format ? s.format->width : 0; });
        visit("height", [](const StreamStats& s) { return s.format ? s.format->height : 0; });
        visit("pixel_format", [](const StreamStats& s) {
            return std::string(s.format ? pixelFormatName(s.format->pixelFormat) : "");
        });
        visit({"frames", "frames_received"}, &StreamStats::framesTransferred);
        visit({"frames_sent", nullptr}, &StreamStats::framesSent);
        visit("frames_shown", &StreamStats::framesShown);
        visit("frames_dropped", &StreamStats::framesDropped);
        visit("frames_lost", &StreamStats::framesLost);
        visit("frames_skipped", &StreamStats::framesSkipped);
        visit("frames_corrupt", &StreamStats::framesCorrupt);
        visit(nullptr, &StreamStats::cipher, kIfAny);
        visit("bytes", &StreamStats::bytes);
        visit("bytes_moved", &StreamStats::bytesMoved);
        visit("bytes_copied", &StreamStats::bytesCopied);
        visit("bytes_assembled", &StreamStats::bytesAssembled, kIfAny);
        visit("bytes_from_device", &StreamStats::bytesFromDevice);
        visit("bytes_to_device", &StreamStats::bytesToDevice);
        visit("seconds", &StreamStats::seconds);
        visit("fps", &StreamStats::framesPerSecond);
        visit("gigabytes_per_second", &StreamStats::gigabytesPerSecond);
        visit("latency_us", &StreamStats::latency, NullUnless{&StreamStats::latencyKnown});
        visit("clock_error_us", &StreamStats::clockErrorUs, NullUnless{&StreamStats::latencyKnown});
        visit({nullptr, "latency_to_screen_us"}, &StreamStats::latencyToScreen);
        visit(StatKey("capture").within("stages_us"), &StreamStats::stageCapture);
        visit(StatKey("post").within("stages_us"), &StreamStats::stagePost);
        visit(StatKey("wire").within("stages_us"), &StreamStats::stageWire);
        visit(StatKey("show").within("stages_us"), &StreamStats::stageShow);
        visit({nullptr, "input_to_picture_us"}, &StreamStats::inputToPicture);
        visit({nullptr, "connect_to_first_frame_shown_ms"}, &StreamStats::connectToFirstShownMs);
        visit("connections", &StreamStats::connections);
        visit("connections_lost", &StreamStats::connectionsLost);
        visit("rails", &StreamStats::rails, kIfAny);
        visit("sound", &StreamStats::sound, kIfAny);
        visit("together", &StreamStats::frameLock, kIfAny);
        visit("decoder", &StreamStats::decoding, kIfAny);
        visit("screen", &StreamStats::screen, kIfAny);
        visit("upload", &StreamStats::upload, kIfAny);
        visit("window", &StreamStats::window, kIfAny);
        visit("multicast", &StreamStats::group, kIfAny);
        visit({"receivers", nullptr}, &StreamStats::viewers);
        visit({"receivers_left_out", nullptr}, &StreamStats::viewersLeftOut);
    }
};

/// A stream among several of one program.
struct NamedStats {
    std::uint32_t number = 1;
    std::string name;  ///< its address, or its sender's name
    StreamStats stats;
    std::string exitReason;
    std::optional<StreamAlignment> alignment{};  ///< if streams are aligned

    static constexpr void fields(auto visit) {
        visit("number", &NamedStats::number);
        visit("name", &NamedStats::name);
        visit(nullptr, &NamedStats::stats);
        visit("alignment", &NamedStats::alignment, kIfAny);
        visit("exit_reason", &NamedStats::exitReason);
    }
};

}  // namespace verbcast
