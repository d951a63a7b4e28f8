#include "app/commands/compose/mosaic/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/cli/options/values.h"
#include "app/commands/compose/mosaic/mosaic_options.h"
#include "core/base/error.h"
#include "core/base/text/clean_text.h"

namespace verbcast::mosaic {
namespace {

/// Cuts off the first word, and the spaces around it.
std::string_view takeWord(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return word;
}

[[noreturn]] void refuse(const std::string& problem) {
    throw Error(ErrorKind::Usage, problem, kChangesHelp);
}

std::size_t numberOf(std::string_view word, std::size_t inputs) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > inputs) {
        refuse(fmt::format("\"{}\": the number of an input expected, 1 to {}", cleanText(word, 20), inputs));
    }
    return number - 1;
}

std::string inputIn(std::string_view text) {
    if (text.empty()) {
        refuse("an input is missing: a sender's address, or a source as verbcast send takes it");
    }
    return std::string(text);
}

SetLayout layoutIn(std::string_view name) {
    for (const Layout& layout : layouts()) {
        if (layout.name == name && isForMosaics(layout)) {
            return {&layout};
        }
    }
    refuse(fmt::format("\"{}\" is no layout of a mosaic", cleanText(name, 20)));
}

SetOrder orderIn(std::string_view text, std::size_t inputs) {
    SetOrder order;
    while (!text.empty()) {
        order.inputs.push_back(numberOf(takeWord(text), inputs));
    }
    std::vector<std::size_t> sorted = order.inputs;
    std::ranges::sort(sorted);
    if (sorted.size() != inputs || std::ranges::adjacent_find(sorted) != sorted.end()) {
        refuse(fmt::format("each of the {} inputs expected once", inputs));
    }
    return order;
}

SetNames namesIn(std::string_view text) {
    if (text != "on" && text != "off") {
        refuse(fmt::format("\"{}\": on or off expected", cleanText(text, 20)));
    }
    return {text == "on"};
}

}  // namespace

std::chrono::nanoseconds parseFade(std::string_view text) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool inRange = seconds >= 0 && seconds <= kMaxFadeSeconds;  // NaN is not
    if (error != std::errc() || end != text.data() + text.size() || !inRange) {
        refuse(fmt::format("\"{}\": seconds from 0 to {:g} expected", cleanText(text, 20), kMaxFadeSeconds));
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

bool isForMosaics(const Layout& layout) {
    return layout.way == LayoutWay::Plain || layout.way == LayoutWay::Free;
}

Change parseChange(std::string_view line, std::size_t inputs) {
    std::string_view rest = line.substr(0, line.find_last_not_of(" \r\t") + 1);
    const std::string_view word = takeWord(rest);
    if (word == "layout") {
        return layoutIn(rest);
    }
    if (word == "focus") {
        return SetFocus{numberOf(rest, inputs)};
    }
    if (word == "order") {
        return orderIn(rest, inputs);
    }
    if (word == "panes") {
        return SetPanes{parsePanes(rest)};
    }
    if (word == "fade") {
        return SetFade{parseFade(rest)};
    }
    if (word == "names") {
        return namesIn(rest);
    }
    if (word == "audio") {
        return SetAudio{parseAudioFrom(rest, inputs)};
    }
    if (word == "add") {
        if (inputs >= kMaxMosaicInputs) {
            refuse(fmt::format("there are {} inputs already, the maximum", inputs));
        }
        return Add{inputIn(rest)};
    }
    if (word == "remove") {
        return Remove{numberOf(rest, inputs)};
    }
    if (word == "replace") {
        const std::size_t number = numberOf(takeWord(rest), inputs);
        return Replace{number, inputIn(rest)};
    }
    refuse(fmt::format("\"{}\": no such command", cleanText(word, 20)));
}

}  // namespace verbcast::mosaic
