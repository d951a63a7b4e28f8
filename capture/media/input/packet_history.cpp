#include "capture/media/input/packet_history.h"

#include <algorithm>

#include "core/base/error.h"

namespace verbcast {

void PacketHistory::keep(AVPacket& packet) {
    packet.pos = ++number_;
    if (last_) {
        return;
    }
    PacketPtr copy(av_packet_clone(&packet));
    if (!copy) {
        throw Error(ErrorKind::Resource, "no memory for a packet");
    }
    bytes_ += static_cast<std::size_t>(packet.size);
    kept_.push_back({std::move(copy), number_, (packet.flags & AV_PKT_FLAG_KEY) != 0});
    next_ = SIZE_MAX;
    while (bytes_ > maxBytes_) {
        forgetFirst();
        whole_ = false;
    }
}

void PacketHistory::arrived(const AVFrame& picture) {
    // Gradual refresh starts with a key packet, but has no key picture.
    if (picture.pict_type != AV_PICTURE_TYPE_I) {
        return;
    }
    const auto key = std::ranges::find(kept_, picture.pkt_pos, &Kept::number);
    if (key == kept_.end() || !key->key) {
        return;
    }
    while (kept_.front().number != picture.pkt_pos) {
        forgetFirst();
    }
    handedOut_.erase(handedOut_.begin(), handedOut_.lower_bound(picture.pkt_pos));
    whole_ = true;
}

bool PacketHistory::next(AVPacket& packet) {
    if (next_ >= kept_.size()) {
        return false;
    }
    if (last_) {
        av_packet_move_ref(&packet, kept_.front().packet.get());
        forgetFirst();
        return true;
    }
    if (av_packet_ref(&packet, kept_[next_].packet.get()) < 0) {
        throw Error(ErrorKind::Resource, "no memory for a packet");
    }
    ++next_;
    return true;
}

void PacketHistory::clear() {
    kept_.clear();
    handedOut_.clear();
    bytes_ = 0;
    next_ = SIZE_MAX;
    whole_ = true;
}

void PacketHistory::forgetFirst() {
    bytes_ -= std::min(bytes_, static_cast<std::size_t>(kept_.front().packet->size));
    kept_.pop_front();
    if (next_ > 0 && next_ != SIZE_MAX) {
        --next_;
    }
}

}  // namespace verbcast
