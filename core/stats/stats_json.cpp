#include "core/stats/stats_json.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/base/os/clock.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;

template <typename Stats>
struct FieldWriter {
    Json& json;
    const Stats& stats;
    StreamEnd end;

    void operator()(StatKey key, auto member) const {
        const auto& value = std::invoke(member, stats);
        using Value = std::remove_cvref_t<decltype(value)>;
        if (key.at(end) != nullptr) {
            put(key, jsonOf(value));
        } else if constexpr (HasFields<Value>) {
            if (key.isNone()) {
                Value::fields(FieldWriter<Value>{json, value, end});
            }
        }
    }
    void operator()(StatKey key, auto member, IfAny /*how*/) const {
        const auto isEmpty = [](const auto& value) {
            if constexpr (requires { value.has_value(); }) {
                return !value.has_value();
            } else {
                return value.empty();
            }
        };
        if (!isEmpty(stats.*member)) {
            (*this)(key, member);
        }
    }
    template <typename Condition>
    void operator()(StatKey key, auto member, NullUnless<Condition> condition) const {
        if (std::invoke(condition.holds, stats)) {
            (*this)(key, member);
        } else if (key.at(end) != nullptr) {
            put(key, Json());
        }
    }

  private:
    template <typename Value>
    Json jsonOf(const Value& value) const {
        if constexpr (HasFields<Value>) {
            return fieldsJson(value, end);
        } else if constexpr (requires { value.has_value(); }) {
            return value ? jsonOf(*value) : Json();
        } else if constexpr (requires { Value().emplace_back(); }) {
            Json list = Json::array();
            for (const auto& each : value) {
                list.push_back(jsonOf(each));
            }
            return list;
        } else {
            return value;
        }
    }
    void put(StatKey key, Json value) const {
        (key.object != nullptr ? json[key.object] : json)[key.at(end)] = std::move(value);
    }
};

template <typename Stats>
struct FieldReader {
    const Json& json;
    Stats& stats;
    StreamEnd end;
    bool mayLack = false;  // any of the fields

    template <typename Member, typename... How>
    void operator()(StatKey key, Member member, How... /*how*/) const {
        if constexpr (std::is_member_object_pointer_v<Member>) {
            auto& value = stats.*member;
            using Value = std::remove_cvref_t<decltype(value)>;
            const bool mayBeLeftOut = mayLack || (std::is_same_v<How, IfAny> || ...);
            if (key.at(end) != nullptr) {
                const Json& object = key.object != nullptr ? json.at(key.object) : json;
                if (!mayBeLeftOut || object.contains(key.at(end))) {
                    read(object.at(key.at(end)), value);
                }
            } else if constexpr (HasFields<Value>) {
                if (key.isNone()) {
                    Value::fields(FieldReader<Value>{json, value, end, mayBeLeftOut});
                }
            }
        }
    }

  private:
    template <typename Value>
    void read(const Json& from, Value& value) const {
        value = Value{};
        if (!from.is_null()) {
            take(from, value);
        }
    }
    template <typename Value>
    void take(const Json& from, Value& value) const {
        value = from.get<Value>();
    }
    template <HasFields Value>
    void take(const Json& from, Value& value) const {
        Value::fields(FieldReader<Value>{from, value, end});
    }
    template <typename Value>
    void take(const Json& from, std::optional<Value>& value) const {
        read(from, value.emplace());
    }
    template <typename Value>
    void take(const Json& from, std::vector<Value>& values) const {
        for (const Json& each : from) {
            read(each, values.emplace_back());
        }
    }
};

/// Adds how the program ended, and returns the text.
std::string finished(Json json, const std::string& exitReason, const std::optional<NumaStats>& numa) {
    if (numa) {
        json["numa"] = fieldsJson(*numa);
    }
    json["cpu_seconds"] = processCpuSeconds();
    json["exit_reason"] = exitReason;
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

template <HasFields Stats>
nlohmann::ordered_json fieldsJson(const Stats& stats, StreamEnd end) {
    Json json = Json::object();
    Stats::fields(FieldWriter<Stats>{json, stats, end});
    return json;
}
template Json fieldsJson(const AlignmentStats&, StreamEnd);
template Json fieldsJson(const DecodingStats&, StreamEnd);
template Json fieldsJson(const NamedStats&, StreamEnd);
template Json fieldsJson(const NumaStats&, StreamEnd);
template Json fieldsJson(const Percentiles&, StreamEnd);
template Json fieldsJson(const StreamStats&, StreamEnd);

std::string statsJson(StreamEnd end, const StreamStats& stats, const std::string& exitReason,
                      const std::optional<NumaStats>& numa) {
    return finished(fieldsJson(stats, end), exitReason, numa);
}

std::string statsJson(StreamEnd end, const std::vector<NamedStats>& streams, const std::string& exitReason,
                      const std::optional<AlignmentStats>& alignment, const std::optional<NumaStats>& numa) {
    Json json;
    if (alignment) {
        json["alignment"] = fieldsJson(*alignment);
    }
    Json& list = json["streams"] = Json::array();
    for (const NamedStats& stream : streams) {
        list.push_back(fieldsJson(stream, end));
    }
    return finished(std::move(json), exitReason, numa);
}

std::optional<StreamStats> senderStatsFromJson(const Json& statistics) {
    try {
        StreamStats stats;
        StreamStats::fields(FieldReader<StreamStats>{statistics, stats, StreamEnd::Sender});
        return stats;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

}  // namespace verbcast
