// One list of fields for each struct of statistics, from which its JSON, its sums and the counters of a
// running stream (core/stats/live_stats.h) derive:
//
//     struct DecodingStats {
//         std::string decoder;
//         std::uint64_t onDevice = 0;
//
//         static constexpr void fields(auto visit) {
//             visit("name", &DecodingStats::decoder);
//             visit("on_device", &DecodingStats::onDevice);
//         }
//     };
//
// A field is a std::uint64_t, which counts something and adds up; a bool, text or another number; a struct
// with fields of its own; or an optional or vector of these. A function of the struct is written, and not
// read back.
#pragma once

#include <cstdint>
#include <type_traits>

namespace verbcast {

enum class StreamEnd { Sender, Receiver };

/// A key in JSON, with its unit. nullptr: that end does not write the field; the fields of a struct without a
/// key stand among the others.
struct StatKey {
    constexpr StatKey(const char* ofBoth) : sender(ofBoth), receiver(ofBoth) {}
    constexpr StatKey(const char* ofSender, const char* ofReceiver, const char* in = nullptr)
        : sender(ofSender), receiver(ofReceiver), object(in) {}
    constexpr StatKey within(const char* key) const { return {sender, receiver, key}; }
    constexpr bool isNone() const { return sender == nullptr && receiver == nullptr; }
    constexpr const char* at(StreamEnd end) const { return end == StreamEnd::Sender ? sender : receiver; }

    const char *sender, *receiver;
    const char* object = nullptr;  ///< the one in JSON that holds the field; nullptr: the struct's own
};

/// visit(key, member, kIfAny): left out of JSON while it is empty.
struct IfAny {};
inline constexpr IfAny kIfAny;

/// visit(key, member, NullUnless{...}): null in JSON unless that holds for the struct.
template <typename Condition>
struct NullUnless {
    constexpr explicit NullUnless(Condition condition) : holds(condition) {}
    Condition holds;
};

template <typename Stats>
concept HasFields = requires {
    Stats::fields([](StatKey, auto...) {});
};

/// Calls visit(member) for each field of that type.
template <typename Value, typename Stats>
constexpr void eachOf(auto visit) {
    Stats::fields([&]<typename Member>(StatKey, Member member, auto...) {
        if constexpr (std::is_same_v<Member, Value Stats::*>) {
            visit(member);
        }
    });
}

template <typename Stats>
void addCounts(Stats& sum, const Stats& more) {
    eachOf<std::uint64_t, Stats>([&](auto count) { sum.*count += more.*count; });
}

}  // namespace verbcast
