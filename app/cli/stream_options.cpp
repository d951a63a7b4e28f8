#include "app/cli/stream_options.h"

#include <fmt/format.h>

#include <cstdlib>

#include "core/flow/slot_count.h"
#include "core/gpu/gpu_devices.h"

namespace verbcast {
namespace {

constexpr double kShortestStream = 1e-9;  // seconds
constexpr const char* kTimeoutVariable = "VERBCAST_TIMEOUT";

}  // namespace

void addWait(OptionList& options, std::optional<std::chrono::nanoseconds>& patience) {
    options.add(
        seldomOption(section::kEnd, "--wait", "S",
                     "Give up with exit code 4 if no peer connects within S seconds (default: wait forever)"),
        patience, secondsValue(0));
}

void addTimeout(OptionList& options, std::chrono::milliseconds& timeout, const char* variable) {
    constexpr double kShortest = 0.5;  // below that, two late heartbeats are a loss
    const Value<std::chrono::nanoseconds> seconds = secondsValue(kShortest);
    options.addValue(
        seldomOption(section::kEnd, "--timeout", "S", "Treat the other end as lost after this long a silence")
            .from(variable),
        {},
        [&timeout, parse = seconds.parse](const std::string& name, const std::string& text) {
            timeout = std::chrono::duration_cast<std::chrono::milliseconds>(parse(name, text));
        },
        [&timeout, write = seconds.text] { return write(timeout); });
}

void addStatsJson(OptionList& options, std::string& file) {
    options.add(seldomOption(section::kReport, "--stats-json", "FILE",
                             "Write statistics here at the end (- for stdout)")
                    .file(),
                file);
}

void addGpu(OptionList& options) {
    options.addValue(
        seldomOption(
            section::kMachine, "--gpu", "GPU",
            "NVIDIA GPU to decode on, to keep frames in and to draw off screen with: its number, UUID "
            "or PCI "
            "address, as verbcast devices lists them (default: the driver's first; environment: "
            "VERBCAST_GPU)"),
        {}, [](const std::string&, const std::string& text) { ::setenv(kGpuVariable, text.c_str(), 1); },
        [] { return std::string(); });
}

void addSession(OptionList& list, StreamOptions& options, LinkOptions& link, std::uint32_t& slots) {
    list.add(seldomOption(section::kEnd, "--frames", "N", "Stop after this many frames"), options.frames,
             countValue());
    list.add(seldomOption(section::kEnd, "--seconds", "S", "Stop this long after the first frame"),
             options.duration, secondsValue(kShortestStream));
    addWait(list, options.patience);
    addTimeout(list, link.peerTimeout, kTimeoutVariable);
    list.add(seldomOption(section::kMachine, "--slots", "N",
                          fmt::format("Maximum number of frames held, {} to {}", kFewestSlots, kMostSlots)),
             slots, numberValue(kFewestSlots, kMostSlots));
    list.add(seldomFlag(section::kMachine, "--poll",
                        "Spin instead of sleeping: lower latency, but uses a core on each side"),
             link.poll);
    list.add(
        seldomOption(section::kReport, "--frame-md5", "FILE", "Write sequence,pts,bytes,md5 of every frame")
            .file(),
        options.frameMd5);
    addVerbosity(list, options.verbosity, "Say more");
}

ReceiverOptions receiverOptions(const ReceiverOptions& like, const StreamPeer& peer) {
    ReceiverOptions receiver = like;
    static_cast<SessionAddress&>(receiver) = peer;
    return receiver;
}

ReceiverOptions receiverOptions(const SenderOptions& like, const StreamPeer& peer) {
    ReceiverOptions receiver;
    static_cast<LinkOptions&>(receiver) = like;
    static_cast<SessionAddress&>(receiver) = peer;
    receiver.slots = like.slots;
    return receiver;
}

}  // namespace verbcast
