// One description of each option, from which the command line, --help, the manual, completion, session files
// and what `run` passes to the program are made.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace verbcast {

/// Where help lists an option.
namespace section {
inline constexpr std::string_view kSource = "Source", kPeers = "Peers", kPicture = "Picture",
                                  kWindow = "Window", kDisplay = "Displays", kRecording = "Recording",
                                  kDelivery = "Delivery", kEnd = "Start and end", kTrust = "Trust",
                                  kMachine = "Machine", kReport = "Reports", kMeasured = "What is measured";
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

}  // namespace verbcast
