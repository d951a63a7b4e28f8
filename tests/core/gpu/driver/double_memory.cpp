// Allocation, export and pinning of memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tests/core/gpu/driver/double_state.h"

namespace verbcast::testing {
namespace {

constexpr std::size_t kGranule = 2U << 20;

}  // namespace

/// The allocation that contains the whole range, and the range's offset in it.
Allocation& holding(CUdeviceptr address, std::size_t bytes, const char* call, std::size_t& offset) {
    Driver& all = driver();
    auto found = all.allocations.upper_bound(address);
    if (found == all.allocations.begin()) {
        misuse("%s: no allocation at %llx", call, address);
    }
    --found;
    offset = address - found->first;
    if (offset > found->second.bytes || bytes > found->second.bytes - offset) {
        misuse("%s: %zu bytes at offset %zu of an allocation of %zu", call, bytes, offset,
               found->second.bytes);
    }
    if (found->second.context != contexts().back()) {
        misuse("%s: memory of another context", call);
    }
    return found->second;
}
void refuseWaitingCopies(const Allocation& gone, const char* call) {
    for (const auto& [stream, held] : driver().streams) {
        for (const CUstream_st::Copy& copy : held->waiting) {
            const auto within = [&](const void* at) {
                return at >= gone.content && at < gone.content + gone.mapped;
            };
            if (within(copy.from) || within(copy.to)) {
                misuse("%s: a copy of that memory is still waiting", call);
            }
        }
    }
}
bool isPinned(const void* at, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    auto found = driver().pinned.upper_bound(address);
    if (found == driver().pinned.begin()) {
        return false;
    }
    --found;
    return address + bytes <= found->first + found->second;
}
}  // namespace verbcast::testing

using namespace verbcast::testing;

extern "C" {

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
    const Entry entry("cuMemAlloc", Needs::Context);
    if (bytes == 0) {
        misuse("cuMemAlloc: 0 bytes");
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    Driver& all = driver();
    Allocation made{.bytes = bytes, .mapped = (bytes + kGranule - 1) / kGranule * kGranule};
    if (made.mapped > all.memory - std::min(all.memory, all.used())) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made.context = contexts().back();
    made.file = ::memfd_create("cuda-double", MFD_CLOEXEC);
    if (made.file < 0 || ::ftruncate(made.file, static_cast<off_t>(made.mapped)) != 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    void* const content = ::mmap(nullptr, made.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, made.file, 0);
    if (all.peermem && all.order == 0) {
        made.window = ::memfd_create("cuda-double-window", MFD_CLOEXEC);
        if (made.window < 0 || ::ftruncate(made.window, static_cast<off_t>(made.mapped)) != 0) {
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    void* const seen = ::mmap(nullptr, made.mapped, all.peermem ? PROT_READ | PROT_WRITE : PROT_NONE,
                              MAP_SHARED, made.window >= 0 ? made.window : made.file, 0);
    if (content == MAP_FAILED || seen == MAP_FAILED) {
        misuse("cuMemAlloc: no address space");
    }
    made.content = static_cast<std::byte*>(content);
    *address = reinterpret_cast<CUdeviceptr>(seen);
    all.allocations.emplace(*address, made);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree_v2(CUdeviceptr address) {
    const Entry entry("cuMemFree", Needs::Context);
    Driver& all = driver();
    const auto found = all.allocations.find(address);
    if (found == all.allocations.end()) {
        misuse("cuMemFree: %llx was not allocated, or is free already", address);
    }
    const Allocation& gone = found->second;
    if (gone.reserved) {
        misuse("cuMemFree: %llx was mapped, not allocated", address);
    }
    refuseWaitingCopies(gone, "cuMemFree");
    ::munmap(gone.content, gone.mapped);
    ::munmap(reinterpret_cast<void*>(address), gone.mapped);
    ::close(gone.file);
    if (gone.window >= 0) {
        ::close(gone.window);
    }
    all.allocations.erase(found);
    return entry.result;
}

CUresult CUDAAPI cuMemGetInfo_v2(std::size_t* free, std::size_t* all) {
    const Entry entry("cuMemGetInfo", Needs::Context);
    *all = driver().memory;
    *free = driver().memory - std::min(driver().memory, driver().used());
    return entry.result;
}

CUresult CUDAAPI cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                            CUflushGPUDirectRDMAWritesScope scope) {
    const Entry entry("cuFlushGPUDirectRDMAWrites", Needs::Context);
    Driver& all = driver();
    if (target != CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX || scope < 100 ||
        (all.flushes & CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST) == 0) {
        misuse("cuFlushGPUDirectRDMAWrites: target %d, scope %d, with flushes %d", static_cast<int>(target),
               static_cast<int>(scope), all.flushes);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    ++all.counts.flushes;
    for (const auto& [address, allocation] : all.allocations) {
        if (allocation.window >= 0 && allocation.context == contexts().back()) {
            std::memcpy(allocation.content, reinterpret_cast<const void*>(address), allocation.mapped);
        }
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                                       CUdeviceptr address) {
    const Entry entry("cuPointerSetAttribute", Needs::Context);
    const auto found = driver().allocations.find(address);
    if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || found == driver().allocations.end()) {
        misuse("cuPointerSetAttribute: attribute %d at %llx", static_cast<int>(attribute), address);
    }
    if (found->second.reserved) {
        return CUDA_ERROR_NOT_SUPPORTED;  // NVIDIA's driver may return this, too
    }
    found->second.synchronous = *static_cast<const unsigned*>(value) != 0;
    return entry.result;
}

CUresult CUDAAPI cuMemGetHandleForAddressRange(void* handle, CUdeviceptr address, std::size_t bytes,
                                               CUmemRangeHandleType type, unsigned long long flags) {
    const Entry entry("cuMemGetHandleForAddressRange", Needs::Context);
    if (type != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD || flags != 0) {
        misuse("cuMemGetHandleForAddressRange: type %d, flags %llu", static_cast<int>(type), flags);
    }
    if (address % kPage != 0 || bytes % kPage != 0 || bytes == 0) {
        misuse("cuMemGetHandleForAddressRange: %zu bytes at %llx are no whole pages", bytes, address);
    }
    std::size_t offset = 0;
    const Allocation& from = holding(address, bytes, "cuMemGetHandleForAddressRange", offset);
    if (!from.synchronous && !from.reserved) {
        misuse("memory is exported before SYNC_MEMOPS is set");
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (!driver().dmaBuf) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *static_cast<int*>(handle) = ::dup(from.file);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostRegister_v2(void* at, std::size_t bytes, unsigned flags) {
    const Entry entry("cuMemHostRegister", Needs::Context);
    if (at == nullptr || bytes == 0 || (flags & ~15U) != 0) {
        misuse("cuMemHostRegister: %zu bytes, flags %u", bytes, flags);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (isPinned(at, 1)) {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }
    driver().pinned[reinterpret_cast<std::uintptr_t>(at)] = bytes;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostUnregister(void* at) {
    const Entry entry("cuMemHostUnregister", Needs::Context);
    const auto found = driver().pinned.find(reinterpret_cast<std::uintptr_t>(at));
    if (found == driver().pinned.end()) {
        misuse("cuMemHostUnregister: that memory is not pinned");
    }
    std::vector<unsigned char> pages((found->second + kPage - 1) / kPage);
    if (::mincore(at, found->second, pages.data()) != 0) {
        misuse("pinned memory was unmapped before it was unpinned");
    }
    driver().pinned.erase(found);
    return entry.result;
}
}  // extern "C"
