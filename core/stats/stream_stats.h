// What both ends count about a stream, and the file that --stats-json writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/stats/histogram.h"
#include "core/video/video_format.h"

namespace verbcast {

/// Counters of one end since it began. Frames are counted once, however many receivers there are.
struct StreamStats {
    std::string transport;                ///< of the last connection; "" before the first
    std::optional<VideoFormat> format;    ///< of the last frame
    std::uint64_t framesTransferred = 0;  ///< sender: handed to a transport; receiver: arrived whole
    std::uint64_t framesShown = 0;        ///< by the viewer's screen (headless: taken by its consumer)
    std::uint64_t framesDropped =
        0;  ///< by the transport: offered by the source and never sent, or missing on arrival
    std::uint64_t framesLost = 0;  ///< of a lossless stream: sent and never accepted, or missing on arrival
    std::uint64_t framesSkipped = 0;  ///< arrived, but a newer one was there when the screen was ready
    std::uint64_t framesCorrupt = 0;  ///< damaged in decoding or not as announced
    std::uint64_t bytes = 0;          ///< payload
    std::uint64_t bytesCopied = 0;    ///< payload that this end's processor copied; see Channel
    std::uint64_t cipherBytes = 0;    ///< payload that this end has encrypted or decrypted
    double cipherSeconds = 0;         ///< that it took
    std::uint64_t framesRefused = 0;  ///< encrypted ones that were not as the sender had sealed them
    double seconds = 0;               ///< from the first to the last frame transferred
    Percentiles latency;              ///< microseconds, from submit at the sender to arrival at the receiver
    Percentiles stageCapture;         ///< captured -> submitted
    Percentiles stagePost;            ///< submitted -> posted
    Percentiles stageWire;            ///< posted -> arrived
    Percentiles stageShow;            ///< arrived -> shown
    Percentiles inputToPicture;  ///< viewer: from an input event sent to the picture with its effect shown
    double connectToFirstShownMs = 0;  ///< receiver: from the start of connecting to the first frame shown
    double clockErrorUs = 0;           ///< uncertainty of latency between two hosts; 0 on one host
    std::uint64_t connections = 0;
    std::uint64_t connectionsLost = 0;

    double framesPerSecond() const;
    double gigabytesPerSecond() const;
};

enum class StreamEnd { Sender, Receiver };

/// Writes the statistics as JSON with units in the keys (see README) to `path` ("-": standard output), whole
/// or not at all. Throws as writeWhole() does; checkWritable() tells beforehand.
void writeStatsJson(const std::string& path, StreamEnd end, const StreamStats& stats,
                    const std::string& exitReason);

}  // namespace verbcast
