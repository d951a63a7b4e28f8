// What `verbcast bench` is asked to measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/fabric_model.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

enum class BenchMode { Frames, Limits, Sweep, Register, Rpc, Stages, Scale, Viewers };

/// How much of a frame the two ends touch.
enum class Verify {
    None,    ///< nothing: neither end writes or reads any of the frame's memory
    Header,  ///< FrameInfo only: sequence and length are checked, pixels are not touched
    Full,    ///< the sender writes every byte of each frame anew, the receiver checks all of them (xxh3)
};

struct BenchSize {
    std::uint32_t width = 3840, height = 2160;
};

/// Lists hold at least one entry after parsing. A run is made for each transport, format and size.
struct BenchOptions {
    BenchMode mode = BenchMode::Frames;
    std::vector<std::string> transports;  ///< their schemes
    bool allTransports = false;           ///< `all`: one that is missing here is left out with its reason
    bool formatGiven = false;  ///< `formats` is what the user said, not the default, which suits no file
    std::vector<BenchSize> sizes;
    std::vector<PixelFormat> formats;
    std::optional<Rational> fps;          ///< nothing: as fast as possible
    bool latencyApart = false;            ///< frames: after each row as fast as possible one at 60 fps
    std::optional<std::uint64_t> frames;  ///< of each run; else `seconds`
    double seconds = 3;                   ///< of each run
    Verify verify = Verify::Full;
    std::uint32_t slots = 8;
    bool poll = false;
    std::optional<double> damage;  ///< frames: so many percent of each change, beside whole ones
    bool deviceMemory = false;     ///< frames: the rings of both ends lie in a GPU's memory
    bool encrypt = false;          ///< frames, with a key made for each run
    std::vector<int> pin;  ///< processors: the first for the sender, the second for the receiver; empty: free
    std::uint32_t repeat = 1;                      ///< runs of each row; the row is their median
    std::uint32_t load = 0;                        ///< burner threads that keep processors busy meanwhile
    std::uint32_t streams = 1;                     ///< scale: streams at most
    bool intoOne = false;                          ///< scale: one process receives all streams
    std::optional<FabricModel> model;              ///< scale: calculate for this network, measure nothing
    std::uint32_t displays = 100;                  ///< of the model, at most
    std::uint32_t viewers = 64, slowViewers = 16;  ///< viewers: all of them, and those that are slow
    std::string source;                            ///< stages: a file, pattern:NAME or scene:NAME
    bool input = false;      ///< stages: the viewing side sends input, timed until its picture is drawn
    bool readBack = false;   ///< stages: read the drawn picture back
    std::string device;      ///< RDMA device; empty: the first with an address
    std::string json, html;  ///< files to write; empty: none. "-" for JSON on stdout
    bool quiet = false;
};

/// `verbcast bench --compare OLD.json NEW.json`
struct CompareOptions {
    std::string oldJson, newJson;
};

/// The hidden second process of a benchmark: see worker.h.
struct WorkerOptions {
    std::string role;
};

std::string_view benchModeName(BenchMode mode);  ///< "frames", "limits", ...
std::string_view verifyName(Verify verify);      ///< "none", "header", "full"

}  // namespace verbcast
