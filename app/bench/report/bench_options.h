// Options of `verbcast bench`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options/values.h"
#include "app/cli/stream_options.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class BenchMode { Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Viewers, Decode, Av };

/// How much of a frame the two ends touch.
enum class Verify {
    None,    ///< nothing: neither end touches the frame's memory
    Header,  ///< only FrameInfo: checks sequence and length, does not touch pixels
    Full,    ///< the sender writes every byte of each frame anew, the receiver checks all of them (xxh3)
};

/// Of frames, unless the user says.
inline constexpr PictureSize kFrameSize{3840, 2160};

/// What the processes of a run are told as well.
struct BenchRunOptions {
    std::optional<Rational> fps;          ///< nullopt: as fast as possible
    std::optional<std::uint64_t> frames;  ///< of each run; nullopt: run for `seconds`
    double seconds = 3;                   ///< of each run
    std::uint32_t slots = 8;
    bool poll = false;
    bool deviceMemory = false;  ///< frames, stages: both ends' rings are in a GPU's memory
    std::vector<int> pin;       ///< processors of sender and receiver; empty: not pinned
};

/// Lists have at least one entry after parsing. There is a run for each transport, format and size.
struct BenchOptions : BenchRunOptions {
    BenchMode mode = BenchMode::Frames;
    std::vector<std::string> transports;  ///< their URL schemes
    bool allTransports = false;           ///< `all`: one missing here is left out, with the reason
    bool formatGiven = false;             ///< the user chose `formats`; the default suits no file
    std::vector<PictureSize> sizes;
    std::vector<PixelFormat> formats;
    bool latencyApart = false;  ///< frames: after each row at full speed, add one at 60 fps
    Verify verify = Verify::Full;
    std::optional<double> damage;  ///< frames: percent of each frame that changes, compared with whole frames
    bool encrypt = false;          ///< frames: with a new key for each run
    std::uint32_t repeat = 1;      ///< runs of each row; the row is their median
    std::uint32_t load = 0;        ///< burner threads that keep processors busy
    std::uint32_t streams = 1;     ///< scale: most streams
    bool intoOne = false;          ///< scale: one process receives all streams
    std::uint32_t viewers = 64, slowViewers = 16;  ///< viewers: total, and how many are slow
    std::string source;        ///< stages, decode: a file; stages: or pattern:NAME, scene:NAME
    bool input = false;        ///< stages: the viewer sends input, timed until its picture is drawn
    bool readBack = false;     ///< stages: read the drawn picture back
    std::string from;          ///< av: URL of a sender of pattern:flash; "": one is started
    std::string audio;         ///< av: the PipeWire device that plays; "": the default one
    double avOffset = 0;       ///< av: ms that the viewer is told to play sound later
    std::uint32_t starts = 1;  ///< av: runs of each row, each with programs of its own
    NumaChoice numa{};
    std::string device;      ///< RDMA device; empty: the first with an address
    std::string json, html;  ///< output files; empty: none. "-" for JSON on stdout
    bool quiet = false;

    std::vector<PictureSize> sizesOr(const std::vector<PictureSize>& usual) const {
        return sizes.empty() ? usual : sizes;
    }
    /// Of the modes that measure idle, and then beside burners.
    std::vector<std::uint32_t> loads() const { return load > 0 ? std::vector{0U, load} : std::vector{0U}; }
};

/// Options of `verbcast bench --compare OLD.json NEW.json`.
struct CompareOptions {
    std::string oldJson, newJson;
};

/// The hidden worker process of a benchmark: see worker.h.
struct WorkerOptions {
    std::string role;
};

std::string_view benchModeName(BenchMode mode);  ///< "frames", "limits", ...
std::string_view verifyName(Verify verify);      ///< "none", "header", "full"

}  // namespace verbcast
