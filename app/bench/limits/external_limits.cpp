// Measures with iperf3 and perftest's ib_write_bw, if installed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/bench/limits/external_program.h"
#include "app/bench/limits/limit_clock.h"
#include "app/bench/workers/bench_transports.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/registry.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kStartPatience{10};

std::chrono::nanoseconds patienceFor(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9)) + 30s;
}

double iperf3Rate(const LimitJob& job) {
    requireInstalled("iperf3", "iperf3");
    const std::uint16_t port = freePort();
    ExternalProgram server({"iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", fmt::to_string(port)});
    server.waitUntilListening(port, kStartPatience);
    std::vector<std::string> arguments{"iperf3", "-c", "127.0.0.1", "-p", fmt::to_string(port), "-J"};
    // Limit by bytes, or by whole seconds, at least one.
    const auto seconds = std::max<std::int64_t>(1, std::llround(job.seconds));
    const std::vector<std::string> extent =
        job.frames ? std::vector<std::string>{"-n", fmt::to_string(*job.frames * job.frameBytes)}
                   : std::vector<std::string>{"-t", fmt::to_string(seconds)};
    arguments.insert(arguments.end(), extent.begin(), extent.end());
    ExternalProgram client(arguments);
    const std::string text = client.waitForOutput(patienceFor(static_cast<double>(seconds)));
    try {
        const auto json = nlohmann::json::parse(text);
        return json.at("end").at("sum_received").at("bits_per_second").get<double>() / 8e9;
    } catch (const nlohmann::json::exception& error) {
        throw Error(ErrorKind::Device, fmt::format("iperf3 -J is not understood: {}", error.what()));
    }
}

constexpr std::uint64_t kProbeMessages = 20;

std::string rdmaDeviceFor(const LimitJob& job) {
    if (const TransportAvailability here = findTransport("verbs")->availability(); !here.available) {
        throw Error(ErrorKind::Device, here.reason);
    }
    const auto devices = rdmaDevices();
    const auto active = std::find_if(devices.begin(), devices.end(), [&](const RdmaDevice& device) {
        return job.device.empty() ? std::any_of(device.ports.begin(), device.ports.end(),
                                                [](const RdmaPort& port) { return port.state == "ACTIVE"; })
                                  : device.name == job.device;
    });
    if (active == devices.end()) {
        throw Error(ErrorKind::Device,
                    job.device.empty() ? "no RDMA port is active" : "no RDMA device is called " + job.device);
    }
    return active->name;
}

struct PerftestRun {
    double gigabytesPerSecond = 0;  ///< as printed; 0 if perftest does not know the CPU's clock
    double seconds = 0;             ///< of the whole program, including set-up
};

/// Runs server and client once over this machine's device. perftest's MB are MiB.
PerftestRun runIbWriteBw(const std::string& device, std::uint64_t bytes, std::uint64_t messages, bool cuda) {
    const std::uint16_t port = freePort();
    std::vector<std::string> common{"ib_write_bw", "-d",
                                    device,        "-F",
                                    "-s",          fmt::to_string(bytes),
                                    "-n",          fmt::to_string(messages),
                                    "-p",          fmt::to_string(port)};
    if (cuda) {
        common.push_back(fmt::format("--use_cuda={}", chosenGpu()));
    }
    ExternalProgram server(common);
    server.waitUntilListening(port, kStartPatience);
    auto arguments = common;
    arguments.push_back("127.0.0.1");
    const TimestampNs start = nowNs();
    ExternalProgram client(arguments);
    std::istringstream lines(client.waitForOutput(120s));
    PerftestRun run{.gigabytesPerSecond = 0, .seconds = static_cast<double>(nowNs() - start) * 1e-9};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::uint64_t size = 0;
        std::uint64_t count = 0;
        double peak = 0;
        double average = 0;
        if (fields >> size >> count >> peak >> average && size == bytes) {
            run.gigabytesPerSecond = average * 1048576 * 1e-9;
        }
    }
    server.waitForOutput(kStartPatience);
    return run;
}

