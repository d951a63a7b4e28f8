// All results of one run of `verbcast bench`. The modes fill it in; table, JSON and HTML are generated from
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_options.h"
#include "core/stats/histogram.h"
#include "core/stats/numa_stats.h"
#include "core/transport/registry.h"

namespace verbcast {

/// Where and when the run took place. Filled in by describeMachine().
struct MachineInfo {
    std::string processor;  ///< "AMD EPYC 9654"
    unsigned processors = 0;
    std::uint64_t memoryBytes = 0;
    std::string kernel;    ///< "Linux 6.1.0-28-amd64"
    std::string compiler;  ///< and build type
    std::string verbcast, ffmpeg, rdmaCore;
    std::string startedAt;  ///< ISO 8601, UTC
    std::string commandLine;
    NumaStats numa{};
};

/// A reference speed that a simpler method reached in the same run.
struct Limit {
    std::string name;  ///< "memcpy", "plain TCP", "ib_write_bw 8 MiB"
    double gigabytesPerSecond = 0;
    std::string note;         ///< what it means and does not mean; may be empty
    std::string unavailable;  ///< why it was not measured; the speed is 0 then
};

/// A bare futex wake-up between two processes at a row's rate.
struct WakeUp {
    Percentiles latency;         ///< from just before the waking call to the sleeper's return
    double cpuMicroseconds = 0;  ///< of both processes, per wake-up
};

/// Resources that one end's process used during the measurement.
struct CpuUse {
    double userSeconds = 0, systemSeconds = 0;
    std::uint64_t voluntarySwitches = 0, involuntarySwitches = 0;
    std::optional<std::uint64_t> systemCalls;  ///< reads and writes; nullopt: unknown
    double seconds() const { return userSeconds + systemSeconds; }
};

/// Speed of encrypting frames while sending, compared with OpenSSL's own benchmark.
struct Ciphering {
    double sealGigabytesPerSecond = 0;  ///< of the sender's thread while encrypting
    double openGigabytesPerSecond = 0;  ///< of the receiver's thread while decrypting
    Limit seal, open;
    double sealRatio() const {
        return seal.gigabytesPerSecond > 0 ? sealGigabytesPerSecond / seal.gigabytesPerSecond : 0;
    }
    double openRatio() const {
        return open.gigabytesPerSecond > 0 ? openGigabytesPerSecond / open.gigabytesPerSecond : 0;
    }
};

/// Frames of which only the changed part travels, compared with sending them whole, in alternating runs.
struct PartialFrames {
    double percent = 0;                          ///< that changes
    double movedBytes = 0, wholeMovedBytes = 0;  ///< of a frame, as transferred
    double wholeFps = 0;
    double cpuMicroseconds = 0, wholeCpuMicroseconds = 0;  ///< per frame, both ends
    double wholeLatencyP50 = 0;                            ///< at a sustained rate; else 0
};

/// Extra copies of frames whose rings are in a GPU's memory, and the speed of plain copies.
struct DeviceCopies {
    double overPcie = 0;  ///< copies per frame between GPU and host at both ends, except to fill frames
    Limit toHost, toDevice;
};

/// One point of a distribution: the fraction of values that are at most `microseconds`.
struct DistributionPoint {
    double microseconds = 0, fraction = 0;
};

/// The results of one repetition, to show the spread.
struct RunSample {
    double fps = 0, gigabytesPerSecond = 0, latencyP50 = 0, latencyP99 = 0, cpuMicrosecondsPerFrame = 0;
};

/// Frames over one transport, in one format and size.
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
    Percentiles latency;  ///< submit to receive; in a closed loop includes waiting in queues
    std::vector<DistributionPoint> distribution;
    double jitterUs = 0;  ///< standard deviation of the time between arrivals
    CpuUse sender, receiver;
    bool intoOne = false;            ///< one process received all streams
    std::vector<double> fpsOfEach;   ///< for several streams into one process
    double receiverTimesOne = 0;     ///< its CPU time as a multiple of a single stream's; 0: unknown
    double pixelCopiesPerFrame = 0;  ///< counted where copies are made
    std::optional<Limit> limit;
    std::optional<WakeUp> wakeUp;          ///< for rows with a rate, over shared memory
    std::optional<Ciphering> cipher;       ///< for encrypted rows
    double bytesMovedPerFrame = 0;         ///< with --damage
    std::optional<PartialFrames> partial;  ///< with --damage
    std::optional<DeviceCopies> device;    ///< with --memory device
    std::vector<RunSample> repeats;
    /// True at a rate that was sustained: otherwise latency is the wait in queues.
    bool tellsLatency() const { return offeredFps > 0 && fps >= 0.95 * offeredFps; }
    /// True if nobody moves or touches pixels: the ring is shared, and only slot numbers are passed. GB/s and
    /// ratios mean nothing then; frames per second do.
    bool handsOver() const {
        return transportHas(transport, &Transport::sharesMemory) && verify != Verify::Full &&
               (!device || device->overPcie == 0);
    }
    double ratioToLimit() const {
        return limit && limit->gigabytesPerSecond > 0 ? gigabytesPerSecond / limit->gigabytesPerSecond : 0;
    }
    /// Of one side's process, a frame; no number without frames.
    double cpuMicroseconds(const CpuUse& use) const {
        return use.seconds() * 1e6 / static_cast<double>(frames);
    }
    double cpuSecondsPerGigabyte(const CpuUse& use) const {
        return use.seconds() * 1e9 / (static_cast<double>(frames) * static_cast<double>(frameBytes));
    }
};

