// Playback position of the sender's file, with buttons, a slider and keys to change it.
#pragma once

#include <QByteArray>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QWidget>

#include "app/window/stats/sender_stats.h"

namespace verbcast {

/// Hidden until the sender reports a position. Belongs to the GUI thread.
class PlaybackBar : public QWidget {
    Q_OBJECT
  public:
    explicit PlaybackBar(QWidget* parent = nullptr);

    void show(const PlaybackNews& news);
    /// Call when nothing is sent any more.
    void clear();

  Q_SIGNALS:
    /// A line for the sender's --control.
    void commanded(const QByteArray& line);

  private:
    void addKey(const QKeySequence& keys, void (PlaybackBar::*slot)());
    void pauseOrPlay();
    void previous() { Q_EMIT commanded("step -1\n"); }
    void next() { Q_EMIT commanded("step 1\n"); }
    void backward() { seek(news_.position - kJump); }
    void forward() { seek(news_.position + kJump); }
    void seek(double seconds);

    static constexpr double kJump = 5;  // seconds

    QPushButton* pause_;
    QPushButton* previous_;
    QPushButton* next_;
    QSlider* place_;  // in milliseconds
    QLabel* time_;
    PlaybackNews news_;
};

}  // namespace verbcast
