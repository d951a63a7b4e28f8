#include "tests/fuzz/link_ends.h"

#include <algorithm>
#include <array>

#include "core/base/checksum.h"
#include "core/stream/send/viewer_input.h"

namespace verbcast::fuzz {
namespace {

constexpr std::uint64_t kPipeBlockBytes = 4096;
constexpr std::uint32_t kPipeDepth = 4;
// How long to wait until the peer no longer reads: immediate once it has hung up, never if it got no ring.
constexpr std::chrono::milliseconds kReading{2};

/// Covers the start and the end of the frame only: all of it would take too long.
std::uint64_t checksumOfEnds(const std::byte* data, std::uint64_t bytes) {
    constexpr std::uint64_t kEnd = 512;
    const std::uint64_t end = std::min(bytes, kEnd);
    // No exclusive or: in a small frame both parts are the same bytes.
    return 31 * checksumOf({data, static_cast<std::size_t>(end)}) +
           checksumOf({data + (bytes - end), static_cast<std::size_t>(end)});
}

/// What earlier connections have left.
void forget(ReceiverShared& shared) {
    for (IncomingTrack& track : shared.tracks) {
        track.record(0) = {};
    }
}

/// Reused: creating its histograms takes longer than most scripts.
ReceiverShared& receiverShared(bool threeTracks) {
    static constexpr std::array kContents{TrackContent::Frames, TrackContent::Frames, TrackContent::Sound};
    struct Both {
        ReceiverShared one{4, std::span(kContents).first(1), std::nullopt};
        ReceiverShared three{4, kContents, std::nullopt};
    };
    static Both both;
    ReceiverShared& shared = threeTracks ? both.three : both.one;
    forget(shared);
    return shared;
}

}  // namespace

void HeldFrames::hold(FrameLease lease, std::uint64_t bytes) {
    require(bytes >= 1 && bytes <= lease.capacity(), "a frame larger than its slot");
    const std::uint64_t checksum = checksumOfEnds(lease.data(), bytes);
    held_.push_back({std::move(lease), bytes, checksum});
}

void HeldFrames::release(std::size_t which) {
    if (held_.empty()) {
        return;
    }
    const auto one = held_.begin() + static_cast<std::ptrdiff_t>(which % held_.size());
    require(shared_ || checksumOfEnds(one->lease.data(), one->bytes) == one->checksum,
            "a frame changed while it was held");
    held_.erase(one);
}

void HeldFrames::releaseAll() {
    while (!held_.empty()) {
        release(0);
    }
}

ReceiverEnd::ReceiverEnd(bool peerMayWrite, bool threeTracks)
    : shared_(receiverShared(threeTracks)), gathering_(shared_), held_(peerMayWrite) {}

void ReceiverEnd::connect(PeerConnection peer) {
    link_ = std::make_unique<ReceiverLink>(std::move(peer), linkOptions(), shared_, gathering_);
}

void ReceiverEnd::act(std::uint8_t what, std::uint8_t argument) {
    ReceivedFrame frame;
    switch (what % 4) {
        case 0:
            if (shared_.tracks[argument % shared_.tracks.size()].take(frame)) {
                if (frame.format) {
                    require(!formatProblem(*frame.format), "a frame of an impossible format");
                    require(frame.format->payloadBytes == frame.info.payloadBytes, "a frame of another size");
                }
                if (frame.sound) {
                    require(!soundFormatProblem(*frame.sound), "sound of an impossible format");
                    require(frame.sound->samplesOf(frame.info.payloadBytes).has_value(), "half a sample");
                }
                held_.hold(std::move(frame.lease), frame.info.payloadBytes);
            }
            return;
        case 1:
            held_.release(argument);
            link_->wake();
            return;
        case 2:
            link_->sendInput({.sequence = argument, .event = {.kind = InputKind::Wheel, .dx = 1}});
            return;
        default:
            static_cast<void>(link_->format(0));
            if (argument == 0xFF) {
                link_->stop("the viewer left");
            }
            return;
    }
}

void ReceiverEnd::letGo() {
    link_->letGo();
    link_.reset();
    forget(shared_);
    held_.releaseAll();
    ReceivedFrame frame;
    for (IncomingTrack& track : shared_.tracks) {
        while (track.take(frame)) {
            held_.hold(std::move(frame.lease), frame.info.payloadBytes);
            held_.releaseAll();
        }
    }
}

SenderEnd::SenderEnd(Policy policy, bool takesInput)
    : takesInput_(takesInput),
      shared_(4, {policy}),
      viewer_(shared_, 1, false, std::make_shared<ViewerAccount>()) {
    beginEpoch(true);
}

void SenderEnd::beginEpoch(bool video) {
    current_.epoch = std::make_shared<const Epoch>(
        Epoch{kMainTrack, video ? TrackFormat::ofVideo(tightFormat(32, 16, PixelFormat::gray))
                                : TrackFormat::ofBytes(600)});
    changePool();
}

void SenderEnd::changePool() {
    current_.pool = FramePool::create(
        {.slotBytes = current_.epoch->format.slotBytes(), .slotCount = 4, .hugePages = false});
    pools_.push_back(current_.pool);
}

void SenderEnd::connect(PeerConnection peer) {
    link_ = std::make_unique<SenderLink>(std::move(peer), linkOptions(), viewer_, 1, std::vector{current_});
    if (takesInput_) {
        link_->plugIn(std::make_unique<ViewerInputs>(*link_, shared_.input));
    }
    for (SlotBudget& budget : shared_.budgets) {
        budget.join(1, nowNs());
    }
}

void SenderEnd::submit() {
    auto lease = current_.pool->tryAcquire();
    if (!lease || !link_->canPush(0)) {
        return;
    }
    const std::uint64_t bytes = current_.epoch->format.slotBytes();
    std::fill_n(lease->data(), bytes, std::byte{7});
    static_cast<void>(link_->imports().of(kMainTrack, current_.pool->memory()));
    FrameInfo info;
    info.sequence = nextSequence_++;
    info.payloadBytes = bytes;
    for (const auto slow : shared_.budgets[kMainTrack].offered(info.sequence)) {
        require(slow == 1, "a receiver that there is not has to go");
        link_->evict("too slow");
    }
    link_->push({std::move(*lease), info, current_.epoch});
}

void SenderEnd::act(std::uint8_t what, std::uint8_t argument) {
    switch (what % 8) {
        case 0:
            if (pools_.size() < 16) {
                if ((argument & 2) != 0) {
                    changePool();
                } else {
                    beginEpoch((argument & 1) != 0);
                }
            }
            return;
        case 1:
            link_->finish("end of file");
            return;
        case 2:
            static_cast<void>(link_->stats());
            if (argument == 0xFF) {
                link_->stop("the sender stopped");
            }
            return;
        default:
            submit();
            return;
    }
}

void SenderEnd::letGo() {
    link_->conclude();
    static_cast<void>(link_->takeUnaccepted(true));
    link_->letGo(Deadline::in(kReading));
    link_.reset();
    for (const auto& pool : pools_) {
        require(pool->slots().freeCount() == pool->slotCount(), "a sender's slot was lost");
    }
}

void PipeSinkEnd::connect(PeerConnection peer) {
    link_ = std::make_unique<PipeSinkLink>(std::move(peer), linkOptions(), progress_);
}

void PipeSinkEnd::act(std::uint8_t what, std::uint8_t argument) {
    PipeBlock block;
    if (const auto offer = link_->offered(); offer && !accepted_) {
        accepted_ = true;
        PipeAccept accept;
        accept.blockBytes = std::min(offer->blockBytes, kPipeBlockBytes);
        accept.depth = std::min(offer->depth, kPipeDepth);
        accept.checksum = offer->checksum;
        accept.start = total_ = (argument & 1) != 0 ? 100 : 0;
        link_->accept(accept, accept.depth);
    } else if (what % 4 == 0) {
        held_.release(argument);
        link_->wake();
    } else if (what == 0xFF) {
        link_->fail({.code = 5, .text = "disk full"});
    } else if (link_->pop(block)) {
        total_ += block.bytes;
        held_.hold(std::move(block.lease), block.bytes);
    } else if (const auto end = link_->endOfStream(); end && !finished_) {
        finished_ = true;
        require(end->bytes == total_, "a stream ended with other bytes than came");
        link_->finish();
    }
}

void PipeSinkEnd::letGo() {
    static_cast<void>(link_->peerFailure());
    held_.releaseAll();
    link_.reset();
}

PipeSourceEnd::PipeSourceEnd()
    : pool_(FramePool::create({.slotBytes = kPipeBlockBytes, .slotCount = kPipeDepth, .hugePages = false})) {}

void PipeSourceEnd::connect(PeerConnection peer) {
    link_ = std::make_unique<PipeSourceLink>(
        std::move(peer), linkOptions(), progress_,
        PipeOffer{.blockBytes = kPipeBlockBytes, .depth = kPipeDepth, .checksum = false, .length = {}});
}

void PipeSourceEnd::act(std::uint8_t what, std::uint8_t /*argument*/) {
    if (what == 0xFF) {
        link_->fail({.code = 5, .text = "cannot read"});
    } else if (what % 8 == 0 && link_->accepted() && !finished_) {
        finished_ = true;
        link_->finish({.bytes = link_->accepted()->start + sent_});
    } else if (!finished_ && link_->canPush()) {
        static_cast<void>(link_->import(pool_->memory()));
        if (auto lease = pool_->tryAcquire()) {
            const std::uint64_t bytes = link_->accepted()->blockBytes;
            std::fill_n(lease->data(), bytes, std::byte{3});
            sent_ += bytes;
            link_->push({std::move(*lease), bytes});
        }
    }
}

void PipeSourceEnd::letGo() {
    link_.reset();
    require(pool_->slots().freeCount() == pool_->slotCount(), "a slot of a pipe was lost");
}

}  // namespace verbcast::fuzz
