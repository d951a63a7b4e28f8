#include "core/api/trust_terms.h"

#include <memory>

#include "core/api/calls.h"
#include "core/session/trust/pairing.h"

namespace verbcast {
namespace {

/// Paired hosts always prove their key, so it has to be known even where anybody is let in.
void admitPairedHosts(Trust& trust, const PairedHosts& hosts) {
    static_cast<void>(hosts.list());  // better now than when a host calls
    trust.book = std::make_shared<PairingBook>(hosts, trust.grants, logInvitation);
    trust.onProven = [hosts](const std::string& keyName) { hosts.noteSeen(keyName); };
}

/// The key of a host that this one is paired with.
void callPairedHost(Trust& trust, const PairedHosts& hosts, const Url& url) {
    if (const auto host = hosts.atAddress(url.host)) {
        trust.key = host->keyToCall();
        trust.encrypt = true;
        trust.onProven = [hosts](const std::string& keyName) { hosts.noteSeen(keyName); };
    }
}

}  // namespace

Trust trustFrom(const TrustTerms& terms, const SessionAddress& address) {
    Trust trust;
    trust.encrypt = terms.encrypt;
    trust.open = terms.open;
    if (terms.keyFile != nullptr) {
        trust.key = NamedKey{kSharedKeyName, SessionKey::fromFile(terms.keyFile)};
        return trust;
    }
    const auto hosts = PairedHosts::ofUser();
    if (hosts && address.listen && terms.open) {
        admitPairedHosts(trust, *hosts);
    } else if (hosts && !address.listen && !address.url.isName()) {
        callPairedHost(trust, *hosts, address.url);
    }
    if (trust.encrypt && !trust.key) {
        refuse("encrypt is set, and there is no key", "set key_file");
    }
    return trust;
}

}  // namespace verbcast