/// How a stream's slow viewers take frames.
enum class SlowViewers {
    None,
    Stalled,    ///< one frame, and hold it
    Hundredth,  ///< a hundredth of the rate, holding each until the next is due
};

/// One stream to many viewers: some that keep up, some slow.
struct ViewersRow {
    std::string transport;
    std::uint32_t width = 0, height = 0;
    std::string pixelFormat;
    double offeredFps = 0;
    std::uint32_t slots = 8, viewers = 0, slowViewers = 0;  ///< viewers: those that keep up
    SlowViewers slow = SlowViewers::None;
    std::uint64_t frames = 0;  ///< frames that were due
    double seconds = 0;
    double fps = 0;                  ///< of the slowest viewer among those that keep up
    std::uint64_t framesMissed = 0;  ///< total of viewers that keep up
    std::uint64_t framesCorrupt = 0, slowFrames = 0;
    Percentiles latency;  ///< submit to receive, over viewers that keep up
    CpuUse sender;
    std::uint64_t senderMemoryBytes = 0;  ///< resident; 0: unknown
    std::uint64_t departures = 0;         ///< viewers that left or were sent away for holding too much
    /// Relative to the row without slow viewers; 0 in that row itself.
    double fpsRatio = 0, p99Ratio = 0, cpuRatio = 0, memoryRatio = 0;
    /// Of the sender, for a frame that was due.
    double cpuMicroseconds() const { return sender.seconds() * 1e6 / static_cast<double>(frames); }
};

/// "stall", "take 1 in 100"
std::string_view slowViewersText(SlowViewers slow);
/// Fills in the ratios of a row with slow viewers.
void compareWithoutSlow(ViewersRow& row, const ViewersRow& without);

/// Rings of smaller blocks fit into the last-level caches of large processors: what moves there is not
/// memory's speed.
inline constexpr std::uint64_t kBeyondCaches = 8ULL << 20;

struct SweepPoint {
    std::string transport;
    std::uint64_t blockBytes = 0;
    std::uint32_t inFlight = 1;
    double blocksPerSecond = 0, gigabytesPerSecond = 0;
    Percentiles latency;  ///< from handing over to the transport until the receiver's acknowledgement
};

/// t = t0 + bytes / bandwidth, least squares over the points of one transport and depth.
struct SweepFit {
    std::string transport;
    std::uint32_t inFlight = 1;
    double t0Us = 0, gigabytesPerSecond = 0;
    std::uint64_t halfBytes = 0;  ///< block size that reaches half of the bandwidth: t0 * bandwidth
    double r2 = 0;
};

/// RegisterPoint::pages for a GPU's memory.
inline constexpr const char* kGpuPages = "GPU";

struct RegisterPoint {
    std::string device;
    std::string pages;       ///< "4 KiB", "2 MiB", kGpuPages
    std::uint32_t load = 0;  ///< burner threads
    std::uint64_t bytes = 0;
    double registerUs = 0, deregisterUs = 0;  ///< medians
    double copyUs = 0;                        ///< copying the same bytes into a ring registered before
    std::string way{};                        ///< for a GPU's memory: "dma-buf", "address"
};

struct RegisterCrossover {
    std::string device, pages;
    std::uint32_t load = 0;
    std::uint64_t bytes = 0;  ///< from this size on, registering beats copying; 0: never observed
    double registerSecondsPerGib = 0;
};

struct RpcPoint {
    std::string transport;
    std::uint32_t callers = 1;  ///< calls in flight
    std::uint32_t payloadBytes = 0;
    double callsPerSecond = 0;
    Percentiles latency;  ///< round trip
};

/// Cost of one step in a frame's path.
struct PartCost {
    double cpuUs = 0;   ///< CPU time of all threads of the processes involved; mean
    double wallUs = 0;  ///< wall-clock time; median
};

/// Cost of moving a drawn picture to the texture that shows it: each part measured alone and while all work,
/// in the same run.
struct TransferCost {
    /// Highest acceptable ratio of the parts' total cost in the pipeline to their cost alone.
    static constexpr double kLimit = 1.15;
    struct Part {
        std::string name;  ///< "read-back", "hand-off", "upload"
        PartCost alone, pipeline;
    };
    std::vector<Part> parts;
    /// Compares CPU time instead of wall-clock time: if OpenGL renders on the CPU, drawing the scene competes
    /// with the other parts, which then take longer without costing more.
    bool byProcessorTime = false;
    /// At no rate: by the clock its parts hold the wait in its queues.
    bool keptFull = false;

