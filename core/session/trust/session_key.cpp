#include "core/session/trust/session_key.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <cerrno>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/os/private_file.h"

namespace verbcast {
namespace {

constexpr std::size_t kMinSecretLength = 32;
constexpr std::size_t kMaxSecretLength = 4096;
constexpr const char* kMakeOne = "make one: verbcast key new FILE";

unsigned char* unsignedBytes(std::span<std::byte> bytes) {
    return reinterpret_cast<unsigned char*>(bytes.data());
}

std::string readSecret(const std::string& path) {
    if (auto secret = readPrivate(path, "the key", "make a new one", kMaxSecretLength + 2)) {
        return *std::move(secret);
    }
    throwErrno(ErrorKind::Usage, "reading the key", path, errno, kMakeOne);
}

std::string_view withoutLineEnds(std::string_view secret) {
    while (secret.ends_with('\n') || secret.ends_with('\r')) {
        secret.remove_suffix(1);
    }
    return secret;
}

}  // namespace

void fillRandom(std::span<std::byte> bytes) {
    if (RAND_bytes(unsignedBytes(bytes), static_cast<int>(bytes.size())) != 1) {
        throw Error(ErrorKind::Internal, "the system has no random numbers");
    }
}

SessionKey SessionKey::random() {
    SessionKey key;
    fillRandom(key.bytes_);
    return key;
}

SessionKey SessionKey::fromSecret(std::string_view secret, const std::string& where) {
    secret = withoutLineEnds(secret);
    if (secret.size() < kMinSecretLength || secret.size() > kMaxSecretLength) {
        throw Error(ErrorKind::Usage,
                    fmt::format("the key in {} has {} bytes, {} to {} expected", where, secret.size(),
                                kMinSecretLength, kMaxSecretLength),
                    kMakeOne);
    }
    SessionKey key;
    if (EVP_Digest(secret.data(), secret.size(), unsignedBytes(key.bytes_), nullptr, EVP_sha256(), nullptr) !=
        1) {
        throw Error(ErrorKind::Internal, "SHA-256 fails");
    }
    return key;
}

SessionKey SessionKey::fromFile(const std::string& path) {
    return fromSecret(readSecret(path), path);
}

std::string SessionKey::secretIn(const std::string& path) {
    const std::string secret = readSecret(path);
    static_cast<void>(fromSecret(secret, path));
    return std::string(withoutLineEnds(secret));
}

std::optional<SessionKey> SessionKey::fromEnvironment() {
    const char* secret = std::getenv(kKeyVariable);
    if (secret == nullptr || *secret == '\0') {
        return std::nullopt;
    }
    return fromSecret(secret, kKeyVariable);
}

SessionKey SessionKey::fromText(std::string_view text) {
    SessionKey key;
    std::size_t bytes = 0;
    if (text.size() != 2 * key.bytes_.size() ||
        OPENSSL_hexstr2buf_ex(unsignedBytes(key.bytes_), key.bytes_.size(), &bytes, std::string(text).c_str(),
                              '\0') != 1 ||
        bytes != key.bytes_.size()) {
        throw peerError("a key of 64 hexadecimal digits was expected");
    }
    return key;
}

SessionKey SessionKey::fromBytes(const std::array<std::byte, 32>& bytes) {
    SessionKey key;
    key.bytes_ = bytes;
    return key;
}

std::string SessionKey::text() const {
    std::string text;
    for (const std::byte byte : bytes_) {
        text += fmt::format("{:02x}", static_cast<unsigned>(byte));
    }
    return text;
}

std::array<std::byte, 32> SessionKey::derive(std::string_view purpose) const {
    std::string block(purpose);
    block += '\x01';  // the number of the only block
    std::array<std::byte, 32> secret{};
    if (HMAC(EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()),
             unsignedBytes(std::as_writable_bytes(std::span(block))), block.size(), unsignedBytes(secret),
             nullptr) == nullptr) {
        throw Error(ErrorKind::Internal, "HKDF fails");
    }
    return secret;
}

}  // namespace verbcast
