#include "app/bench/modes/frame_run.h"
#include "app/bench/workers/bench_transports.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/bench/workers/frame_job.h"
#include "core/memory/available_memory.h"
#include "core/memory/frame_pool.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// A worker process and its last report.
struct Process : Worker {
    Process(const char* role, const nlohmann::json& job) : Worker("", role, job) {}
    std::uint64_t frames = 0;  ///< reported by receivers only
    double seconds = 0;
};

/// The processes of a run: a sender per stream, and as many receivers, or one for all.
struct Crew {
    std::vector<std::unique_ptr<Process>> receivers, senders;

    template <typename Each>
    void forAll(Each&& each) {
        for (auto* side : {&senders, &receivers}) {
            for (const auto& process : *side) {
                each(*process);
            }
        }
    }
    bool finished() {
        bool all = true;
        forAll([&](const Process& process) { all &= process.finished(); });
        return all;
    }
};

FrameJob jobFor(const BenchOptions& options, const FrameCase& frames) {
    FrameJob job{static_cast<const BenchRunOptions&>(options)};
    job.address = freshAddress(frames.scheme, options);
    job.size = frames.size;
    job.pixelFormat = frames.pixelFormat;
    job.verify = options.verify;
    job.damage = options.damage;
    job.tellsDamage = frames.tellsDamage;
    job.key = options.encrypt ? SessionKey::random().text() : "";
    return job;
}

/// Waits briefly for a process's report; returns true if there was one. Throws the process's error if it
/// failed.
bool listen(Process& process, std::chrono::milliseconds moment) {
    if (process.finished()) {
        return false;
    }
    bool news = false;
    const auto word = process.progress(moment);
    if (word.is_object() && word.contains("frames")) {
        process.frames = word.at("frames");
        process.seconds = word.at("seconds");
        news = process.frames > 0;
    }
    if (process.finished()) {
        process.result(0s);  // if one fails the other keeps waiting: report the error now
    }
    return news;
}

void followUntilDone(Crew& crew, std::uint64_t frameBytes, const LiveRate& live) {
    bool told = false;
    while (!crew.finished()) {
        if (!told && interruptEvent().isSet()) {
            told = true;
            crew.forAll([](Process& process) { process.interrupt(); });
        }
        bool news = false;
        std::uint64_t count = 0;
        double rate = 0;
        for (const auto& sender : crew.senders) {
            listen(*sender, 1ms);
        }
        for (const auto& receiver : crew.receivers) {
            news |= listen(*receiver, 50ms);
            count += receiver->frames;
            rate += receiver->seconds > 0
                        ? static_cast<double>(receiver->frames * frameBytes) * 1e-9 / receiver->seconds
                        : 0;
        }
        if (news) {
            live(count, rate);
        }
    }
}

Crew startCrew(const BenchOptions& options, const FrameCase& frames) {
    Crew crew;
    nlohmann::json jobs = nlohmann::json::array();
    for (std::uint32_t i = 0; i < frames.streams; ++i) {
        jobs.push_back(jobFor(options, frames));
    }
    if (frames.intoOne) {
        crew.receivers.push_back(std::make_unique<Process>("frames-receive-all", jobs));
    } else {
        for (const nlohmann::json& job : jobs) {
            crew.receivers.push_back(std::make_unique<Process>("frames-receive", job));
        }
    }
    for (const auto& receiver : crew.receivers) {
        receiver->awaitProgress();  // it is listening
    }
    for (const nlohmann::json& job : jobs) {
        crew.senders.push_back(std::make_unique<Process>("frames-send", job));
    }
    return crew;
}

/// The receiver's result for each stream.
std::vector<ReceiverResult> receivedBy(Crew& crew, bool intoOne) {
    if (intoOne) {
        return crew.receivers.front()->result(0s).at("streams");
    }
    std::vector<ReceiverResult> results;
    for (const auto& receiver : crew.receivers) {
        results.push_back(receiver->result(0s));
    }
    return results;
}

FrameRow emptyRow(const BenchOptions& options, const FrameCase& frames) {
    FrameRow row;
    row.transport = frames.scheme;
    row.width = frames.size.width;
    row.height = frames.size.height;
    row.pixelFormat = pixelFormatName(frames.pixelFormat);
    row.frameBytes = frames.frameBytes();
    row.verify = options.verify;
    row.offeredFps = options.fps ? options.fps->value() : 0;
    row.streams = frames.streams;
    row.intoOne = frames.intoOne;
    row.slots = options.slots;
    row.poll = options.poll;
    row.load = options.load;
    if (options.encrypt) {
        row.cipher.emplace();
    }
    if (options.deviceMemory) {
        row.device.emplace();
    }
    return row;
}

