#include "app/cli/trust/trust_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/session/trust/pairing.h"

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

TrustChoice TrustChoice::of(bool listens) const {
    TrustChoice choice = *this;
    if (!listens) {
        choice.grants.clear();
    }
    return choice;
}

void addKey(OptionList& options, TrustChoice& choice) {
    options.add(
        option(section::kTrust, "--key-file", "FILE",
               "A secret shared by both ends; encrypts everything but the frames (make one: verbcast key "
               "new; default: VERBCAST_KEY, or the key of a paired host)")
            .file(),
        choice.keyFile);
    options.add(flag(section::kTrust, "--encrypt", "Encrypt frames as well (AES-256-GCM); needs a key"),
                choice.encrypt);
}

void addTrust(OptionList& options, TrustChoice& choice) {
    addKey(options, choice);
    options.add(flag(section::kTrust, "--open",
                     "No key needed. Listening: admit anybody; connecting: to any user's program on this "
                     "machine. Otherwise only your own programs on this machine need none"),
                choice.open);
    options.add(seldomOption(section::kTrust, "--grant", "LIST",
                             "Listening: what peers with the key may do, of view, send, input (default: all)")
                    .known({"view", "send", "input"}),
                choice.grants);
}

Trust trustFor(const TrustChoice& choice, bool listens, const Url& url) {
    Trust trust;
    const auto key = choice.keyFile.empty() ? SessionKey::fromEnvironment()
                                            : std::optional(SessionKey::fromFile(choice.keyFile));
    if (key) {
        trust.key = NamedKey{kSharedKeyName, *key};
    }
    trust.encrypt = choice.encrypt;
    trust.open = choice.open;
    const auto paired = key ? std::nullopt : PairedHosts::ofUser();
    if (paired && !listens && !url.isName()) {
        if (const auto host = paired->atAddress(url.host)) {
            trust.key = host->keyToCall();
            trust.encrypt = true;
        }
    }
    if (paired) {
        trust.onProven = [hosts = *paired](const std::string& keyName) { hosts.noteSeen(keyName); };
    }
    if (!choice.grants.empty()) {
        trust.grants = parseGrants(choice.grants);
    }
    if (choice.open && key) {
        throw Error(ErrorKind::Usage, "--open and a key exclude each other: a key keeps others out",
                    "leave out --open, or --key-file and VERBCAST_KEY");
    }
    if (choice.encrypt && !trust.key && !listens) {
        throw Error(ErrorKind::Usage, "--encrypt needs a key",
                    "make one (verbcast key new FILE) and give --key-file FILE to both ends");
    }
    if (!choice.grants.empty() && !listens) {
        throw Error(ErrorKind::Usage, "--grant is for the side that listens", "give it there");
    }
    if (listens && paired) {
        if (!url.isName()) {
            static_cast<void>(paired->list());  // tells its user now what would be refused to every caller
        }
        trust.book = std::make_shared<PairingBook>(*paired, trust.grants, logInvitation);
    }
    return trust;
}

}  // namespace verbcast
