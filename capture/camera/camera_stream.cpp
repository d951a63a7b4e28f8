#include "capture/camera/camera_stream.h"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace verbcast {
namespace {

// Buffers that the device keeps while others are being sent; most drivers need two or three to run.
constexpr std::uint32_t kBuffersInDevice = 4;

/// Notes where the driver deviates from the chosen mode.
void noteDeviations(const CameraChoice& choice, const CameraPicture& picture,
                    const std::optional<Rational>& rate, std::vector<std::string>& notes) {
    if (picture.width != choice.width || picture.height != choice.height || picture.fourCc != choice.fourCc) {
        notes.push_back(fmt::format("the camera delivers {}x{} {} instead of {}x{} {}", picture.width,
                                    picture.height, fourCcText(picture.fourCc), choice.width, choice.height,
                                    fourCcText(choice.fourCc)));
    }
    if (choice.rate && rate && std::abs(rate->value() / choice.rate->value() - 1) > 1e-4) {
        notes.push_back(fmt::format("the camera delivers {:.5g} instead of {:.5g} fps", rate->value(),
                                    choice.rate->value()));
    }
    if (auto field = fieldNote(picture.field)) {
        notes.push_back(std::move(*field));
    }
}

}  // namespace

CameraStream::CameraStream(const std::string& path, const CameraWish& wish, const Slots& slots)
    : device_(path) {
    setMode(wish, slots);
    if (decoder_) {
        prepareMappedMemory(slots);
    } else {
        prepareMemory(slots);
    }
}

void CameraStream::prepareMemory(const Slots& slots) {
    const CameraMemoryChoice choice = slots.memory;
    const bool any = choice == CameraMemoryChoice::Best;
    if ((any || choice == CameraMemoryChoice::Ring) && prepareUserMemory(slots)) {
        return;
    }
    std::string why = "asked for";
    if (any || choice == CameraMemoryChoice::DmaBuf) {
        why = prepareSharedMemory(slots);
        if (why.empty()) {
            notes_.push_back(fmt::format("the pictures stay in the memory of the driver {}, as dma-bufs",
                                         device_.driver()));
            return;
        }
    } else if (choice == CameraMemoryChoice::Ring) {
        why = fmt::format("the driver {} cannot write into the frame ring", device_.driver());
    }
    prepareMappedMemory(slots);
    notes_.push_back(fmt::format("each picture is copied once: {}", why));
}

void CameraStream::setMode(const CameraWish& wish, const Slots& slots) {
    const std::vector<CameraMode> modes = device_.modes();
    CameraChoice choice = chooseCameraMode(modes, wish);
    notes_ = std::move(choice.notes);
    const CameraPicture picture = device_.setMode(choice);
    fourCc_ = picture.fourCc;
    imageBytes_ = picture.imageBytes;
    if (isCompressed(fourCc_)) {
        decoder_.emplace(picture, device_.rate(), slots.decoderThreads, *slots.allocator);
    } else {
        format_ = cameraVideoFormat(picture, device_.rate());
    }
    noteDeviations(choice, picture, device_.rate(), notes_);
}

void CameraStream::usePool(const std::shared_ptr<FramePool>& pool, std::uint32_t slots,
                           std::uint64_t slotBytes) {
    const bool fits =
        pool && pool->memory()->writable() && pool->slotBytes() >= slotBytes && pool->slotCount() <= slots;
    pool_ = fits ? pool : FramePool::create({.slotBytes = slotBytes, .slotCount = slots});
}

/// Requests buffers for the device and the consumers. Returns how many there are.
std::uint32_t CameraStream::requestRing(CameraMemory memory, const Slots& slots) {
    memory_ = memory;
    return device_.requestBuffers(memory,
                                  std::min<std::uint32_t>(slots.count + kBuffersInDevice, VIDEO_MAX_FRAME));
}

bool CameraStream::prepareUserMemory(const Slots& slots) {
    const std::uint32_t granted = requestRing(CameraMemory::User, slots);
    if (granted == 0) {
        return false;
    }
    usePool(slots.pool, granted, imageBytes_);
    inDevice_.resize(granted);
    if (handOverFreeSlots()) {
        return true;
    }
    // The driver supports user memory, but not ours: some devices need it physically contiguous.
    useNothing();
    return false;
}

/// Undoes a failed preparation.
void CameraStream::useNothing() {
    device_.requestBuffers(memory_, 0);
    inDevice_.clear();
    pool_.reset();
    queued_ = 0;
}

/// Returns why the driver's memory cannot be the ring; empty if it can.
std::string CameraStream::prepareSharedMemory(const Slots& slots) {
    const std::uint32_t granted = requestRing(CameraMemory::Shared, slots);
    std::string problem = granted == 0 ? "the driver has no buffers" : "";
    if (problem.empty()) {
        std::vector<UniqueFd> buffers = device_.exportBuffers(granted);
        try {
            if (buffers.empty()) {
                problem = device_.problem().what();
            } else {
                pool_ = FramePool::onBuffers(std::move(buffers), format_->payloadBytes);
            }
        } catch (const Error& error) {
            problem = error.what();
        }
    }
    if (problem.empty()) {
        inDevice_.resize(granted);
        problem = handOverFreeSlots() ? "" : device_.problem().what();
    }
    if (!problem.empty()) {
        useNothing();
        return fmt::format("the driver {} gives no dma-bufs that could be used ({})", device_.driver(),
                           problem);
    }
    return {};
}

