#include "core/session/trust/datagram_seal.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstring>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kSealTagBytes = 16;

unsigned char* octets(std::byte* bytes) {
    return reinterpret_cast<unsigned char*>(bytes);
}
const unsigned char* octets(const std::byte* bytes) {
    return reinterpret_cast<const unsigned char*>(bytes);
}

void requireCipher(bool done) {
    if (!done) {
        throw Error(ErrorKind::Internal, "OpenSSL: AES-256-GCM fails");
    }
}

}  // namespace

DatagramKey randomDatagramKey() {
    DatagramKey key{};
    if (RAND_bytes(octets(key.data()), static_cast<int>(key.size())) != 1) {
        throw Error(ErrorKind::Internal, "the system has no random numbers");
    }
    return key;
}

void DatagramSeal::FreeContext::operator()(evp_cipher_ctx_st* context) const noexcept {
    EVP_CIPHER_CTX_free(context);
}

DatagramSeal::DatagramSeal(const DatagramKey& key, bool encrypts, Use use)
    : encrypts_(encrypts), context_(EVP_CIPHER_CTX_new()) {
    requireCipher(context_ != nullptr &&
                  EVP_CipherInit_ex(context_.get(), EVP_aes_256_gcm(), nullptr, octets(key.data()), nullptr,
                                    use == Use::Seal ? 1 : 0) == 1);
}

DatagramSeal::~DatagramSeal() = default;

void DatagramSeal::start(std::uint64_t counter, std::span<const std::byte> head) {
    std::array<std::byte, 12> nonce{};
    std::memcpy(nonce.data(), &counter, sizeof counter);
    int made = 0;
    requireCipher(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, octets(nonce.data()), -1) ==
                      1 &&
                  EVP_CipherUpdate(context_.get(), nullptr, &made, octets(head.data()),
                                   static_cast<int>(head.size())) == 1);
}

void DatagramSeal::seal(std::uint64_t counter, std::span<const std::byte> head,
                        std::span<const std::byte> payload, std::byte* into, std::byte* tag) {
    start(counter, head);
    int made = 0;
    std::array<std::byte, 16> none{};
    requireCipher(EVP_CipherUpdate(context_.get(), encrypts_ ? octets(into) : nullptr, &made,
                                   octets(payload.data()), static_cast<int>(payload.size())) == 1 &&
                  EVP_CipherFinal_ex(context_.get(), octets(none.data()), &made) == 1 &&
                  EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_GET_TAG, kSealTagBytes, tag) == 1);
}

bool DatagramSeal::open(std::uint64_t counter, std::span<const std::byte> head,
                        std::span<const std::byte> payload, std::span<const std::byte> tag, std::byte* into) {
    if (tag.size() != kSealTagBytes) {
        return false;
    }
    start(counter, head);
    std::array<std::byte, kSealTagBytes> own{};
    std::memcpy(own.data(), tag.data(), own.size());
    std::array<std::byte, 16> none{};
    int made = 0;
    requireCipher(EVP_CipherUpdate(context_.get(), encrypts_ ? octets(into) : nullptr, &made,
                                   octets(payload.data()), static_cast<int>(payload.size())) == 1 &&
                  EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_SET_TAG, kSealTagBytes, own.data()) == 1);
    return EVP_CipherFinal_ex(context_.get(), octets(none.data()), &made) == 1;
}

}  // namespace verbcast
