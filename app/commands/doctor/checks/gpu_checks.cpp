// Checks GPUs: as decoders, what the driver reports, how RDMA devices reach their memory, and how far apart
// they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "app/commands/doctor/checks/checks.h"
#include "core/base/text/clean_text.h"
#include "core/gpu/pci_place.h"
#include "core/memory/available_memory.h"

namespace verbcast {
namespace {

Check gpuAbsence(const SystemTree& tree, const GpuReport& report) {
    switch (report.state) {
        case GpuState::NotCompiledIn:
        case GpuState::NoDriver:
            if (!tree.exists("/proc/driver/nvidia/version")) {
                return {"GPU", CheckState::Info, "no NVIDIA driver is loaded; " + report.reason};
            }
            return {"GPU", CheckState::Warning, "NVIDIA's kernel driver is loaded, but " + report.reason,
                    report.remedy};
        case GpuState::NoDevice:
            return {"GPU", CheckState::Info, report.reason};
        default:
            return {"GPU", CheckState::Warning, report.reason, report.remedy};
    }
}

Check gpuCheck(const SystemTree& tree, const GpuDevice& gpu, const StreamNeed& need) {
    Check check{"GPU", CheckState::Info};
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
    const std::string found = fmt::format("{}: dma-buf {}, nvidia-peermem {}", gpu.name,
                                          gpu.dmaBuf && kernel ? "possible"
                                          : gpu.dmaBuf         ? "not before Linux 5.12"
                                                               : "not possible with this GPU and driver",
                                          peermem ? "loaded" : "not loaded");
    if (!gpu.directRdma) {
        return {"GPUDirect", CheckState::Info,
                found + "; this GPU does no GPUDirect RDMA: frames pass through main memory"};
    }
    if ((gpu.dmaBuf && kernel) || peermem) {
        return {"GPUDirect", CheckState::Info,
                found + "; verbs may send from this GPU's memory where the RDMA device agrees"};
    }
    return {"GPUDirect", CheckState::Info, found + "; frames pass through main memory",
            "sudo modprobe nvidia-peermem, or NVIDIA's open kernel modules for dma-buf"};
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
                                    rdmaPlace->address, pciDistanceName(distance))};
            if (distance == PciDistance::AcrossSockets) {
                check.remedy =
                    "a GPU and an RDMA device at the same processor: traffic between these crosses "
                    "the link between processors";
            }
            checks.push_back(std::move(check));
        }
    }
}

/// A render node that this user may not open, or "".
std::string closedRenderNode(const SystemTree& tree) {
    for (const std::string& name : tree.names("/dev/dri")) {
        if (name.starts_with("renderD") && !tree.usable("/dev/dri/" + name)) {
            return "/dev/dri/" + name;
        }
    }
    return "";
}

}  // namespace

Check decoderCheck(const SystemTree& tree, const std::vector<HardwareDecoder>& decoders) {
    Check check{"hardware decoders", CheckState::Info};
    std::string works, absent;
    for (const HardwareDecoder& decoder : decoders) {
        if (decoder.works) {
            works += fmt::format("{}{} ({})", works.empty() ? "" : "; ", nameOf(decoder.decoder),
                                 fmt::join(decoder.codecs, " "));
        } else {
            absent += fmt::format("{}{}: {}", absent.empty() ? "" : "; ", nameOf(decoder.decoder),
                                  cleanText(decoder.reason));
        }
    }
    check.seen = works.empty() ? fmt::format("none: files are decoded on the processors ({})", absent)
                               : fmt::format("{}: verbcast send --decoder auto takes them for files{}", works,
                                             absent.empty() ? "" : fmt::format(" ({})", absent));
    if (const std::string closed = closedRenderNode(tree); !closed.empty()) {
        check.seen += fmt::format("; {} may not be opened by this user", closed);
        check.remedy = "sudo usermod -aG render,video $USER, then log in again";
    }
    return check;
}

Checks gpuChecks(const SystemTree& tree, const GpuReport& report, const RdmaFindings& findings,
                 const StreamNeed& need) {
    if (report.state != GpuState::Ready) {
        return {gpuAbsence(tree, report),
                {"GPUDirect", CheckState::Info, "no GPU: frames pass through main memory"}};
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
