// The checks by subject. Each looks at its arguments and at files of `tree`, and changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/commands/doctor/checks/check.h"
#include "app/commands/doctor/checks/rdma_findings.h"
#include "app/commands/doctor/machine/stream_need.h"
#include "app/commands/doctor/machine/system_tree.h"
#include "capture/frame_source.h"
#include "core/gpu/gpu_devices.h"
#include "core/session/messages/messages.h"
#include "core/session/trust/trust.h"
#include "core/sound/sound_device.h"

namespace verbcast {

// rdma_setup_checks.cpp: devices, drivers, modules, device files
Checks rdmaSetupChecks(const SystemTree& tree, const RdmaFindings& findings);

// rdma_port_checks.cpp: state, MTU, GIDs, addresses, link and PCIe rates of every device
Checks rdmaPortChecks(const SystemTree& tree, const RdmaFindings& findings, const StreamNeed& need);

// memory_checks.cpp
struct LockLimit {
    std::optional<std::uint64_t> bytes;  ///< nullopt: unlimited
    bool mayExceed = false;              ///< CAP_IPC_LOCK: the limit does not apply to this process
    bool enoughFor(std::uint64_t need) const { return mayExceed || !bytes || *bytes >= need; }
};
LockLimit lockLimit(const SystemTree& tree);
/// Bytes registered for the ring of one end, doubled for a change of format.
std::uint64_t lockedNeed(const StreamNeed& need);
Check lockedMemoryCheck(const LockLimit& limit, const StreamNeed& need, bool haveRdma);
Check hugePagesCheck(const SystemTree& tree, const StreamNeed& need);
Check freeMemoryCheck(const SystemTree& tree, const StreamNeed& need);
/// `copyRate`: memcpy's, in bytes copied per second.
Check memorySpeedCheck(double copyRate, const StreamNeed& need);

// machine_checks.cpp
struct Processors {
    unsigned count = 1;   ///< available to this process
    unsigned online = 1;  ///< of the machine
    int current = 0;      ///< the one this process runs on
};
Processors processorsOfThisProcess();
Checks processorChecks(const SystemTree& tree, const Processors& processors, double copyRate,
                       const StreamNeed& need);
Checks numaChecks(const SystemTree& tree, const RdmaFindings& findings, const Processors& processors);
Checks clockChecks(const SystemTree& tree);

// network_checks.cpp
/// Gigabits per second of the fastest interface that is up and reports its rate; 0: none.
double fastestInterface(const SystemTree& tree, std::string& name);
/// The rate of the card that an interface is, or is made of; 0 if that is unknown, or there is no card: veth
/// and docker0 report rates that nothing has. `depth`: layers above it.
double interfaceGigabits(const SystemTree& tree, const std::string& name, int depth = 0);
/// `loopbackRate`: plain TCP within this machine, in bytes per second; 0: not measured.
Checks networkChecks(const SystemTree& tree, double loopbackRate, const StreamNeed& need);

// display_checks.cpp
struct RendererAnswer {
    std::string renderer;              ///< "" or "none: why"
    std::string uploadPath;            ///< how textures are filled
    double uploadFramesPerSecond = 0;  ///< 0: not measured
    double uploadGigabytesPerSecond = 0;
    bool installed = false;  ///< found a program to ask
};
/// Asks the OpenGL programs installed beside this one; kills them if they take more than two seconds in all.
RendererAnswer askRenderer(const DoctorOptions& options);
Check rendererCheck(const RendererAnswer& answer, const DoctorOptions& options);
struct DesktopSession {
    std::string type, x11Display, waylandDisplay;  ///< from XDG_SESSION_TYPE, DISPLAY and so on
    bool portal = false;                           ///< this program can use the ScreenCast portal
};
DesktopSession sessionOfThisProcess();
Check sessionCheck(const DesktopSession& session);

// sound_check.cpp
/// Pictures need no sound, so that whatever is missing is only Info.
Check soundCheck(const SoundDevices& outputs, const SoundDevices& inputs);

// gpu_checks.cpp: decoders, GPUs, paths from RDMA devices to their memory, distance between them
Check decoderCheck(const SystemTree& tree, const std::vector<HardwareDecoder>& decoders);
Checks gpuChecks(const SystemTree& tree, const GpuReport& report, const RdmaFindings& findings,
                 const StreamNeed& need);

// peer_check.cpp
struct PeerFinding {
    Checks checks;
    std::string transport;        ///< its scheme if the peer was reached
    std::string local{}, peer{};  ///< the connection's addresses, if so
    Hello greeting{};             ///< the peer's, if so
};
/// Connects, waits for the peer's greeting and says goodbye. Takes at most about five seconds.
PeerFinding checkPeer(const Url& url, const Trust& trust);

// rail_checks.cpp
/// One route to the peer.
struct RailFinding {
    Url url;
    PeerFinding finding;
    std::string interface {};  ///< on our side; "" if unknown
};
/// Reports what sparesOf() found besides the given route.
Check otherWaysCheck(const std::vector<Url>& spares);
/// Checks each rail, and whether they can stand in for each other.
Checks railChecks(const std::vector<RailFinding>& rails);

}  // namespace verbcast
