#include "core/session/trust/aes_gcm.h"

#include <openssl/evp.h>

#include <cstring>
#include <type_traits>

#include "core/base/error.h"

namespace verbcast {
namespace {

template <typename Byte>
auto* octets(Byte* bytes) {
    using Octet = std::conditional_t<std::is_const_v<Byte>, const unsigned char, unsigned char>;
    return reinterpret_cast<Octet*>(bytes);
}

void requireCipher(bool done) {
    if (!done) {
        throw Error(ErrorKind::Internal, "OpenSSL: AES-256-GCM fails");
    }
}

}  // namespace

void AesGcm::FreeContext::operator()(evp_cipher_ctx_st* context) const noexcept {
    EVP_CIPHER_CTX_free(context);
}

AesGcm::AesGcm() : context_(EVP_CIPHER_CTX_new()) {
    requireCipher(context_ != nullptr);
}

void AesGcm::setKey(const std::array<std::byte, 32>& key, Use use) {
    requireCipher(EVP_CipherInit_ex(context_.get(), EVP_aes_256_gcm(), nullptr, octets(key.data()), nullptr,
                                    use == Use::Seal ? 1 : 0) == 1);
}

void AesGcm::begin(std::uint64_t number, std::uint32_t part) {
    std::array<std::byte, 12> nonce;
    std::memcpy(nonce.data(), &number, sizeof number);
    std::memcpy(nonce.data() + sizeof number, &part, sizeof part);
    requireCipher(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, octets(nonce.data()), -1) ==
                  1);
}

void AesGcm::pass(std::span<const std::byte> from, std::byte* into) {
    int made = 0;
    requireCipher(EVP_CipherUpdate(context_.get(), octets(into), &made, octets(from.data()),
                                   static_cast<int>(from.size())) == 1);
}

void AesGcm::finish(std::byte* tag) {
    int made = 0;
    requireCipher(EVP_CipherFinal_ex(context_.get(), octets(tag), &made) == 1 &&
                  EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag) == 1);
}

bool AesGcm::matches(const std::byte* tag) {
    std::array<std::byte, kTagBytes> own;
    std::memcpy(own.data(), tag, own.size());
    int made = 0;
    requireCipher(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, own.data()) == 1);
    return EVP_CipherFinal_ex(context_.get(), octets(own.data()), &made) == 1;
}

}  // namespace verbcast
