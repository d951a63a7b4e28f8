// The options of a command, or a part of them, each with the field that it sets.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options/option.h"
#include "app/cli/options/values.h"

namespace verbcast {

/// Keeps references to the fields, which must outlive it.
class OptionList {
  public:
    /// A flag.
    BoundOption& add(Option option, bool& field);
    BoundOption& addFlag(Option option, std::function<void()> set, std::function<bool()> isSet);
    /// Any text.
    BoundOption& add(Option option, std::string& field);
    BoundOption& add(Option option, std::vector<std::string>& field,
                     BoundOption::Takes takes = BoundOption::Takes::Several);

    template <typename T>
    BoundOption& add(const Option& option, T& field, const Value<T>& value) {
        return addValue(
            option, value.words,
            [&field, parse = value.parse](const std::string& name, const std::string& text) {
                field = parse(name, text);
            },
            [&field, write = value.text] { return write(field); });
    }
    template <typename T>
    BoundOption& add(const Option& option, std::optional<T>& field, const Value<T>& value) {
        return addValue(
            option, value.words,
            [&field, parse = value.parse](const std::string& name, const std::string& text) {
                field = parse(name, text);
            },
            [&field, write = value.text] { return field ? write(*field) : std::string(); });
    }
    /// Several values, also with `delimiter` between them, if it is not 0.
    template <typename T>
    BoundOption& addAll(Option option, std::vector<T>& field, const Value<T>& value, char delimiter = 0) {
        option.words = value.words;
        BoundOption& bound = bind(
            std::move(option), BoundOption::Takes::Several,
            [&field, parse = value.parse](const std::string& name, const std::vector<std::string>& texts) {
                field.clear();
                for (const std::string& text : texts) {
                    field.push_back(parse(name, text));
                }
            },
            [&field, write = value.text, delimiter] {
                std::string all;
                for (const T& each : field) {
                    all +=
                        (all.empty() ? "" : std::string(1, delimiter != 0 ? delimiter : ' ')) + write(each);
                }
                return all;
            });
        bound.delimiter = delimiter;
        return bound;
    }
    /// `set` gets the option's name and the text.
    BoundOption& addValue(Option option, const std::vector<std::string>& words,
                          std::function<void(const std::string& name, const std::string& text)> set,
                          std::function<std::string()> text);

    /// By one of its names; null if there is none.
    const BoundOption* find(std::string_view name) const;
    BoundOption* find(std::string_view name);
    bool given(std::string_view name) const;
    auto begin() const { return options_.begin(); }
    auto end() const { return options_.end(); }
    auto begin() { return options_.begin(); }
    auto end() { return options_.end(); }

  private:
    BoundOption& bind(
        Option option, BoundOption::Takes takes,
        std::function<void(const std::string& name, const std::vector<std::string>& values)> set,
        std::function<std::string()> text);

    std::deque<BoundOption> options_;  // references stay valid
};

}  // namespace verbcast
