// A secret that both sides of a session share, and where it is from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace verbcast {

/// A secret that is not for command lines, which others can see.
inline constexpr const char* kKeyVariable = "VERBCAST_KEY";

/// 256 bits that both sides know. It never travels over a connection.
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
    /// That secret itself, without line ends behind it, checked in the same way: for a copy of the file.
    static std::string secretIn(const std::string& path);
    /// Of the environment variable VERBCAST_KEY, if it is set and not empty. Throws Error{Usage}.
    static std::optional<SessionKey> fromEnvironment();
    /// What text() gave. Throws Error{Peer} for anything else.
    static SessionKey fromText(std::string_view text);

    /// 64 hexadecimal digits: the secret itself.
    std::string text() const;

    /// Another secret for one purpose (HKDF-Expand of RFC 5869 with SHA-256), which tells nothing of this
    /// one.
    std::array<std::byte, 32> derive(std::string_view purpose) const;

    /// A key for one purpose, drawn from this one.
    SessionKey derivedFor(std::string_view purpose) const;

  private:
    std::array<std::byte, 32> bytes_{};
};

}  // namespace verbcast
