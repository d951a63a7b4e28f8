#include "app/pipe/run/stage_protocol.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/clean_text.h"
#include "core/base/error.h"
#include "core/pipe/pipe_messages.h"

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

template <typename T>
std::optional<T> optionalAt(const Json& json, const char* key) {
    const Json& value = json.at(key);
    return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
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
    auto texts = json.get<std::vector<std::string>>();
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
    flow.status.flowing = json.at("flowing").get<bool>();
    flow.status.transport = cleanText(json.at("transport").get<std::string>());
    flow.status.bytes = json.at("bytes").get<std::uint64_t>();
    flow.status.length = optionalAt<std::uint64_t>(json, "length");
    flow.status.seconds = json.at("seconds").get<double>();
    flow.status.blockBytes = json.at("block_bytes").get<std::uint64_t>();
    flow.status.depth = json.at("depth").get<std::uint32_t>();
    flow.status.checksum = optionalAt<std::uint64_t>(json, "checksum");
    return flow;
}

PipeSettings transferFrom(const Json& json) {
    PipeSettings transfer;
    transfer.blockBytes = json.at("block_bytes").get<std::uint64_t>();
    transfer.depth = json.at("depth").get<std::uint32_t>();
    transfer.checksum = json.at("checksum").get<bool>();
    checkRing(transfer.blockBytes, transfer.depth);
    transfer.trust.key = NamedKey{kSharedKeyName, SessionKey::fromText(json.at("key").get<std::string>())};
    return transfer;
}

/// What is to be done must arrive as it is; in reports a strange file name may lose its strange bytes.
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
        return decode(json, json.at("type").get<std::string>());
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
                           return {{"type", "done"}, {"status", done.status}};
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
            return StagePlan{kindFrom(json.at("kind").get<std::string>()),
                             json.at("text").get<std::string>(),
                             optionalAt<std::string>(json, "input"),
                             optionalAt<std::string>(json, "output"),
                             json.at("flow").get<bool>(),
                             transferFrom(json)};
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
            return StageHello{cleanText(json.at("version").get<std::string>()),
                              cleanText(json.at("address").get<std::string>())};
        }
        if (type == "ready") {
            return StageReady{textsFrom(json.at("input")), textsFrom(json.at("output"))};
        }
        if (type == "flow") {
            return flowFrom(json);
        }
        if (type == "done") {
            return StageDone{json.at("status").get<int>()};
        }
        if (type == "failed") {
            return StageFailed{json.at("code").get<int>(), cleanText(json.at("text").get<std::string>())};
        }
        if (type == "left") {
            return StageLeft{cleanText(json.at("text").get<std::string>())};
        }
        if (type == "committed") {
            return StageCommitted{};
        }
        throwUnknown(type);
    });
}

}  // namespace verbcast
