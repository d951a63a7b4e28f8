// A libcuda.so.1 over host memory, for tests. It demands what NVIDIA's demands, and more: what the real one
// would answer with an error that nobody should ever see ends the program here, and says why on stderr, as
// does whatever is left unfreed at the end (exit code kCudaDoubleLeaked).
//
// Environment, read once:
//   CUDA_DOUBLE_DEVICES  GPUs (1)            CUDA_DOUBLE_VERSION  of CUDA (12040)
//   CUDA_DOUBLE_DMABUF   0: no dma-bufs      CUDA_DOUBLE_MEMORY   bytes of each GPU (1 GiB)
//   CUDA_DOUBLE_PEERMEM  1: devices and so the processor, too, reach memory by its address
//   CUDA_DOUBLE_ORDER    who sees remote writes without a flush, as CUDA numbers it (100); 0: nobody, and
//                        then what is written by the address is nowhere else before it is flushed
//   CUDA_DOUBLE_FLUSH    ways to flush, as CUDA numbers them (1: by a call)
//   CUDA_DOUBLE_SHARES   1: memory can be shared by descriptors; 2: and mapped for reading alone (0)
//   CUDA_DOUBLE_FAIL     see cudaDoubleFail()
//
// An address of device memory is mapped without any rights, so that a processor that follows it faults.
// Copies happen when their stream is synchronised, not before.
#pragma once

#include <cstdint>

inline constexpr int kCudaDoubleLeaked = 97;

struct CudaDoubleCounts {
    std::uint64_t toHost, toDevice;  ///< bytes copied
    std::uint64_t pageable;          ///< of them, from or to memory that was not pinned
    std::uint64_t copies;
    std::uint64_t flushes;
    std::uint64_t alive;  ///< allocations, streams, contexts and pinned ranges
};

extern "C" {
/// From now on: "cuMemAlloc:2" lets that call give error 2; "cuMemcpyDtoHAsync:719:3" from its fourth call
/// on. Several are separated by commas. 719 stays: all calls give it from then on. "" mends everything.
void cudaDoubleFail(const char* spec);
CudaDoubleCounts cudaDoubleCounts();
/// As CUDA_DOUBLE_PEERMEM and CUDA_DOUBLE_DMABUF, for what is allocated and asked from now on.
void cudaDoublePeermem(bool on);
void cudaDoubleDmaBuf(bool on);
/// As CUDA_DOUBLE_ORDER and CUDA_DOUBLE_FLUSH, likewise.
void cudaDoubleOrder(int order, int flushes);
/// As CUDA_DOUBLE_SHARES, likewise.
void cudaDoubleShares(int how);
/// What the device has there, past its address; null for what was never allocated. Only for tests.
void* cudaDoubleBytes(std::uint64_t address);
}
