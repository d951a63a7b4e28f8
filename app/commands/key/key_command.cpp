#include "app/commands/key/key_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <iostream>

#include "app/cli/shell_words.h"
#include "app/cli/trust/trust_choice.h"
#include "app/commands/key/key_file.h"
#include "app/host/interrupt.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/session/greeting/pair_with.h"
#include "core/session/trust/pairing.h"

namespace verbcast {
namespace {

int makeKey(const std::string& file) {
    if (file == "-") {
        printToStdout("{}\n", SessionKey::random().text());
        return 0;
    }
    const std::string path = file.empty() ? defaultKeyFile() : file;
    writeNewKey(path);
    const std::string word = shellQuoted(std::string_view(path));
    printToStdout(
        "A new key is in {}. Copy it to the other end over a secure channel, for example\n"
        "  scp -p {} HOST:{}\nand use it on both sides: --key-file {}\n",
        path, word, word, word);
    return 0;
}

int listHosts(const PairedHosts& hosts) {
    const auto all = hosts.list();
    if (all.empty()) {
        writeToStdout("This host is not paired with any other. Pair it: verbcast key pair URL\n");
        return 0;
    }
    for (const PairedHost& host : all) {
        printToStdout("{:<20} {:<24} may {:<16} since {}, seen {}\n", host.name,
                      fmt::join(host.addresses, " "), grantsText(host.grants), host.since,
                      seenText(hosts.lastSeen(host)));
    }
    return 0;
}

int forgetHost(const PairedHosts& hosts, const std::string& host) {
    if (hosts.forget(host) == 0) {
        throw Error(ErrorKind::Usage, fmt::format("this host is not paired with \"{}\"", host),
                    "verbcast key list shows the paired hosts");
    }
    printToStdout("Forgot the key of {}. The other host keeps its own until it forgets this one.\n", host);
    return 0;
}

std::string askForCode(const std::string& where) {
    if (::isatty(STDIN_FILENO) == 1) {
        printToStderr("Code shown by {}: ", where);
    }
    std::string code;
    std::getline(std::cin, code);
    return code;
}

int pair(const PairedHosts& hosts, const Url& url) {
    requireOtherHost(url);
    const std::string code = askForCode(url.text());
    installInterruptHandler();
    try {
        const PairedHost host = pairWith(url, code, hosts, interruptEvent());
        printToStdout("Paired with {} ({}). Both hosts use the new key automatically from now on.\n",
                      host.name, fmt::join(host.addresses, ", "));
        return 0;
    } catch (const Error&) {
        if (interruptEvent().isSet()) {
            return 130;
        }
        throw;
    }
}

}  // namespace

int runKey(const KeyOptions& options) {
    if (options.action == KeyOptions::Action::New) {
        return makeKey(options.name);
    }
    const PairedHosts hosts(PairedHosts::defaultPath());
    switch (options.action) {
        case KeyOptions::Action::List:
            return listHosts(hosts);
        case KeyOptions::Action::Forget:
            return forgetHost(hosts, options.name);
        default:
            return pair(hosts, *options.url);
    }
}

}  // namespace verbcast
