#include "core/pipewire/pipewire_devices.h"

#include <fmt/format.h>

#include <chrono>

#include "core/base/error.h"
#include "core/base/text/counted.h"
#include "core/pipewire/loop_lock.h"
#include "core/pipewire/pipewire_client.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

class NobodyListens : public PipeWireClient::Listener {
  public:
    void connected(pw_core&, const SoundNodes&) override {}
    void changed(const SoundNodes&) override {}
    void disconnected() override {}
    void absent() override {}
};

SoundDevice describe(const SoundNode& node, const SoundNodes& nodes, bool isMonitor) {
    const std::size_t channels = nodes.channels(node).size();
    const SoundNode* const usual =
        nodes.defaultDevice(node.plays() ? SoundDirection::Output : SoundDirection::Input);
    return {.name = std::string(kPipeWirePrefix) + node.name,
            .description = (isMonitor ? "monitor of " : "") + node.description,
            .detail = channels > 0 ? fmt::format("PipeWire, {}", counted(channels, "channel")) : "PipeWire",
            .isDefault = !isMonitor && usual != nullptr && usual->id == node.id};
}

SoundDevices askDaemon(SoundDirection direction) {
    NobodyListens nobody;
    PipeWireClient client("verbcast-list", nobody);
    client.start();
    if (!client.awaitDaemon(Deadline::in(2s))) {
        return {.devices = {}, .problems = {kNoPipeWireRuns}};
    }
    const LoopLock lock(client.loop());
    SoundDevices found;
    if (const SoundNodes* nodes = client.nodes()) {
        for (const SoundNode& node : nodes->devices(direction)) {
            found.devices.push_back(describe(node, *nodes, false));
        }
        if (direction == SoundDirection::Input) {
            for (const SoundNode& node : nodes->devices(SoundDirection::Output)) {
                if (node.plays()) {
                    found.devices.push_back(describe(node, *nodes, true));
                }
            }
        }
    }
    if (found.devices.empty()) {
        found.problems.emplace_back(direction == SoundDirection::Output
                                        ? "PipeWire has no device that plays"
                                        : "PipeWire has no device that records");
    }
    return found;
}

}  // namespace

SoundDevices pipeWireDevices(SoundDirection direction) {
    try {
        return askDaemon(direction);
    } catch (const Error& error) {  // PipeWire's own files are not installed
        return {.devices = {}, .problems = {error.what()}};
    }
}

}  // namespace verbcast
