#include "app/cli/options/option_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace verbcast {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(part);
    }
    return parts;
}

}  // namespace

std::vector<std::string> Option::flags() const {
    std::vector<std::string> found = split(names);
    std::erase_if(found, [](const std::string& each) { return !each.starts_with('-'); });
    return found;
}

std::string Option::argument() const {
    for (const std::string& each : split(names)) {
        if (!each.starts_with('-')) {
            return each;
        }
    }
    return "";
}

std::string Option::valueName() const {
    const std::string text = value;
    if (text.empty()) {
        return argument();
    }
    return valueOptional() ? text.substr(1, text.size() - 2) : text;
}

std::string Option::name() const {
    const std::vector<std::string> all = flags();
    return all.empty() ? argument() : all.back();
}

BoundOption& OptionList::add(Option option, bool& field) {
    return addFlag(
        std::move(option), [&field] { field = true; }, [&field] { return field; });
}

BoundOption& OptionList::addFlag(Option option, std::function<void()> set, std::function<bool()> isSet) {
    return bind(
        std::move(option), BoundOption::Takes::Nothing,
        [set = std::move(set)](const std::string&, const std::vector<std::string>&) { set(); },
        [isSet = std::move(isSet)] { return std::string(isSet() ? "yes" : ""); });
}

BoundOption& OptionList::add(Option option, std::string& field) {
    return addValue(
        std::move(option), {}, [&field](const std::string&, const std::string& text) { field = text; },
        [&field] { return field; });
}

BoundOption& OptionList::add(Option option, std::vector<std::string>& field, BoundOption::Takes takes) {
    return bind(
        std::move(option), takes,
        [&field](const std::string&, const std::vector<std::string>& values) { field = values; },
        [&field] { return fmt::format("{}", fmt::join(field, " ")); });
}

BoundOption& OptionList::addValue(Option option, const std::vector<std::string>& words,
                                  std::function<void(const std::string&, const std::string&)> set,
                                  std::function<std::string()> text) {
    if (option.words.empty()) {
        option.words = words;
    }
    return bind(
        std::move(option), BoundOption::Takes::One,
        [set = std::move(set)](const std::string& name, const std::vector<std::string>& values) {
            set(name, values.empty() ? "" : values.back());
        },
        std::move(text));
}

BoundOption& OptionList::bind(
    Option option, BoundOption::Takes takes,
    std::function<void(const std::string& name, const std::vector<std::string>& values)> set,
    std::function<std::string()> text) {
    BoundOption& bound = options_.emplace_back();
    bound.option = std::move(option);
    bound.takes = takes;
    bound.set = std::move(set);
    bound.text = std::move(text);
    bound.defaultText = bound.text();
    return bound;
}

const BoundOption* OptionList::find(std::string_view name) const {
    const auto found = std::ranges::find_if(options_, [&](const BoundOption& each) {
        const std::vector<std::string> flags = each.option.flags();
        return std::ranges::find(flags, name) != flags.end() || each.option.argument() == name;
    });
    return found == options_.end() ? nullptr : &*found;
}

BoundOption* OptionList::find(std::string_view name) {
    return const_cast<BoundOption*>(std::as_const(*this).find(name));
}

bool OptionList::given(std::string_view name) const {
    const BoundOption* const option = find(name);
    return option != nullptr && option->given;
}

}  // namespace verbcast
