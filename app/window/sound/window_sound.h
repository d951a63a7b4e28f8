// The sound of a window: which of its streams sounds, how loud, and its meters.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

#include "app/window/picture/video_surface.h"
#include "app/window/sound/sound_meters.h"
#include "app/window/streams/viewer_controller.h"

namespace verbcast {

/// The stream in focus sounds, or a pinned one; the others are silent. Belongs to the GUI thread.
class WindowSound : public QObject {
    Q_OBJECT
  public:
    /// Both must outlive this.
    WindowSound(ViewerController& controller, VideoSurface& video);

    /// Call when another stream has the focus, and after any other change of the window.
    void follow();

    bool muted() const { return muted_; }
    void toggleMute();
    /// By that many per cent. Ends muting when it gets louder.
    void changeVolume(double by);
    /// Whether the focused stream sounds whichever has the focus.
    bool pinned() const { return pinned_ == &focused(); }
    void togglePin();
    /// The one that sounds, unless it is muted.
    StreamFeed& sounding() const { return pinned_ ? *pinned_ : focused(); }

    bool metersVisible() const { return meterTimer_.isActive(); }
    void toggleMeters();

  Q_SIGNALS:
    /// For the user, of what has changed.
    void news(const QString& text);

  private:
    StreamFeed& focused() const { return controller_.feed(video_.focus()); }
    void measure();

    ViewerController& controller_;
    VideoSurface& video_;
    double volume_;
    bool muted_;
    QPointer<StreamFeed> pinned_;  // null: the focused one sounds
    SoundMeters meters_;
    const StreamFeed* measured_ = nullptr;
    QTimer meterTimer_;  // active while the meters are visible
};

}  // namespace verbcast
