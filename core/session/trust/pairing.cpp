#include "core/session/trust/pairing.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"
#include "core/base/os/folder.h"
#include "core/base/os/private_file.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr std::string_view kDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";  // Crockford's base 32
constexpr std::size_t kCodeDigits = 24;
// Who connects now, as seen from who called to be paired.
constexpr const char* kCallerConnects = "verbcast pair: the caller connects";
constexpr const char* kCalledConnects = "verbcast pair: the called connects";
constexpr std::size_t kGroup = 4;
constexpr std::size_t kKeyIdDigits = 32;  // as Greeting::pairingKey() makes them
constexpr std::chrono::seconds kCodeLives = 10min;
constexpr std::chrono::nanoseconds kShowAgain = 60s;

Json toJson(const PairedHost& host) {
    return {{"name", host.name},           {"addresses", host.addresses}, {"id", host.key.name},
            {"key", host.key.key.text()},  {"grants", host.grants},       {"since", host.since},
            {"was_called", host.wasCalled}};
}

PairedHost hostFromJson(const Json& json) {
    return {json.at("name"),
            json.at("addresses").get<std::vector<std::string>>(),
            NamedKey{json.at("id"), SessionKey::fromText(json.at("key").get<std::string>())},
            json.at("grants").get<Grants>(),
            json.at("since"),
            json.at("was_called")};
}

bool answersTo(const PairedHost& host, const std::string& nameOrAddress) {
    return host.name == nameOrAddress || std::ranges::count(host.addresses, nameOrAddress) > 0;
}

/// Whether a pairing has made the name: nothing else may become part of a path.
bool isKeyId(const std::string& name) {
    return name.size() == kKeyIdDigits && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Keep it while the file is read, changed and written.
UniqueFd lockBeside(const std::string& path) {
    UniqueFd file(::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::flock(file.get(), LOCK_EX) != 0) {
        throwErrno(ErrorKind::Usage, "locking the paired hosts", path, errno);
    }
    return file;
}

}  // namespace

NamedKey PairedHost::keyToCall() const {
    return {key.name, key.key.derivedFor(wasCalled ? kCallerConnects : kCalledConnects)};
}

SessionKey PairedHost::keyOfCaller() const {
    return key.key.derivedFor(wasCalled ? kCalledConnects : kCallerConnects);
}

std::string today() {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

std::string seenText(const std::optional<std::time_t>& seen) {
    return seen ? fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(*seen)) : "not yet";
}

std::string newPairingCode() {
    std::array<std::byte, kCodeDigits> random{};
    fillRandom(random);
    std::string code;
    for (std::size_t i = 0; i < kCodeDigits; ++i) {
        code += i > 0 && i % kGroup == 0 ? "-" : "";
        code += kDigits[std::to_integer<std::size_t>(random[i]) % kDigits.size()];
    }
    return code;
}

SessionKey keyOfPairingCode(std::string_view text) {
    std::string digits;
    for (const char given : text) {
        char digit = static_cast<char>(std::toupper(static_cast<unsigned char>(given)));
        digit = digit == 'O' ? '0' : digit == 'I' || digit == 'L' ? '1' : digit;
        if (kDigits.find(digit) != std::string_view::npos) {
            digits += digit;
        } else if (digit != '-' && std::isspace(static_cast<unsigned char>(digit)) == 0) {
            throw Error(ErrorKind::Usage, fmt::format("\"{}\" cannot be part of a pairing code", given),
                        "type the code as the other side shows it: 24 letters and digits");
        }
    }
    if (digits.size() != kCodeDigits) {
        throw Error(ErrorKind::Usage,
                    fmt::format("the pairing code has {} letters and digits, {} expected", digits.size(),
                                kCodeDigits),
                    "type it as the other side shows it");
    }
    return SessionKey::fromSecret("verbcast pairing code " + digits, "the pairing code");
}

std::string PairedHosts::defaultPath() {
    if (auto path = configFile("hosts")) {
        return *std::move(path);
    }
    throw Error(ErrorKind::Usage, "there is no home folder to keep paired hosts in",
                "set HOME, or use --key-file");
}

std::optional<PairedHosts> PairedHosts::ofUser() {
    if (auto path = configFile("hosts")) {
        return PairedHosts(*std::move(path));
    }
    log().info("no paired hosts: there is no home folder");
    return std::nullopt;
}

std::vector<PairedHost> PairedHosts::list() const {
    const auto text = readPrivate(path_, "the keys of paired hosts", "pair anew");
    if (!text) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return {};
        }
        throwErrno(ErrorKind::Usage, "reading the paired hosts", path_, errno);
    }
    try {
        std::vector<PairedHost> hosts;
        const Json json = Json::parse(*text);
        for (const Json& each : json.at("hosts")) {
            hosts.push_back(hostFromJson(each));
        }
        return hosts;
    } catch (const std::exception& error) {
        throw Error(ErrorKind::Usage, fmt::format("{} is damaged: {}", path_, error.what()),
                    "remove it, and pair again");
    }
}

