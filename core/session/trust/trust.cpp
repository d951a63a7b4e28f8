#include "core/session/trust/trust.h"

namespace verbcast {

std::string_view shortName(Protection protection) {
    switch (protection) {
        case Protection::None:
            return "OPEN TO ANYBODY";
        case Protection::ThisHost:
            return "this host";
        case Protection::Proven:
            return "key proven, pictures not encrypted";
        case Protection::Encrypted:
            return "encrypted";
    }
    return "";
}

std::string_view nameOf(Protection protection) {
    switch (protection) {
        case Protection::None:
            return "none";
        case Protection::ThisHost:
            return "this-host";
        case Protection::Proven:
            return "proven";
        case Protection::Encrypted:
            return "encrypted";
    }
    return "";
}

std::string_view meaningOf(Protection protection) {
    switch (protection) {
        case Protection::None:
            return "anybody: no key; anyone on the network can read and change everything";
        case Protection::ThisHost:
            return "a program on this machine, without a key";
        case Protection::Proven:
            return "authenticated by its key; messages are encrypted, pictures are not";
        case Protection::Encrypted:
            return "authenticated by its key; everything is encrypted";
    }
    return "";
}

}  // namespace verbcast
