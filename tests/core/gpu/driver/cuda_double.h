// A libcuda.so.1 over host memory, for tests. It is stricter than NVIDIA's: calls that the real driver would
// answer with a programming error end the program with a message on stderr, as does anything left unfreed at
// exit (exit code kCudaDoubleLeaked).
//
// Environment, read once:
//   CUDA_DOUBLE_DEVICES  GPUs (1)            CUDA_DOUBLE_VERSION  of CUDA (12040)
//   CUDA_DOUBLE_DMABUF   0: no dma-bufs      CUDA_DOUBLE_MEMORY   bytes of each GPU (1 GiB)
//   CUDA_DOUBLE_PEERMEM  1: devices, and therefore also the processor, can access memory by its address
//   CUDA_DOUBLE_ORDER    who sees remote writes without a flush, in CUDA's numbering (100); 0: nobody, and
//                        remote writes are visible only at the address until they are flushed
//   CUDA_DOUBLE_FLUSH    supported ways to flush, in CUDA's numbering (1: by a call)
//   CUDA_DOUBLE_SHARES   1: memory can be shared by descriptors; 2: and mapped read-only (0)
//   CUDA_DOUBLE_GL       0: no calls for OpenGL (1: GPU 0 draws for it)
//   CUDA_DOUBLE_LEFT     1: what is left unfreed at exit is no error (0)
//   CUDA_DOUBLE_FAIL     see cudaDoubleFail()
//
// Addresses of device memory are mapped without access rights, so that the processor faults on them. Copies
// happen when their stream is synchronised, or when an event after them is asked for the second time.
#pragma once

#include <cstdint>

inline constexpr int kCudaDoubleLeaked = 97;

struct CudaDoubleCounts {
    std::uint64_t toHost, toDevice;  ///< bytes copied
    std::uint64_t within;            ///< to memory of the GPU from there, or from a picture
    std::uint64_t pageable;          ///< those from or to memory that was not pinned
    std::uint64_t copies;
    std::uint64_t flushes;
    std::uint64_t alive;  ///< allocations, streams, contexts, pinned ranges and registered pictures
};

extern "C" {
/// From now on: "cuMemAlloc:2" makes that call return error 2; "cuMemcpyDtoHAsync:719:3" from its fourth call
/// on. Several are separated by commas. 719 is sticky: all later calls return it. "" clears all failures.
void cudaDoubleFail(const char* spec);
CudaDoubleCounts cudaDoubleCounts();
/// Like CUDA_DOUBLE_PEERMEM and CUDA_DOUBLE_DMABUF, for later allocations and queries.
void cudaDoublePeermem(bool on);
void cudaDoubleDmaBuf(bool on);
/// Like CUDA_DOUBLE_ORDER and CUDA_DOUBLE_FLUSH, for later allocations and queries.
void cudaDoubleOrder(int order, int flushes);
/// Like CUDA_DOUBLE_SHARES, for later allocations and queries.
void cudaDoubleShares(int how);
/// The content of device memory, bypassing its address; null for memory that was never allocated. Only for
/// tests.
void* cudaDoubleBytes(std::uint64_t address);
}
