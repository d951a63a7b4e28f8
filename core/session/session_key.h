// A secret that both ends of a connection share, and how each shows that it knows it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbcast {

/// A number used once: random, new for each connection and side.
using Nonce = std::array<std::byte, 32>;
/// Shows knowledge of a key for one pair of nonces.
using KeyProof = std::array<std::byte, 32>;

/// A secret that is not for command lines, which others can see.
inline constexpr const char* kKeyVariable = "VERBCAST_KEY";

/// Throws Error{Internal} when the system has no randomness.
Nonce makeNonce();

/// Which side of a connection proves: no proof made for a listener serves another listener, so nobody can
/// join two of them by passing their words on.
enum class KeySide : std::uint8_t { Connecting = 1, Listening = 2 };

/// 256 bits. It never travels over a connection: each side sends a nonce, and answers the other's with an
/// HMAC-SHA256 (RFC 2104) of both. That tells who connects; it hides nothing of what is sent afterwards, and
/// whoever can change packets on their way can still do so.
class SessionKey {
  public:
    /// Throws Error{Internal} when the system has no randomness.
    static SessionKey random();
    /// The SHA-256 of a secret of 32 to 4096 bytes, without line ends behind it. Throws Error{Usage}, which
    /// says where it is from.
    static SessionKey fromSecret(std::string_view secret, const std::string& where);
    /// A file's content as the secret. Throws Error{Usage}, also for a file that others than its owner can
    /// read or write.
    static SessionKey fromFile(const std::string& path);
    /// Of the environment variable VERBCAST_KEY, if it is set and not empty. Throws Error{Usage}.
    static std::optional<SessionKey> fromEnvironment();
    /// What text() gave. Throws Error{Peer} for anything else.
    static SessionKey fromText(std::string_view text);

    /// 64 hexadecimal digits: the secret itself.
    std::string text() const;

    /// By a side whose role in the session has this number and which drew `own`, to the one that drew
    /// `peers`. No proof of one side serves as one of the other.
    KeyProof prove(KeySide side, std::uint8_t role, const Nonce& own, const Nonce& peers) const;
    /// In a time that tells nothing about them.
    static bool equal(const KeyProof& one, const KeyProof& other);

  private:
    std::array<std::byte, 32> bytes_{};
};

}  // namespace verbcast
