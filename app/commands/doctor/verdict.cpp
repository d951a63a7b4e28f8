#include "app/commands/doctor/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/transport/registry.h"

namespace verbcast {
namespace {

TransportVerdict judgeMemory(const StreamNeed& need, const Evidence& evidence) {
    return {.carries = evidence.copyRate >= need.bytesPerSecond,
            .why = fmt::format("one processor copies memory at {:.1f} GB/s", evidence.copyRate / 1e9)};
}

/// What the kernel's network carries: to the peer or, without one, to any other machine.
TransportVerdict judgeNetwork(const SystemTree& tree, const StreamNeed& need, const Evidence& evidence) {
    constexpr double kOfLink = 0.94;  // the rest is for headers and gaps
    TransportVerdict verdict{
        .carries = evidence.loopbackRate >= need.bytesPerSecond,
        .why = fmt::format("{:.2f} GB/s within this machine", evidence.loopbackRate / 1e9)};
    std::string interface = evidence.peerInterface;
    const double gigabits =
        evidence.peerAsked ? interfaceGigabits(tree, interface) : fastestInterface(tree, interface);
    if (gigabits > 0) {
        const bool enough = gigabits * kOfLink >= need.gigabits();
        verdict.carries &= enough;
        verdict.why += fmt::format("; {} has {}{:g} Gb/s", interface, enough ? "" : "only ", gigabits);
    } else if (!interface.empty() && interface != "lo") {
        verdict.why += fmt::format("; {} does not tell its rate", interface);
    }
    return verdict;
}

/// What a device carries to this machine: gigabits of payload per second, and a description.
struct Carried {
    double gigabits = 0;
    std::string text;
};

Carried carriedBy(const SystemTree& tree, const Evidence& evidence, const RdmaDevice& device,
                  const RdmaPort& port) {
    const auto& addresses = evidence.rdma.addresses;
    const bool addressed = std::ranges::any_of(addresses, [&](const RdmaAddress& one) {
        return one.device == device.name && one.port == port.number;
    });
    if (!isActive(port)) {
        return {0, fmt::format("{} port {} is not active", device.name, port.number)};
    }
    if (!addressed) {
        return {0, fmt::format("{} has no IP address", device.name)};
    }
    const double link = carriedGigabits(tree, device, port);
    if (isSoftwareDevice(tree, device)) {
        // Its packets of at most 4 KiB pass through the kernel one by one, at best as fast as TCP's large
        // ones: half of TCP's rate is a cautious guess; verbcast bench --transport verbs measures it.
        const double guess = std::min(link, evidence.loopbackRate * 8 / 1e9 / 2);
        return {guess, fmt::format("{} is software: perhaps {:.1f} Gb/s, half of TCP's", device.name, guess)};
    }
    return {link, fmt::format("{} carries about {:.0f} Gb/s", device.name, link)};
}

/// Towards a peer, the port that leads there; if there is no peer, or our address is unknown, any.
TransportVerdict judgeRdma(const SystemTree& tree, const StreamNeed& need, const Evidence& evidence) {
    const auto& addresses = evidence.rdma.addresses;
    const auto towards = std::ranges::find(addresses, evidence.ownAddress, &RdmaAddress::address);
    const bool any = !evidence.peerAsked || evidence.ownAddress.empty();
    Carried best{0, any ? "no RDMA device" : "no RDMA device leads there"};
    for (const RdmaDevice& device : evidence.rdma.devices) {
        for (const RdmaPort& port : device.ports) {
            const bool leads =
                towards != addresses.end() && towards->device == device.name && towards->port == port.number;
            if (!any && !leads) {
                continue;
            }
            Carried carried = carriedBy(tree, evidence, device, port);
            if (best.gigabits <= 0 || carried.gigabits > best.gigabits) {
                best = std::move(carried);
            }
        }
    }
    TransportVerdict verdict{.carries = best.gigabits >= need.gigabits(), .why = best.text};
    if (verdict.carries && !evidence.lock.enoughFor(need.ringBytes)) {
        verdict.carries = false;
        verdict.why += ", but memory for a ring may not be locked";
    }
    return verdict;
}

TransportVerdict judgeTransport(const Transport& transport, const SystemTree& tree, const StreamNeed& need,
                                const Evidence& evidence) {
    TransportVerdict verdict = transport.sharesMemory ? judgeMemory(need, evidence)
                               : transport.needsRdma  ? judgeRdma(tree, need, evidence)
                                                      : judgeNetwork(tree, need, evidence);
    verdict.transport = transport.scheme;
    if (transport.usesRdma() && !transport.needsRdma) {
        verdict.why = fmt::format("judged by TCP's {}; verbcast bench --transport {} measures the provider",
                                  verdict.why, transport.scheme);
    }
    return verdict;
}

std::string listed(const std::vector<TransportVerdict>& transports, bool carries) {
    std::string text;
    for (const TransportVerdict& one : transports) {
        if (one.carries == carries) {
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", one.transport, one.why);
        }
    }
    return text;
}

}  // namespace

Verdict judge(const SystemTree& tree, const StreamNeed& need, const Evidence& evidence) {
    Verdict verdict;
    for (const Transport& transport : transports()) {
        if (transport.automatic || transport.scheme == evidence.peerTransport) {
            verdict.transports.push_back(judgeTransport(transport, tree, need, evidence));
        }
    }
    if (evidence.availableBytes && *evidence.availableBytes < need.ringBytes) {
        for (TransportVerdict& one : verdict.transports) {
            one.carries = false;
        }
        verdict.reason = fmt::format("a ring takes {} MiB, and {} MiB of memory are available",
                                     need.ringBytes >> 20, *evidence.availableBytes >> 20);
        return verdict;
    }
    if (evidence.peerAsked) {
        const auto used =
            std::ranges::find(verdict.transports, evidence.peerTransport, &TransportVerdict::transport);
        verdict.fits = used != verdict.transports.end() && used->carries;
        verdict.reason = used == verdict.transports.end() ? "the peer was not reached"
                                                          : fmt::format("{}: {}", used->transport, used->why);
        return verdict;
    }
    const std::string good = listed(verdict.transports, true);
    const std::string bad = listed(verdict.transports, false);
    verdict.fits = !good.empty();
    verdict.reason = good.empty() ? bad : good + (bad.empty() ? "" : "; not over " + bad);
    return verdict;
}

std::string verdictText(const StreamNeed& need, const Verdict& verdict) {
    return fmt::format("{} ({:.2f} GB/s, {:.1f} Gb/s): {} {}", need.name, need.gigabytes(), need.gigabits(),
                       verdict.fits ? "fits over" : "does not fit, because", verdict.reason);
}

int doctorExitCode(const Checks& checks, const Verdict& verdict, bool strict) {
    const auto any = [&](CheckState state) {
        return std::ranges::find(checks, state, &Check::state) != checks.end();
    };
    if (!verdict.fits || any(CheckState::Failed)) {
        return kDoctorFailed;
    }
    return strict && any(CheckState::Warning) ? kDoctorWarned : 0;
}

}  // namespace verbcast
