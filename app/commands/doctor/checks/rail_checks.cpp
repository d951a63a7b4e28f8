// Checks the rails of one stream: whether they are there, and whether one survives when another fails.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/doctor/checks/checks.h"
#include "core/multirail/rail_search.h"

namespace verbcast {
namespace {

Check oneRail(const RailFinding& rail, std::size_t number) {
    const std::string name = fmt::format("rail {}", number);
    if (rail.finding.transport.empty()) {
        const Check why = rail.finding.checks.empty() ? Check{"", CheckState::Failed, "no answer"}
                                                      : rail.finding.checks.front();
        return {name, CheckState::Warning, fmt::format("{} is down: {}", rail.url.text(), why.seen),
                why.remedy.empty() ? "check its address, its cable and its switch" : why.remedy};
    }
    return {name, CheckState::Ok,
            fmt::format("{} is up: from {} to {} by {}", rail.finding.transport, rail.finding.local,
                        rail.finding.peer, rail.interface.empty() ? "an unknown interface" : rail.interface)};
}

}  // namespace

Check otherWaysCheck(const std::vector<Url>& spares) {
    return {"spare rails", CheckState::Ok,
            spares.empty() ? "the peer answers at no address that is reached through another interface"
                           : fmt::format("the peer also answers at {}: --rails double keeps a stream going "
                                         "when one network fails, --rails stripe adds up their bandwidth",
                                         textOf(spares))};
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
                 fmt::format("rails {} and {} share the interface {}: if it fails, both do",
                             same - rails.begin() + 1, rail - rails.begin() + 1, rail->interface),
                 "give each rail an address that is reached through its own interface (ip route get "
                 "ADDRESS)"});
            return checks;
        }
    }
    if (std::ranges::all_of(rails, isUp)) {
        checks.push_back({"spare rails", CheckState::Ok,
                          fmt::format("{} rails, each through its own interface", rails.size()), ""});
    }
    return checks;
}

}  // namespace verbcast
