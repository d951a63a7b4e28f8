// The report as JSON: schema "verbcast-bench/1". docs/reports.md documents the keys, which never change
// their meaning within the schema; what was not measured or is not a number is null.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/bench/av/av_offsets.h"
#include "app/bench/report/report_output.h"
#include "app/bench/report/report_text.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

template <typename T, typename Convert>
Json list(const std::vector<T>& items, Convert convert) {
    Json array = Json::array();
    for (const T& item : items) {
        array.push_back(convert(item));
    }
    return array;
}

Json orNull(bool has, const Json& value) {
    return has ? value : Json(nullptr);
}

template <typename T, typename Convert>
Json orNull(const std::optional<T>& value, Convert convert) {
    return value ? convert(*value) : Json(nullptr);
}

Json orNull(const std::string& text) {
    return orNull(!text.empty(), text);
}

Json positive(double value) {
    return orNull(value > 0, value);
}

/// Of the sender and the receiver.
template <typename Of>
Json sides(const FrameRow& row, Of of) {
    return {{"sender", of(row.sender)}, {"receiver", of(row.receiver)}};
}

Json timesJson(const Percentiles& p) {
    return {{"p50", p.p50},
            {"p99", p.p99},
            {"p999", orNull(p.hasP999(), p.p999)},
            {"max", p.max},
            {"count", p.count}};
}

Json limitJson(const Limit& limit) {
    return {{"name", limit.name},
            {"gigabytes_per_second", orNull(limit.unavailable.empty(), limit.gigabytesPerSecond)},
            {"note", limit.note},
            {"unavailable", orNull(limit.unavailable)}};
}

Json cpuJson(const CpuUse& use) {
    return {{"user_seconds", use.userSeconds}, {"system_seconds", use.systemSeconds}};
}

Json switchesJson(const CpuUse& use) {
    return {{"voluntary", use.voluntarySwitches}, {"involuntary", use.involuntarySwitches}};
}

Json callsJson(const CpuUse& use) {
    return use.systemCalls ? Json(*use.systemCalls) : Json(nullptr);
}

Json repeatJson(const RunSample& run) {
    return {{"fps", run.fps},
            {"gigabytes_per_second", run.gigabytesPerSecond},
            {"latency_us", {{"p50", run.latencyP50}, {"p99", run.latencyP99}}},
            {"cpu_us_per_frame_both_sides", run.cpuMicrosecondsPerFrame}};
}

Json cipherJson(const Ciphering& cipher) {
    const std::string& why = cipher.seal.unavailable;
    return {{"encrypt_gigabytes_per_second", cipher.sealGigabytesPerSecond},
            {"decrypt_gigabytes_per_second", cipher.openGigabytesPerSecond},
            {"encrypt_ratio_to_openssl_speed", orNull(why.empty(), cipher.sealRatio())},
            {"decrypt_ratio_to_openssl_speed", orNull(cipher.open.unavailable.empty(), cipher.openRatio())},
            {"openssl_speed_unavailable", orNull(why.empty() ? cipher.open.unavailable : why)}};
}

Json wakeUpJson(const WakeUp& wakeUp) {
    return {{"latency_us", timesJson(wakeUp.latency)}, {"cpu_us_both_sides", wakeUp.cpuMicroseconds}};
}

Json deviceJson(const DeviceCopies& copies) {
    return {{"pcie_copies_per_frame", copies.overPcie},
            {"to_host", limitJson(copies.toHost)},
            {"to_device", limitJson(copies.toDevice)}};
}

Json partialJson(const PartialFrames& part, double fps) {
    const auto ratio = [](double partial, double whole) { return orNull(whole > 0, partial / whole); };
    return {{"percent", part.percent},
            {"bytes_moved_per_frame", part.movedBytes},
            {"cpu_us_per_frame_both_sides", part.cpuMicroseconds},
            {"whole",
             {{"bytes_moved_per_frame", part.wholeMovedBytes},
              {"cpu_us_per_frame_both_sides", part.wholeCpuMicroseconds},
              {"fps", part.wholeFps},
              {"latency_p50_us", positive(part.wholeLatencyP50)}}},
            {"ratios",
             {{"bytes_moved", ratio(part.movedBytes, part.wholeMovedBytes)},
              {"cpu", ratio(part.cpuMicroseconds, part.wholeCpuMicroseconds)},
              {"fps", ratio(fps, part.wholeFps)}}}};
}

