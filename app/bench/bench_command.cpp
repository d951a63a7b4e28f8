// verbcast bench: checks its output files, measures, prints the table and writes the files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "app/bench/bench_command.h"
#include "app/bench/modes/bench_modes.h"
#include "app/bench/report/report_output.h"
#include "app/cli/numa_choice.h"
#include "app/host/interrupt.h"
#include "core/base/os/standard_streams.h"
#include "core/base/os/whole_file.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/pci_place.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

/// As BenchMode.
constexpr std::array kModes{benchFrames, benchLimits, benchSweep,   benchRegister, benchRpc,
                            benchStages, benchScale,  benchViewers, benchDecode,   benchAv};

/// Devices that a run's bytes pass through.
std::vector<NumaDevice> devicesOf(const BenchOptions& options) {
    if (options.deviceMemory) {
        const std::vector<GpuDevice> gpus = gpuReport().devices;
        if (gpus.empty()) {
            return {};
        }
        const auto ring =
            std::ranges::find(gpus, chosenGpu(), &GpuDevice::number);  // where rings are allocated
        if (ring == gpus.end()) {
            return {};
        }
        const auto place = pciPlace("/", ring->pciAddress);
        return {{fmt::format("GPU {}", ring->number), place ? place->numaNode : std::nullopt}};
    }
    const bool rdma = std::ranges::any_of(options.transports, [](const std::string& transport) {
        return transportHas(transport, &Transport::usesRdma);
    });
    const std::vector<RdmaAddress> addresses = rdma ? rdmaAddresses() : std::vector<RdmaAddress>{};
    const std::string device = !options.device.empty() ? options.device
                               : addresses.empty()     ? ""
                                                       : addresses.front().device;
    return rdma && !device.empty() ? std::vector{NumaDevice{device, numaNodeOfRdma("/", device)}}
                                   : std::vector<NumaDevice>{};
}

NumaStats takePlaceFor(const BenchOptions& options) {
    NumaStats stats = choosePlace(options.numa, [&] { return devicesOf(options); });
    takePlace(stats);
    return stats;
}

}  // namespace

int runBench(const BenchOptions& options, int argc, const char* const* argv) {
    checkWritable(options.json);
    checkWritable(options.html);
    installInterruptHandler();
    BenchReport report;
    report.mode = options.mode;
    report.machine = describeMachine(argc, argv);
    report.machine.numa = takePlaceFor(options);
    {
        BenchProgress progress(options.quiet);
        kModes.at(static_cast<std::size_t>(options.mode))(options, report, progress);
    }
    report.interrupted = interruptEvent().isSet();
    // With JSON on standard output, print the table to stderr, so that the output stays one document.
    const nlohmann::ordered_json json = reportJson(report);
    const std::string table = reportTable(json);
    options.json == "-" ? writeToStderr(table) : writeToStdout(table);
    if (!options.json.empty()) {
        writeWhole(options.json, json.dump(2) + "\n");
    }
    if (!options.html.empty()) {
        writeWhole(options.html, reportHtml(json));
    }
    return report.interrupted ? 130 : 0;
}

}  // namespace verbcast
