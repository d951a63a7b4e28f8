// Everything that one run of `verbcast bench` has measured. The modes fill it; table, JSON and HTML are made
// of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_options.h"
#include "app/bench/report/fabric_model.h"
#include "core/stats/histogram.h"

namespace verbcast {

/// Where and when. Filled by describeMachine().
struct MachineInfo {
    std::string processor;  ///< "AMD EPYC 9654"
    unsigned processors = 0;
    std::uint64_t memoryBytes = 0;
    std::string kernel;    ///< "Linux 6.1.0-28-amd64"
    std::string compiler;  ///< and build type
    std::string verbcast, ffmpeg, rdmaCore;
    std::string startedAt;  ///< ISO 8601, UTC
    std::string commandLine;
};

/// A speed that something simpler reached in the same run.
struct Limit {
    std::string name;  ///< "memcpy", "plain TCP", "ib_write_bw 8 MiB"
    double gigabytesPerSecond = 0;
    std::string note;         ///< what it does and does not mean; may be empty
    std::string unavailable;  ///< not measured, because of this; then the speed is 0
};

/// A bare futex wake-up between two processes at the rate of a row.
struct WakeUp {
    Percentiles latency;         ///< from just before the call that wakes to the other's return
    double cpuMicroseconds = 0;  ///< of both, for each wake-up
};

/// What one end's process used during the measured part.
struct CpuUse {
    double userSeconds = 0, systemSeconds = 0;
    std::uint64_t voluntarySwitches = 0, involuntarySwitches = 0;
    std::optional<std::uint64_t> systemCalls;  ///< nothing where the kernel does not tell
    double seconds() const { return userSeconds + systemSeconds; }
};

/// What encrypting frames reached while they were sent, beside OpenSSL's own benchmark.
struct Ciphering {
    double sealGigabytesPerSecond = 0;  ///< of the sender's thread while it encrypts
    double openGigabytesPerSecond = 0;  ///< of the receiver's while it decrypts
    Limit seal, open;
    double sealRatio() const {
        return seal.gigabytesPerSecond > 0 ? sealGigabytesPerSecond / seal.gigabytesPerSecond : 0;
    }
    double openRatio() const {
        return open.gigabytesPerSecond > 0 ? openGigabytesPerSecond / open.gigabytesPerSecond : 0;
    }
};

/// Frames of which a part changes and travels, beside the same ones that travel whole, in turns.
struct PartialFrames {
    double percent = 0;                          ///< that changes
    double movedBytes = 0, wholeMovedBytes = 0;  ///< of a frame, as it travels
    double wholeFps = 0;
    double cpuMicroseconds = 0, wholeCpuMicroseconds = 0;  ///< of a frame, both ends
    double wholeLatencyP50 = 0;                            ///< at a rate that was kept; else 0
};

/// What frames whose rings lie in a GPU's memory were copied besides, and what copies alone reach.
struct DeviceCopies {
    double overPcie = 0;  ///< copies of a frame between GPU and main memory, both ends, but those that fill
    Limit toHost, toDevice;
};

/// One point of a distribution: this fraction of all values is at most `microseconds`.
struct DistributionPoint {
    double microseconds = 0, fraction = 0;
};

/// The figures of one repetition, to see the spread.
struct RunSample {
    double fps = 0, gigabytesPerSecond = 0, latencyP50 = 0, latencyP99 = 0, cpuMicrosecondsPerFrame = 0;
};

/// Frames of one transport, format and size.
struct FrameRow {
    std::string transport;
    std::uint32_t width = 0, height = 0;
    std::string pixelFormat;
    std::uint64_t frameBytes = 0;
    Verify verify = Verify::Full;
    double offeredFps = 0;  ///< open loop at this rate; 0: closed loop, as fast as possible
    std::uint32_t streams = 1, slots = 8;
    bool poll = false;
    std::uint32_t load = 0;
    std::uint64_t frames = 0, framesDropped = 0, framesCorrupt = 0;
    double seconds = 0, fps = 0, gigabytesPerSecond = 0;
    Percentiles latency;  ///< submit to receive; in a closed loop it holds the wait in queues
    std::vector<DistributionPoint> distribution;
    double jitterUs = 0;  ///< standard deviation of the time between arrivals
    CpuUse sender, receiver;
    bool intoOne = false;            ///< one process has received all streams
    std::vector<double> fpsOfEach;   ///< of several streams into one process
    double receiverTimesOne = 0;     ///< its processor time, in times of what one stream took; 0: unknown
    double pixelCopiesPerFrame = 0;  ///< counted where the copies are made
    std::optional<Limit> limit;
    std::optional<WakeUp> wakeUp;          ///< of rows with a rate, over shm
    std::optional<Ciphering> cipher;       ///< of encrypted rows
    double bytesMovedPerFrame = 0;         ///< with --damage
    std::optional<PartialFrames> partial;  ///< with --damage
    std::optional<DeviceCopies> device;    ///< with --memory device
    std::vector<RunSample> repeats;
    /// At a rate that it carried: else latency is the wait in queues.
    bool tellsLatency() const { return offeredFps > 0 && fps >= 0.95 * offeredFps; }
    /// Nobody moves or touches a pixel: the ring is shared, and numbers of slots pass. GB/s and a ratio mean
    /// nothing then; frames a second do.
    bool handsOver() const { return transport == "shm" && verify != Verify::Full && !device; }
    double ratioToLimit() const {
        return limit && limit->gigabytesPerSecond > 0 ? gigabytesPerSecond / limit->gigabytesPerSecond : 0;
    }
};

/// How the slow ones among a stream's viewers take frames.
enum class SlowViewers {
    None,
    Stalled,    ///< one, and hold it
    Hundredth,  ///< a hundredth of the rate, each held until the next is due
};

/// One stream to many viewers: those that keep up, beside slow ones.
struct ViewersRow {
    std::string transport;
    std::uint32_t width = 0, height = 0;
    std::string pixelFormat;
    double offeredFps = 0;
    std::uint32_t slots = 8, viewers = 0, slowViewers = 0;  ///< viewers: that keep up
    SlowViewers slow = SlowViewers::None;
    std::uint64_t frames = 0;  ///< that were due
    double seconds = 0;
    double fps = 0;                  ///< of the viewer with the fewest, of those that keep up
    std::uint64_t framesMissed = 0;  ///< by all that keep up
    std::uint64_t framesCorrupt = 0, slowFrames = 0;
    Percentiles latency;  ///< submit to receive, of all that keep up
    CpuUse sender;
    std::uint64_t senderMemoryBytes = 0;  ///< resident; 0: not told
    std::uint64_t departures = 0;         ///< viewers that left, or were sent away for holding too much
    /// In times of the row without slow ones; 0: that is this one.
    double fpsRatio = 0, p99Ratio = 0, cpuRatio = 0, memoryRatio = 0;
};

/// "stall", "take 1 in 100"
std::string_view slowViewersText(SlowViewers slow);
/// Fills the ratios of a row with slow viewers.
void compareWithoutSlow(ViewersRow& row, const ViewersRow& without);

struct SweepPoint {
    std::string transport;
    std::uint64_t blockBytes = 0;
    std::uint32_t inFlight = 1;
    double blocksPerSecond = 0, gigabytesPerSecond = 0;
    Percentiles latency;  ///< handed to the transport to acknowledged by the receiver
};

/// t = t0 + bytes / bandwidth, least squares over one transport's points of one depth.
struct SweepFit {
    std::string transport;
    std::uint32_t inFlight = 1;
    double t0Us = 0, gigabytesPerSecond = 0;
    std::uint64_t halfBytes = 0;  ///< the block that reaches half of the bandwidth: t0 * bandwidth
    double r2 = 0;
};

struct RegisterPoint {
    std::string device;
    std::string pages;       ///< "4 KiB", "2 MiB"
    std::uint32_t load = 0;  ///< burner threads
    std::uint64_t bytes = 0;
    double registerUs = 0, deregisterUs = 0;  ///< medians
    double copyUs = 0;                        ///< the same bytes into a ring registered before
};

struct RegisterCrossover {
    std::string device, pages;
    std::uint32_t load = 0;
    std::uint64_t bytes = 0;  ///< from here on registering each time is cheaper than copying; 0: never seen
    double registerSecondsPerGib = 0;
};

struct RpcPoint {
    std::string transport;
    std::uint32_t callers = 1;  ///< calls in flight
    std::uint32_t payloadBytes = 0;
    double callsPerSecond = 0;
    Percentiles latency;  ///< round trip
};

/// What a part of a frame's way costs.
struct PartCost {
    double cpuUs = 0;   ///< processor time of all threads of the processes at work; mean
    double wallUs = 0;  ///< by the clock; median
};

/// Moving a drawn picture to the texture that shows it: each part measured alone in the same run, and while
/// all work.
struct TransferCost {
    /// What all parts together may cost in the pipeline, of what they cost alone.
    static constexpr double kLimit = 1.15;
    struct Part {
        std::string name;  ///< "read-back", "hand-off", "upload"
        PartCost alone, pipeline;
    };
    std::vector<Part> parts;
    /// Whether processor time decides: where OpenGL draws on the processors, the scene's drawing takes them
    /// away from the other parts, which then take longer without costing more.
    bool byProcessorTime = false;