/// If perftest cannot measure time: the time for additional messages is the difference between two runs.
double ibWriteBwTimedFromOutside(const std::string& device, std::uint64_t bytes, double seconds, bool cuda) {
    constexpr std::uint64_t kMax = 1'000'000;
    const PerftestRun least = runIbWriteBw(device, bytes, kProbeMessages, cuda);
    for (std::uint64_t messages = 4 * kProbeMessages; messages <= kMax;) {
        const double more = runIbWriteBw(device, bytes, messages, cuda).seconds - least.seconds;
        if (more >= seconds / 2) {
            return static_cast<double>((messages - kProbeMessages) * bytes) * 1e-9 / more;
        }
        messages = static_cast<std::uint64_t>(static_cast<double>(messages) *
                                              std::clamp(seconds / std::max(more, 1e-3), 2.0, 10.0));
    }
    throw Error(ErrorKind::Device, "ib_write_bw prints no speed on this machine");
}

/// Debian's perftest is built without CUDA.
void requireCudaInPerftest() {
    ExternalProgram help({"ib_write_bw", "--help"});
    std::string text;
    try {
        text = help.waitForOutput(kStartPatience);
    } catch (const Error& error) {
        text = error.what();  // some versions exit with an error after printing their help
    }
    if (text.find("--use_cuda") == std::string::npos) {
        throw Error(ErrorKind::Device, "this ib_write_bw was built without CUDA: it has no --use_cuda",
                    "build perftest with ./configure CUDA_H_PATH=/usr/local/cuda/include/cuda.h");
    }
}

double ibWriteBwRate(const LimitJob& job, std::uint64_t bytes, bool cuda = false) {
    requireInstalled("ib_write_bw", "perftest");
    if (cuda) {
        static_cast<void>(gpuAllocator(chosenGpu()));
        requireCudaInPerftest();
    }
    const std::string device = rdmaDeviceFor(job);
    // The number of messages is fixed in advance, so a short run estimates the speed.
    const double probe = runIbWriteBw(device, bytes, kProbeMessages, cuda).gigabytesPerSecond;
    if (probe <= 0) {
        return ibWriteBwTimedFromOutside(device, bytes, job.frames ? 1.0 : job.seconds, cuda);
    }
    const double total =
        job.frames ? static_cast<double>(*job.frames * job.frameBytes) : job.seconds * probe * 1e9;
    const auto messages = static_cast<std::uint64_t>(total / static_cast<double>(bytes));
    return runIbWriteBw(device, bytes, std::clamp<std::uint64_t>(messages, kProbeMessages, 10'000'000), cuda)
        .gigabytesPerSecond;
}

std::uint64_t messageBytes(const LimitJob& job) {
    return std::min<std::uint64_t>(kMaxRdmaWrite, job.frameBytes);
}

std::string messageText(std::uint64_t bytes) {
    return bytes % (1U << 20) == 0 ? fmt::format("{} MiB", bytes >> 20) : fmt::format("{} bytes", bytes);
}

}  // namespace

Limit measureIperf3(const LimitJob& job) {
    return limitFrom("iperf3",
                     "loopback; it sends one small buffer again and again, which stays in the caches",
                     [&] { return iperf3Rate(job); });
}

Limit measureIbWriteBwCuda(const LimitJob& job) {
    const std::uint64_t bytes = messageBytes(job);
    return limitFrom("ib_write_bw --use_cuda " + messageText(bytes),
                     "this machine's device to itself, one buffer of twice that size in GPU memory",
                     [&] { return ibWriteBwRate(job, bytes, true); });
}

Limit measureIbWriteBw(const LimitJob& job) {
    const std::uint64_t bytes = messageBytes(job);
    return limitFrom("ib_write_bw " + messageText(bytes),
                     "this machine's device to itself, one buffer of twice that size",
                     [&] { return ibWriteBwRate(job, bytes); });
}

}  // namespace verbcast
