// Gives two hosts a key of their own, by a code that one shows and the other types.
#pragma once

#include <ctime>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/os/clock.h"
#include "core/session/trust/trust.h"

namespace verbcast {

/// The name of the key that a code stands for; only a pairing may use it.
inline constexpr const char* kPairingKeyName = "pairing";

/// A one-time code of 120 random bits: "7Q3K-M2VX-...", 24 digits of Crockford's base 32. Too many to try, so
/// an overheard handshake with one does not help to guess it.
std::string newPairingCode();
/// The key that a code stands for. Ignores case and separators; O counts as 0, I and L as 1. Throws
/// Error{Usage} if it is not a code.
SessionKey keyOfPairingCode(std::string_view text);

/// A host with which a key was agreed.
struct PairedHost {
    std::string name;                    ///< as it calls itself
    std::vector<std::string> addresses;  ///< by which it may be called
    NamedKey key;
    Grants grants = kMayAll;
    std::string since;      ///< "2026-11-22"
    bool wasCalled = true;  ///< this host called the other to be paired

    /// Each direction has its own key: a caller that is redirected to itself gets no answer.
    NamedKey keyToCall() const;
    SessionKey keyOfCaller() const;
};

/// For PairedHost::since.
std::string today();
/// "2026-11-22 19:04" in this machine's time zone; "not yet".
std::string seenText(const std::optional<std::time_t>& seen);

/// The file of paired hosts: JSON, readable by its owner only. Several processes may use it.
class PairedHosts {
  public:
    /// ~/.config/verbcast/hosts, or under $XDG_CONFIG_HOME. Throws Error{Usage} if there is no home folder.
    static std::string defaultPath();
    explicit PairedHosts(std::string path) : path_(std::move(path)) {}
    /// Those of this user; nothing without a home folder.
    static std::optional<PairedHosts> ofUser();

    const std::string& path() const { return path_; }
    /// Empty if there is no file. Throws Error{Usage} if others can read or write it, or it is damaged.
    std::vector<PairedHost> list() const;
    /// Replaces an earlier entry with the same name and an address in common. Throws what list() throws, and
    /// if the file cannot be written.
    void add(const PairedHost& host) const;
    /// Removes all with that name or address. Returns how many there were.
    std::size_t forget(const std::string& nameOrAddress) const;
    /// The newest with that address. Ignores names, which hosts choose themselves. Nothing for an address of
    /// this machine, where any user's program may answer, and this user's own need no key.
    std::optional<PairedHost> atAddress(const std::string& address) const;
    /// The host with the key of this name has proven it just now: for lastSeen(), which is the time of a file
    /// of its own, so that the keys need not be written again. Does nothing for the names of other keys.
    void noteSeen(const std::string& keyName) const;
    /// When the host last proved its key; nothing if it has not connected since it was paired.
    std::optional<std::time_t> lastSeen(const PairedHost& host) const;

  private:
    std::string seenFolder() const { return path_ + ".seen"; }
    std::string seenFile(const std::string& keyName) const { return seenFolder() + "/" + keyName; }
    void write(const std::vector<PairedHost>& hosts) const;
    void forgetWhenOthersWereSeen(const std::vector<PairedHost>& hosts) const;

    const std::string path_;
};

/// Logs a warning for the user of this machine.
void logInvitation(const PairingInvitation& invitation);

/// The keys of a listening side: those of paired hosts and, once an unknown peer has called, that of a code.
/// Thread-safe.
class PairingBook final : public KeyBook {
  public:
    /// The thread that greets calls `onInvitation` for each new code, and for the same one at most once a
    /// minute. What it captures must outlive this object's last user.
    PairingBook(PairedHosts hosts, Grants grants, std::function<void(const PairingInvitation&)> onInvitation);

    std::optional<Entry> find(std::string_view name) override;
    void unpairedCalled(const std::string& host) override;
    std::optional<PairingInvitation> invitation() const override;
    void pair(const Entry& shown, const NamedKey& key, const std::string& peerName,
              const std::string& address) override;

  private:
    /// Call with mutex_ held.
    std::optional<PairingInvitation> invitationAt(TimestampNs now) const;

    const PairedHosts hosts_;
    const Grants grants_;
    const std::function<void(const PairingInvitation&)> onInvitation_;
    mutable std::mutex mutex_;  // guards the members below
    std::string code_;          // empty: none
    std::string host_;          // that it was shown for
    TimestampNs validUntil_ = 0;
    TimestampNs shownAt_ = 0;
};

}  // namespace verbcast