void addStream(FrameRow& row, const ReceiverResult& received, const SenderResult& sent,
               LatencyHistogram& latency) {
    row.frames += received.frames;
    // On interrupt, frames were still in flight: only gaps between those that arrived count as drops.
    const std::uint64_t due = interruptEvent().isSet() ? received.lastNumber : sent.offered;
    row.framesDropped += due > received.frames ? due - received.frames : 0;
    row.framesCorrupt += received.corrupt;
    row.seconds = std::max(row.seconds, received.seconds);
    if (received.seconds > 0) {
        const double fps = static_cast<double>(received.frames) / received.seconds;
        row.gigabytesPerSecond += fps * static_cast<double>(row.frameBytes) * 1e-9;
    }
    row.fps = row.gigabytesPerSecond * 1e9 / static_cast<double>(row.frameBytes) / row.streams;
    row.bytesMovedPerFrame = received.bytesMovedPerFrame;
    row.jitterUs = std::max(row.jitterUs, received.jitterUs);
    row.pixelCopiesPerFrame =
        std::max(row.pixelCopiesPerFrame, sent.copiesPerFrame + received.copiesPerFrame);
    if (row.device) {
        row.device->overPcie = sent.pcieCopiesPerFrame + received.pcieCopiesPerFrame;
    }
    if (row.cipher) {
        row.cipher->sealGigabytesPerSecond = sent.cipherGigabytesPerSecond;
        row.cipher->openGigabytesPerSecond = received.cipherGigabytesPerSecond;
    }
    row.sender = plus(row.sender, sent.cpu);
    row.receiver = plus(row.receiver, received.cpu);
    latency.merge(received.latency);
}

std::vector<DistributionPoint> distributionOf(const LatencyHistogram& latency) {
    std::vector<DistributionPoint> points;
    double seen = 0;
    double shown = -1;
    for (const LatencyHistogram::Bucket& bucket : latency.buckets()) {
        seen += static_cast<double>(bucket.count);
        const double fraction = seen / static_cast<double>(latency.count());
        // In its middle, a curve needs no more points than these; the rare slow frames all matter.
        if (fraction - shown >= 0.005 || fraction > 0.99) {
            points.push_back({static_cast<double>(bucket.valueNs) * 1e-3, fraction});
            shown = fraction;
        }
    }
    return points;
}

}  // namespace

std::uint64_t FrameCase::frameBytes() const {
    return tightFormat(size.width, size.height, pixelFormat).payloadBytes;
}

std::string FrameCase::pictureText() const {
    return fmt::format("{}x{} {}", size.width, size.height, pixelFormatName(pixelFormat));
}

std::string FrameCase::text() const {
    return fmt::format("{}{}{}{}", scheme, scheme.empty() ? "" : " ", pictureText(),
                       streams > 1 ? fmt::format(", {} streams{}", streams, intoOne ? " into one" : "") : "");
}

FrameRow runFrames(const BenchOptions& options, const FrameCase& frames, const LiveRate& live) {
    FrameRow row = emptyRow(options, frames);
    LatencyHistogram latency;
    unlessInterrupted([&] {
        Crew crew = startCrew(options, frames);
        followUntilDone(crew, row.frameBytes, live);
        const std::vector<ReceiverResult> received = receivedBy(crew, frames.intoOne);
        for (std::size_t i = 0; i < received.size(); ++i) {
            const ReceiverResult& result = received[i];
            addStream(row, result, crew.senders[i]->result(0s), latency);
            if (frames.intoOne && result.seconds > 0) {
                row.fpsOfEach.push_back(static_cast<double>(result.frames) / result.seconds);
            }
        }
        if (frames.intoOne) {
            row.receiver = crew.receivers.front()->result(0s).at("cpu");
        }
    });
    row.latency = latency.percentiles();
    row.distribution = distributionOf(latency);
    return row;
}

std::uint64_t ringBytes(const BenchOptions& options, const FrameCase& frames) {
    return 2 * slotBytesFor(frames.frameBytes()) * options.slots * frames.streams;
}

std::string memoryProblem(std::uint64_t bytes) {
    const auto available = availableMemory();
    return !available || bytes <= *available
               ? ""
               : fmt::format("rings of {:.1f} GB are needed, {:.1f} GB of memory are available",
                             static_cast<double>(bytes) * 1e-9, static_cast<double>(*available) * 1e-9);
}

void requireRoom(const BenchOptions& options, const FrameCase& frames) {
    if (const std::string problem = memoryProblem(ringBytes(options, frames)); !problem.empty()) {
        throw Error(ErrorKind::Resource,
                    fmt::format("{} with {} slots: {}", frames.text(), options.slots, problem),
                    "use fewer --slots or a smaller --size");
    }
}

}  // namespace verbcast
