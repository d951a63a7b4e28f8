// Whom a side of a session lets in, what they may do, and what is known about a peer that was let in.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/session/trust/session_key.h"

namespace verbcast {

/// Which side of a connection: the one that called, or the one that was called.
enum class Side : std::uint8_t { Connecting = 1, Listening = 2 };

/// What a peer may do here; bits of a set.
using Grants = std::uint8_t;
inline constexpr Grants kMayView = 1;   ///< take a stream, or a pipe's bytes
inline constexpr Grants kMaySend = 2;   ///< send one
inline constexpr Grants kMayInput = 4;  ///< press keys and move the pointer, if the sender takes input
inline constexpr Grants kMayAll = kMayView | kMaySend | kMayInput;

/// A key, and the name by which a caller says which one it has. The name travels in the clear.
struct NamedKey {
    std::string name;
    SessionKey key;
};

/// The name of a key that two sides were given by hand (a key file, VERBCAST_KEY).
inline constexpr const char* kSharedKeyName = "shared";

/// Somebody on another host was refused, and may be let in with this code.
struct PairingInvitation {
    std::string host;
    std::string code;
    std::chrono::seconds validFor{};
};

/// Keys that a listening side knows besides the shared one, by name.
class KeyBook {
  public:
    virtual ~KeyBook() = default;
    struct Entry {
        SessionKey key;
        Grants grants = kMayAll;
        bool encrypts = false;  ///< its sessions are encrypted, whatever the options say
    };
    /// Called by the thread that greets for each caller that names a key.
    virtual std::optional<Entry> find(std::string_view name) = 0;
    /// A host without a key was refused: the user may now be shown how to give it one.
    virtual void unpairedCalled(const std::string& host) = 0;
    /// The code that can be typed now, if any. Thread-safe.
    virtual std::optional<PairingInvitation> invitation() const = 0;
    /// A caller that knew a one-time code has agreed on a key. Throws if it cannot be kept.
    virtual void pair(const Entry& shown, const NamedKey& key, const std::string& peerName,
                      const std::string& address) = 0;
};

/// One side's terms.
struct Trust {
    /// Connecting: the other side must have it, too. Listening: nobody gets in without a key.
    std::optional<NamedKey> key{};
    std::shared_ptr<KeyBook> book{};  ///< listening: may be null; shared with those who add to it
    /// No key is needed. Listening: callers may be anybody. Connecting: whoever listens on this machine may
    /// be any user.
    bool open = false;
    /// Payloads are encrypted. Needs a key; it is enough if one side asks for it.
    bool encrypt = false;
    Grants grants = kMayAll;  ///< listening: of callers with the shared key
    /// Called by the thread that greets with the name of each key that a peer has proven; may be empty.
    std::function<void(const std::string& keyName)> onProven{};
};

/// What is known about a peer, and how well the session is protected from others.
enum class Protection : std::uint8_t {
    None,       ///< from another host, anybody; all can be read and changed in transit
    ThisHost,   ///< a process on this machine, without a key
    Proven,     ///< has the key; messages are encrypted, payloads are not
    Encrypted,  ///< has the key; messages and payloads are encrypted
};

/// "none", "this-host", "proven", "encrypted": for programs.
std::string_view nameOf(Protection protection);
/// A sentence for people.
std::string_view meaningOf(Protection protection);
/// A few words: "encrypted".
std::string_view shortName(Protection protection);

/// A peer that has greeted.
struct PeerTrust {
    Protection protection = Protection::None;
    Grants grants = kMayAll;
    std::string keyName;  ///< name of the key that it has proven; empty: none
};

}  // namespace verbcast
