// Checks GPUs: what the driver reports, how RDMA devices reach their memory, and how far apart they are.
#include <fmt/format.h>

#include <cstdio>

#include "app/doctor/checks/checks.h"
#include "core/gpu/pci_place.h"
#include "core/memory/available_memory.h"

namespace verbcast {
namespace {

constexpr const char* kKernelDriver = "/proc/driver/nvidia/version";

Check gpuAbsence(const SystemTree& tree, const GpuReport& report) {
    Check check{"GPU", CheckState::Info, report.reason, report.remedy};
    const bool kernelDriver = tree.exists(kKernelDriver);
    switch (report.state) {
        case GpuState::NotCompiledIn:
        case GpuState::NoDriver:
            if (!kernelDriver) {
                check.seen = "no NVIDIA driver is loaded; " + report.reason;
                check.remedy.clear();  // nothing indicates such a GPU
            } else {
                check.state = CheckState::Warning;
                check.seen = "NVIDIA's kernel driver is loaded, but " + report.reason;
            }
            break;
        case GpuState::NoDevice:
            check.remedy.clear();
            break;
        default:
            check.state = CheckState::Warning;
    }
    return check;
}

Check gpuCheck(const SystemTree& tree, const GpuDevice& gpu, const StreamNeed& need) {
    Check check{"GPU", CheckState::Info, "", ""};
    const auto window = memoryWindowBytes(tree.path("/"), gpu.pciAddress);
    check.seen =
        fmt::format("{} at {}, compute {}.{}, {}, BAR1 {}; {}GPUDirect RDMA, {}dma-buf, {}", gpu.name,
                    gpu.pciAddress.empty() ? "an unknown place" : gpu.pciAddress, gpu.computeMajor,
                    gpu.computeMinor, memoryText(gpu.memoryBytes), window ? memoryText(*window) : "unknown",
                    gpu.directRdma ? "" : "no ", gpu.dmaBuf ? "" : "no ", gpuWriteOrderText(gpu));
    if (window && *window < need.ringBytes) {
        check.seen += fmt::format("; a ring of {} does not fit through BAR1", memoryText(need.ringBytes));
        check.remedy = "\"Above 4G decoding\" and \"Resizable BAR\" in the firmware; or a smaller ring";
    }
    return check;
}

/// RDMA devices can use dma-bufs since Linux 5.12.
bool kernelTakesDmaBufs(const SystemTree& tree) {
    int major = 0, minor = 0;
    const std::string release = tree.text("/proc/sys/kernel/osrelease");
    return std::sscanf(release.c_str(), "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 12));
}

Check directCheck(const SystemTree& tree, const GpuDevice& gpu) {
    const bool peermem = tree.exists("/sys/module/nvidia_peermem");
    const bool kernel = kernelTakesDmaBufs(tree);
    Check check{"GPUDirect", CheckState::Info, "", ""};
    const std::string found = fmt::format("{}: dma-buf {}, nvidia-peermem {}", gpu.name,
                                          gpu.dmaBuf && kernel ? "possible"
                                          : gpu.dmaBuf         ? "not before Linux 5.12"
                                                               : "not possible with this GPU and driver",
                                          peermem ? "loaded" : "not loaded");
    if (!gpu.directRdma) {
        check.seen = found + "; this GPU does no GPUDirect RDMA: frames pass through main memory";
    } else if ((gpu.dmaBuf && kernel) || peermem) {
        check.seen = found + "; verbs may send from this GPU's memory where the RDMA device agrees";
    } else {
        check.seen = found + "; frames pass through main memory";
        check.remedy = "sudo modprobe nvidia-peermem, or NVIDIA's open kernel modules for dma-buf";
    }
    return check;
}

void addDistances(Checks& checks, const SystemTree& tree, const GpuReport& report,
                  const RdmaFindings& findings) {
    for (const GpuDevice& gpu : report.devices) {
        const auto gpuPlace = pciPlace(tree.path("/"), gpu.pciAddress);
        for (const RdmaDevice& device : findings.devices) {
            const auto rdmaPlace = rdmaPciPlace(tree.path("/"), device.name);
            if (!gpuPlace || !rdmaPlace) {
                continue;  // a software device, or hidden from this container
            }
            const PciDistance distance = distanceBetween(*gpuPlace, *rdmaPlace);
            Check check{"GPU and RDMA", CheckState::Info,
                        fmt::format("{} ({}) and {} ({}): {}", gpu.name, gpuPlace->address, device.name,
                                    rdmaPlace->address, pciDistanceName(distance)),
                        ""};
            if (distance == PciDistance::AcrossSockets) {
                check.remedy =
                    "a GPU and an RDMA device at the same processor: traffic between these crosses "
                    "the link between processors";
            }
            checks.push_back(std::move(check));
        }
    }
}

}  // namespace

Checks gpuChecks(const SystemTree& tree, const GpuReport& report, const RdmaFindings& findings,
                 const StreamNeed& need) {
    if (report.state != GpuState::Ready) {
        return {gpuAbsence(tree, report),
                {"GPUDirect", CheckState::Info, "no GPU: frames pass through main memory", ""}};
    }
    Checks checks;
    for (const GpuDevice& gpu : report.devices) {
        checks.push_back(gpuCheck(tree, gpu, need));
        checks.push_back(directCheck(tree, gpu));
    }
    addDistances(checks, tree, report, findings);
    return checks;
}

}  // namespace verbcast
