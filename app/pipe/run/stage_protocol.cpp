#include "app/pipe/run/stage_protocol.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "core/pipe/pipe_messages.h"
#include "core/stats/stats_json.h"

namespace verbcast {
namespace {

using Json = nlohmann::json;

template <typename... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

template <typename T>
Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

/// Checks that integers are whole and fit; the library would truncate them. Throws Json::exception or
/// Error{Peer}.
template <typename T>
T valueFrom(const Json& json) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
        const bool fits = json.is_number_unsigned()
                              ? std::in_range<T>(json.get<std::uint64_t>())
                              : json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
        if (!fits) {
            throw Error(ErrorKind::Peer,
                        fmt::format("a stage's line holds a number that is not whole or not from {} to {}",
                                    std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
        }
    }
    return json.get<T>();
}

template <typename T>
T valueAt(const Json& json, const char* key) {
    return valueFrom<T>(json.at(key));
}

template <typename T>
std::optional<T> optionalAt(const Json& json, const char* key) {
    const Json& value = json.at(key);
    return value.is_null() ? std::nullopt : std::optional<T>(valueFrom<T>(value));
}

const char* kindText(StageKind kind) {
    return kind == StageKind::Read ? "read" : kind == StageKind::Write ? "write" : "command";
}

StageKind kindFrom(const std::string& text) {
    for (const StageKind kind : {StageKind::Command, StageKind::Read, StageKind::Write}) {
        if (text == kindText(kind)) {
            return kind;
        }
    }
    throw Error(ErrorKind::Peer, fmt::format("a stage of the unknown kind \"{}\"", cleanText(text)));
}

std::vector<std::string> textsFrom(const Json& json) {
    auto texts = valueFrom<std::vector<std::string>>(json);
    for (std::string& text : texts) {
        text = cleanText(text);
    }
    return texts;
}

Json flowJson(const PipeStatus& status) {
    return {{"type", "flow"},
            {"flowing", status.flowing},
            {"transport", status.transport},
            {"bytes", status.bytes},
            {"length", orNull(status.length)},
            {"seconds", status.seconds},
            {"block_bytes", status.blockBytes},
            {"depth", status.depth},
            {"checksum", orNull(status.checksum)}};
}

StageFlow flowFrom(const Json& json) {
    StageFlow flow;
    flow.status.flowing = valueAt<bool>(json, "flowing");
    flow.status.transport = cleanText(valueAt<std::string>(json, "transport"));
    flow.status.bytes = valueAt<std::uint64_t>(json, "bytes");
    flow.status.length = optionalAt<std::uint64_t>(json, "length");
    flow.status.seconds = valueAt<double>(json, "seconds");
    flow.status.blockBytes = valueAt<std::uint64_t>(json, "block_bytes");
    flow.status.depth = valueAt<std::uint32_t>(json, "depth");
    flow.status.checksum = optionalAt<std::uint64_t>(json, "checksum");
    return flow;
}

Json placeJson(const std::optional<NumaStats>& place) {
    return place ? Json(fieldsJson(*place)) : Json();
}

std::optional<NumaStats> placeFrom(const Json& json) {
    if (json.is_null()) {
        return std::nullopt;
    }
    return NumaStats{optionalAt<int>(json, "node"), cleanText(valueAt<std::string>(json, "chosen_by")),
                     cleanText(valueAt<std::string>(json, "reason"))};
}

PipeSettings transferFrom(const Json& json) {
    PipeSettings transfer;
    transfer.blockBytes = valueAt<std::uint64_t>(json, "block_bytes");
    transfer.depth = valueAt<std::uint32_t>(json, "depth");
    transfer.checksum = valueAt<bool>(json, "checksum");
    transfer.patience = std::chrono::nanoseconds(valueAt<std::int64_t>(json, "patience_ns"));
    checkRing(transfer.blockBytes, transfer.depth);
    transfer.trust.key = NamedKey{kSharedKeyName, SessionKey::fromText(valueAt<std::string>(json, "key"))};
    return transfer;
}

/// Orders must arrive unchanged; in reports, invalid bytes of a file name may be dropped.
std::string lineOf(const Json& json, Json::error_handler_t strange) {
    try {
        return json.dump(-1, ' ', false, strange);
    } catch (const Json::exception&) {
        throw Error(ErrorKind::Usage, "a command or file name that is not UTF-8 cannot be passed on",
                    "put the command into a script at the host");
    }
}

template <typename Decode>
auto decoded(const std::string& line, Decode&& decode) {
    try {
        const Json json = Json::parse(line);
        return decode(json, valueAt<std::string>(json, "type"));
    } catch (const Json::exception&) {
        throw Error(ErrorKind::Peer, fmt::format("\"{}\" is not understood", cleanText(line)));
    }
}

[[noreturn]] void throwUnknown(const std::string& type) {
    throw Error(ErrorKind::Peer, fmt::format("\"{}\" is not understood", cleanText(type)));
}

}  // namespace

std::string encodeLine(const StageOrder& order) {
    return lineOf(std::visit(Overloaded{[](const StagePlan& plan) -> Json {
                                            return {{"type", "plan"},
                                                    {"kind", kindText(plan.kind)},
                                                    {"text", plan.text},
                                                    {"input", orNull(plan.input)},
                                                    {"output", orNull(plan.output)},
                                                    {"flow", plan.flow},
                                                    {"block_bytes", plan.transfer.blockBytes},
                                                    {"depth", plan.transfer.depth},
                                                    {"checksum", plan.transfer.checksum},
                                                    {"patience_ns", plan.transfer.patience.count()},
                                                    {"numa", plan.numa.text},
                                                    {"numa_node", orNull(plan.numa.node)},
                                                    {"route", plan.route},
                                                    {"key", plan.transfer.trust.key.value().key.text()}};
                                        },
                                        [](const StageStart& start) -> Json {
                                            return {{"type", "start"}, {"connect", orNull(start.connect)}};
                                        },
                                        [](const StageCommit&) -> Json {
                                            return {{"type", "commit"}};
                                        }},
                             order),
                  Json::error_handler_t::strict);
}

std::string encodeLine(const StageReport& report) {
    return lineOf(
        std::visit(
            Overloaded{[](const StageHello& hello) -> Json {
                           return {{"type", "hello"}, {"version", hello.version}, {"address", hello.address}};
                       },
                       [](const StageReady& ready) -> Json {
                           return {{"type", "ready"}, {"input", ready.input}, {"output", ready.output}};
                       },
                       [](const StageFlow& flow) -> Json { return flowJson(flow.status); },
                       [](const StageDone& done) -> Json {
                           return {{"type", "done"},
                                   {"status", done.status},
                                   {"input_numa", placeJson(done.input)},
                                   {"output_numa", placeJson(done.output)}};
                       },
                       [](const StageFailed& failed) -> Json {
                           return {{"type", "failed"}, {"code", failed.code}, {"text", failed.text}};
                       },
                       [](const StageLeft& left) -> Json {
                           return {{"type", "left"}, {"text", left.text}};
                       },
                       [](const StageCommitted&) -> Json {
                           return {{"type", "committed"}};
                       }},
            report),
        Json::error_handler_t::replace);
}

StageOrder decodeOrder(const std::string& line) {
    return decoded(line, [](const Json& json, const std::string& type) -> StageOrder {
        if (type == "plan") {
            return StagePlan{kindFrom(valueAt<std::string>(json, "kind")),
                             valueAt<std::string>(json, "text"),
                             optionalAt<std::string>(json, "input"),
                             optionalAt<std::string>(json, "output"),
                             valueAt<bool>(json, "flow"),
                             transferFrom(json),
                             {valueAt<std::string>(json, "numa"), optionalAt<int>(json, "numa_node")},
                             valueAt<std::string>(json, "route")};
        }
        if (type == "start") {
            return StageStart{optionalAt<std::string>(json, "connect")};
        }
        if (type == "commit") {
            return StageCommit{};
        }
        throwUnknown(type);
    });
}

StageReport decodeReport(const std::string& line) {
    return decoded(line, [](const Json& json, const std::string& type) -> StageReport {
        if (type == "hello") {
            return StageHello{cleanText(valueAt<std::string>(json, "version")),
                              cleanText(valueAt<std::string>(json, "address"))};
        }
        if (type == "ready") {
            return StageReady{textsFrom(json.at("input")), textsFrom(json.at("output"))};
        }
        if (type == "flow") {
            return flowFrom(json);
        }
        if (type == "done") {
            return StageDone{valueAt<int>(json, "status"), placeFrom(json.at("input_numa")),
                             placeFrom(json.at("output_numa"))};
        }
        if (type == "failed") {
            return StageFailed{valueAt<int>(json, "code"), cleanText(valueAt<std::string>(json, "text"))};
        }
        if (type == "left") {
            return StageLeft{cleanText(valueAt<std::string>(json, "text"))};
        }
        if (type == "committed") {
            return StageCommitted{};
        }
        throwUnknown(type);
    });
}

}  // namespace verbcast
