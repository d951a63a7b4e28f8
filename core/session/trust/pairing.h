// Giving two hosts a key of their own, by a code that one shows and the other types.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/session/trust/trust.h"

namespace verbcast {

/// The name of the key that a code stands for; only a pairing may use it.
inline constexpr const char* kPairingKeyName = "pairing";

/// A one-time code of 120 random bits: "7Q3K-M2VX-...", 24 digits of Crockford's base 32. Nobody can try them
/// all, so what is overheard of a handshake with it gives nothing to guess at.
std::string newPairingCode();
/// The key that a code stands for. Upper and lower case, O and 0, I, L and 1 are the same; separators do not
/// count. Throws Error{Usage} for what is no code.
SessionKey keyOfPairingCode(std::string_view text);

/// A host with which a key was agreed.
struct PairedHost {
    std::string name;                    ///< as it called itself
    std::vector<std::string> addresses;  ///< by which it may be called
    NamedKey key;
    Grants grants = kMayAll;
    std::string since;      ///< "2026-11-22"
    bool wasCalled = true;  ///< this host called the other to be paired

    /// Each direction has a key of its own: a caller who is led back to itself finds no answer.
    NamedKey keyToCall() const;
    SessionKey keyOfCaller() const;
};

/// For PairedHost::since.
std::string today();

/// The file of those: JSON, readable by its owner alone. Several processes may use it.
class PairedHosts {
  public:
    /// ~/.config/verbcast/hosts, or under $XDG_CONFIG_HOME. Throws Error{Usage} where there is no home.
    static std::string defaultPath();
    explicit PairedHosts(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    /// None when there is no file. Throws Error{Usage} for a file that others can read or that is damaged.
    std::vector<PairedHost> list() const;
    /// In the place of an earlier one with the same name and an address in common. Throws as list() and when
    /// it cannot be written.
    void add(const PairedHost& host) const;
    /// All with that name or address; how many there were.
    std::size_t forget(const std::string& nameOrAddress) const;
    /// The newest with that address; names, which hosts give themselves, do not count.
    std::optional<PairedHost> atAddress(const std::string& address) const;

  private:
    void write(const std::vector<PairedHost>& hosts) const;

    const std::string path_;
};

/// A warning in the log, for the user of this machine.
void logInvitation(const PairingInvitation& invitation);

/// The keys of a side that listens: those of paired hosts, and, once a stranger has called, that of a code.
/// From any thread.
class PairingBook final : public KeyBook {
  public:
    /// `onInvitation` is called by the thread that greets, once for each code and seldom for the same one. It
    /// outlives this object's last user.
    PairingBook(PairedHosts hosts, Grants grants, std::function<void(const PairingInvitation&)> onInvitation);

    std::optional<Entry> find(std::string_view name) override;
    void strangerCalled(const std::string& host) override;
    std::optional<PairingInvitation> invitation() const override;
    void pair(const Entry& shown, const NamedKey& key, const std::string& peerName,
              const std::string& address) override;

  private:
    /// Under mutex_.
    std::optional<PairingInvitation> invitationAt(TimestampNs now) const;

    const PairedHosts hosts_;
    const Grants grants_;
    const std::function<void(const PairingInvitation&)> onInvitation_;
    mutable std::mutex mutex_;  // guards what follows
    std::string code_;          // empty: none
    std::string host_;          // for which it was shown
    TimestampNs validUntil_ = 0;
    TimestampNs shownAt_ = 0;
};

}  // namespace verbcast
