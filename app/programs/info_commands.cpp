// verbcast formats, devices and --version.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "app/host/helper_program.h"
#include "app/programs/info_commands.h"
#include "capture/decoders.h"
#include "capture/frame_source.h"
#include "capture/pattern/pattern_names.h"
#include "capture/sound/open_sound_device.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/text/clean_text.h"
#include "core/base/version.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/pci_place.h"
#include "core/memory/available_memory.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/registry.h"
#include "core/video/video_format.h"
#include "render/sound/sound_output.h"

namespace verbcast {
namespace {

void listTransports() {
    writeToStdout("Transports, the best first\n");
    for (const Transport& transport : transports()) {
        const TransportAvailability here = transport.availability();
        printToStdout("  {:<5} {}\n", transport.scheme, here.available ? "works" : "none: " + here.reason);
    }
}

void listRdma() {
    const auto devices = rdmaDevices();
    printToStdout("RDMA devices ({})\n", rdmaCoreVersion());
    if (devices.empty()) {
        printToStdout("  none: {}\n", findTransport("verbs")->availability().reason);
    }
    for (const RdmaDevice& device : devices) {
        printToStdout(
            "  {}  {}  firmware {}  {}, {}\n", device.name, device.transport,
            device.firmware.empty() ? "unknown" : device.firmware,
            device.immediateWrites ? "WRITE with immediate" : "WRITE then SEND (no immediate writes)",
            device.memoryWindows ? "memory windows" : "no memory windows");
        for (const RdmaPort& port : device.ports) {
            printToStdout("    port {}  {}  {}  {:g} Gb/s  MTU {} of {}  max_msg_sz {}\n", port.number,
                          port.state, port.linkLayer, port.linkGigabits, port.activeMtu, port.maxMtu,
                          port.maxMessageBytes);
            for (const RdmaGid& gid : port.gids) {
                printToStdout("      GID {:<3} {}  {}  {}\n", gid.index, gid.gid, gid.type, gid.netdev);
            }
        }
    }
}

void listGpus() {
    const GpuReport report = gpuReport();
    printToStdout("GPUs: {}\n", gpuSummary(report));
    for (const GpuDevice& gpu : report.devices) {
        const auto window = memoryWindowBytes("/", gpu.pciAddress);
        printToStdout("  {}  {}  {}  compute {}.{}  {}  BAR1 {}\n", gpu.number, gpu.pciAddress, gpu.name,
                      gpu.computeMajor, gpu.computeMinor, memoryText(gpu.memoryBytes),
                      window ? memoryText(*window) : "unknown");
        if (!gpu.uuid.empty()) {
            printToStdout("    {}\n", gpuUuidText(gpu));
        }
        printToStdout("    {}GPUDirect RDMA, {}dma-buf, {}\n", gpu.directRdma ? "" : "no ",
                      gpu.dmaBuf ? "" : "no ", gpuWriteOrderText(gpu));
    }
}

void listDecoders() {
    writeToStdout("Decoders of files (verbcast send FILE --decoder NAME)\n");
    std::vector<HardwareDecoder> decoders;
    try {
        decoders = hardwareDecoders();
    } catch (const Error& error) {
        printToStdout("  none: {}\n", cleanLine(error.what()));
        return;
    }
    writeToStdout("  software  works\n");
    for (const HardwareDecoder& decoder : decoders) {
        printToStdout("  {:<8}  {}\n", nameOf(decoder.decoder),
                      decoder.works
                          ? fmt::format("works; FFmpeg decodes {} on it", fmt::join(decoder.codecs, ", "))
                          : "none: " + cleanLine(decoder.reason));
    }
}

/// `list` asks the sound servers.
template <typename List>
void listSound(const char* heading, List&& list) {
    printToStdout("{}\n", heading);
    SoundDevices found;
    try {
        found = list();
    } catch (const Error& error) {
        found.problems.emplace_back(error.what());
    }
    for (const SoundDevice& device : found.devices) {
        printToStdout("  {}  {} ({}){}\n", cleanLine(device.name), cleanLine(device.description),
                      device.detail, device.isDefault ? ", the default" : "");
    }
    for (const std::string& problem : found.problems) {
        printToStdout("  none: {}\n", cleanLine(problem));
    }
}

}  // namespace

int listFormats() {
    printToStdout("{:<12} {:>4}  {:>6}  {:>22}  {}\n", "name", "bits", "planes", "3840x2160 at 60 fps",
                  "layout");
    for (const PixelFormatInfo& info : allPixelFormats()) {
        const double bytes = static_cast<double>(tightBytes(tightFormat(3840, 2160, info.format)));
        printToStdout("{:<12} {:>4}  {:>6}  {:>8.2f} GB/s {:>4.1f} Gb/s  {}\n", info.name,
                      info.bitsPerComponent, info.planeCount, bytes * 60 / 1e9, bytes * 60 * 8 / 1e9,
                      info.summary);
    }
    writeToStdout("\nPatterns for `verbcast send pattern:NAME`\n");
    for (const PatternName& pattern : kPatternNames) {
        printToStdout("  {:<10} {}\n", pattern.name, pattern.summary);
    }
    return 0;
}

int listDevices() {
    listTransports();
    listRdma();
    listGpus();
    listDecoders();
    for (const SourceDevices& devices : sourceDevices()) {
        printToStdout("{}\n{}", devices.heading, devices.lines.empty() ? "  none\n" : "");
        for (const std::string& line : devices.lines) {
            printToStdout("  {}\n", cleanLine(line));
        }
    }
    listSound("Sound outputs (verbcast view --audio NAME)", soundOutputs);
    listSound("Sound inputs (verbcast send --audio NAME)", soundInputs);
    writeToStdout("Displays without a desktop (verbcast view --kiosk --drm NAME)\n");
    flushStdout();
    std::istringstream displays(askProgram("verbcast-kms", {"--displays"}));
    std::string display = "none: verbcast-kms is not installed";
    std::getline(displays, display);
    do {
        printToStdout("  {}\n", cleanLine(display));
    } while (std::getline(displays, display));
    const std::string qt = askProgram("verbcast-window", {"--qt-version"});
    printToStdout("Windows\n  {}\n", qt.empty() ? "none: verbcast-window is not installed" : "Qt " + qt);
    flushStdout();
    const std::string renderer = askProgram("verbcast-gl", {"--gl-renderer"});
    printToStdout("OpenGL renderer\n  {}\n",
                  renderer.empty() ? "none: verbcast-gl is not installed" : renderer);
    return 0;
}

std::string versionText() {
    return fmt::format("verbcast {}\nFFmpeg {}\n{}\n", kVersion, ffmpegVersionCompiledWith(),
                       rdmaCoreVersion());
}

}  // namespace verbcast
