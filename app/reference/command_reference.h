// Describes verbcast's commands independently of CLI11, to generate the manual and shell completion.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace verbcast {

/// A value on the command line.
struct ValueReference {
    std::string name;                ///< "URL", "latest|lossless"; empty: no value
    std::vector<std::string> words;  ///< known values; others may be possible too
    bool isFile = false;
};

struct OptionReference {
    std::vector<std::string> names;  ///< "-q", "--quiet"; empty for a positional argument
    ValueReference value;
    bool valueOptional = false, required = false;
    std::string defaultValue, help;
};

struct CommandReference {
    std::vector<std::string> words;  ///< "verbcast", "pipe", "send"
    std::string summary;
    std::string remarks;  ///< the lines below the options: addresses, examples, exit codes
    std::vector<OptionReference> arguments, options;
    std::vector<CommandReference> commands;

    /// "verbcast pipe send", "verbcast-pipe-send"
    std::string joined(const char* separator) const;
};

/// Includes subcommands, except unlisted ones.
CommandReference commandReference(const CLI::App& app);

/// The command and all below it, in tree order.
std::vector<const CommandReference*> allOf(const CommandReference& command);

}  // namespace verbcast