void PairedHosts::write(const std::vector<PairedHost>& hosts) const {
    Json json{{"hosts", Json::array()}};
    for (const PairedHost& host : hosts) {
        json["hosts"].push_back(toJson(host));
    }
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    const std::string aside = path_ + ".new";  // nobody else's: the lock is held
    const UniqueFd file(::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const bool written = file && ::fchmod(file.get(), 0600) == 0 &&
                         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         ::fsync(file.get()) == 0 && ::rename(aside.c_str(), path_.c_str()) == 0;
    if (!written) {
        throwErrno(ErrorKind::Usage, "writing the paired hosts", path_, errno);
    }
    forgetWhenOthersWereSeen(hosts);
}

/// Those that were forgotten, or paired anew with another key.
void PairedHosts::forgetWhenOthersWereSeen(const std::vector<PairedHost>& hosts) const {
    for (const std::string& name : namesIn(seenFolder())) {
        if (isKeyId(name) &&
            std::ranges::none_of(hosts, [&](const PairedHost& host) { return host.key.name == name; })) {
            ::unlink(seenFile(name).c_str());
        }
    }
}

void PairedHosts::add(const PairedHost& host) const {
    std::error_code failed;  // write() will say why
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), failed);
    const UniqueFd lock = lockBeside(path_);
    auto hosts = list();
    std::erase_if(hosts, [&](const PairedHost& old) {
        return old.name == host.name && std::ranges::any_of(host.addresses, [&](const std::string& address) {
                   return answersTo(old, address);
               });
    });
    hosts.push_back(host);
    write(hosts);
}

std::size_t PairedHosts::forget(const std::string& nameOrAddress) const {
    if (::access(path_.c_str(), F_OK) != 0) {
        return 0;
    }
    const UniqueFd lock = lockBeside(path_);
    auto hosts = list();
    const auto gone =
        std::erase_if(hosts, [&](const PairedHost& host) { return answersTo(host, nameOrAddress); });
    if (gone > 0) {
        write(hosts);
    }
    return gone;
}

std::optional<PairedHost> PairedHosts::atAddress(const std::string& address) const {
    if (isLocalHost(address)) {
        return std::nullopt;
    }
    std::optional<PairedHost> newest;
    for (PairedHost& host : list()) {
        if (std::ranges::count(host.addresses, address) > 0) {
            newest = std::move(host);
        }
    }
    return newest;
}

void PairedHosts::noteSeen(const std::string& keyName) const {
    if (!isKeyId(keyName)) {
        return;
    }
    ::mkdir(seenFolder().c_str(), 0700);
    const UniqueFd file(::open(seenFile(keyName).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file || ::futimens(file.get(), nullptr) != 0) {
        log(LogCategory::Session).debug("{}: {}", seenFile(keyName), errnoText(errno));
    }
}

std::optional<std::time_t> PairedHosts::lastSeen(const PairedHost& host) const {
    struct stat seen {};
    const bool known = isKeyId(host.key.name) && ::lstat(seenFile(host.key.name).c_str(), &seen) == 0;
    return known ? std::optional(seen.st_mtime) : std::nullopt;
}

void logInvitation(const PairingInvitation& invitation) {
    log(LogCategory::Session)
        .warn(
            "{} tried to connect without a key. To admit it, run  verbcast key pair ADDRESS  there "
            "(the address that it called) within {} minutes, and type the code {}",
            invitation.host, (invitation.validFor.count() + 59) / 60, invitation.code);
}

PairingBook::PairingBook(PairedHosts hosts, Grants grants,
                         std::function<void(const PairingInvitation&)> onInvitation)
    : hosts_(std::move(hosts)), grants_(grants), onInvitation_(std::move(onInvitation)) {}

std::optional<PairingInvitation> PairingBook::invitationAt(TimestampNs now) const {
    if (code_.empty() || now > validUntil_) {
        return std::nullopt;
    }
    const std::chrono::nanoseconds left(validUntil_ - now);
    return PairingInvitation{host_, code_, std::chrono::duration_cast<std::chrono::seconds>(left)};
}

std::optional<PairingInvitation> PairingBook::invitation() const {
    const std::lock_guard lock(mutex_);
    return invitationAt(nowNs());
}

std::optional<KeyBook::Entry> PairingBook::find(std::string_view name) {
    if (name == kPairingKeyName) {
        const auto open = invitation();
        return open ? std::optional(Entry{keyOfPairingCode(open->code), 0, false}) : std::nullopt;
    }
    std::vector<PairedHost> hosts;
    try {
        hosts = hosts_.list();
    } catch (const Error& error) {
        warnOfPeer(LogCategory::Session, "keys not read", hosts_.path(), "no paired host is served: {}: {}",
                   error.what(), error.remedy());
        throw peerError("this host cannot read its keys of paired hosts; its user is told why");
    }
    for (const PairedHost& host : hosts) {
        if (host.key.name == name) {
            return Entry{host.keyOfCaller(), static_cast<Grants>(host.grants & grants_), true};
        }
    }
    return std::nullopt;
}

void PairingBook::unpairedCalled(const std::string& host) {
    std::optional<PairingInvitation> shown;
    {
        const std::lock_guard lock(mutex_);
        const TimestampNs now = nowNs();
        if (!invitationAt(now)) {
            code_ = newPairingCode();
            validUntil_ = now + std::chrono::nanoseconds(kCodeLives).count();
        } else if (now - shownAt_ < kShowAgain.count()) {
            return;
        }
        shownAt_ = now;
        host_ = host;
        shown = invitationAt(now);
    }
    onInvitation_(*shown);
}

void PairingBook::pair(const Entry& shown, const NamedKey& key, const std::string& peerName,
                       const std::string& address) {
    {
        const std::lock_guard lock(mutex_);
        const auto open = invitationAt(nowNs());
        if (!open || keyOfPairingCode(open->code).text() != shown.key.text()) {
            throw peerError("the pairing code has been used or has expired");
        }
        code_.clear();  // it works once
    }
    hosts_.add({peerName, {address}, key, grants_, today(), false});
    log(LogCategory::Session).warn("paired with {} ({}): it may connect from now on", peerName, address);
}

}  // namespace verbcast
