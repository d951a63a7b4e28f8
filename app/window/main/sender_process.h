// The child program that sends or previews for the window, and its statistics.
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <memory>

#include "app/window/main/child_program.h"
#include "app/window/stats/sender_stats.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Belongs to the GUI thread. The program ends with this object.
class SenderProcess : public ChildProgram {
    Q_OBJECT
  public:
    explicit SenderProcess(QObject* parent = nullptr);

    /// Sends and offers a preview. Call only while nothing runs. Throws Error{Usage}, before starting
    /// anything, for settings that the program would refuse at once.
    void send(const SendSettings& settings);
    /// Shows the source at previewUrl() only. Throws likewise.
    void preview(const SendSettings& settings);
    /// What preview() would run, without the address: tells whether it would change anything.
    static Words previewWords(const SendSettings& settings);

    /// Where the window's own viewer finds the preview of the last start.
    const std::string& previewUrl() const { return previewUrl_; }

  Q_SIGNALS:
    void stats(const verbcast::SenderStats& stats);
    void pairing(const verbcast::PairingNews& news);
    void playback(const verbcast::PlaybackNews& news);

  private:
    void newPreviewUrl();
    void openStats();
    void readStats();

    std::string previewUrl_;
    unsigned starts_ = 0;
    UniqueFd statsRead_, statsWrite_;
    std::unique_ptr<QSocketNotifier> statsReady_;
    std::string partial_;
};

}  // namespace verbcast
