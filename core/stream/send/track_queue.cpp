#include "core/stream/send/track_queue.h"

#include <algorithm>

namespace verbcast {

void TrackQueue::giveUp() {
    queue_.drop();
    tally_.countDropped();
}

void LatestQueue::push(QueuedFrame&& frame, std::optional<QueuedFrame>& dropped) {
    if (queue_.size() >= length_ && (queue_.front().lease || queue_.size() > length_)) {
        if (!queue_.front().lease) {
            std::swap(queue_[0], queue_[1]);  // it is in hand: the oldest of those that wait goes
        }
        dropped = queue_.pop();
        tally_.countDropped();
    }
    queue_.push(std::move(frame));
}

void LatestQueue::putBack(QueuedFrame&& inHand) {
    TrackQueue::putBack(std::move(inHand));
    if (queue_.front().lease && queue_.size() > length_) {
        giveUp();  // it was not sent, and newer ones came meanwhile
    }
}

void LatestQueue::sent(const FrameInfo& info) {
    unheard_.push(info.sequence);
    queue_.drop();
    tally_.countSent(info);
}

bool LatestQueue::accepted(std::uint64_t next) {
    bool any = false;
    while (!unheard_.empty() && unheard_.front() < next) {
        unheard_.drop();
        any = true;
    }
    return any;
}

std::vector<QueuedFrame> LatestQueue::takeUnaccepted(bool lost) {
    if (lost) {
        tally_.countDropped(queue_.size() + unheard_.size());
    }
    queue_.clear();
    unheard_.clear();
    return {};
}

bool LosslessQueue::canPush() const {
    // A slot stays free for the source: it must get here to learn that nobody is left.
    return queue_.size() < kLength && queue_.size() + count_ < std::max(1U, slots_ - 1);
}

void LosslessQueue::prepare() {
    unaccepted_.makeRoom();
    kept_ = queue_.front().share();
}

void LosslessQueue::sent(const FrameInfo& info) {
    unaccepted_.push(std::move(kept_));
    ++count_;
    queue_.drop();
    tally_.countSent(info);
}

bool LosslessQueue::accepted(std::uint64_t next) {
    bool any = false;
    while (!unaccepted_.empty() && unaccepted_.front().info.sequence < next) {
        unaccepted_.drop();
        --count_;
        any = true;
    }
    return any;
}

void LosslessQueue::decline() {
    TrackQueue::decline();
    kept_ = {};
    unaccepted_.clear();
    count_ = 0;
}

std::vector<QueuedFrame> LosslessQueue::takeUnaccepted(bool /*lost*/) {
    kept_ = {};
    std::vector<QueuedFrame> frames;
    for (RingQueue<QueuedFrame>* from : {&unaccepted_, &queue_}) {
        while (!from->empty()) {
            frames.push_back(from->pop());
        }
    }
    return frames;
}

}  // namespace verbcast