void CameraStream::prepareMappedMemory(const Slots& slots) {
    memory_ = CameraMemory::Mapped;
    const std::uint32_t granted = device_.requestBuffers(CameraMemory::Mapped, kBuffersInDevice);
    if (granted == 0) {
        throw Error(ErrorKind::Device, fmt::format("the camera {} offers no buffers", device_.path()));
    }
    if (format_) {
        usePool(slots.pool, std::max(1U, slots.count), format_->payloadBytes);
    }
    for (std::uint32_t buffer = 0; buffer < granted; ++buffer) {
        const bool fits = !format_ || device_.mapped(buffer).size() >= format_->payloadBytes;
        if (!fits || !giveBack(buffer)) {
            throw device_.problem();
        }
    }
}

bool CameraStream::handOverFreeSlots() {
    while (auto lease = pool_->tryAcquire()) {
        const std::uint32_t buffer = lease->slot();
        inDevice_[buffer] = std::move(*lease);
        if (!giveBack(buffer)) {
            inDevice_[buffer].reset();
            return false;
        }
    }
    return true;
}

bool CameraStream::giveBack(std::uint32_t buffer) {
    const bool queued = memory_ == CameraMemory::User
                            ? device_.queue(buffer, {inDevice_[buffer].data(), inDevice_[buffer].capacity()})
                            : device_.queue(buffer);
    queued_ += queued ? 1 : 0;
    return queued;
}

bool CameraStream::wait(Deadline deadline, const Event& cancel) {
    // While the device has a few buffers, freed slots can wait for the next picture.
    const bool needsSlot = inPlace() && queued_ < std::min(kBuffersInDevice, pool_->slotCount());
    if (!needsSlot) {
        return waitReadable({device_.descriptor(), cancel.descriptor()}, deadline);
    }
    pool_->slots().freed().arm();
    bool woken = true;
    if (pool_->slots().freeCount() == 0) {
        // A device without buffers only reports errors, and its silence is not its fault.
        woken =
            queued_ > 0
                ? waitReadable(
                      {device_.descriptor(), cancel.descriptor(), pool_->slots().freed().descriptor()},
                      deadline)
                : waitReadable({cancel.descriptor(), pool_->slots().freed().descriptor()}, Deadline::never());
    }
    pool_->slots().freed().disarm();
    return woken;
}

Status CameraStream::next(CapturedFrame& frame, FilledBuffer& filled, std::chrono::nanoseconds timeout,
                          const Event& cancel, SourceCounters& counters) {
    const Deadline deadline = Deadline::in(timeout);
    for (;;) {
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
        if (inPlace() && !handOverFreeSlots()) {
            return Status::Closed;
        }
        if (!streaming_ && !device_.startStreaming()) {
            return Status::Closed;
        }
        streaming_ = true;
        const Status status = device_.dequeue(filled);
        if (status == Status::Closed) {
            return status;
        }
        if (status == Status::Ok) {
            --queued_;
            countLost(filled.sequence, counters);
            const Status taken = take(frame, filled, cancel, counters);
            if (taken != Status::Busy) {
                return taken;
            }
            if (deadline.passed()) {
                return Status::TimedOut;
            }
        } else if (!wait(deadline, cancel)) {
            return Status::TimedOut;
        }
    }
}

/// Returns Busy if the buffer holds no picture.
Status CameraStream::take(CapturedFrame& frame, const FilledBuffer& filled, const Event& cancel,
                          SourceCounters& counters) {
    Status status = Status::Ok;
    if (decoder_) {
        const std::span<const std::byte> buffer = device_.mapped(filled.index);
        status = decoder_->decode(buffer.first(std::min<std::size_t>(buffer.size(), filled.bytes)), cancel,
                                  frame, counters);
        if (decoder_->note() && std::ranges::count(notes_, *decoder_->note()) == 0) {
            notes_.push_back(*decoder_->note());
        }
    } else {
        frame.format = *format_;
        frame.flags = filled.bytes < format_->payloadBytes ? kFrameDamaged : 0U;
        if (inPlace()) {
            frame.lease = std::move(inDevice_[filled.index]);
        } else if (status = pool_->acquire(frame.lease, cancel); status == Status::Ok) {
            std::memcpy(frame.lease.data(), device_.mapped(filled.index).data(), format_->payloadBytes);
            ++counters.pixelCopies;
        }
    }
    frame.flags |= filled.damaged ? kFrameDamaged : 0U;
    if (memory_ == CameraMemory::Mapped && !giveBack(filled.index)) {
        frame.lease.reset();
        return Status::Closed;
    }
    return status;
}

void CameraStream::countLost(std::uint32_t sequence, SourceCounters& counters) {
    if (lastSequence_) {
        const std::uint32_t step = sequence - *lastSequence_;  // the counter may wrap
        if (step > 1 && step < 1U << 31) {
            counters.framesLost += step - 1;
        }
    }
    lastSequence_ = sequence;
}

void CameraStream::dropBacklog() {
    countFromNext();
    FilledBuffer filled;
    // Bounded by the device's buffers, so that this ends even if the device refills them faster.
    for (std::uint32_t left = streaming_ ? queued_ : 0; left > 0 && device_.dequeue(filled) == Status::Ok;
         --left) {
        --queued_;
        if (!giveBack(filled.index)) {
            return;  // next() reports it
        }
    }
    if (decoder_) {
        decoder_->restart();
    }
}

}  // namespace verbcast
