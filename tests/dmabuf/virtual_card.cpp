#include "tests/dmabuf/virtual_card.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/memory/memory.h"

namespace verbcast::testing {
namespace {

bool isVgem(int card) {
    const std::unique_ptr<drmVersion, decltype(&drmFreeVersion)> version(drmGetVersion(card), drmFreeVersion);
    return version && std::string(version->name) == "vgem";
}

void require(bool done, const char* call) {
    if (!done) {
        throw std::runtime_error(std::string(call) + ": " + std::strerror(errno));
    }
}

}  // namespace

VirtualCard::VirtualCard() {
    for (int number = 0; number < 4; ++number) {
        const std::string path = "/dev/dri/card" + std::to_string(number);
        card_.reset(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (card_ && isVgem(card_.get())) {
            return;
        }
    }
    throw std::runtime_error("no virtual graphics card: load vgem");
}

UniqueFd VirtualCard::buffer(std::uint64_t bytes, std::span<const std::byte> content) const {
    constexpr std::uint32_t kRow = 4096;
    std::uint32_t handle = 0, pitch = 0;
    std::uint64_t size = 0;
    const auto rows = static_cast<std::uint32_t>((bytes + kRow - 1) / kRow);
    require(::drmModeCreateDumbBuffer(card_.get(), kRow, rows, 8, 0, &handle, &pitch, &size) == 0,
            "drmModeCreateDumbBuffer");
    int descriptor = -1;
    require(::drmPrimeHandleToFD(card_.get(), handle, DRM_CLOEXEC | DRM_RDWR, &descriptor) == 0,
            "drmPrimeHandleToFD");
    UniqueFd buffer(descriptor);
    ::drmModeDestroyDumbBuffer(card_.get(), handle);  // the dma-buf keeps the memory
    write(buffer, content);
    return buffer;
}

std::shared_ptr<FramePool> VirtualCard::ring(std::uint32_t slots, std::span<const std::byte> content) const {
    std::vector<UniqueFd> buffers;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
        buffers.push_back(buffer(wholePages(content.size()), content));
    }
    return FramePool::onBuffers(std::move(buffers), content.size());
}

void write(const UniqueFd& buffer, std::span<const std::byte> content) {
    if (content.empty()) {
        return;
    }
    void* memory = ::mmap(nullptr, content.size(), PROT_READ | PROT_WRITE, MAP_SHARED, buffer.get(), 0);
    require(memory != MAP_FAILED, "mmap");
    std::memcpy(memory, content.data(), content.size());
    ::munmap(memory, content.size());
}

}  // namespace verbcast::testing
