#include "app/cli/trust/trust_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/session/trust/pairing.h"

namespace verbcast {
namespace {

constexpr std::array<std::pair<const char*, Grants>, 3> kGrantNames = {
    {{"view", kMayView}, {"send", kMaySend}, {"input", kMayInput}}};

/// Returns nullopt if there is no home folder to keep them in.
std::optional<PairedHosts> pairedHosts() {
    try {
        return PairedHosts(PairedHosts::defaultPath());
    } catch (const Error& error) {
        log().info("no paired hosts: {}", error.what());
        return std::nullopt;
    }
}

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

Trust trustFor(const TrustChoice& choice, bool listens, const Url& url) {
    Trust trust;
    const auto key = choice.keyFile.empty() ? SessionKey::fromEnvironment()
                                            : std::optional(SessionKey::fromFile(choice.keyFile));
    if (key) {
        trust.key = NamedKey{kSharedKeyName, *key};
    }
    trust.encrypt = choice.encrypt;
    trust.open = choice.open;
    const auto paired = key ? std::nullopt : pairedHosts();
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