Json rowJson(const FrameRow& row) {
    const bool calls = row.sender.systemCalls || row.receiver.systemCalls;
    return {{"transport", row.transport},
            {"width", row.width},
            {"height", row.height},
            {"pixel_format", row.pixelFormat},
            {"frame_bytes", row.frameBytes},
            {"verify", verifyName(row.verify)},
            {"offered_fps", positive(row.offeredFps)},
            {"streams", row.streams},
            {"into_one", row.intoOne},
            {"slots", row.slots},
            {"poll", row.poll},
            {"load", row.load},
            {"frames", row.frames},
            {"frames_dropped", row.framesDropped},
            {"frames_corrupt", row.framesCorrupt},
            {"seconds", row.seconds},
            {"fps", row.fps},
            {"fps_of_each", orNull(!row.fpsOfEach.empty(), row.fpsOfEach)},
            {"gigabytes_per_second", row.gigabytesPerSecond},
            {"hand_offs_per_second", orNull(row.handsOver(), row.fps * row.streams)},
            {"gigabits_per_second", row.gigabytesPerSecond * 8},
            {"latency_us", timesJson(row.latency)},
            {"jitter_us", row.jitterUs},
            {"cpu_us_per_frame", sides(row, [&](const CpuUse& use) { return row.cpuMicroseconds(use); })},
            {"receiver_cpu_times_one_stream", positive(row.receiverTimesOne)},
            {"cpu_seconds_per_gigabyte",
             sides(row, [&](const CpuUse& use) { return row.cpuSecondsPerGigabyte(use); })},
            {"cpu", sides(row, cpuJson)},
            {"context_switches", sides(row, switchesJson)},
            {"read_write_system_calls", orNull(calls, sides(row, callsJson))},
            {"pixel_copies_per_frame", row.pixelCopiesPerFrame},
            {"memory", row.device ? "device" : "host"},
            {"device_memory", orNull(row.device, deviceJson)},
            {"limit", orNull(row.limit, limitJson)},
            {"ratio_to_limit", positive(row.ratioToLimit())},
            {"damage",
             orNull(row.partial, [&](const PartialFrames& part) { return partialJson(part, row.fps); })},
            {"cipher", orNull(row.cipher, cipherJson)},
            {"wake_up", orNull(row.wakeUp, wakeUpJson)},
            {"repeats", list(row.repeats, repeatJson)},
            {"latency_distribution", list(row.distribution, [](const DistributionPoint& point) {
                 return Json{{"microseconds", point.microseconds}, {"fraction", point.fraction}};
             })}};
}

Json sweepJson(const SweepPoint& point) {
    return {{"transport", point.transport},
            {"block_bytes", point.blockBytes},
            {"in_flight", point.inFlight},
            {"blocks_per_second", point.blocksPerSecond},
            {"gigabytes_per_second", point.gigabytesPerSecond},
            {"latency_us", timesJson(point.latency)}};
}

Json fitJson(const SweepFit& fit) {
    return {{"transport", fit.transport},  {"in_flight", fit.inFlight},
            {"t0_us", fit.t0Us},           {"gigabytes_per_second", fit.gigabytesPerSecond},
            {"half_bytes", fit.halfBytes}, {"r2", fit.r2}};
}

Json registrationJson(const RegisterPoint& point) {
    return {{"device", point.device},
            {"pages", point.pages},
            {"load", point.load},
            {"bytes", point.bytes},
            {"register_us", point.registerUs},
            {"deregister_us", point.deregisterUs},
            {"copy_us", point.copyUs},
            {"way", orNull(point.way)}};
}

Json crossoverJson(const RegisterCrossover& crossover) {
    return {{"device", crossover.device},
            {"pages", crossover.pages},
            {"load", crossover.load},
            {"bytes", orNull(crossover.bytes != 0, crossover.bytes)},
            {"register_seconds_per_gib", crossover.registerSecondsPerGib}};
}

Json rpcJson(const RpcPoint& point) {
    return {{"transport", point.transport},
            {"callers", point.callers},
            {"payload_bytes", point.payloadBytes},
            {"calls_per_second", point.callsPerSecond},
            {"latency_us", timesJson(point.latency)}};
}

