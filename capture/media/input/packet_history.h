// Keeps the packets since the last key picture, so that another decoder can continue where one failed.
#pragma once

#include <cstdint>
#include <deque>
#include <set>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// Gives each packet a number, which FFmpeg passes on to the picture decoded from it (AVPacket::pos,
/// AVFrame::pkt_pos): time stamps may be missing or wrong. The number identifies pictures already handed out
/// when another decoder makes them again. Used by one thread.
class PacketHistory {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;

    /// Keeps at most that many bytes; drops the earliest packets first.
    explicit PacketHistory(std::size_t maxBytes = kMaxBytes) : maxBytes_(maxBytes) {}

    /// Numbers a packet just read and keeps a reference to it, unless letGo() was called.
    void keep(AVPacket& packet);

    /// Call when the picture leaves the decoder.
    void handOut(const AVFrame& picture) { handedOut_.insert(picture.pkt_pos); }
    /// Call if the decoder cannot deliver the picture after all.
    void takeBack(const AVFrame& picture) { handedOut_.erase(picture.pkt_pos); }
    /// Call when the picture has been copied from the decoder's memory. If it is a key picture, everything
    /// before it is dropped: no picture after it, in either order, needs that.
    void arrived(const AVFrame& picture);
    /// Whether another decoder has handed this picture out. Ask once per picture.
    bool wasHandedOut(const AVFrame& picture) { return handedOut_.erase(picture.pkt_pos) > 0; }

    /// Makes next() return the kept packets again, earliest first.
    void rewind() { next_ = 0; }
    /// The next kept packet; false if there are no more.
    bool next(AVPacket& packet);
    /// Call once the last decoder is chosen: next() then forgets what it returns, and nothing more is kept.
    void letGo() { last_ = true; }

    /// Whether the kept packets suffice to decode everything that was not handed out.
    bool isWhole() const { return whole_; }
    /// Call after a seek.
    void clear();

  private:
    struct Kept {
        PacketPtr packet;
        std::int64_t number;
        bool key;
    };
    void forgetFirst();

    const std::size_t maxBytes_;
    std::deque<Kept> kept_;
    std::size_t bytes_ = 0;
    std::size_t next_ = SIZE_MAX;  // index into kept_; beyond its end, next() returns nothing
    std::set<std::int64_t> handedOut_;
    std::int64_t number_ = 0;
    bool whole_ = true;
    bool last_ = false;
};

}  // namespace verbcast
