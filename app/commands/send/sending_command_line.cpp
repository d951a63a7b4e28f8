#include "app/commands/send/sending_command_line.h"

#include <fmt/format.h>

#include <climits>
#include <tuple>

#include "core/base/error.h"

namespace verbcast {

SendingCommandLine::SendingCommandLine(Command& parent, const std::string& name,
                                       const std::string& description)
    : StreamCommandLine(parent, name, description) {
    command().formerly = {{"--ttl", "a part of the group: --multicast 239.10.0.7?ttl=4"},
                          {"--multicast-rate", "a part of the group: --multicast 239.10.0.7?rate=8G"}};
}

void SendingCommandLine::addPeers() {
    peer().add(list(), {"--to", "Connect to the viewer that listens there; URL,URL: over several rails"},
               {"--listen", "Wait here for viewers (default: every address, port 7423)"});
}

void SendingCommandLine::addRest(SendingOptions& options) {
    list().add(
        seldomOption(section::kReport, "--stats-fd", "N",
                     "Write a line of JSON with statistics to this open file descriptor every second"),
        options.statsDescriptor,
        Value<int>{
            [](const std::string& name, const std::string& text) {
                try {
                    return static_cast<int>(parseNumber(name, text, 0, INT_MAX));
                } catch (const Error&) {
                    throw Error(ErrorKind::Usage,
                                fmt::format("{} {}: the number of an open descriptor expected", name, text),
                                "for example: verbcast send pattern --stats-fd 3 3>stats.jsonl");
                }
            },
            [](int descriptor) { return descriptor < 0 ? std::string() : std::to_string(descriptor); }});
    StreamCommandLine::addRest(options);
}

void SendingCommandLine::finishMemory(const SendingOptions& options) const {
    const bool compares = options.changes == ChangesFrom::Compare;
    const bool inDmaBufs = options.memory == PictureMemory::DmaBuf;
    for (const auto& [option, contradicts, reason] :
         {std::tuple{"--preview", inDmaBufs && options.sender.preview, "a preview reads main memory"},
          {"--changes compare", compares && (inDmaBufs || options.memory == PictureMemory::Device),
           "the processor compares pictures"}}) {
        if (contradicts) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{} with --memory {}: {}", option, memoryText(), reason),
                        "leave one of the two out");
        }
    }
}

void SendingCommandLine::finish(SendingOptions& options, bool listensElsewhere,
                                bool connectsElsewhere) const {
    const auto& peers = StreamCommandLine::finish(true, listensElsewhere, connectsElsewhere);
    static_cast<SessionAddress&>(options.sender) = peers.front();
    if (options.sender.multicast && !options.sender.listen) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--multicast {} with --to: viewers of a group connect to the sender",
                                options.sender.multicast->text()),
                    "leave out --to: viewers find the sender by the group");
    }
    finishMemory(options);
}

}  // namespace verbcast
