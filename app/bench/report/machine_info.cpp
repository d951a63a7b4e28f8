// Describes the machine and software that a report was made with.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "app/bench/report/report_output.h"
#include "app/cli/shell_words.h"
#include "capture/frame_source.h"
#include "core/base/version.h"
#include "core/transport/rdma/rdma_devices.h"

namespace verbcast {
namespace {

utsname kernelName() {
    utsname name{};
    ::uname(&name);
    return name;
}

/// x86 kernels report a "model name"; elsewhere use the architecture.
std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return kernelName().machine;
}

/// Build properties that affect results: optimisation, assertions, sanitizers.
std::string compilerText() {
#if defined(__clang__)
    std::string text = "clang " __VERSION__;
#elif defined(__GNUC__)
    std::string text = "gcc " __VERSION__;
#else
    std::string text = "unknown compiler";
#endif
#if defined(__OPTIMIZE__)
    text += ", optimised";
#else
    text += ", NOT optimised";
#endif
#if defined(NDEBUG)
    text += ", assertions off";
#else
    text += ", assertions on";
#endif
#if VERBCAST_SANITIZED
    text += ", with a SANITIZER";
#endif
    return text;
}

}  // namespace

MachineInfo describeMachine(int argc, const char* const* argv) {
    MachineInfo machine;
    machine.processor = processorName();
    machine.processors = std::thread::hardware_concurrency();
    machine.memoryBytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const utsname kernel = kernelName();
    machine.kernel = fmt::format("{} {}", kernel.sysname, kernel.release);
    machine.compiler = compilerText();
    machine.verbcast = kVersion;
    machine.ffmpeg = ffmpegVersion();
    machine.rdmaCore = rdmaCoreVersion();
    machine.startedAt = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
    machine.commandLine = shellQuoted(std::vector<std::string>(argv, argv + argc));
    return machine;
}

}  // namespace verbcast
