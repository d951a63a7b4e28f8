// The virtual memory API: cuMemCreate and the calls to reserve, map and share its memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "tests/core/gpu/driver/double_state.h"

using namespace verbcast::testing;

namespace {

constexpr std::size_t kGranule = 2U << 20;

Physical& physicalOf(CUmemGenericAllocationHandle handle, const char* call) {
    const auto found = driver().physical.find(handle);
    if (found == driver().physical.end() || found->second.released) {
        misuse("%s: no such handle", call);
    }
    return found->second;
}

Reservation& reservationAt(CUdeviceptr address, std::size_t bytes, const char* call) {
    const auto found = driver().reservations.find(address);
    if (found == driver().reservations.end() || found->second.bytes != bytes) {
        misuse("%s: %zu bytes at %llx were not reserved", call, bytes, address);
    }
    return found->second;
}

void dropUnused(std::uint64_t handle) {
    const auto found = driver().physical.find(handle);
    if (found->second.released && found->second.mappings == 0) {
        ::close(found->second.file);
        driver().physical.erase(found);
    }
}

std::uint64_t add(int file, std::size_t bytes, int device, bool own) {
    const std::uint64_t handle = ++driver().lastHandle;
    driver().physical.emplace(handle, Physical{.file = file, .bytes = bytes, .device = device, .own = own});
    return handle;
}

void* remap(CUdeviceptr address, std::size_t bytes, int rights, int file) {
    return ::mmap(reinterpret_cast<void*>(address), bytes, rights,
                  file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED : MAP_SHARED | MAP_FIXED, file, 0);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                             const CUmemAllocationProp* wanted, unsigned long long flags) {
    const Entry entry("cuMemCreate", Needs::Context);
    if (flags != 0 || bytes == 0 || bytes % kGranule != 0 || wanted->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        wanted->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
        wanted->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        misuse("cuMemCreate: %zu bytes of type %d", bytes, static_cast<int>(wanted->type));
    }
    checkDevice(wanted->location.id, "cuMemCreate");
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    Driver& all = driver();
    if (!all.shares) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (bytes > all.memory - std::min(all.memory, all.used())) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const int file = ::memfd_create("cuda-double", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = add(file, bytes, wanted->location.id, true);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
    const Entry entry("cuMemRelease", Needs::Context);
    physicalOf(handle, "cuMemRelease").released = true;
    dropUnused(handle);
    return entry.result;
}

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t alignment,
                                     CUdeviceptr wanted, unsigned long long flags) {
    const Entry entry("cuMemAddressReserve", Needs::Context);
    if (bytes == 0 || bytes % kGranule != 0 || alignment != 0 || wanted != 0 || flags != 0) {
        misuse("cuMemAddressReserve: %zu bytes", bytes);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    void* const place = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = reinterpret_cast<CUdeviceptr>(place);
    driver().reservations.emplace(*address, Reservation{bytes, 0});
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
    const Entry entry("cuMemAddressFree", Needs::Context);
    if (reservationAt(address, bytes, "cuMemAddressFree").handle != 0) {
        misuse("cuMemAddressFree: %llx is still mapped", address);
    }
    ::munmap(reinterpret_cast<void*>(address), bytes);
    driver().reservations.erase(address);
    return entry.result;
}

CUresult CUDAAPI cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                          CUmemGenericAllocationHandle handle, unsigned long long flags) {
    const Entry entry("cuMemMap", Needs::Context);
    Reservation& place = reservationAt(address, bytes, "cuMemMap");
    Physical& memory = physicalOf(handle, "cuMemMap");
    if (place.handle != 0 || offset != 0 || flags != 0) {
        misuse("cuMemMap: at %llx", address);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (bytes > memory.bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    place.handle = handle;
    ++memory.mappings;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* who,
                                std::size_t count) {
    const Entry entry("cuMemSetAccess", Needs::Context);
    Driver& all = driver();
    const Reservation& place = reservationAt(address, bytes, "cuMemSetAccess");
    if (count != 1 || place.handle == 0 || all.allocations.contains(address)) {
        misuse("cuMemSetAccess: %zu bytes at %llx are not mapped, or open already", bytes, address);
    }
    checkDevice(who->location.id, "cuMemSetAccess");
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (who->flags == CU_MEM_ACCESS_FLAGS_PROT_READ && !all.readOnly) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const Physical& memory = all.physical.at(place.handle);
    Allocation made{.bytes = bytes, .mapped = bytes, .file = memory.file, .reserved = true};
    made.writable = who->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    made.context = &all.primary.at(static_cast<std::size_t>(who->location.id));
    void* const content = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.file, 0);
    if (content == MAP_FAILED ||
        remap(address, bytes, all.peermem ? PROT_READ | PROT_WRITE : PROT_NONE, memory.file) == MAP_FAILED) {
        misuse("cuMemSetAccess: no address space");
    }
    made.content = static_cast<std::byte*>(content);
    all.allocations.emplace(address, made);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
    const Entry entry("cuMemUnmap", Needs::Context);
    Driver& all = driver();
    Reservation& place = reservationAt(address, bytes, "cuMemUnmap");
    if (place.handle == 0) {
        misuse("cuMemUnmap: %llx is not mapped", address);
    }
    if (const auto found = all.allocations.find(address); found != all.allocations.end()) {
        refuseWaitingCopies(found->second, "cuMemUnmap");
        ::munmap(found->second.content, bytes);
        remap(address, bytes, PROT_NONE, -1);
        all.allocations.erase(found);
    }
    --all.physical.at(place.handle).mappings;
    dropUnused(std::exchange(place.handle, 0));
    return entry.result;
}

CUresult CUDAAPI cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                              CUmemAllocationHandleType type, unsigned long long flags) {
    const Entry entry("cuMemExportToShareableHandle", Needs::Context);
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0) {
        misuse("cuMemExportToShareableHandle: type %d", static_cast<int>(type));
    }
    const Physical& memory = physicalOf(handle, "cuMemExportToShareableHandle");
    if (entry.result == CUDA_SUCCESS) {
        *static_cast<int*>(shared) = ::fcntl(memory.file, F_DUPFD_CLOEXEC, 0);
    }
    return entry.result;
}

CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                                CUmemAllocationHandleType type) {
    const Entry entry("cuMemImportFromShareableHandle", Needs::Context);
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        misuse("cuMemImportFromShareableHandle: type %d", static_cast<int>(type));
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    // Accepts only handles that a driver has created.
    const auto file = static_cast<int>(reinterpret_cast<std::intptr_t>(shared));
    std::array<char, 64> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    struct stat about {};
    if (::readlink(link.c_str(), name.data(), name.size() - 1) <= 0 ||
        std::string_view(name.data()).find("memfd:cuda-double") == std::string_view::npos ||
        ::fstat(file, &about) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *handle = add(::fcntl(file, F_DUPFD_CLOEXEC, 0), static_cast<std::size_t>(about.st_size),
                  contexts().back()->device, false);
    return CUDA_SUCCESS;
}
}  // extern "C"
