// Streams and their pending copies.
#include <cstring>
#include <utility>

#include "tests/core/gpu/driver/double_state.h"

using namespace verbcast::testing;

namespace {

constexpr int kGreatestPriority = -5;

/// Null is the context's default stream, which only FFmpeg uses.
CUstream_st& streamOf(CUstream stream, const char* call) {
    if (stream == nullptr) {
        return driver().defaultStreams[contexts().back()];
    }
    const auto found = driver().streams.find(stream);
    if (found == driver().streams.end()) {
        misuse("%s: no such stream", call);
    }
    if (found->second->context != contexts().back()) {
        misuse("%s: a stream of another context", call);
    }
    return *found->second;
}
void account(const void* host, std::size_t bytes, std::uint64_t& sum) {
    sum += bytes;
    driver().counts.copies += 1;
    driver().counts.pageable += isPinned(host, bytes) ? 0 : bytes;
}

/// Makes the device's own writes visible at the address.
void showInWindow(const void* to, std::size_t bytes) {
    for (const auto& [address, allocation] : driver().allocations) {
        if (allocation.window >= 0 && to >= allocation.content &&
            to < allocation.content + allocation.mapped) {
            const auto offset =
                static_cast<std::size_t>(static_cast<const std::byte*>(to) - allocation.content);
            std::memcpy(reinterpret_cast<std::byte*>(address) + offset, to, bytes);
        }
    }
}

/// Copies until so many of the stream's are done.
void copyUntil(CUstream_st& stream, std::uint64_t done) {
    if (stream.afterDefault) {
        CUstream_st& before = driver().defaultStreams[stream.context];
        copyUntil(before, before.queued);
    }
    std::uint64_t before = stream.queued - stream.waiting.size();
    auto copy = stream.waiting.begin();
    for (; copy != stream.waiting.end() && before < done; ++copy, ++before) {
        std::memcpy(copy->to, copy->from, copy->bytes);
        showInWindow(copy->to, copy->bytes);
    }
    stream.waiting.erase(stream.waiting.begin(), copy);
    if (stream.waiting.empty()) {
        stream.kept.clear();
    }
}

CUevent_st& eventOf(CUevent event, const char* call) {
    const auto found = driver().events.find(event);
    if (found == driver().events.end()) {
        misuse("%s: no such event", call);
    }
    return *found->second;
}

CUevent_st& recorded(CUevent event, const char* call) {
    CUevent_st& one = eventOf(event, call);
    if (one.stream == nullptr) {
        misuse("%s: the event was never recorded", call);
    }
    return one;
}

CUresult copyLater(CUstream stream, CUstream_st::Copy copy, const char* call) {
    if (copy.bytes == 0) {
        misuse("%s: nothing to copy", call);
    }
    CUstream_st& one = streamOf(stream, call);
    one.waiting.push_back(copy);
    ++one.queued;
    return CUDA_SUCCESS;
}

/// That place in a mapped picture, with room for what is to be copied.
std::byte* placeIn(CUarray_st& picture, std::size_t x, std::size_t y, const CUDA_MEMCPY2D& copy) {
    const bool texels = x % picture.texelBytes == 0 && copy.WidthInBytes % picture.texelBytes == 0;
    if (picture.pixels.empty() || !texels || x + copy.WidthInBytes > picture.rowBytes() ||
        y + copy.Height > picture.height) {
        misuse("cuMemcpy2DAsync: %zux%zu at %zu, %zu of a picture of %zux%zu that is mapped or not",
               copy.WidthInBytes, copy.Height, x, y, picture.rowBytes(), picture.height);
    }
    return picture.pixels.data() + y * picture.rowBytes() + x;
}

std::byte* writableAt(CUdeviceptr address, std::size_t bytes) {
    std::size_t offset = 0;
    const Allocation& target = holding(address, bytes, "cuMemcpy2DAsync", offset);
    if (!target.writable) {
        misuse("cuMemcpy2DAsync: that memory is mapped for reading");
    }
    return target.content + offset;
}
}  // namespace

extern "C" {

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    const Entry entry("cuCtxGetStreamPriorityRange", Needs::Context);
    *least = 0;
    *greatest = kGreatestPriority;
    return entry.result;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    const Entry entry("cuStreamCreateWithPriority", Needs::Context);
    if (flags > 1 || priority != kGreatestPriority) {
        misuse("cuStreamCreateWithPriority: flags %u, priority %d", flags, priority);
    }
    if (entry.result == CUDA_SUCCESS) {
        auto made = std::make_unique<CUstream_st>();
        made->context = contexts().back();
        made->afterDefault = flags == CU_STREAM_DEFAULT;
        *stream = made.get();
        driver().streams.emplace(made.get(), std::move(made));
    }
    return entry.result;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
    const Entry entry("cuStreamSynchronize", Needs::Context);
    CUstream_st& one = streamOf(stream, "cuStreamSynchronize");
    if (entry.result == CUDA_SUCCESS) {
        copyUntil(one, one.queued);
    }
    one.waiting.clear();
    one.kept.clear();
    return entry.result;
}

CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream) {
    const Entry entry("cuStreamDestroy", Needs::Context);
    if (!streamOf(stream, "cuStreamDestroy").waiting.empty()) {
        misuse("cuStreamDestroy: copies wait that nobody has synchronised with");
    }
    driver().streams.erase(stream);
    return entry.result;
}

CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    const Entry entry("cuMemcpyDtoHAsync", Needs::Context);
    std::size_t offset = 0;
    const Allocation& source = holding(from, bytes, "cuMemcpyDtoHAsync", offset);
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    account(to, bytes, driver().counts.toHost);
    return copyLater(stream, {to, source.content + offset, bytes}, "cuMemcpyDtoHAsync");
}

CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    const Entry entry("cuMemcpyHtoDAsync", Needs::Context);
    std::size_t offset = 0;
    const Allocation& target = holding(to, bytes, "cuMemcpyHtoDAsync", offset);
    if (!target.writable) {
        misuse("cuMemcpyHtoDAsync: that memory is mapped for reading");
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    account(from, bytes, driver().counts.toDevice);
    return copyLater(stream, {target.content + offset, from, bytes}, "cuMemcpyHtoDAsync");
}

CUresult CUDAAPI cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
    const Entry entry("cuMemcpy2DAsync", Needs::Context);
    const bool fromPicture = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY;
    const bool toPicture = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const bool fromHost = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
    const bool toHost = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
    const bool fromDevice = copy->srcMemoryType == CU_MEMORYTYPE_DEVICE;
    const bool toDevice = copy->dstMemoryType == CU_MEMORYTYPE_DEVICE;
    if ((!fromPicture && !fromHost && !fromDevice) || (!toPicture && !toHost && !toDevice) ||
        copy->WidthInBytes == 0 || copy->Height == 0 || (toHost && fromHost) || (fromPicture && toPicture)) {
        misuse("cuMemcpy2DAsync: %zu bytes, %zu rows, from and to unknown memory", copy->WidthInBytes,
               copy->Height);
    }
    const std::size_t sourcePitch = fromPicture ? copy->srcArray->rowBytes() : copy->srcPitch;
    const std::size_t targetPitch = toPicture ? copy->dstArray->rowBytes() : copy->dstPitch;
    if ((!fromPicture && (copy->srcXInBytes != 0 || copy->srcY != 0)) ||
        (!toPicture && (copy->dstXInBytes != 0 || copy->dstY != 0)) || sourcePitch < copy->WidthInBytes ||
        targetPitch < copy->WidthInBytes) {
        misuse("cuMemcpy2DAsync: %zu bytes a row, pitches %zu and %zu", copy->WidthInBytes, sourcePitch,
               targetPitch);
    }
    if (toPicture && !copy->dstArray->writable) {
        misuse("cuMemcpy2DAsync: that picture is registered for reading");
    }
    const auto bytesOver = [&](std::size_t pitch) { return (copy->Height - 1) * pitch + copy->WidthInBytes; };
    std::byte* const target = toPicture ? placeIn(*copy->dstArray, copy->dstXInBytes, copy->dstY, *copy)
                              : toHost  ? static_cast<std::byte*>(copy->dstHost)
                                        : writableAt(copy->dstDevice, bytesOver(targetPitch));
    std::size_t sourceOffset = 0;
    const std::byte* const source =
        fromPicture ? placeIn(*copy->srcArray, copy->srcXInBytes, copy->srcY, *copy)
        : fromHost
            ? static_cast<const std::byte*>(copy->srcHost)
            : holding(copy->srcDevice, bytesOver(sourcePitch), "cuMemcpy2DAsync", sourceOffset).content;
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (toHost) {
        account(target, bytesOver(targetPitch), driver().counts.toHost);
    } else if (fromHost) {
        account(source, bytesOver(sourcePitch), driver().counts.toDevice);
    } else {
        driver().counts.within += copy->WidthInBytes * copy->Height;
    }
    for (std::size_t row = 0; row < copy->Height; ++row) {
        copyLater(stream,
                  {target + row * targetPitch, source + sourceOffset + row * sourcePitch, copy->WidthInBytes},
                  "cuMemcpy2DAsync");
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned flags) {
    const Entry entry("cuEventCreate", Needs::Context);
    if (flags != (CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC)) {
        misuse("cuEventCreate: flags %u: whoever waits for it would keep a processor busy", flags);
    }
    if (entry.result == CUDA_SUCCESS) {
        auto made = std::make_unique<CUevent_st>();
        made->context = contexts().back();
        *event = made.get();
        driver().events.emplace(made.get(), std::move(made));
    }
    return entry.result;
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
    const Entry entry("cuEventRecord", Needs::Context);
    CUevent_st& one = eventOf(event, "cuEventRecord");
    CUstream_st& of = streamOf(stream, "cuEventRecord");
    if (entry.result == CUDA_SUCCESS) {
        one.stream = &of;
        one.after = of.queued;
        one.asked = false;
    }
    return entry.result;
}

/// Not ready when first asked.
CUresult CUDAAPI cuEventQuery(CUevent event) {
    const Entry entry("cuEventQuery", Needs::Context);
    CUevent_st& one = recorded(event, "cuEventQuery");
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    if (!std::exchange(one.asked, true)) {
        return CUDA_ERROR_NOT_READY;
    }
    copyUntil(*one.stream, one.after);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event) {
    const Entry entry("cuEventSynchronize", Needs::Context);
    const CUevent_st& one = recorded(event, "cuEventSynchronize");
    if (entry.result == CUDA_SUCCESS) {
        copyUntil(*one.stream, one.after);
    } else {
        one.stream->waiting.clear();  // as when the stream is synchronised
        one.stream->kept.clear();
    }
    return entry.result;
}

CUresult CUDAAPI cuEventDestroy_v2(CUevent event) {
    const Entry entry("cuEventDestroy", Needs::Context);
    static_cast<void>(eventOf(event, "cuEventDestroy"));
    driver().events.erase(event);
    return entry.result;
}
}  // extern "C"
