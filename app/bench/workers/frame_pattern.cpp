#include "app/bench/workers/frame_pattern.h"

#include <algorithm>
#include <cstring>

#include "core/base/checksum.h"

namespace verbcast {
namespace {

constexpr std::size_t kPieceBytes = 32U << 10;  // about the size of a first-level cache
constexpr std::size_t kLanes = 8;
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: the increment of SplitMix64

// GCC and Clang use the target's widest instructions for it, at any optimisation level.
using Lanes = std::uint64_t __attribute__((vector_size(kLanes * sizeof(std::uint64_t))));

/// Eight counters that advance together; each word of the frame is a counter mixed by one shift, so that
/// filling costs little more than writing.
class Noise {
  public:
    explicit Noise(std::uint64_t number) {
        // SplitMix64's finalizer: neighbouring numbers start far apart (S. Vigna, public domain).
        std::uint64_t seed = (number + 1) * kGolden;
        seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
        seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
        // Each frame has its own step, so that two frames' counters do not keep a constant distance.
        step_ = (seed ^ (seed >> 31)) | 1;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            counters_[lane] = seed + lane * step_;
        }
    }

    void write(std::byte* memory, std::size_t bytes) {
        constexpr std::size_t kBlock = sizeof(Lanes);
        for (; bytes >= kBlock; bytes -= kBlock, memory += kBlock) {
            next();
            std::memcpy(memory, &words_, kBlock);
        }
        if (bytes > 0) {
            next();
            std::memcpy(memory, &words_, bytes);
        }
    }

  private:
    void next() {
        words_ = counters_ ^ (counters_ >> 29);
        counters_ += kLanes * step_;
    }

    std::uint64_t step_ = 1;
    Lanes counters_{}, words_{};
};

}  // namespace

std::uint64_t writeFrame(std::span<std::byte> frame, std::uint64_t number) {
    Noise noise(number);
    Checksum checksum;
    for (std::size_t done = 0; done < frame.size(); done += kPieceBytes) {
        const auto piece = frame.subspan(done, std::min(kPieceBytes, frame.size() - done));
        noise.write(piece.data(), piece.size());
        checksum.add(piece);
    }
    return checksum.value();
}

bool frameIsIntact(std::span<const std::byte> frame, std::uint64_t hash) {
    return checksumOf(frame) == hash;
}

std::shared_ptr<FramePool> touchedRing(std::uint64_t slotBytes, std::uint32_t slots) {
    auto ring = FramePool::create({.slotBytes = slotBytes, .slotCount = slots});
    std::memset(ring->memory()->bytes().data(), 1, ring->memory()->bytes().size());
    return ring;
}

}  // namespace verbcast
