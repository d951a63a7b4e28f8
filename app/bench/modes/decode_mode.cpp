// bench decode: a file's pictures a second by each decoder of this machine, beside ffmpeg with the same one.
#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "app/bench/limits/external_program.h"
#include "app/bench/modes/bench_modes.h"
#include "app/bench/workers/worker.h"
#include "capture/frame_source.h"
#include "core/base/os/clock.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

struct Way {
    Decoder decoder = Decoder::Software;
    bool inGpuMemory = false;
};

/// Software first, then what there is of hardware; NVIDIA's also with pictures that stay in its memory.
std::vector<Way> waysOf(BenchReport& report) {
    std::vector<Way> ways{{}};
    for (const HardwareDecoder& hardware : hardwareDecoders()) {
        if (!hardware.works) {
            report.notes.push_back(
                fmt::format("{} is left out: {}", nameOf(hardware.decoder), hardware.reason));
            continue;
        }
        ways.push_back({hardware.decoder, false});
        if (hardware.decoder == Decoder::Cuda) {
            ways.push_back({hardware.decoder, true});
        }
    }
    return ways;
}

class Decoding {
  public:
    Decoding(const BenchOptions& options, const Way& way) : options_(options) {
        row_.decoder = nameOf(way.decoder);
        row_.inGpuMemory = way.inGpuMemory;
        source_ = openSource({.source = options.source,
                              .unpaced = true,
                              .loop = true,
                              .slots = options.slots,
                              .decoder = way.decoder,
                              .memory = way.inGpuMemory ? PictureMemory::Device : PictureMemory::Host,
                              .cancel = &interruptEvent()});
        row_.width = source_->format().width;
        row_.height = source_->format().height;
        row_.pixelFormat = pixelFormatName(source_->format().pixelFormat);
    }

    /// Returns nullopt if interrupted before anything was decoded.
    std::optional<DecodeRow> run() {
        if (!next()) {  // the first picture also starts the decoder
            return std::nullopt;
        }
        const CpuUse before = cpuUseNow();
        const TimestampNs start = nowNs();
        while (!enough() && next()) {
            ++row_.pictures;
            row_.seconds = static_cast<double>(nowNs() - start) * 1e-9;
        }
        row_.processorSeconds = (cpuUseNow() - before).seconds();
        if (const std::vector<std::string> notes = source_->notes(); !notes.empty()) {
            row_.note = notes.back();
        }
        return row_.pictures > 0 ? std::optional(row_) : std::nullopt;
    }

  private:
    bool next() {
        CapturedFrame frame;
        Status status = Status::TimedOut;
        while ((status = source_->capture(frame, interruptEvent())) == Status::TimedOut) {
        }
        return status == Status::Ok;
    }
    bool enough() const {
        return options_.frames ? row_.pictures + 1 >= *options_.frames : row_.seconds >= options_.seconds;
    }

    const BenchOptions& options_;
    std::unique_ptr<FrameSource> source_;
    DecodeRow row_;
};

/// The same pictures by ffmpeg, whose times begin when its decoder is open.
void compareWithFfmpeg(const BenchOptions& options, DecodeRow& row) {
    try {
        requireInstalled("ffmpeg", "ffmpeg");
        std::vector<std::string> arguments{"ffmpeg",     "-hide_banner", "-nostdin", "-nostats",
                                           "-benchmark", "-stream_loop", "-1"};
        if (row.decoder != nameOf(Decoder::Software)) {
            arguments.insert(arguments.end(), {"-hwaccel", row.decoder});
        }
        if (row.inGpuMemory) {
            arguments.insert(arguments.end(), {"-hwaccel_output_format", row.decoder});
        }
        arguments.insert(arguments.end(), {"-i", options.source, "-map", "0:v:0", "-frames:v",
                                           fmt::to_string(row.pictures), "-f", "null", "-"});
        std::istringstream lines(ExternalProgram(arguments).waitForOutput(10min));
        for (std::string line; std::getline(lines, line);) {
            double user = 0, system = 0, real = 0;
            if (std::sscanf(line.c_str(), "bench: utime=%lfs stime=%lfs rtime=%lfs", &user, &system, &real) ==
                3) {
                row.ffmpegSeconds = real;
                row.ffmpegProcessorSeconds = user + system;
            }
        }
        if (row.ffmpegSeconds <= 0) {
            throw Error(ErrorKind::Device, "ffmpeg tells no times");
        }
    } catch (const Error& error) {
        row.ffmpegUnavailable = error.what();
    }
}

}  // namespace

void benchDecode(const BenchOptions& options, BenchReport& report, BenchProgress& progress) {
    if (options.source == "-" || options.source.starts_with("pattern") ||
        options.source.starts_with("scene")) {
        throw Error(ErrorKind::Usage,
                    fmt::format("bench decode --source {}: a file expected", options.source),
                    "verbcast bench decode --source clip.mp4");
    }
    const std::vector<Way> ways = waysOf(report);
    const std::size_t count = ways.size() * options.repeat;
    std::size_t index = 0;
    for (const Way& way : ways) {
        std::vector<DecodeRow> runs;
        for (std::uint32_t i = 0; i < options.repeat && !interruptEvent().isSet(); ++i) {
            const std::string name =
                fmt::format("{}{}", nameOf(way.decoder), way.inGpuMemory ? ", in its memory" : "");
            progress.step(++index, count, name);
            try {
                auto row = Decoding(options, way).run();
                if (row && !interruptEvent().isSet()) {
                    progress.step(index, count, name + ": ffmpeg");
                    compareWithFfmpeg(options, *row);
                }
                if (row) {
                    runs.push_back(std::move(*row));
                }
            } catch (const Error& error) {
                if (way.decoder == Decoder::Software) {
                    throw;
                }
                report.notes.push_back(fmt::format("{} is left out: {}", name, error.what()));
                break;
            }
        }
        if (!runs.empty()) {
            report.decoding.push_back(medianBy(std::move(runs), &DecodeRow::fps));
        }
    }
}

}  // namespace verbcast
