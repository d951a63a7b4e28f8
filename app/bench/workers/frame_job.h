// Jobs and results of the processes in a run of frames.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/workers/worker.h"
#include "core/session/trust/trust.h"
#include "core/stats/histogram.h"

namespace verbcast {

/// A peer silent for this long is dead: it should at least give back slots.
inline constexpr std::chrono::seconds kFramePatience{20};

/// Both ends get the same job.
struct FrameJob : BenchRunOptions {
    std::string address{};
    PictureSize size = kFrameSize;
    PixelFormat pixelFormat = PixelFormat::rgba;
    Verify verify = Verify::Full;
    std::optional<double> damage{};  ///< percentage of each frame that changes; see DamagePattern
    bool tellsDamage = false;        ///< and the frames say what changed
    std::string key{};               ///< SessionKey::text(): encrypts frames; empty: not encrypted

    VideoFormat format() const { return tightFormat(size.width, size.height, pixelFormat); }
    /// Of both ends' sessions.
    Trust trust() const;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FrameJob, address, size, pixelFormat, fps, frames, seconds, verify, slots,
                                   poll, pin, damage, tellsDamage, deviceMemory, key)

struct SenderResult {
    std::uint64_t offered = 0;  ///< measured frames that were due, whether sent or not
    double copiesPerFrame = 0;
    double pcieCopiesPerFrame = 0;
    double cipherGigabytesPerSecond = 0;  ///< while encrypting; 0 if not encrypted
    CpuUse cpu;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SenderResult, offered, copiesPerFrame, pcieCopiesPerFrame,
                                   cipherGigabytesPerSecond, cpu)

struct ReceiverResult {
    std::uint64_t frames = 0;      ///< measured frames that arrived
    std::uint64_t lastNumber = 0;  ///< of the last measured frame, from 1
    std::uint64_t corrupt = 0;
    double seconds = 0;  ///< from the arrival before the first measured frame to that of the last
    double jitterUs = 0;
    double copiesPerFrame = 0;
    double pcieCopiesPerFrame = 0;
    double bytesMovedPerFrame = 0;
    double cipherGigabytesPerSecond = 0;
    LatencyHistogram latency;
    CpuUse cpu;
};

/// Its buckets: [[nanoseconds, count], ...].
void to_json(nlohmann::json& json, const LatencyHistogram& histogram);
void from_json(const nlohmann::json& json, LatencyHistogram& histogram);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReceiverResult, frames, lastNumber, corrupt, seconds, jitterUs,
                                   copiesPerFrame, pcieCopiesPerFrame, bytesMovedPerFrame,
                                   cipherGigabytesPerSecond, latency, cpu)

// Of bench viewers. A group of viewers answers with a ReceiverResult each.

/// A group of viewers in one process.
struct ViewersJob {
    FrameJob frame;             ///< address: where the sender listens; slots: the sender's
    std::uint32_t viewers = 1;  ///< in the group; in the sender's job: in all groups
    double takesFps = -1;       ///< negative: every frame; 0: takes one and holds it; else per second
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ViewersJob, frame, viewers, takesFps)

struct ViewersSenderResult {
    SenderResult sender;
    double seconds = 0;
    std::uint64_t memoryBytes = 0;  ///< resident memory of the sender's process at the end; 0: unknown
    std::uint64_t departures = 0;   ///< viewers that left or were sent away during the measurement
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ViewersSenderResult, sender, seconds, memoryBytes, departures)

}  // namespace verbcast
