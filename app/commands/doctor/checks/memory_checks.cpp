// Checks memory: the lock limit, huge pages, free memory and speed.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>

#include "app/commands/doctor/checks/checks.h"
#include "core/memory/available_memory.h"

namespace verbcast {
namespace {

constexpr std::uint64_t kMebi = 1 << 20;

std::string sizeText(std::uint64_t bytes) {
    return bytes >= 10240 * kMebi ? fmt::format("{:.1f} GiB", static_cast<double>(bytes) / 1024 / kMebi)
                                  : fmt::format("{} MiB", (bytes + kMebi - 1) / kMebi);
}

}  // namespace

LockLimit lockLimit(const SystemTree& tree) {
    LockLimit result;
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        result.bytes = limit.rlim_cur;
    }
    constexpr int kCapIpcLock = 14;
    const std::string status = tree.text("/proc/self/status");
    const std::size_t at = status.find("\nCapEff:");
    if (at != std::string::npos) {
        const std::uint64_t capabilities = std::strtoull(status.c_str() + at + 8, nullptr, 16);
        result.mayExceed = (capabilities >> kCapIpcLock & 1) != 0;
    }
    return result;
}

std::uint64_t lockedNeed(const StreamNeed& need) {
    return 2 * need.ringBytes;
}

Check lockedMemoryCheck(const LockLimit& limit, const StreamNeed& need, bool haveRdma) {
    const std::uint64_t bytes = lockedNeed(need);
    Check check{"locked memory", CheckState::Ok,
                fmt::format("RLIMIT_MEMLOCK is {}; {} needed for two rings of {} slots",
                            limit.bytes ? sizeText(*limit.bytes) : "unlimited", sizeText(bytes), kRingSlots)};
    if (limit.bytes && limit.mayExceed && *limit.bytes < bytes) {
        check.seen += "; CAP_IPC_LOCK lets this user exceed it";
    }
    if (!limit.enoughFor(bytes)) {
        check.state = haveRdma ? CheckState::Warning : CheckState::Info;
        check.seen += haveRdma ? "" : " once there is an RDMA device";
        check.remedy = fmt::format(
            "echo '* - memlock unlimited' | sudo tee /etc/security/limits.d/verbcast.conf, then log in "
            "again (or \"ulimit -l {}\" in this shell; LimitMEMLOCK=infinity under systemd)",
            (bytes + 1023) / 1024);
    }
    return check;
}

Check hugePagesCheck(const SystemTree& tree, const StreamNeed& need) {
    const std::string folder = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
    const auto free = tree.number(folder + "free_hugepages");
    const std::uint64_t wanted = (need.ringBytes + kHugePageBytes - 1) / kHugePageBytes;
    if (!free) {
        return {"huge pages", CheckState::Info, "the kernel has no pages of 2 MiB; rings take plain ones"};
    }
    Check check{"huge pages", CheckState::Ok,
                fmt::format("{:g} of 2 MiB are free; a ring takes {}", *free, wanted)};
    if (*free < static_cast<double>(wanted)) {
        // Nothing fails without them: registration is slower, and there are more TLB misses.
        check.state = CheckState::Info;
        check.seen += ", and falls back to plain pages";
        const double total = tree.number(folder + "nr_hugepages").value_or(0);
        check.remedy =
            fmt::format("sudo sysctl vm.nr_hugepages={:.0f}", total + 2 * static_cast<double>(wanted));
    }
    return check;
}

Check freeMemoryCheck(const SystemTree& tree, const StreamNeed& need) {
    const auto available = availableMemory(tree.path("/"));
    if (!available) {
        return {"free memory", CheckState::Info, "not reported by /proc/meminfo"};
    }
    Check check{"free memory", CheckState::Ok,
                fmt::format("{} available; {} for a ring of {} slots", sizeText(*available),
                            sizeText(need.ringBytes), kRingSlots)};
    if (*available < need.ringBytes) {
        check.state = CheckState::Failed;
    } else if (*available < 2 * need.ringBytes + need.ringBytes / 4) {
        check.state = CheckState::Warning;
        check.seen += ", and two when sender and viewer both run here";
    }
    if (check.state != CheckState::Ok) {
        check.remedy =
            fmt::format("end the programs that use it (see: top -o %MEM), or use fewer slots: --slots {}",
                        std::max<std::uint32_t>(2, kRingSlots / 2));
    }
    return check;
}

Check memorySpeedCheck(double copyRate, const StreamNeed& need) {
    const double ratio = copyRate / need.bytesPerSecond;
    Check check{"memory speed", CheckState::Ok,
                fmt::format("one processor copies {:.1f} GB/s, {:.1f} times the stream's {:.2f} GB/s",
                            copyRate / 1e9, ratio, need.gigabytes())};
    // A frame is written once where it is made and read once where it is shown: as much as one copy. Below 2,
    // nothing is left for anything else.
    if (ratio < 2) {
        check.state = ratio < 1 ? CheckState::Failed : CheckState::Warning;
        check.remedy =
            "stop other programs (see: top), populate all memory channels, or " + smallerStream(need);
    }
    return check;
}

}  // namespace verbcast