    Part together() const {
        Part sum{"together", {}, {}};
        for (const Part& part : parts) {
            sum.alone = {sum.alone.cpuUs + part.alone.cpuUs, sum.alone.wallUs + part.alone.wallUs};
            sum.pipeline = {sum.pipeline.cpuUs + part.pipeline.cpuUs,
                            sum.pipeline.wallUs + part.pipeline.wallUs};
        }
        return sum;
    }
    double ratio() const {
        const Part sum = together();
        return byProcessorTime ? sum.pipeline.cpuUs / sum.alone.cpuUs
                               : sum.pipeline.wallUs / sum.alone.wallUs;
    }
    bool holds() const { return ratio() <= kLimit; }
};

/// The pipeline of one source over one transport, stage by stage in the order that a frame goes.
struct StageRun {
    /// What the time from input to picture may be, in times of a frame.
    static constexpr double kInputP50Limit = 1.5, kInputP99Limit = 3;

    std::string source, transport, renderer;
    std::uint32_t width = 0, height = 0;
    std::string pixelFormat;
    std::uint32_t load = 0;
    double offeredFps = 0;  ///< 0: as fast as possible
    double fps = 0;
    std::uint64_t frames = 0, framesDropped = 0;
    struct Stage {
        /// "decode", "draw pattern" or "draw scene" and "read scene", "wait for room" (kept full, without a
        /// rate), "post", "wire", "queue", "upload", "draw", "read back"
        std::string name;
        Percentiles time;
    };
    std::vector<Stage> stages;
    Percentiles total;
    std::optional<TransferCost> transfer;       ///< of a scene
    std::optional<Percentiles> inputToPicture;  ///< of events from the viewing side at random moments

    /// A time in times of a frame; only at a rate.
    double inFrameTimes(double microseconds) const { return microseconds * offeredFps * 1e-6; }
    bool inputInTime() const {
        return inputToPicture && inFrameTimes(inputToPicture->p50) <= kInputP50Limit &&
               inFrameTimes(inputToPicture->p99) <= kInputP99Limit;
    }
};

struct BenchReport {
    BenchMode mode = BenchMode::Frames;
    MachineInfo machine;
    bool interrupted = false;        ///< Ctrl-C: what was measured until then
    std::vector<std::string> notes;  ///< "verbs is left out: no RDMA device"
    std::vector<Limit> limits;
    std::vector<FrameRow> rows;
    std::vector<SweepPoint> sweep;
    std::vector<SweepFit> fits;
    std::vector<RegisterPoint> registrations;
    std::vector<RegisterCrossover> crossovers;
    std::vector<RpcPoint> rpc;
    std::vector<StageRun> stages;
    std::vector<ViewersRow> viewers;
    std::vector<ModelRow> model;  ///< calculated, not measured
};

}  // namespace verbcast
