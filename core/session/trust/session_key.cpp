#include "core/session/trust/session_key.h"

#include <fmt/format.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <span>

#include "core/base/error.h"
#include "core/base/os/private_file.h"

namespace verbcast {
namespace {

constexpr std::size_t kMinSecretLength = 32;
constexpr std::size_t kMaxSecretLength = 4096;
constexpr const char* kMakeOne = "make one: verbcast key new FILE";

void fillRandom(std::span<std::byte> bytes) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1) {
        throw Error(ErrorKind::Internal, "the system has no random numbers");
    }
}

std::string readSecret(const std::string& path) {
    const UniqueFd file = openPrivate(path, "the key", "make a new one");
    if (!file) {
        throwErrno(ErrorKind::Usage, "reading the key", path, errno, kMakeOne);
    }
    std::string secret(kMaxSecretLength + 2, '\0');
    std::size_t got = 0;
    while (got < secret.size()) {
        const auto more = ::read(file.get(), secret.data() + got, secret.size() - got);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more < 0) {
            throwErrno(ErrorKind::Usage, "reading the key", path, errno, kMakeOne);
        }
        if (more == 0) {
            break;
        }
        got += static_cast<std::size_t>(more);
    }
    secret.resize(got);
    return secret;
}

std::string_view withoutLineEnds(std::string_view secret) {
    while (secret.ends_with('\n') || secret.ends_with('\r')) {
        secret.remove_suffix(1);
    }
    return secret;
}

}  // namespace

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
    if (EVP_Digest(secret.data(), secret.size(), reinterpret_cast<unsigned char*>(key.bytes_.data()), nullptr,
                   EVP_sha256(), nullptr) != 1) {
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

SessionKey SessionKey::derivedFor(std::string_view purpose) const {
    SessionKey key;
    key.bytes_ = derive(purpose);
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
    std::array<std::byte, 32> secret{};
    const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> algorithm(EVP_KDF_fetch(nullptr, "HKDF", nullptr),
                                                                      EVP_KDF_free);
    const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> derivation(
        EVP_KDF_CTX_new(algorithm.get()), EVP_KDF_CTX_free);
    int mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY;
    std::array<char, 7> digest{"SHA256"};
    std::string info(purpose);
    auto own = bytes_;
    const std::array<OSSL_PARAM, 5> parameters = {
        OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, own.data(), own.size()),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
        OSSL_PARAM_construct_end()};
    if (!derivation || EVP_KDF_derive(derivation.get(), reinterpret_cast<unsigned char*>(secret.data()),
                                      secret.size(), parameters.data()) != 1) {
        throw Error(ErrorKind::Internal, "HKDF fails");
    }
    return secret;
}

}  // namespace verbcast
