// Shared by the double's files: its state, and the checks at the start of each call.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/gpu/driver/cuda_double.h"

struct CUctx_st {
    int device = 0;
    int retained = 0;
    bool primary = true;
    unsigned flags = 0;
};
struct CUstream_st {
    struct Copy {
        void* to;
        const void* from;
        std::size_t bytes;
    };
    CUctx_st* context = nullptr;
    bool afterDefault = false;  // its copies wait for those of the default stream
    std::vector<Copy> waiting;
    std::uint64_t queued = 0;                  // copies since it was made; of these, done but `waiting`
    std::vector<std::vector<std::byte>> kept;  // pictures that are unmapped, and that waiting copies read
};
struct CUevent_st {
    CUctx_st* context = nullptr;
    CUstream_st* stream = nullptr;  // null: never recorded
    std::uint64_t after = 0;        // copies of the stream
    bool asked = false;             // since it was recorded
};

struct CUarray_st {
    std::size_t width = 0, height = 0, texelBytes = 0;
    unsigned format = 0, type = 0;  // of its texels, for OpenGL
    bool writable = false;
    std::vector<std::byte> pixels;  // while mapped, rows without gaps

    std::size_t rowBytes() const { return width * texelBytes; }
};
struct CUgraphicsResource_st {
    CUctx_st* context = nullptr;
    void* gl = nullptr;  // the OpenGL context of the texture or buffer
    unsigned name = 0;
    bool isBuffer = false;
    bool mapped = false;
    CUarray_st content;         // of a texture
    std::uint64_t address = 0;  // of a buffer while it is mapped: that of an allocation
    std::size_t bytes = 0;      // of a buffer
};

// Of cudaGL.h, which needs OpenGL's header.
extern "C" {
CUresult CUDAAPI cuGLGetDevices_v2(unsigned* count, CUdevice* devices, unsigned capacity, int list);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource* resource, unsigned image, unsigned target,
                                           unsigned flags);
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource* resource, unsigned buffer, unsigned flags);
}

namespace verbcast::testing {

inline constexpr std::size_t kPage = 4096;

/// Prints the misuse and ends the program.
[[noreturn]] __attribute__((format(printf, 1, 2))) void misuse(const char* format, ...);
/// A number from the environment.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

struct Allocation {
    std::size_t bytes = 0;   // as requested
    std::size_t mapped = 0;  // whole granules
    int file = -1;
    int window = -1;  ///< the memory at the address if remote writes wait for a flush; else negative
    std::byte* content = nullptr;
    CUctx_st* context = nullptr;
    bool synchronous = false;
    bool reserved = false;  ///< by cuMemMap or for OpenGL, not by cuMemAlloc
    bool writable = true;
};

/// Created by cuMemCreate or imported.
struct Physical {
    int file = -1;
    std::size_t bytes = 0;
    int device = 0;
    bool own = true;
    bool released = false;
    int mappings = 0;
};
struct Reservation {
    std::size_t bytes = 0;
    std::uint64_t handle = 0;  ///< what is mapped there; 0: nothing
};

struct Failure {
    int error = 0;
    std::uint64_t after = 0;
};

struct Driver {
    std::mutex mutex;
    bool started = false;
    int sticky = 0;
    const std::uint64_t devices = setting("CUDA_DOUBLE_DEVICES", 1);
#ifdef CUDA_DOUBLE_ELEVEN
    const int version = 11080;
#else
    const int version = static_cast<int>(setting("CUDA_DOUBLE_VERSION", 12040));
#endif
    bool dmaBuf = setting("CUDA_DOUBLE_DMABUF", 1) != 0;
    bool peermem = setting("CUDA_DOUBLE_PEERMEM", 0) != 0;
    const bool gl = setting("CUDA_DOUBLE_GL", 1) != 0;
    bool shares = setting("CUDA_DOUBLE_SHARES", 0) != 0;
    bool readOnly = setting("CUDA_DOUBLE_SHARES", 0) == 2;
    int order = static_cast<int>(setting("CUDA_DOUBLE_ORDER", 100));
    int flushes = static_cast<int>(setting("CUDA_DOUBLE_FLUSH", 1));
    const std::uint64_t memory = setting("CUDA_DOUBLE_MEMORY", 1U << 30);
    std::array<CUctx_st, 8> primary{};
    std::map<std::uint64_t, Allocation> allocations;    // by address
    std::map<std::uintptr_t, std::size_t> pinned;       // host ranges
    std::map<std::uint64_t, Physical> physical;         // by handle
    std::map<std::uint64_t, Reservation> reservations;  // by address
    std::uint64_t lastHandle = 0;
    std::map<CUstream_st*, std::unique_ptr<CUstream_st>> streams;
    std::map<CUctx_st*, CUstream_st> defaultStreams;
    std::map<CUctx_st*, std::unique_ptr<CUctx_st>> created;  // contexts
    std::map<CUevent_st*, std::unique_ptr<CUevent_st>> events;
    std::map<CUgraphicsResource_st*, std::unique_ptr<CUgraphicsResource_st>> pictures;
    std::map<std::string, Failure, std::less<>> failures;
    CudaDoubleCounts counts{};

    std::uint64_t used() const {
        std::uint64_t sum = 0;
        for (const auto& [address, allocation] : allocations) {
            sum += allocation.reserved ? 0 : allocation.mapped;
        }
        for (const auto& [handle, made] : physical) {
            sum += made.own ? made.bytes : 0;
        }
        return sum;
    }
    std::uint64_t alive() const {
        std::uint64_t sum = allocations.size() + pinned.size() + streams.size() + events.size() +
                            pictures.size() + physical.size() + reservations.size() + created.size();
        for (const CUctx_st& context : primary) {
            sum += static_cast<std::uint64_t>(context.retained);
        }
        return sum;
    }
};

Driver& driver();
/// The contexts of this thread, the current one last.
std::vector<CUctx_st*>& contexts();

enum class Needs { Nothing, Start, Context };

/// The lock for a call, and an early result if the call must not continue.
struct Entry {
    std::lock_guard<std::mutex> lock;
    CUresult result = CUDA_SUCCESS;
    Entry(const char* call, Needs needs);
};

void checkDevice(CUdevice device, const char* call);
/// The allocation that contains the whole range, and the range's offset in it.
Allocation& holding(CUdeviceptr address, std::size_t bytes, const char* call, std::size_t& offset);
/// Fails if anything in it is left.
void refuseContents(const CUctx_st& gone);
/// Fails if a stream has a pending copy from or to it.
void refuseWaitingCopies(const Allocation& gone, const char* call);
bool isPinned(const void* at, std::size_t bytes);
/// The newest form of a call known to callers of that CUDA version; null if there is none.
void* entryPoint(std::string_view name, int version);

}  // namespace verbcast::testing
