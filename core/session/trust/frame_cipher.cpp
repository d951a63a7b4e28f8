#include "core/session/trust/frame_cipher.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/transport/path_checks.h"

namespace verbcast {
namespace {

constexpr std::size_t kTagBytes = AesGcm::kTagBytes;
// Far below what a key of AES-GCM may encrypt: 4096 frames of 2 GiB are 2^39 blocks.
constexpr std::uint64_t kFramesPerKey = 4096;
constexpr std::uint32_t kHeadChunk = 0xffff'ffff;  // in the nonce, in place of a chunk's number

struct Head {
    FrameInfo info;
    std::uint32_t ring = 0;
    std::uint32_t slot = 0;
};
static_assert(sizeof(Head) == kFrameInfoBytes + 8);

struct Tail {
    std::uint64_t number = 0;
    std::uint32_t blockCount = 0;
    std::uint32_t reserved = 0;
};
static_assert(sizeof(Tail) == 16);

constexpr std::size_t kMaxHeadBytes = sizeof(Head) + kMaxByteBlocks * sizeof(ByteBlock);

std::uint64_t chunksOf(std::uint64_t bytes) {
    return (bytes + kCipherChunkBytes - 1) / kCipherChunkBytes;
}

void requireGenuine(bool genuine) {
    if (!genuine) {
        throw peerError("a frame was changed on its way, or is not from the peer");
    }
}

/// Visits the runs of bytes of a slot that travel, in order and cut at chunk ends: visit(offset in the slot,
/// bytes, bytes that travel before it).
template <typename Visit>
void eachRun(std::span<const ByteBlock> blocks, std::uint64_t payloadBytes, Visit&& visit) {
    const ByteBlock whole{0, payloadBytes, payloadBytes, 1};
    std::uint64_t done = 0;
    for (const ByteBlock& block : blocks.empty() ? std::span(&whole, 1) : blocks) {
        for (std::uint64_t row = 0; row < block.rows; ++row) {
            const std::uint64_t begin = block.offset + row * block.stride;
            for (std::uint64_t at = 0; at < block.rowBytes;) {
                const std::uint64_t room = kCipherChunkBytes - done % kCipherChunkBytes;
                const std::uint64_t bytes = std::min(room, block.rowBytes - at);
                visit(begin + at, bytes, done);
                at += bytes;
                done += bytes;
            }
        }
    }
}

}  // namespace

std::uint64_t sealedBytes(std::uint64_t payloadBytes) {
    return payloadBytes + chunksOf(payloadBytes) * kTagBytes + kMaxHeadBytes + kTagBytes + sizeof(Tail);
}

FrameCipher::FrameCipher(FrameKeys keys, Side sealer) : keys_(std::move(keys)), sealer_(sealer) {}

void FrameCipher::useKeyFor(std::uint64_t number, AesGcm::Use use) {
    const std::uint64_t keyNumber = number / kFramesPerKey;
    if (keyNumber_ == keyNumber) {
        return;
    }
    std::array<std::byte, 9> context;
    context[0] = static_cast<std::byte>(sealer_);
    std::memcpy(&context[1], &keyNumber, sizeof keyNumber);
    gcm_.setKey(keys_(context), use);
    keyNumber_ = keyNumber;
}

std::uint64_t FrameCipher::seal(const OutgoingFrame& frame, const std::byte* plain, std::byte* into) {
    const std::uint64_t number = next_++;  // never again, whatever becomes of this frame
    useKeyFor(number, AesGcm::Use::Seal);
    const std::uint64_t bytes = requireSendable(frame, true);
    payloadBytes_ += bytes;
    std::byte* const tags = into + bytes;
    eachRun(frame.from.empty() ? frame.blocks : frame.from, frame.info.payloadBytes,
            [&](std::uint64_t place, std::uint64_t run, std::uint64_t done) {
                const std::uint64_t chunk = done / kCipherChunkBytes;
                if (done % kCipherChunkBytes == 0) {
                    gcm_.begin(number, static_cast<std::uint32_t>(chunk));
                }
                gcm_.pass({plain + place, run}, into + done);
                if (done + run == bytes || (done + run) % kCipherChunkBytes == 0) {
                    gcm_.finish(tags + chunk * kTagBytes);
                }
            });

    std::array<std::byte, kMaxHeadBytes> clear;
    const Head head{frame.info, frame.ring, frame.remoteSlot};
    const Tail tail{number, static_cast<std::uint32_t>(frame.blocks.size())};
    const std::size_t headBytes = sizeof head + frame.blocks.size_bytes();
    std::memcpy(clear.data(), &head, sizeof head);
    std::ranges::copy(std::as_bytes(frame.blocks), clear.begin() + sizeof head);
    std::byte* const sealedHead = tags + chunksOf(bytes) * kTagBytes;
    gcm_.begin(number, kHeadChunk);
    gcm_.cover(std::as_bytes(std::span(&tail, 1)));
    gcm_.pass(std::span(clear).first(headBytes), sealedHead);
    gcm_.finish(sealedHead + headBytes);
    std::byte* const end = sealedHead + headBytes + kTagBytes;
    std::memcpy(end, &tail, sizeof tail);
    return static_cast<std::uint64_t>(end - into) + sizeof tail;
}

FrameInfo FrameCipher::open(std::span<const std::byte> sealed, RingId ring, std::uint32_t slot,
                            std::span<std::byte> into, std::span<const ByteBlock> within) {
    constexpr std::size_t kMin = sizeof(Head) + kTagBytes + sizeof(Tail);
    requireGenuine(sealed.size() >= kMin);
    Tail tail;
    std::memcpy(&tail, sealed.last(sizeof tail).data(), sizeof tail);
    const std::size_t headBytes = sizeof(Head) + tail.blockCount * sizeof(ByteBlock);
    requireGenuine(tail.blockCount <= kMaxByteBlocks && tail.number >= next_ &&
                   sealed.size() >= headBytes + kTagBytes + sizeof tail);
    useKeyFor(tail.number, AesGcm::Use::Open);
    const std::byte* const sealedHead = sealed.data() + sealed.size() - sizeof tail - kTagBytes - headBytes;
    std::array<std::byte, kMaxHeadBytes> clear;
    gcm_.begin(tail.number, kHeadChunk);
    gcm_.cover(std::as_bytes(std::span(&tail, 1)));
    gcm_.pass({sealedHead, headBytes}, clear.data());
    requireGenuine(gcm_.matches(sealedHead + headBytes));
    Head head;
    std::memcpy(static_cast<void*>(&head), clear.data(), sizeof head);
    std::array<ByteBlock, kMaxByteBlocks> blocks;
    std::memcpy(blocks.data(), clear.data() + sizeof head, tail.blockCount * sizeof(ByteBlock));
    const auto used = std::span(blocks).first(tail.blockCount);
    const auto bytes =
        head.info.payloadBytes <= into.size() ? bytesOfBlocks(used, head.info.payloadBytes) : std::nullopt;
    requireGenuine(bytes && head.ring == ring && head.slot == slot &&
                   *bytes + chunksOf(*bytes) * kTagBytes ==
                       static_cast<std::uint64_t>(sealedHead - sealed.data()));
    if (!liesWithin(used, within)) {
        throw peerError("the peer writes beside its part of slot {}", slot);
    }
    next_ = tail.number + 1;
    const std::byte* const tags = sealed.data() + *bytes;
    eachRun(used, head.info.payloadBytes, [&](std::uint64_t place, std::uint64_t run, std::uint64_t done) {
        const std::uint64_t chunk = done / kCipherChunkBytes;
        if (done % kCipherChunkBytes == 0) {
            gcm_.begin(tail.number, static_cast<std::uint32_t>(chunk));
        }
        gcm_.pass(sealed.subspan(done, run), into.data() + place);
        if (done + run == *bytes || (done + run) % kCipherChunkBytes == 0) {
            requireGenuine(gcm_.matches(tags + chunk * kTagBytes));
        }
    });
    payloadBytes_ += *bytes;
    return head.info;
}

}  // namespace verbcast