Json viewersJson(const ViewersRow& row) {
    const bool slow = row.slowViewers != 0;
    return {{"transport", row.transport},
            {"width", row.width},
            {"height", row.height},
            {"pixel_format", row.pixelFormat},
            {"offered_fps", row.offeredFps},
            {"slots", row.slots},
            {"viewers", row.viewers},
            {"slow_viewers", row.slowViewers},
            {"slow_take", orNull(slow, slowViewersText(row.slow))},
            {"frames", row.frames},
            {"seconds", row.seconds},
            {"least_fps", row.fps},
            {"frames_missed", row.framesMissed},
            {"frames_corrupt", row.framesCorrupt},
            {"slow_frames", row.slowFrames},
            {"departures", row.departures},
            {"latency_us", timesJson(row.latency)},
            {"sender_cpu_us_per_frame", row.cpuMicroseconds()},
            {"sender_memory_bytes", row.senderMemoryBytes},
            {"ratios",
             {{"fps", orNull(slow, row.fpsRatio)},
              {"p99", orNull(slow, row.p99Ratio)},
              {"sender_cpu", orNull(slow, row.cpuRatio)},
              {"sender_memory", orNull(slow, row.memoryRatio)}}}};
}

Json costJson(const PartCost& cost) {
    return {{"cpu_us", cost.cpuUs}, {"wall_us", cost.wallUs}};
}

Json transferPartJson(const TransferCost::Part& part) {
    return {{"name", part.name}, {"alone", costJson(part.alone)}, {"pipeline", costJson(part.pipeline)}};
}

Json transferJson(const TransferCost& cost) {
    return {{"parts", list(cost.parts, transferPartJson)},
            {"together", transferPartJson(cost.together())},
            {"judged_by", cost.byProcessorTime ? "cpu_us" : "wall_us"},
            {"ratio", orNull(cost.isJudged(), cost.ratio())},
            {"limit", TransferCost::kLimit},
            {"holds", orNull(cost.isJudged(), cost.holds())}};
}

Json stageCopiesJson(const StageCopies& copies) {
    Json json{{"processor_copies_per_frame", copies.byProcessor}, {"gpu_copies_per_frame", copies.withinGpu}};
    json.update(deviceJson(copies.device));
    return json;
}

Json inputJson(const Percentiles& time, const StageRun& run) {
    const Json frameTimes{{"p50", run.inFrameTimes(time.p50)}, {"p99", run.inFrameTimes(time.p99)}};
    return {{"time_us", timesJson(time)},
            {"frame_times", orNull(run.offeredFps > 0, frameTimes)},
            {"limit_frame_times", {{"p50", StageRun::kInputP50Limit}, {"p99", StageRun::kInputP99Limit}}},
            {"holds", orNull(run.offeredFps > 0, run.inputInTime())}};
}

Json stageJson(const StageRun::Stage& stage) {
    return {{"name", stage.name}, {"time_us", timesJson(stage.time)}};
}

Json stageRunJson(const StageRun& run) {
    return {{"source", run.source},
            {"transport", run.transport},
            {"renderer", run.renderer},
            {"width", run.width},
            {"height", run.height},
            {"pixel_format", run.pixelFormat},
            {"load", run.load},
            {"offered_fps", positive(run.offeredFps)},
            {"fps", run.fps},
            {"frames", run.frames},
            {"frames_dropped", run.framesDropped},
            {"stages", list(run.stages, stageJson)},
            {"total_us", timesJson(run.total)},
            {"transfer_cost", orNull(run.transfer, transferJson)},
            {"memory", run.copies ? "device" : "host"},
            {"device_memory", orNull(run.copies, stageCopiesJson)},
            {"input_to_picture",
             orNull(run.inputToPicture, [&](const Percentiles& time) { return inputJson(time, run); })}};
}

Json decodeJson(const DecodeRow& row) {
    const bool compared = row.ffmpegUnavailable.empty();
    return {{"decoder", row.decoder},
            {"memory", row.inGpuMemory ? "device" : "host"},
            {"width", row.width},
            {"height", row.height},
            {"pixel_format", row.pixelFormat},
            {"pictures", row.pictures},
            {"seconds", row.seconds},
            {"fps", row.fps()},
            {"cpu_us_per_picture", row.processorUs()},
            {"ffmpeg_fps", orNull(compared, row.ffmpegFps())},
            {"ffmpeg_cpu_us_per_picture", orNull(compared, row.ffmpegProcessorUs())},
            {"ratio_to_ffmpeg", orNull(compared, row.ratio())},
            {"ffmpeg_unavailable", orNull(row.ffmpegUnavailable)},
            {"note", orNull(row.note)}};
}

