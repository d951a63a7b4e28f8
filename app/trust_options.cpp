#include "app/trust_options.h"

#include <fmt/format.h>

#include <array>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/session/pairing.h"

namespace verbcast {
namespace {

constexpr std::array<std::pair<const char*, Grants>, 3> kGrantNames = {
    {{"view", kMayView}, {"send", kMaySend}, {"input", kMayInput}}};

}  // namespace

Grants parseGrants(const std::string& text) {
    Grants grants = 0;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const auto* const found = std::find_if(kGrantNames.begin(), kGrantNames.end(),
                                               [&](const auto& each) { return each.first == word; });
        if (found == kGrantNames.end()) {
            throw Error(ErrorKind::Usage, fmt::format("--grant \"{}\": view, send, input expected", word),
                        "for example --grant view,input");
        }
        grants |= found->second;
    }
    if (grants == 0) {
        throw Error(ErrorKind::Usage, "--grant needs at least one of view, send, input",
                    "for example --grant view");
    }
    return grants;
}

std::string grantsText(Grants grants) {
    std::string text;
    for (const auto& [name, bit] : kGrantNames) {
        if ((grants & bit) != 0) {
            text += fmt::format("{}{}", text.empty() ? "" : ",", name);
        }
    }
    return text;
}

void TrustOptions::addKeyTo(CLI::App& command) {
    command
        .add_option("--key-file", file_,
                    "A secret that both ends must have; all but the frames themselves is then encrypted "
                    "(verbcast key new; default: what VERBCAST_KEY holds, or the key of a paired host)")
        ->type_name("FILE");
    command.add_flag("--encrypt", encrypt_, "Encrypt the frames, too (AES-256-GCM); needs a key");
}

void TrustOptions::addTo(CLI::App& command) {
    addKeyTo(command);
    command.add_flag(
        "--open", open_,
        "Listening: let in any host without a key; otherwise only this machine may come without");
    command
        .add_option("--grant", grants_,
                    "Listening: what peers with the key may do: view, send, input (default: all)")
        ->type_name("LIST");
}

namespace {

/// None where there is no home to keep them in.
std::optional<PairedHosts> pairedHosts() {
    try {
        return PairedHosts(PairedHosts::defaultPath());
    } catch (const Error& error) {
        log().info("no paired hosts: {}", error.what());
        return std::nullopt;
    }
}

}  // namespace

Trust TrustOptions::trust(bool listens, const Url& url) const {
    Trust trust;
    const auto key =
        file_.empty() ? SessionKey::fromEnvironment() : std::optional(SessionKey::fromFile(file_));
    if (key) {
        trust.key = NamedKey{kSharedKeyName, *key};
    }
    trust.encrypt = encrypt_;
    trust.open = open_;
    const auto paired = key ? std::nullopt : pairedHosts();
    if (paired && !listens && !url.isName()) {
        if (const auto host = paired->atAddress(url.host)) {
            trust.key = host->keyToCall();
            trust.encrypt = true;
        }
    }
    if (!grants_.empty()) {
        trust.grants = parseGrants(grants_);
    }
    if (open_ && key) {
        throw Error(ErrorKind::Usage, "--open and a key exclude each other: a key keeps others out",
                    "leave out --open, or --key-file and VERBCAST_KEY");
    }
    if (encrypt_ && !trust.key && !listens) {
        throw Error(ErrorKind::Usage, "--encrypt needs a key",
                    "make one (verbcast key new FILE) and give --key-file FILE to both ends");
    }
    if ((open_ || !grants_.empty()) && !listens) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} is for the side that listens", open_ ? "--open" : "--grant"),
                    "give it there");
    }
    if (listens && paired && !open_) {
        trust.book = std::make_shared<PairingBook>(*paired, trust.grants, logInvitation);
    }
    return trust;
}

}  // namespace verbcast
