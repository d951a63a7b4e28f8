// What can be said about verbcast's commands, free of CLI11: the manual and the shells' completion are
// written from it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace verbcast {

/// What may stand in a place of the command line.
struct ValueReference {
    std::string name;                ///< "URL", "latest|lossless"; empty: there is no value
    std::vector<std::string> words;  ///< those that are known before; others may be possible, too
    bool isFile = false;
};

struct OptionReference {
    std::vector<std::string> names;  ///< "-q", "--quiet"; empty for an argument without one
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

/// With its commands, those that are not listed left out.
CommandReference commandReference(const CLI::App& app);

/// The command itself and all below it, in the order of the tree.
std::vector<const CommandReference*> allOf(const CommandReference& command);

}  // namespace verbcast
