// Benchmarks sources against the machine's best in the same run:
//   capture_bench patterns [WIDTHxHEIGHT] [FRAMES]   patterns against memcpy of a frame between rings
//   capture_bench file FILE [THREADS]                a file source against a plain libavcodec loop
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/frame_source.h"
#include "capture/media/input/media_input.h"
#include "capture/pattern/pattern_names.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kSlots = 8;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Frames per second that memcpy copies between two rings.
double memcpyRate(std::uint64_t frameBytes, int frames) {
    const auto from = FramePool::create({.slotBytes = frameBytes, .slotCount = 2});
    const auto to = FramePool::create({.slotBytes = frameBytes, .slotCount = kSlots});
    const auto copy = [&](int i) {
        std::memcpy(to->slotData(static_cast<std::uint32_t>(i) % kSlots), from->slotData(0), frameBytes);
    };
    std::memset(from->slotData(0), 1, frameBytes);
    for (int i = 0; i < static_cast<int>(kSlots); ++i) {
        copy(i);
    }
    const auto watch = Clock::now();
    for (int i = 0; i < frames; ++i) {
        copy(i);
    }
    return frames / secondsSince(watch);
}

/// Keeps a few frames in flight, as a sender does, so that all slots are used.
class Consumer {
  public:
    void take(CapturedFrame& frame) {
        inFlight_.push_back(std::move(frame.lease));
        if (inFlight_.size() >= kSlots - 1) {
            inFlight_.pop_front();
        }
    }

  private:
    std::deque<FrameLease> inFlight_;
};

void benchPattern(const std::string& name, PixelFormat format, std::uint32_t width, std::uint32_t height,
                  int frames) {
    const auto opening = Clock::now();
    const auto source = openSource({.source = "pattern:" + name,
                                    .pixelFormat = format,
                                    .width = width,
                                    .height = height,
                                    .slots = kSlots});
    const double drawing = secondsSince(opening);
    const Event never;
    CapturedFrame frame;
    Consumer consumer;
    for (std::uint32_t i = 0; i < kSlots; ++i) {
        (void)source->capture(frame, never);
        consumer.take(frame);
    }
    const auto watch = Clock::now();
    for (int i = 0; i < frames; ++i) {
        (void)source->capture(frame, never);
        consumer.take(frame);
    }
    const double rate = frames / secondsSince(watch);
    const double best = memcpyRate(source->format().payloadBytes, frames);
    fmt::print(
        "{:9} {:12} opens in {:4.0f} ms   {:7.1f} frames/s   {:5.2f} ms/frame   memcpy {:7.1f} frames/s   "
        "ratio {:.2f}\n",
        name, pixelFormatName(format), drawing * 1e3, rate, 1e3 / rate, best, rate / best);
}

void benchPatterns(std::uint32_t width, std::uint32_t height, int frames) {
    for (const PatternName& pattern : kPatternNames) {
        benchPattern(std::string(pattern.name), PixelFormat::rgba, width, height, frames);
    }
    for (const PixelFormatInfo& info : allPixelFormats()) {
        benchPattern("noise", info.format, width, height, frames);
    }
}

struct DecodeRun {
    std::uint64_t frames = 0;
    double seconds = 0;
};

DecodeRun decodePlainly(const std::string& path, int threads) {
    MediaInput input(path);
    const AVCodec* codec = avcodec_find_decoder(input.stream().codecpar->codec_id);
    const CodecContextPtr context(avcodec_alloc_context3(codec));
    avcodec_parameters_to_context(context.get(), input.stream().codecpar);
    context->thread_count = threads;
    avcodec_open2(context.get(), codec, nullptr);
    const PacketPtr packet = newPacket();
    const FramePtr picture = newFrame();
    DecodeRun run;
    const auto watch = Clock::now();
    for (bool more = true; more;) {
        more = input.read(*packet) == 0;
        avcodec_send_packet(context.get(), more ? packet.get() : nullptr);
        av_packet_unref(packet.get());
        while (avcodec_receive_frame(context.get(), picture.get()) == 0) {
            ++run.frames;
        }
    }
    run.seconds = secondsSince(watch);
    return run;
}

DecodeRun decodeAsSource(const std::string& path, int threads) {
    const auto source = openSource({.source = path, .slots = kSlots, .decoderThreads = threads});
    const Event never;
    CapturedFrame frame;
    Consumer consumer;
    DecodeRun run;
    std::uint32_t slots = 0;
    const auto watch = Clock::now();
    while (source->capture(frame, never) == Status::Ok) {
        ++run.frames;
        slots = frame.lease.pool()->slotCount();
        consumer.take(frame);
    }
    run.seconds = secondsSince(watch);
    const SourceCounters counters = source->counters();
    fmt::print("{} as {}: {} copies, {} damaged, pool of {} slots\n", source->describe(),
               describe(source->format()), counters.pixelCopies, counters.framesDamaged, slots);
    return run;
}

void benchFile(const std::string& path, int threads) {
    quietFfmpeg();
    for (int round = 0; round < 3; ++round) {
        const DecodeRun plain = decodePlainly(path, threads);
        const DecodeRun source = decodeAsSource(path, threads);
        const double plainRate = static_cast<double>(plain.frames) / plain.seconds;
        const double sourceRate = static_cast<double>(source.frames) / source.seconds;
        fmt::print(
            "libavcodec alone {:.1f} frames/s ({} frames), source {:.1f} frames/s ({} frames), ratio "
            "{:.3f}\n",
            plainRate, plain.frames, sourceRate, source.frames, sourceRate / plainRate);
    }
}

int run(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "";
    if (what == "patterns") {
        unsigned width = 3840, height = 2160;
        if (count > 2 && std::sscanf(arguments[2], "%ux%u", &width, &height) != 2) {
            throw Error(ErrorKind::Usage, std::string("a size like 3840x2160 expected, not ") + arguments[2]);
        }
        benchPatterns(width, height, count > 3 ? std::atoi(arguments[3]) : 120);
        return 0;
    }
    if (what == "file" && count > 2) {
        benchFile(arguments[2], count > 3 ? std::atoi(arguments[3]) : 0);
        return 0;
    }
    throw Error(ErrorKind::Usage, "capture_bench patterns [WIDTHxHEIGHT] [FRAMES] | file FILE [THREADS]");
}

}  // namespace
}  // namespace verbcast

int main(int count, char** arguments) {
    try {
        verbcast::logToStderr();
        return verbcast::run(count, arguments);
    } catch (const verbcast::Error& error) {
        fmt::print(stderr, "{}\n", error.what());
        return error.exitCode();
    }
}
