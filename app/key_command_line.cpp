#include "app/key_command_line.h"

namespace verbcast {

KeyCommandLine::KeyCommandLine(CLI::App& app) {
    CLI::App* key = app.add_subcommand("key", "Make keys: secrets that both ends of a session have");
    key->footer(
        "Who has no key, or another one, is refused. A key shows who connects; what is sent is not "
        "encrypted.\n"
        "Examples:\n  verbcast key new\n  verbcast send screen --key-file ~/.config/verbcast/key\n"
        "  VERBCAST_KEY=\"$(cat key)\" verbcast view wall");
    key->require_subcommand(1);
    new_ = key->add_subcommand("new", "Write a new key into a file that only you can read");
    new_->add_option("FILE", options_.file, "Must not exist (default: ~/.config/verbcast/key; -: print it)");
}

}  // namespace verbcast
