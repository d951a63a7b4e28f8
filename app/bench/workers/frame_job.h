// Jobs and results of the processes in a run of frames.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"
#include "core/session/trust/trust.h"
#include "core/stats/histogram.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

/// A peer silent for this long is dead: it should at least give back slots.
inline constexpr std::chrono::seconds kFramePatience{20};

/// Both ends get the same job.
struct FrameJob {
    std::string address;
    BenchSize size;
    PixelFormat pixelFormat = PixelFormat::rgba;
    std::optional<Rational> fps;
    std::optional<std::uint64_t> frames;
    double seconds = 3;
    Verify verify = Verify::Full;
    std::uint32_t slots = 8;
    bool poll = false;
    std::vector<int> pin;
    std::optional<double> damage{};  ///< percentage of each frame that changes; see DamagePattern
    bool tellsDamage = false;        ///< and the frames say what changed
    bool device = false;             ///< both rings are in a GPU's memory
    std::string key{};               ///< SessionKey::text(): encrypts frames; empty: not encrypted
};

struct SenderResult {
    std::uint64_t offered = 0;  ///< measured frames that were due, whether sent or not
    double copiesPerFrame = 0;
    double pcieCopiesPerFrame = 0;
    double cipherGigabytesPerSecond = 0;  ///< while encrypting; 0 if not encrypted
    CpuUse cpu;
};

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

/// The trust for both ends' sessions.
Trust trustFor(const FrameJob& job);

nlohmann::json toJson(const FrameJob& job);
FrameJob frameJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const SenderResult& result);
SenderResult senderResultFromJson(const nlohmann::json& json);
nlohmann::json toJson(const ReceiverResult& result);
ReceiverResult receiverResultFromJson(const nlohmann::json& json);

}  // namespace verbcast
