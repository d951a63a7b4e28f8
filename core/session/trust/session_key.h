// A secret that both sides of a session share, and where it comes from.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace verbcast {

/// Environment variable that holds the secret, since others can see command lines.
inline constexpr const char* kKeyVariable = "VERBCAST_KEY";

/// Throws Error{Internal} if the system has no randomness.
void fillRandom(std::span<std::byte> bytes);

/// 256 bits that both sides know. Never sent over a connection.
class SessionKey {
  public:
    /// Throws what fillRandom() throws.
    static SessionKey random();
    /// The SHA-256 of a secret of 32 to 4096 bytes, without trailing line ends. Throws Error{Usage}, which
    /// names `where`.
    static SessionKey fromSecret(std::string_view secret, const std::string& where);
    /// Uses a file's content as the secret. Throws Error{Usage}, also if anybody but its owner can read or
    /// write it.
    static SessionKey fromFile(const std::string& path);
    /// That secret itself, without trailing line ends, checked in the same way: for a copy of the file.
    static std::string secretIn(const std::string& path);
    /// From the environment variable VERBCAST_KEY; nullopt if it is unset or empty. Throws Error{Usage}.
    static std::optional<SessionKey> fromEnvironment();
    /// Parses what text() returned. Throws Error{Peer} for anything else.
    static SessionKey fromText(std::string_view text);
    static SessionKey fromBytes(const std::array<std::byte, 32>& bytes);

    /// 64 hexadecimal digits: the secret itself.
    std::string text() const;

    /// Derives a secret for one purpose (HKDF-Expand of RFC 5869 with SHA-256) that reveals nothing of this
    /// one.
    std::array<std::byte, 32> derive(std::string_view purpose) const;

    /// Derives a key for one purpose.
    SessionKey derivedFor(std::string_view purpose) const { return fromBytes(derive(purpose)); }

  private:
    std::array<std::byte, 32> bytes_{};
};

}  // namespace verbcast
