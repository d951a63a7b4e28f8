// One screen of a kiosk without a desktop: its stream, picture and statistics.
#pragma once

#include <optional>
#include <string>

#include "app/kms/kms_picture.h"
#include "app/kms/kms_stream.h"
#include "core/stats/histogram.h"
#include "render/kms/kms_screens.h"

namespace verbcast {

/// Belongs to the screens' thread, where their OpenGL context is current.
class KmsScreen {
  public:
    /// All arguments must outlive this.
    KmsScreen(const ViewOptions& options, const StreamPeer& peer, KmsScreens& screens, std::size_t index);

    void begin();
    void hear(const KmsNews& news);
    /// Does whatever is due: takes new frames, draws them, shows them.
    void serve();
    /// Readable if serve() has work.
    std::vector<int> descriptors();

    /// True if serve() may have work although no descriptor is readable.
    bool busy() const { return drawnAhead_ || stale_; }

    KmsStream& stream() { return stream_; }
    /// True if its stream has ended (--once) and its last frame was shown or cannot be.
    bool over();
    StreamStats stats() const;

  private:
    void showNewest();
    void showFrameLocked();
    void passFrameLock();
    void paint();
    void onShown(const KmsNews& news);
    bool isFrameLocked();

    KmsScreens& screens_;
    const std::size_t index_;
    KmsStream stream_;
    KmsPicture picture_;
    std::optional<ReceivedFrame> drawn_;  // not on the screen yet; its lease is empty
    bool stale_ = true;                   // the screen shows an outdated picture
    bool drawnAhead_ = false;             // showing together: drawn and waiting until due
    bool awaited_ = false;                // showing together: submitted but not seen yet
    TimestampNs finishedAt_ = 0;
    std::optional<TimestampNs> lastFrameAt_;
    LatencyHistogram interval_, wait_;
    ScreenStats stats_;
};

}  // namespace verbcast
