#include "core/session/trust/trust.h"

#include <array>

namespace verbcast {
namespace {

struct ProtectionWords {
    std::string_view name, brief, meaning;
};

const ProtectionWords& wordsOfProtection(Protection protection) {
    static constexpr std::array<ProtectionWords, 4> kWords = {{
        {"none", "OPEN TO ANYBODY", "anybody: no key; anyone on the network can read and change everything"},
        {"this-host", "this host", "a program on this machine, without a key"},
        {"proven", "key proven, pictures not encrypted",
         "authenticated by its key; messages are encrypted, pictures are not"},
        {"encrypted", "encrypted", "authenticated by its key; everything is encrypted"},
    }};
    return kWords.at(static_cast<std::size_t>(protection));
}

}  // namespace

std::string_view nameOf(Protection protection) {
    return wordsOfProtection(protection).name;
}

std::string_view shortName(Protection protection) {
    return wordsOfProtection(protection).brief;
}

std::string_view meaningOf(Protection protection) {
    return wordsOfProtection(protection).meaning;
}

}  // namespace verbcast
