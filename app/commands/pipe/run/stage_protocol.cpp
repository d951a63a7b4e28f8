#include "app/commands/pipe/run/stage_protocol.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/text/clean_text.h"
#include "core/pipe/pipe_messages.h"

namespace verbcast {
namespace {

using Json = nlohmann::json;

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

struct Writer {
    Json& json;

    template <typename T>
    void operator()(const char* key, const T& value) const {
        json[key] = written(value);
    }

  private:
    template <typename T>
    static Json written(const T& value) {
        return value;
    }
    template <typename T>
    static Json written(const std::optional<T>& value) {
        return value ? written(*value) : Json();
    }
    static Json written(StageKind kind) { return kindText(kind); }
    static Json written(std::chrono::nanoseconds time) { return time.count(); }
    static Json written(const NamedKey& key) { return key.key.text(); }
    static Json written(const NumaStats& place) {
        Json json;
        NumaStats::fields([&](StatKey key, auto member) { json[key.sender] = written(place.*member); });
        return json;
    }
};

/// Throws Json::exception or Error{Peer}.
struct Reader {
    const Json& json;
    bool cleans;  ///< texts

    template <typename T>
    void operator()(const char* key, T& value) const {
        read(json.at(key), value);
    }

  private:
    template <typename T>
    void read(const Json& from, T& value) const {
        value = from.get<T>();
    }
    /// The library would truncate them.
    template <std::integral T>
    void read(const Json& from, T& value) const {
        const bool fits = from.is_number_unsigned()
                              ? std::in_range<T>(from.get<std::uint64_t>())
                              : from.is_number_integer() && std::in_range<T>(from.get<std::int64_t>());
        if (!fits) {
            throw Error(ErrorKind::Peer,
                        fmt::format("a stage's line holds a number that is not whole or not from {} to {}",
                                    std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
        }
        value = from.get<T>();
    }
    template <typename T>
    void read(const Json& from, std::optional<T>& value) const {
        if (!from.is_null()) {
            read(from, value.emplace());
        }
    }
    void read(const Json& from, bool& value) const { value = from.get<bool>(); }
    void read(const Json& from, std::string& text) const {
        text = from.get<std::string>();
        text = cleans ? cleanText(text) : text;
    }
    void read(const Json& from, std::vector<std::string>& texts) const {
        for (const Json& each : from.get_ref<const Json::array_t&>()) {
            read(each, texts.emplace_back());
        }
    }
    void read(const Json& from, StageKind& kind) const { kind = kindFrom(from.get<std::string>()); }
    void read(const Json& from, std::chrono::nanoseconds& time) const {
        std::int64_t count = 0;
        read(from, count);
        time = std::chrono::nanoseconds(count);
    }
    /// A plan without a key is none.
    void read(const Json& from, std::optional<NamedKey>& key) const {
        key = NamedKey{kSharedKeyName, SessionKey::fromText(from.get<std::string>())};
    }
    void read(const Json& from, NumaStats& place) const {
        NumaStats::fields([&](StatKey key, auto member) { read(from.at(key.sender), place.*member); });
    }
};

/// Orders must arrive unchanged; in reports, invalid bytes of a file name may be dropped.
template <typename Messages>
std::string encoded(const Messages& messages, Json::error_handler_t strange) {
    const Json json = std::visit(
        []<typename Message>(const Message& message) {
            Json all{{"type", Message::kType}};
            Message::fields(message, Writer{all});
            return all;
        },
        messages);
    try {
        return json.dump(-1, ' ', false, strange);
    } catch (const Json::exception&) {
        throw Error(ErrorKind::Usage, "a command or file name that is not UTF-8 cannot be passed on",
                    "put the command into a script at the host");
    }
}

[[noreturn]] void refuse(const std::string& text) {
    throw Error(ErrorKind::Peer, fmt::format("\"{}\" is not understood", cleanText(text)));
}

template <typename... Messages>
void decode(const std::string& line, bool cleans, std::variant<Messages...>& into) {
    try {
        const Json json = Json::parse(line);
        const auto type = json.at("type").get<std::string>();
        const auto isA = [&]<typename Message>(Message message) {
            if (type != Message::kType) {
                return false;
            }
            Message::fields(message, Reader{json, cleans});
            into = std::move(message);
            return true;
        };
        if (!(isA(Messages{}) || ...)) {
            refuse(type);
        }
    } catch (const Json::exception&) {
        refuse(line);
    }
}

}  // namespace

std::string encodeLine(const StageOrder& order) {
    return encoded(order, Json::error_handler_t::strict);
}

std::string encodeLine(const StageReport& report) {
    return encoded(report, Json::error_handler_t::replace);
}

StageOrder decodeOrder(const std::string& line) {
    StageOrder order;
    decode(line, false, order);
    if (const auto* plan = std::get_if<StagePlan>(&order)) {
        checkRing(plan->transfer.blockBytes, plan->transfer.depth);
    }
    return order;
}

StageReport decodeReport(const std::string& line) {
    StageReport report;
    decode(line, true, report);
    return report;
}

}  // namespace verbcast