    /// Whether the two can be compared.
    bool isJudged() const { return byProcessorTime || !keptFull; }

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
    bool holds() const { return ratio() <= kLimit; }  // if it is judged
};

/// Copies of a frame in a pipeline whose rings are in a GPU's memory.
struct StageCopies {
    double byProcessor = 0;
    double withinGpu = 0;  ///< by CUDA, out of what OpenGL drew and into its buffers
    /// Includes copies into the GPU from where the frame was made, and out of it where OpenGL cannot draw it.
    DeviceCopies device;
};

/// The pipeline from one source over one transport, stage by stage in the order that a frame passes them.
struct StageRun {
    /// Acceptable time from input to picture, in frame times.
    static constexpr double kInputP50Limit = 1.5, kInputP99Limit = 3;

    std::string source, transport, renderer;
    std::uint32_t width = 0, height = 0;
    std::string pixelFormat;
    std::uint32_t load = 0;
    double offeredFps = 0;  ///< 0: as fast as possible
    double fps = 0;
    std::uint64_t frames = 0, framesDropped = 0;
    struct Stage {
        /// "decode", "draw pattern" or "draw scene" and "read scene", "wait for room" (without a rate, the
        /// queue is kept full), "to GPU", "post", "wire", "queue", "upload", "draw", "read back"
        std::string name;
        Percentiles time;
    };
    std::vector<Stage> stages;
    Percentiles total;
    std::optional<TransferCost> transfer;       ///< for a scene
    std::optional<StageCopies> copies;          ///< with --memory device
    std::optional<Percentiles> inputToPicture;  ///< of input that the viewer sends at random times

    /// Converts a time to frame times; only with a rate.
    double inFrameTimes(double microseconds) const { return microseconds * offeredFps * 1e-6; }
    bool inputInTime() const {
        return inputToPicture && inFrameTimes(inputToPicture->p50) <= kInputP50Limit &&
               inFrameTimes(inputToPicture->p99) <= kInputP99Limit;
    }
};

/// A file's pictures by one decoder and nothing else, and the same pictures by ffmpeg.
struct DecodeRow {
    std::string decoder;       ///< "software", "cuda", ...
    bool inGpuMemory = false;  ///< pictures stay in the memory of the GPU that decodes; else: main memory
    std::uint32_t width = 0, height = 0;
    std::string pixelFormat{};  ///< of the pictures as they are sent
    std::uint64_t pictures = 0;
    double seconds = 0, processorSeconds = 0;              ///< of all threads
    double ffmpegSeconds = 0, ffmpegProcessorSeconds = 0;  ///< 0: see the next
    std::string ffmpegUnavailable{};                       ///< why not; "": measured
    std::string note{};                                    ///< the source's, or ""

    double fps() const { return seconds > 0 ? static_cast<double>(pictures) / seconds : 0; }
    double ffmpegFps() const { return ffmpegSeconds > 0 ? static_cast<double>(pictures) / ffmpegSeconds : 0; }
    /// 0: ffmpeg was not measured.
    double ratio() const { return ffmpegFps() > 0 ? fps() / ffmpegFps() : 0; }
    double processorUs() const { return perPicture(processorSeconds); }
    double ffmpegProcessorUs() const { return perPicture(ffmpegProcessorSeconds); }
    double perPicture(double total) const {
        return pictures > 0 ? total * 1e6 / static_cast<double>(pictures) : 0;
    }
};

/// When a viewer's window showed flashes, and its device played the pips that belong to them.
struct AvRow {
    std::string transport;                ///< or the address of a sender elsewhere
    std::uint32_t width = 0, height = 0;  ///< these three: 0 if the sender is elsewhere
    std::string pixelFormat{};
    double offeredFps = 0;
    std::string device;        ///< that plays
    double askedOffsetMs = 0;  ///< --av-offset
    double seconds = 0;
    std::vector<double> offsetsMs{};  ///< pip minus flash, of each pair
    std::uint64_t missedFlashes = 0, missedPips = 0;
    std::vector<double> startsMs{};             ///< median of each start
    std::vector<double> soundAfterPictureMs{};  ///< first sound after the first flash, of each start
    double monitorDelayMs = 0;     ///< one cycle of PipeWire, by which monitors are late: has been subtracted
    double displayHz = 0;          ///< refresh rate; 0: unknown
    double flashResolutionMs = 0;  ///< how far a flash's time may be off
    std::string viewerSound{};     ///< JSON: the viewer's own statistics of its last start; or ""
};

struct BenchReport {
    BenchMode mode = BenchMode::Frames;
    MachineInfo machine;
    bool interrupted = false;        ///< by Ctrl-C: holds the results so far
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
    std::vector<DecodeRow> decoding{};
    std::vector<AvRow> av{};
};

}  // namespace verbcast
