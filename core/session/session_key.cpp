#include "core/session/session_key.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <span>
#include <vector>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::string_view kPurpose = "verbcast session key 1";  // so that no other use makes the same HMAC
constexpr std::size_t kShortestSecret = 32;
constexpr std::size_t kLongestSecret = 4096;
constexpr const char* kMakeOne = "make one, for example: openssl rand -hex 32 > FILE";

void fillRandom(std::span<std::byte> bytes) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1) {
        throw Error(ErrorKind::Internal, "the system has no random numbers");
    }
}

std::string readSecret(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throwErrno(ErrorKind::Usage, "reading the key", path, errno, kMakeOne);
    }
    std::string secret(kLongestSecret + 1, '\0');
    file.read(secret.data(), static_cast<std::streamsize>(secret.size()));
    secret.resize(static_cast<std::size_t>(file.gcount()));
    while (secret.ends_with('\n') || secret.ends_with('\r')) {
        secret.pop_back();
    }
    return secret;
}

}  // namespace

Nonce makeNonce() {
    Nonce nonce;
    fillRandom(nonce);
    return nonce;
}

SessionKey SessionKey::random() {
    SessionKey key;
    fillRandom(key.bytes_);
    return key;
}

SessionKey SessionKey::fromFile(const std::string& path) {
    const std::string secret = readSecret(path);
    if (secret.size() < kShortestSecret || secret.size() > kLongestSecret) {
        throw Error(ErrorKind::Usage,
                    fmt::format("the key in {} has {} bytes, {} to {} expected", path, secret.size(),
                                kShortestSecret, kLongestSecret),
                    kMakeOne);
    }
    SessionKey key;
    if (EVP_Digest(secret.data(), secret.size(), reinterpret_cast<unsigned char*>(key.bytes_.data()), nullptr,
                   EVP_sha256(), nullptr) != 1) {
        throw Error(ErrorKind::Internal, "SHA-256 fails");
    }
    return key;
}

SessionKey SessionKey::fromText(std::string_view text) {
    SessionKey key;
    bool good = text.size() == 2 * key.bytes_.size();
    for (std::size_t i = 0; good && i < key.bytes_.size(); ++i) {
        unsigned value = 0;
        const char* digits = text.data() + 2 * i;
        const auto [end, code] = std::from_chars(digits, digits + 2, value, 16);
        good = code == std::errc() && end == digits + 2;
        key.bytes_[i] = static_cast<std::byte>(value);
    }
    if (!good) {
        throw Error(ErrorKind::Peer, "a key of 64 hexadecimal digits was expected");
    }
    return key;
}

std::string SessionKey::text() const {
    std::string text;
    for (const std::byte byte : bytes_) {
        text += fmt::format("{:02x}", static_cast<unsigned>(byte));
    }
    return text;
}

KeyProof SessionKey::prove(KeySide side, std::uint8_t role, const Nonce& own, const Nonce& peers) const {
    std::vector<std::byte> message;
    const auto append = [&message](std::span<const std::byte> part) {
        message.insert(message.end(), part.begin(), part.end());
    };
    append(std::as_bytes(std::span(kPurpose)));
    append(std::as_bytes(std::span(&side, 1)));
    append(std::as_bytes(std::span(&role, 1)));
    append(own);
    append(peers);
    KeyProof proof;
    if (HMAC(EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(),
             reinterpret_cast<unsigned char*>(proof.data()), nullptr) == nullptr) {
        throw Error(ErrorKind::Internal, "HMAC-SHA256 fails");
    }
    return proof;
}

bool SessionKey::equal(const KeyProof& one, const KeyProof& other) {
    return CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace verbcast