/// Of at least one. p99 and max are distances from 0; of fewer than 100, p99 is the largest.
Json offsetsJson(const std::vector<double>& offsets) {
    std::vector<double> distances;
    std::ranges::transform(offsets, std::back_inserter(distances), [](double ms) { return std::abs(ms); });
    const auto [least, most] = std::ranges::minmax(offsets);
    return {{"p50", shareOf(offsets, 0.5)},
            {"p99", shareOf(distances, 0.99)},
            {"max", shareOf(distances, 1)},
            {"least", least},
            {"most", most},
            {"count", offsets.size()}};
}

/// How many pairs came before all others were as near to what was asked as production wants them; null if the
/// last one was not, or there were several starts.
Json settledAfter(const AvRow& row) {
    constexpr double kNearMs = 5;
    const auto isFar = [&](double ms) { return std::abs(ms - row.askedOffsetMs) > kNearMs; };
    const auto last = std::find_if(row.offsetsMs.rbegin(), row.offsetsMs.rend(), isFar);
    return orNull(row.startsMs.size() == 1 && last != row.offsetsMs.rbegin(), row.offsetsMs.rend() - last);
}

Json avJson(const AvRow& row) {
    const std::vector<double> none{0};
    const auto [least, most] = std::ranges::minmax(row.startsMs.empty() ? none : row.startsMs);
    return {{"transport", row.transport},
            {"width", orNull(row.width > 0, row.width)},
            {"height", orNull(row.height > 0, row.height)},
            {"pixel_format", orNull(row.pixelFormat)},
            {"offered_fps", positive(row.offeredFps)},
            {"device", row.device},
            {"asked_offset_ms", row.askedOffsetMs},
            {"seconds", row.seconds},
            {"offset_ms", row.offsetsMs.empty() ? Json(nullptr) : offsetsJson(row.offsetsMs)},
            {"offsets_ms", row.offsetsMs},
            {"settled_after", settledAfter(row)},
            {"missed_flashes", row.missedFlashes},
            {"missed_pips", row.missedPips},
            {"starts_ms", row.startsMs},
            {"starts_spread_ms", orNull(row.startsMs.size() > 1, most - least)},
            {"sound_after_picture_ms", row.soundAfterPictureMs},
            {"monitor_delay_ms", row.monitorDelayMs},
            {"display_hz", positive(row.displayHz)},
            {"flash_resolution_ms", row.flashResolutionMs},
            {"viewer_sound", row.viewerSound.empty() ? Json(nullptr) : Json::parse(row.viewerSound)}};
}

Json machineJson(const MachineInfo& machine) {
    return {{"processor", machine.processor},
            {"processors", machine.processors},
            {"memory_bytes", machine.memoryBytes},
            {"kernel", machine.kernel},
            {"compiler", machine.compiler},
            {"verbcast", machine.verbcast},
            {"ffmpeg", machine.ffmpeg},
            {"rdma_core", machine.rdmaCore},
            {"numa", fieldsJson(machine.numa)}};
}

/// Bytes that are no text are replaced, since JSON must be UTF-8, and what is not a number becomes null.
Json cleaned(const Json& json) {
    return Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string_view slowViewersText(SlowViewers slow) {
    return slow == SlowViewers::None ? "keep up" : slow == SlowViewers::Stalled ? "stall" : "take 1 in 100";
}

Json reportJson(const BenchReport& report) {
    return cleaned({{"schema", kReportSchema},
                    {"mode", benchModeName(report.mode)},
                    {"started_at", report.machine.startedAt},
                    {"command_line", report.machine.commandLine},
                    {"interrupted", report.interrupted},
                    {"machine", machineJson(report.machine)},
                    {"notes", report.notes},
                    {"limits", list(report.limits, limitJson)},
                    {"rows", list(report.rows, rowJson)},
                    {"sweep", list(report.sweep, sweepJson)},
                    {"sweep_fits", list(report.fits, fitJson)},
                    {"registrations", list(report.registrations, registrationJson)},
                    {"register_crossovers", list(report.crossovers, crossoverJson)},
                    {"rpc", list(report.rpc, rpcJson)},
                    {"viewers", list(report.viewers, viewersJson)},
                    {"stages", list(report.stages, stageRunJson)},
                    {"decoding", list(report.decoding, decodeJson)},
                    {"av", list(report.av, avJson)}});
}

}  // namespace verbcast
