#include "app/key/key_command_line.h"

#include <CLI/CLI.hpp>

namespace verbcast {

KeyCommandLine::KeyCommandLine(CLI::App& app)
    : key_(app.add_subcommand("key", "Make keys and pair hosts: who may connect")) {
    key_->footer(
        "Without a key a listener serves only its own user on its own machine. A key authenticates both "
        "ends\n"
        "and encrypts everything but the frames; --encrypt, or pairing, encrypts those as well.\n"
        "Examples:\n"
        "  verbcast key new\n"
        "  verbcast send screen --key-file ~/.config/verbcast/key\n"
        "  VERBCAST_KEY=\"$(cat key)\" verbcast view wall\n"
        "  verbcast key pair wall:7423");
    key_->require_subcommand(1);
    key_->add_subcommand("new", "Write a new key to a file that only you can read")
        ->add_option("FILE", file_, "Must not exist (default: ~/.config/verbcast/key; -: print it)");
    pair_ = key_->add_subcommand("pair", "Agree on a key with a host, using the code that it shows");
    pair_->footer(
        "A sender or viewer that listens without a key shows a code when another host connects.\n"
        "Type it here, or pipe it in. Both hosts keep the key (~/.config/verbcast/hosts) and use it\n"
        "automatically from then on, with encrypted frames. A code works once and expires after ten "
        "minutes.");
    pair_->add_option("URL", url_, "Where it listens: host, host:port, tcp://host:port, ...")->required();
    list_ = key_->add_subcommand("list", "The hosts that this one is paired with");
    forget_ = key_->add_subcommand("forget", "Forget the key of a host");
    forget_->add_option("HOST", host_, "Its name or address, as in the list")->required();
}

bool KeyCommandLine::parsed() const {
    return key_->parsed();
}

KeyOptions KeyCommandLine::finish() const {
    if (pair_->parsed()) {
        return {KeyOptions::Action::Pair, url_};
    }
    if (list_->parsed()) {
        return {KeyOptions::Action::List, ""};
    }
    return forget_->parsed() ? KeyOptions{KeyOptions::Action::Forget, host_}
                             : KeyOptions{KeyOptions::Action::New, file_};
}

}  // namespace verbcast
