#include "core/session/trust/beacon_proof.h"

#include <openssl/crypto.h>

#include <array>
#include <string>

#include "core/transport/multicast/datagram.h"

namespace verbcast {
namespace {

using Proof = std::array<std::byte, 32>;

template <typename Value>
void append(std::string& text, const Value& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// One block of HKDF-Expand is HMAC-SHA256 of the purpose.
Proof proofOf(std::span<const std::byte> beacon, const SessionKey& key, const multicast::GroupAddress& group,
              in_addr from) {
    std::string purpose = "verbcast multicast beacon";
    append(purpose, group.group.s_addr);
    append(purpose, group.port);
    append(purpose, from.s_addr);
    purpose.append(reinterpret_cast<const char*>(beacon.data()), beacon.size());
    return key.derive(purpose);
}

}  // namespace

void proveBeacon(std::vector<std::byte>& beacon, const SessionKey& key, const multicast::GroupAddress& group,
                 in_addr from) {
    const Proof proof = proofOf(beacon, key, group, from);
    beacon.insert(beacon.end(), proof.begin(), proof.begin() + multicast::kTagBytes);
}

bool isProvenBeacon(std::span<const std::byte> beacon, const SessionKey& key,
                    const multicast::GroupAddress& group, in_addr from) {
    constexpr std::size_t kMost = 512;  // all beacons are shorter, and none costs more to check
    if (beacon.size() <= multicast::kHeadBytes + multicast::kTagBytes || beacon.size() > kMost) {
        return false;
    }
    const Proof proof = proofOf(beacon.first(beacon.size() - multicast::kTagBytes), key, group, from);
    return CRYPTO_memcmp(beacon.last(multicast::kTagBytes).data(), proof.data(), multicast::kTagBytes) == 0;
}

}  // namespace verbcast
