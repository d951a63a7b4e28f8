#include "app/commands/key/key_command_line.h"

namespace verbcast {

KeyCommandLine::KeyCommandLine(Command& verbcast)
    : key_(verbcast.add("key", "Make keys and pair hosts: who may connect")),
      new_(key_.add("new", "Write a new key to a file that only you can read")),
      pair_(key_.add("pair", "Agree on a key with a host, using the code that it shows")),
      list_(key_.add("list", "The hosts that this one is paired with")),
      forget_(key_.add("forget", "Forget the key of a host")) {
    key_.needsCommand = true;
    key_.remarks.text =
        "Without a key a listener serves only its own user on its own machine. A key authenticates both "
        "ends and encrypts everything but the frames; --encrypt, or pairing, encrypts those as well.";
    key_.remarks.examples =
        "verbcast key new\n"
        "verbcast send screen --key-file ~/.config/verbcast/key\n"
        "VERBCAST_KEY=\"$(cat key)\" verbcast view wall\n"
        "verbcast key pair wall:7423";
    new_.options.add(
        argument("", "FILE", "Must not exist (default: ~/.config/verbcast/key; -: print it)").file(),
        options_.name);
    pair_.remarks.text =
        "A sender or viewer that listens without a key shows a code when another host connects. Type it "
        "here, or pipe it in. Both hosts keep the key (~/.config/verbcast/hosts) and use it automatically "
        "from then on, with encrypted frames. A code works once and expires after ten minutes.";
    pair_.options.add(argument("", "URL", "Where it listens: host, host:port, tcp://host:port, ...").needed(),
                      options_.url, urlValue());
    forget_.options.add(argument("", "HOST", "Its name or address, as in the list").needed(), options_.name);
}

KeyOptions KeyCommandLine::finish() const {
    KeyOptions options = options_;
    options.action = pair_.chosen     ? KeyOptions::Action::Pair
                     : list_.chosen   ? KeyOptions::Action::List
                     : forget_.chosen ? KeyOptions::Action::Forget
                                      : KeyOptions::Action::New;
    return options;
}

}  // namespace verbcast
