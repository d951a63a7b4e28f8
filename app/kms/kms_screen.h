// One screen of a kiosk without a desktop: its stream, its picture, its figures.
#pragma once

#include <optional>
#include <string>

#include "app/kms/kms_picture.h"
#include "app/kms/kms_stream.h"
#include "core/stats/histogram.h"
#include "render/kms/kms_screens.h"

namespace verbcast {

/// Belongs to the thread of the screens, whose OpenGL context is current.
class KmsScreen {
  public:
    /// All outlive this.
    KmsScreen(const ViewOptions& options, const StreamPeer& peer, KmsScreens& screens, std::size_t index);

    void begin();
    void hear(const KmsNews& news);
    /// Does what is to be done now: takes what has come, draws it, shows it.
    void serve();
    /// Readable when serve() has something to do.
    std::vector<int> descriptors();

    /// serve() may have something to do without a descriptor's being readable.
    bool busy() const { return drawnAhead_ || stale_; }

    KmsStream& stream() { return stream_; }
    /// Its stream has ended (--once), and its last frame was shown, or cannot be.
    bool over();
    StreamStats stats() const;

  private:
    void showNewest();
    void showTogether();
    void passTogether();
    void paint();
    void onShown(const KmsNews& news);
    bool showsTogether();

    KmsScreens& screens_;
    const std::size_t index_;
    KmsStream stream_;
    KmsPicture picture_;
    std::optional<ReceivedFrame> drawn_;  // not yet on the screen; its lease is empty
    bool stale_ = true;                   // what is on the screen is not what it should be
    bool drawnAhead_ = false;             // together: waits for its time
    bool awaited_ = false;                // together: shown, and not yet seen
    TimestampNs finishedAt_ = 0;
    std::optional<TimestampNs> lastFrameAt_;
    LatencyHistogram interval_, wait_;
    ScreenStats figures_;
};

}  // namespace verbcast
