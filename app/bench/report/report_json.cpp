// The report as JSON: schema "verbcast-bench/1". docs/bench.md documents the keys, which never change their
// meaning within the schema; what was not measured or is not a number is null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/bench/report/report_output.h"
#include "app/bench/report/report_text.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// A command line may contain any bytes, but JSON must be UTF-8.
std::string text(const std::string& value) {
    return Json::parse(Json(value).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

template <typename T, typename Convert>
Json list(const std::vector<T>& items, Convert convert) {
    Json array = Json::array();
    for (const T& item : items) {
        array.push_back(convert(item));
    }
    return array;
}

Json timesJson(const Percentiles& p) {
    return {{"p50", number(p.p50)},
            {"p99", number(p.p99)},
            {"p999", p.hasP999() ? number(p.p999) : Json(nullptr)},
            {"max", number(p.max)},
            {"count", p.count}};
}

Json machineJson(const MachineInfo& machine) {
    return {{"processor", text(machine.processor)}, {"processors", machine.processors},
            {"memory_bytes", machine.memoryBytes},  {"kernel", text(machine.kernel)},
            {"compiler", text(machine.compiler)},   {"verbcast", text(machine.verbcast)},
            {"ffmpeg", text(machine.ffmpeg)},       {"rdma_core", text(machine.rdmaCore)},
            {"numa", fieldsJson(machine.numa)}};
}

Json limitJson(const Limit& limit) {
    const bool measured = limit.unavailable.empty();
    return {{"name", text(limit.name)},
            {"gigabytes_per_second", measured ? number(limit.gigabytesPerSecond) : Json(nullptr)},
            {"note", text(limit.note)},
            {"unavailable", measured ? Json(nullptr) : Json(text(limit.unavailable))}};
}

Json cpuJson(const CpuUse& use) {
    return {{"user_seconds", number(use.userSeconds)}, {"system_seconds", number(use.systemSeconds)}};
}

Json switchesJson(const CpuUse& use) {
    return {{"voluntary", use.voluntarySwitches}, {"involuntary", use.involuntarySwitches}};
}

Json systemCallsJson(const FrameRow& row) {
    if (!row.sender.systemCalls && !row.receiver.systemCalls) {
        return nullptr;
    }
    const auto side = [](const CpuUse& use) {
        return use.systemCalls ? Json(*use.systemCalls) : Json(nullptr);
    };
    return {{"sender", side(row.sender)}, {"receiver", side(row.receiver)}};
}

Json repeatJson(const RunSample& run) {
    return {{"fps", number(run.fps)},
            {"gigabytes_per_second", number(run.gigabytesPerSecond)},
            {"latency_us", {{"p50", number(run.latencyP50)}, {"p99", number(run.latencyP99)}}},
            {"cpu_us_per_frame_both_sides", number(run.cpuMicrosecondsPerFrame)}};
}

Json cipherRatio(const Limit& limit, double ratio) {
    return limit.unavailable.empty() ? number(ratio) : Json(nullptr);
}

Json whyNot(const Ciphering& cipher) {
    const std::string& why =
        cipher.seal.unavailable.empty() ? cipher.open.unavailable : cipher.seal.unavailable;
    return why.empty() ? Json(nullptr) : Json(text(why));
}

Json partialJson(const FrameRow& row) {
    const PartialFrames& part = *row.partial;
    const auto ratio = [](double partial, double whole) {
        return whole > 0 ? number(partial / whole) : Json(nullptr);
    };
    return {{"percent", number(part.percent)},
            {"bytes_moved_per_frame", number(part.movedBytes)},
            {"cpu_us_per_frame_both_sides", number(part.cpuMicroseconds)},
            {"whole",
             {{"bytes_moved_per_frame", number(part.wholeMovedBytes)},
              {"cpu_us_per_frame_both_sides", number(part.wholeCpuMicroseconds)},
              {"fps", number(part.wholeFps)},
              {"latency_p50_us", part.wholeLatencyP50 > 0 ? number(part.wholeLatencyP50) : Json(nullptr)}}},
            {"ratios",
             {{"bytes_moved", ratio(part.movedBytes, part.wholeMovedBytes)},
              {"cpu", ratio(part.cpuMicroseconds, part.wholeCpuMicroseconds)},
              {"fps", ratio(row.fps, part.wholeFps)}}}};
}

Json rowJson(const FrameRow& row) {
    const auto ratio = ratioToLimit(row);
    Json json;
    json["transport"] = text(row.transport);
    json["width"] = row.width;
    json["height"] = row.height;
    json["pixel_format"] = text(row.pixelFormat);
    json["frame_bytes"] = row.frameBytes;
    json["verify"] = verifyName(row.verify);
    json["offered_fps"] = row.offeredFps > 0 ? number(row.offeredFps) : Json(nullptr);
    json["streams"] = row.streams;
    json["into_one"] = row.intoOne;
    json["slots"] = row.slots;
    json["poll"] = row.poll;
    json["load"] = row.load;
    json["frames"] = row.frames;
    json["frames_dropped"] = row.framesDropped;
    json["frames_corrupt"] = row.framesCorrupt;
    json["seconds"] = number(row.seconds);
    json["fps"] = number(row.fps);
    json["fps_of_each"] = row.fpsOfEach.empty() ? Json(nullptr) : list(row.fpsOfEach, number);
    json["gigabytes_per_second"] = number(row.gigabytesPerSecond);
    json["hand_offs_per_second"] = row.handsOver() ? number(row.fps * row.streams) : Json(nullptr);
    json["gigabits_per_second"] = number(row.gigabytesPerSecond * 8);
    json["latency_us"] = timesJson(row.latency);
    json["jitter_us"] = number(row.jitterUs);
    json["cpu_us_per_frame"] = {{"sender", number(cpuMicrosecondsPerFrame(row.sender, row))},
                                {"receiver", number(cpuMicrosecondsPerFrame(row.receiver, row))}};
    json["receiver_cpu_times_one_stream"] =
        row.receiverTimesOne > 0 ? number(row.receiverTimesOne) : Json(nullptr);
    json["cpu_seconds_per_gigabyte"] = {{"sender", number(cpuSecondsPerGigabyte(row.sender, row))},
                                        {"receiver", number(cpuSecondsPerGigabyte(row.receiver, row))}};
    json["cpu"] = {{"sender", cpuJson(row.sender)}, {"receiver", cpuJson(row.receiver)}};
    json["context_switches"] = {{"sender", switchesJson(row.sender)},
                                {"receiver", switchesJson(row.receiver)}};
    json["read_write_system_calls"] = systemCallsJson(row);
    json["pixel_copies_per_frame"] = number(row.pixelCopiesPerFrame);
    json["memory"] = row.device ? "device" : "host";
    json["device_memory"] = row.device ? Json{{"pcie_copies_per_frame", number(row.device->overPcie)},
                                              {"to_host", limitJson(row.device->toHost)},
                                              {"to_device", limitJson(row.device->toDevice)}}
                                       : Json(nullptr);
    json["limit"] = row.limit ? limitJson(*row.limit) : Json(nullptr);
    json["ratio_to_limit"] = ratio ? number(*ratio) : Json(nullptr);
    json["damage"] = row.partial ? partialJson(row) : Json(nullptr);
    json["cipher"] =
        row.cipher
            ? Json{{"encrypt_gigabytes_per_second", number(row.cipher->sealGigabytesPerSecond)},
                   {"decrypt_gigabytes_per_second", number(row.cipher->openGigabytesPerSecond)},
                   {"encrypt_ratio_to_openssl_speed", cipherRatio(row.cipher->seal, row.cipher->sealRatio())},
                   {"decrypt_ratio_to_openssl_speed", cipherRatio(row.cipher->open, row.cipher->openRatio())},
                   {"openssl_speed_unavailable", whyNot(*row.cipher)}}
            : Json(nullptr);
    json["wake_up"] = row.wakeUp ? Json{{"latency_us", timesJson(row.wakeUp->latency)},
                                        {"cpu_us_both_sides", number(row.wakeUp->cpuMicroseconds)}}
                                 : Json(nullptr);
    json["repeats"] = list(row.repeats, repeatJson);
    json["latency_distribution"] = list(row.distribution, [](const DistributionPoint& point) -> Json {
        return {{"microseconds", number(point.microseconds)}, {"fraction", number(point.fraction)}};
    });
    return json;
}

Json sweepJson(const SweepPoint& point) {
    return {{"transport", text(point.transport)},
            {"block_bytes", point.blockBytes},
            {"in_flight", point.inFlight},
            {"blocks_per_second", number(point.blocksPerSecond)},
            {"gigabytes_per_second", number(point.gigabytesPerSecond)},
            {"latency_us", timesJson(point.latency)}};
}

Json fitJson(const SweepFit& fit) {
    return {{"transport", text(fit.transport)}, {"in_flight", fit.inFlight},
            {"t0_us", number(fit.t0Us)},        {"gigabytes_per_second", number(fit.gigabytesPerSecond)},
            {"half_bytes", fit.halfBytes},      {"r2", number(fit.r2)}};
}

Json registrationJson(const RegisterPoint& point) {
    return {{"device", text(point.device)},
            {"pages", text(point.pages)},
            {"load", point.load},
            {"bytes", point.bytes},
            {"register_us", number(point.registerUs)},
            {"deregister_us", number(point.deregisterUs)},
            {"copy_us", number(point.copyUs)},
            {"way", point.way.empty() ? Json(nullptr) : Json(text(point.way))}};
}

Json crossoverJson(const RegisterCrossover& crossover) {
    return {{"device", text(crossover.device)},
            {"pages", text(crossover.pages)},
            {"load", crossover.load},
            {"bytes", crossover.bytes == 0 ? Json(nullptr) : Json(crossover.bytes)},
            {"register_seconds_per_gib", number(crossover.registerSecondsPerGib)}};
}

Json rpcJson(const RpcPoint& point) {
    return {{"transport", text(point.transport)},
            {"callers", point.callers},
            {"payload_bytes", point.payloadBytes},
            {"calls_per_second", number(point.callsPerSecond)},
            {"latency_us", timesJson(point.latency)}};
}

Json viewersJson(const ViewersRow& row) {
    const auto ratio = [&row](double value) {
        return row.slowViewers == 0 ? Json(nullptr) : Json(number(value));
    };
    return {{"transport", text(row.transport)},
            {"width", row.width},
            {"height", row.height},
            {"pixel_format", text(row.pixelFormat)},
            {"offered_fps", number(row.offeredFps)},
            {"slots", row.slots},
            {"viewers", row.viewers},
            {"slow_viewers", row.slowViewers},
            {"slow_take", row.slowViewers == 0 ? Json(nullptr) : Json(slowViewersText(row.slow))},
            {"frames", row.frames},
            {"seconds", number(row.seconds)},
            {"least_fps", number(row.fps)},
            {"frames_missed", row.framesMissed},
            {"frames_corrupt", row.framesCorrupt},
            {"slow_frames", row.slowFrames},
            {"departures", row.departures},
            {"latency_us", timesJson(row.latency)},
            {"sender_cpu_us_per_frame", number(cpuMicrosecondsPerFrame(row))},
            {"sender_memory_bytes", row.senderMemoryBytes},
            {"ratios",
             {{"fps", ratio(row.fpsRatio)},
              {"p99", ratio(row.p99Ratio)},
              {"sender_cpu", ratio(row.cpuRatio)},
              {"sender_memory", ratio(row.memoryRatio)}}}};
}

Json costJson(const PartCost& cost) {
    return {{"cpu_us", number(cost.cpuUs)}, {"wall_us", number(cost.wallUs)}};
}

Json transferPartJson(const TransferCost::Part& part) {
    return {
        {"name", text(part.name)}, {"alone", costJson(part.alone)}, {"pipeline", costJson(part.pipeline)}};
}

Json transferJson(const std::optional<TransferCost>& transfer) {
    if (!transfer) {
        return nullptr;
    }
    return {{"parts", list(transfer->parts, transferPartJson)},
            {"together", transferPartJson(transfer->together())},
            {"judged_by", transfer->byProcessorTime ? "cpu_us" : "wall_us"},
            {"ratio", transfer->isJudged() ? number(transfer->ratio()) : Json(nullptr)},
            {"limit", TransferCost::kLimit},
            {"holds", transfer->isJudged() ? Json(transfer->holds()) : Json(nullptr)}};
}

Json inputJson(const StageRun& run) {
    if (!run.inputToPicture) {
        return nullptr;
    }
    Json json{{"time_us", timesJson(*run.inputToPicture)},
              {"frame_times", nullptr},
              {"limit_frame_times", {{"p50", StageRun::kInputP50Limit}, {"p99", StageRun::kInputP99Limit}}},
              {"holds", nullptr}};
    if (run.offeredFps > 0) {
        json["frame_times"] = {{"p50", number(run.inFrameTimes(run.inputToPicture->p50))},
                               {"p99", number(run.inFrameTimes(run.inputToPicture->p99))}};
        json["holds"] = run.inputInTime();
    }
    return json;
}

Json stageRunJson(const StageRun& run) {
    return {
        {"source", text(run.source)},
        {"transport", text(run.transport)},
        {"renderer", text(run.renderer)},
        {"width", run.width},
        {"height", run.height},
        {"pixel_format", text(run.pixelFormat)},
        {"load", run.load},
        {"offered_fps", run.offeredFps > 0 ? number(run.offeredFps) : Json(nullptr)},
        {"fps", number(run.fps)},
        {"frames", run.frames},
        {"frames_dropped", run.framesDropped},
        {"stages", list(run.stages,
                        [](const StageRun::Stage& stage) -> Json {
                            return {{"name", text(stage.name)}, {"time_us", timesJson(stage.time)}};
                        })},
        {"total_us", timesJson(run.total)},
        {"transfer_cost", transferJson(run.transfer)},
        {"memory", run.copies ? "device" : "host"},
        {"device_memory", run.copies ? Json{{"processor_copies_per_frame", number(run.copies->byProcessor)},
                                            {"gpu_copies_per_frame", number(run.copies->withinGpu)},
                                            {"pcie_copies_per_frame", number(run.copies->device.overPcie)},
                                            {"to_host", limitJson(run.copies->device.toHost)},
                                            {"to_device", limitJson(run.copies->device.toDevice)}}
                                     : Json(nullptr)},
        {"input_to_picture", inputJson(run)}};
}

Json decodeJson(const DecodeRow& row) {
    const bool compared = row.ffmpegUnavailable.empty();
    return {{"decoder", text(row.decoder)},
            {"memory", row.inGpuMemory ? "device" : "host"},
            {"width", row.width},
            {"height", row.height},
            {"pixel_format", text(row.pixelFormat)},
            {"pictures", row.pictures},
            {"seconds", number(row.seconds)},
            {"fps", number(row.fps())},
            {"cpu_us_per_picture", number(row.processorUs())},
            {"ffmpeg_fps", compared ? number(row.ffmpegFps()) : Json(nullptr)},
            {"ffmpeg_cpu_us_per_picture", compared ? number(row.ffmpegProcessorUs()) : Json(nullptr)},
            {"ratio_to_ffmpeg", compared ? number(row.ratio()) : Json(nullptr)},
            {"ffmpeg_unavailable", compared ? Json(nullptr) : Json(text(row.ffmpegUnavailable))},
            {"note", row.note.empty() ? Json(nullptr) : Json(text(row.note))}};
}

}  // namespace

nlohmann::ordered_json reportJson(const BenchReport& report) {
    Json json;
    json["schema"] = "verbcast-bench/1";
    json["mode"] = benchModeName(report.mode);
    json["started_at"] = text(report.machine.startedAt);
    json["command_line"] = text(report.machine.commandLine);
    json["interrupted"] = report.interrupted;
    json["machine"] = machineJson(report.machine);
    json["notes"] = list(report.notes, text);
    json["limits"] = list(report.limits, limitJson);
    json["rows"] = list(report.rows, rowJson);
    json["sweep"] = list(report.sweep, sweepJson);
    json["sweep_fits"] = list(report.fits, fitJson);
    json["registrations"] = list(report.registrations, registrationJson);
    json["register_crossovers"] = list(report.crossovers, crossoverJson);
    json["rpc"] = list(report.rpc, rpcJson);
    json["viewers"] = list(report.viewers, viewersJson);
    json["stages"] = list(report.stages, stageRunJson);
    json["decoding"] = list(report.decoding, decodeJson);
    return json;
}

}  // namespace verbcast
