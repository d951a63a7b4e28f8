// One description of each option, with the field that it sets: from it the command line, --help, the manual,
// completion, session files and what `run` passes to the program are made.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/options/values.h"

namespace verbcast {

/// Where help lists an option.
namespace section {
inline constexpr std::string_view kSource = "Source", kPeers = "Peers", kPicture = "Picture",
                                  kSound = "Sound", kWindow = "Window", kDisplay = "Displays",
                                  kRecording = "Recording", kDelivery = "Delivery", kEnd = "Start and end",
                                  kTrust = "Trust", kMachine = "Machine", kReport = "Reports",
                                  kMeasured = "What is measured";
}  // namespace section

struct Option {
    /// "--slots"; "-t,--length"; "URL": an argument without a name; "--from,URL": both.
    const char* names = "";
    const char* value = "";  ///< "N", "latest|lossless"; "[FILE]": may be left out; empty: a flag
    std::string help;        ///< sentences; a line break begins a new line
    std::string_view section{};
    bool further = false;              ///< listed by --help all only
    bool hidden = false;               ///< listed nowhere: only refused, with the reason
    bool required = false;             ///< of arguments
    bool isFile = false;               ///< the value names a file
    std::vector<std::string> words{};  ///< known values; others may be possible, too
    const char* variable = "";         ///< environment variable with its default

    /// The value names a file.
    Option file() && { return isFile = true, std::move(*this); }
    /// An argument that has to be given.
    Option needed() && { return required = true, std::move(*this); }
    /// Values for completion, beside those that its Value<T> knows.
    Option known(std::vector<std::string> values) && { return words = std::move(values), std::move(*this); }
    /// An environment variable may give it.
    Option from(const char* name) && { return variable = name, std::move(*this); }

    /// "--from"; empty for an argument.
    std::vector<std::string> flags() const;
    /// "URL"; empty for what has only names.
    std::string argument() const;
    /// "[FILE]" without the brackets.
    std::string valueName() const;
    bool valueOptional() const { return value[0] == '['; }
    bool isFlag() const { return value[0] == '\0'; }
    /// The last of its names, as messages call it: "--length".
    std::string name() const;
};

// The kinds of options. What is seldom needed is listed by --help all only.
inline Option option(std::string_view section, const char* names, const char* value, std::string help) {
    return {names, value, std::move(help), section};
}
inline Option seldomOption(std::string_view section, const char* names, const char* value, std::string help) {
    return {names, value, std::move(help), section, true};
}
inline Option flag(std::string_view section, const char* names, std::string help) {
    return {names, "", std::move(help), section};
}
inline Option seldomFlag(std::string_view section, const char* names, std::string help) {
    return {names, "", std::move(help), section, true};
}
/// A word without a name before it.
inline Option argument(std::string_view section, const char* names, std::string help) {
    return {names, "", std::move(help), section};
}

/// An option and the field that it sets.
struct BoundOption {
    enum class Takes {
        Nothing,   ///< a flag
        One,       ///< value
        Repeated,  ///< one value each time it is given
        Several,   ///< or several values at once
    };

    Option option;
    Takes takes = Takes::One;
    char delimiter = '\0';  ///< between several values in one word; 0: none
    /// Sets the field. Throws Error{Usage} naming `name`, which is the option or what it comes from, the
    /// value and what is expected.
    std::function<void(const std::string& name, const std::vector<std::string>& values)> set;
    /// The field as one would write it; empty: not set.
    std::function<std::string()> text;
    std::string defaultText{};  ///< when it was bound
    bool given = false;         ///< on the command line
};

/// The options of a command, or a part of them. Keeps references to the fields, which must outlive it.
class OptionList {
  public:
    /// A flag.
    BoundOption& add(Option option, bool& field);
    BoundOption& addFlag(Option option, std::function<void()> set, std::function<bool()> isSet);
    /// Any text.
    BoundOption& add(Option option, std::string& field);
    BoundOption& add(Option option, std::vector<std::string>& field,
                     BoundOption::Takes takes = BoundOption::Takes::Several);

    /// `field`: of that type, or optional.
    template <typename Field, typename T>
    BoundOption& add(const Option& option, Field& field, const Value<T>& value) {
        return addValue(
            option, value.words,
            [&field, parse = value.parse](const std::string& name, const std::string& text) {
                field = parse(name, text);
            },
            [&field, write = value.text] {
                const std::optional<T> set = field;
                return set ? write(*set) : std::string();
            });
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
