// The rails of one stream: are they there, and is one of them alive where another is not?
#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <memory>

#include "app/doctor/checks/checks.h"

namespace verbcast {
namespace {

Check oneRail(const RailFinding& rail, std::size_t number) {
    Check check{fmt::format("rail {}", number), CheckState::Ok, "", ""};
    if (rail.finding.transport.empty()) {
        check.state = CheckState::Warning;
        check.seen =
            fmt::format("{} is down: {}", rail.url.text(),
                        rail.finding.checks.empty() ? "no answer" : rail.finding.checks.front().seen);
        check.remedy = rail.finding.checks.empty() || rail.finding.checks.front().remedy.empty()
                           ? "check its address, its cable and its switch"
                           : rail.finding.checks.front().remedy;
        return check;
    }
    check.seen = fmt::format("{} is up: from {} to {} by {}", rail.finding.transport, rail.finding.local,
                             rail.finding.peer,
                             rail.interface.empty() ? "an interface that is not known" : rail.interface);
    return check;
}

std::string hostOf(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    std::string host = colon == std::string::npos ? address : address.substr(0, colon);
    if (host.size() > 1 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    return host;
}

}  // namespace

std::string interfaceWith(const std::string& address) {
    ifaddrs* first = nullptr;
    if (address.empty() || ::getifaddrs(&first) != 0) {
        return "";
    }
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
    const std::string host = hostOf(address);
    in_addr ours{};
    const bool isLoopback =
        ::inet_pton(AF_INET, host.c_str(), &ours) == 1 && (ntohl(ours.s_addr) >> 24) == 127;
    for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr) {
            continue;
        }
        std::array<char, INET6_ADDRSTRLEN> text{};
        if (each->ifa_addr->sa_family == AF_INET) {
            const auto& inet = *reinterpret_cast<const sockaddr_in*>(each->ifa_addr);
            ::inet_ntop(AF_INET, &inet.sin_addr, text.data(), text.size());
        } else if (each->ifa_addr->sa_family == AF_INET6) {
            const auto& inet = *reinterpret_cast<const sockaddr_in6*>(each->ifa_addr);
            ::inet_ntop(AF_INET6, &inet.sin6_addr, text.data(), text.size());
        }
        if (host == text.data() || (isLoopback && std::string_view(text.data()) == "127.0.0.1")) {
            return each->ifa_name;
        }
    }
    return "";
}

Checks railChecks(const std::vector<RailFinding>& rails) {
    Checks checks;
    for (std::size_t i = 0; i < rails.size(); ++i) {
        checks.push_back(oneRail(rails[i], i + 1));
    }
    const auto isUp = [](const RailFinding& rail) { return !rail.finding.transport.empty(); };
    for (auto rail = rails.begin(); rail != rails.end(); ++rail) {
        const auto same = std::find_if(rails.begin(), rail, [&](const RailFinding& other) {
            return isUp(*rail) && isUp(other) && !rail->interface.empty() &&
                   other.interface == rail->interface;
        });
        if (same != rail) {
            checks.push_back(
                {"spare rails", CheckState::Warning,
                 fmt::format("rails {} and {} share the interface {}: if it dies, so do both",
                             same - rails.begin() + 1, rail - rails.begin() + 1, rail->interface),
                 "give each rail an address that is reached by an interface of its own (ip route get "
                 "ADDRESS)"});
            return checks;
        }
    }
    if (std::ranges::all_of(rails, isUp)) {
        checks.push_back({"spare rails", CheckState::Ok,
                          fmt::format("{} rails, each by an interface of its own", rails.size()), ""});
    }
    return checks;
}

}  // namespace verbcast
