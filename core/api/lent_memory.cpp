#include "core/api/lent_memory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/api/sized_struct.h"
#include "core/gpu/gpu_memory.h"
#include "core/memory/dma_buf.h"

using namespace verbcast;

template <>
constexpr SizedStruct verbcast::kSizedStruct<vc_memory_options>{"vc_memory_options",
                                                                offsetof(vc_memory_options, closed)};

namespace verbcast {
namespace {

/// A dma-buf is mapped for the processor, too, for receivers that get it as bytes.
std::shared_ptr<const Memory> mapDmaBuf(const vc_memory_options& options) {
    const auto holds = dmaBufBytes(options.dma_buf);
    if (!holds) {
        refuse(fmt::format("vc_memory_options.dma_buf: descriptor {} is no dma-buf", options.dma_buf));
    }
    const std::uint64_t bytes = options.bytes != 0 ? wholePages(options.bytes) : *holds;
    std::vector<UniqueFd> buffers;
    buffers.emplace_back(::fcntl(options.dma_buf, F_DUPFD_CLOEXEC, 0));
    if (!buffers.front()) {
        throwErrno(ErrorKind::Resource, "fcntl", "a dma-buf", errno);
    }
    return Memory::mapBuffers(MemoryKind::Buffers, std::move(buffers), bytes);
}

std::shared_ptr<const Memory> memoryOf(const vc_memory_options& options) {
    if (options.kind == VC_MEMORY_DMA_BUF) {
        return mapDmaBuf(options);
    }
    require(options.address != nullptr && options.bytes != 0,
            "vc_memory_options: an address and a number of bytes expected");
    switch (options.kind) {
        case VC_MEMORY_HOST:
            return Memory::lent({static_cast<std::byte*>(options.address), options.bytes});
        case VC_MEMORY_CUDA:
            return Memory::ofDevice(lentGpuMemory(
                options.gpu, DeviceMemoryAddress{reinterpret_cast<std::uintptr_t>(options.address)},
                options.bytes));
        default:
            refuse(fmt::format("vc_memory_options.kind: {} is not a vc_memory_kind",
                               static_cast<int>(options.kind)));
    }
}

/// Tells the program when the last user of the memory is gone.
struct Told {
    ~Told() {
        memory.reset();
        if (closed != nullptr) {
            closed(user);
        }
    }
    std::shared_ptr<const Memory> memory;  // shared for the sake of its type
    void (*closed)(void* user) = nullptr;
    void* user = nullptr;
};

}  // namespace

std::shared_ptr<LentMemory> LentMemory::from(const vc_memory_options& options) {
    const auto told = std::make_shared<Told>();
    told->memory = memoryOf(options);
    std::shared_ptr<LentMemory> lent(new LentMemory(options));
    lent->pool_ = FramePool::single({told, told->memory.get()}, lent);
    told->closed = options.closed;
    told->user = options.user;
    return lent;
}

std::optional<FrameLease> LentMemory::lend() {
    if (lent_.exchange(true)) {
        return std::nullopt;
    }
    self_ = shared_from_this();
    return pool_->adopt(0);
}

void LentMemory::onFree(std::uint32_t) noexcept {
    const auto self = std::move(self_);
    lent_ = false;
    if (options_.released != nullptr) {
        options_.released(options_.user);
    }
}

}  // namespace verbcast

extern "C" {

vc_memory* vc_memory_open(const vc_memory_options* options) {
    return guarded<vc_memory*>(nullptr, [&] {
        require(options != nullptr, "vc_memory_open: options expected, NULL given");
        return handleFrom<vc_memory>(HandleTable::ours().add(LentMemory::from(readSized(options))));
    });
}

void vc_memory_close(vc_memory* memory) {
    static_cast<void>(guarded(VC_ERROR, [&] {
        HandleTable::ours().take<LentMemory>(numberOf(memory));
        return VC_OK;
    }));
}

}  // extern "C"
