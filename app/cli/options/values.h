// The values that options take: how they are read, written and named.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text/nearest_word.h"
#include "core/transport/url.h"
#include "core/video/video_format.h"

namespace verbcast {

/// A kind of value. `parse` gets the option's name, for messages, and throws Error{Usage}; `text` is what it
/// would be given to make the same value.
template <typename T>
struct Value {
    std::function<T(const std::string& name, const std::string& text)> parse;
    std::function<std::string(const T& value)> text;
    std::vector<std::string> words{};  ///< all possible ones, or those that are known
};

struct PictureSize {
    std::uint32_t width = 0, height = 0;
    friend bool operator==(const PictureSize&, const PictureSize&) = default;
};

/// "3840x2160", also with a multiplication sign, "1080p", "4K".
Value<PictureSize> sizeValue();
/// A transport's scheme, or `other`.
Value<std::string> transportValue(const std::string& other);
/// A name of `verbcast formats`.
Value<PixelFormat> formatValue();
/// Seconds from `least`: "2.5".
Value<std::chrono::nanoseconds> secondsValue(double least);
/// A decimal fraction: "12.5", "-40".
Value<double> decimalValue(double least, double most);
/// The same, or the word, which means nullopt.
Value<std::optional<double>> decimalValueOr(const std::string& word, double least, double most);
/// Seconds, minutes and seconds, or hours too: "12.5", "1:02.5", "1:00:00".
Value<std::chrono::nanoseconds> timeValue();
/// "60", "59.94", "60000/1001".
Value<Rational> rateValue();
/// Bytes: "4096", "256K", "8G" (multiples of 1024).
Value<std::uint64_t> bytesValue(std::uint64_t least, std::uint64_t most);
Value<Url> urlValue();

/// Reads a whole number. Throws Error{Usage}.
std::uint64_t parseNumber(const std::string& name, const std::string& text, std::uint64_t least,
                          std::uint64_t most);

/// A whole number from `least` to `most`.
template <typename T>
Value<T> numberValue(T least, T most) {
    return {[least, most](const std::string& name, const std::string& text) {
                return static_cast<T>(parseNumber(name, text, static_cast<std::uint64_t>(least),
                                                  static_cast<std::uint64_t>(most)));
            },
            [](const T& value) { return std::to_string(value); }};
}
/// The same from 1.
Value<std::uint64_t> countValue();

/// "auto, host or device"
std::string wordList(const std::vector<std::string>& words);
/// "--policy fast: latest or lossless expected"
[[noreturn]] void throwExpected(const std::string& name, const std::string& text, const std::string& what,
                                const std::string& remedy = {});

/// One of some words, each with its meaning.
template <typename T>
Value<T> choiceValue(const std::vector<std::pair<std::string, T>>& choices) {
    Value<T> value;
    for (const auto& choice : choices) {
        value.words.push_back(choice.first);
    }
    value.parse = [choices, words = value.words](const std::string& name, const std::string& text) {
        const auto found = std::ranges::find(choices, text, &std::pair<std::string, T>::first);
        if (found == choices.end()) {
            throwExpected(name, text, wordList(words), didYouMean(text, words));
        }
        return found->second;
    };
    value.text = [choices](const T& given) {
        const auto found = std::ranges::find(choices, given, &std::pair<std::string, T>::second);
        return found != choices.end() ? found->first : std::string();
    };
    return value;
}
/// The same from a table: its entries' member for the meaning, and that for the word.
template <typename Table, typename Entry, typename T>
Value<T> choiceValue(const Table& table, T Entry::*meaning, std::string_view Entry::*word) {
    std::vector<std::pair<std::string, T>> choices;
    choices.reserve(std::size(table));
    for (const Entry& entry : table) {
        choices.emplace_back(entry.*word, entry.*meaning);
    }
    return choiceValue(choices);
}
/// One of some words, which mean themselves.
Value<std::string> wordValue(const std::vector<std::string>& words);

/// Several values: A,B,C.
template <typename T>
Value<std::vector<T>> listValue(Value<T> each) {
    return {[each](const std::string& name, const std::string& text) {
                std::vector<T> values;
                for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
                    end = text.find(',', begin);
                    values.push_back(each.parse(name, text.substr(begin, end - begin)));
                }
                return values;
            },
            [each](const std::vector<T>& values) {
                std::string text;
                for (const T& value : values) {
                    text += (text.empty() ? "" : ",") + each.text(value);
                }
                return text;
            },
            each.words};
}

/// Parses a name of `verbcast formats`. Throws Error{Usage}.
PixelFormat parsePixelFormat(const std::string& text);

/// Parses "60", "59.94", "60000/1001". `words` may be given instead: messages name them. Throws Error{Usage}.
Rational parseRate(const std::string& name, const std::string& text,
                   const std::vector<std::string>& words = {});
std::string rateText(const Rational& rate);

/// Placeholder for a stream's number in a file name.
inline constexpr const char* kStreamMark = "%n";

/// "take-%n.nut" for the second stream: "take-2.nut". For number 0, the only stream, unchanged.
std::string nameOfStream(std::string path, std::uint32_t number);

}  // namespace verbcast
