// Runs the checks, one subject after the other, and decides.
#include "app/commands/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/commands/doctor/doctor_output.h"
#include "app/commands/doctor/machine/measurements.h"
#include "capture/sound/open_sound_device.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/memory/available_memory.h"
#include "core/multirail/rail_search.h"
#include "core/transport/registry.h"
#include "core/transport/socket_address.h"
#include "render/sound/sound_output.h"

namespace verbcast {
namespace {

class Examination {
  public:
    explicit Examination(const DoctorOptions& options)
        : options_(options), need_(streamNeed(options)), colours_(coloursWanted()) {}

    int run() {
        examineRdma();
        examineMachine();
        examineDesktop();
        if (options_.peer) {
            examinePeer();
        }
        const Verdict verdict = judge(tree_, need_, evidence_);
        const int exitCode = doctorExitCode(checks_, verdict, options_.strict);
        if (printsText()) {
            printToStdout("\n{}\n", verdictText(need_, verdict));
        }
        if (!options_.json.empty()) {
            // Names of peers and devices may be any bytes.
            const auto json = doctorJson(options_, need_, checks_, verdict, exitCode);
            writeWhole(options_.json,
                       json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        }
        return exitCode;
    }

  private:
    bool printsText() const { return options_.json != "-"; }

    /// An error during a check becomes a finding: the other checks continue.
    template <typename Look>
    void examine(const char* subject, Look&& look) {
        try {
            add(look());
        } catch (const Error& error) {
            add({Check{subject, CheckState::Warning, fmt::format("could not be examined: {}", error.what()),
                       error.remedy().empty() ? "verbcast devices, for what can be seen" : error.remedy()}});
        } catch (const std::bad_alloc&) {
            add({Check{subject, CheckState::Warning, "could not be examined: out of memory",
                       "end the programs that use the memory; see: top -o %MEM"}});
        }
    }

    void add(Checks found) {
        if (printsText()) {
            for (const Check& check : found) {
                writeToStdout(checkText(check, colours_));
            }
            flushStdout();  // show each line as soon as it is known, even in a pipe
        }
        std::ranges::move(found, std::back_inserter(checks_));
    }

    void examineRdma() {
        examine("RDMA", [&] {
            evidence_.rdma = findRdma();
            Checks found = rdmaSetupChecks(tree_, evidence_.rdma);
            std::ranges::move(rdmaPortChecks(tree_, evidence_.rdma, need_), std::back_inserter(found));
            std::ranges::move(numaChecks(tree_, evidence_.rdma, processorsOfThisProcess()),
                              std::back_inserter(found));
            return found;
        });
    }

    void examineMachine() {
        examine("memory", [&] {
            evidence_.lock = lockLimit(tree_);
            evidence_.availableBytes = availableMemory(tree_.path("/"));
            evidence_.copyRate = measureCopyRate();
            return Checks{lockedMemoryCheck(evidence_.lock, need_, !evidence_.rdma.devices.empty()),
                          hugePagesCheck(tree_, need_), freeMemoryCheck(tree_, need_),
                          memorySpeedCheck(evidence_.copyRate, need_)};
        });
        examine("processors",
                [&] { return processorChecks(tree_, processorsOfThisProcess(), evidence_.copyRate, need_); });
        examine("network", [&] {
            evidence_.loopbackRate = measureLoopbackRate();
            return networkChecks(tree_, evidence_.loopbackRate, need_);
        });
        examine("clocks", [&] { return clockChecks(tree_); });
    }

    void examineDesktop() {
        examine("OpenGL", [&] { return Checks{rendererCheck(askRenderer(options_), options_)}; });
        examine("desktop session", [&] { return Checks{sessionCheck(sessionOfThisProcess())}; });
        examine("sound", [] { return Checks{soundCheck(soundOutputs(), soundInputs())}; });
        examine("hardware decoders", [&] { return Checks{decoderCheck(tree_, hardwareDecoders())}; });
        examine("GPU", [&] { return gpuChecks(tree_, gpuReport(), evidence_.rdma, need_); });
    }

    void examinePeer() {
        evidence_.peerAsked = true;
        examine("peer", [&] {
            PeerFinding finding = checkPeer(*options_.peer, options_.trust);
            rails_.push_back({*options_.peer, finding, interfaceWith(finding.local)});
            evidence_.peerTransport = finding.transport;
            // The kernel leads to an address of our own within this machine.
            evidence_.peerInterface = interfaceWith(finding.peer).empty() ? rails_.back().interface : "lo";
            evidence_.ownAddress = hostOfAddress(finding.local);
            return std::move(finding.checks);
        });
        if (options_.spares.empty()) {
            const PeerFinding& first = rails_.front().finding;
            if (!first.greeting.addresses.value.empty() &&
                transportHas(first.transport, &Transport::reachesOtherHosts)) {
                examine("rails", [&] { return Checks{otherWaysCheck(otherWays(first))}; });
            }
            return;
        }
        examine("rails", [&] {
            for (const Url& url : options_.spares) {
                PeerFinding finding = checkPeer(url, options_.trust);
                std::string interface = interfaceWith(finding.local);
                rails_.push_back({url, std::move(finding), std::move(interface)});
            }
            return railChecks(rails_);
        });
    }

    std::vector<Url> otherWays(const PeerFinding& peer) const {
        HandshakeOptions probe;
        probe.trust = options_.trust;
        Url first = *options_.peer;
        first.scheme = peer.transport;
        return sparesOf(first, peer.local, peer.greeting, railProbe(probe), Event());
    }

    DoctorOptions options_;
    StreamNeed need_;
    bool colours_;
    SystemTree tree_;
    Evidence evidence_;
    Checks checks_;
    std::vector<RailFinding> rails_;
};

}  // namespace

int runDoctor(const DoctorOptions& options) {
    checkWritable(options.json);
    return Examination(options).run();
}

}  // namespace verbcast
