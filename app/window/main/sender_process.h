// The program that sends for the window, or shows its source before: what runs, and its figures.
#pragma once

#include <QObject>
#include <QSocketNotifier>
#include <memory>

#include "app/window/figures/sender_figures.h"
#include "app/window/main/child_program.h"
#include "core/base/unique_fd.h"

namespace verbcast {

/// Belongs to the GUI thread. Ends with this object.
class SenderProcess : public QObject {
    Q_OBJECT
  public:
    explicit SenderProcess(QObject* parent = nullptr);

    /// Sends, and offers a preview. Throws Error{Usage} for settings that the program would refuse at once,
    /// before anything is started. Only while it does not run.
    void send(const SendSettings& settings);
    /// Shows the source to previewUrl() alone. Throws likewise.
    void preview(const SendSettings& settings);
    /// What preview() would run, but for the address: tells whether it would change anything.
    static Words previewWords(const SendSettings& settings);

    void stop() { program_.stop(); }
    /// A line for --control.
    void command(const QByteArray& line) { program_.write(line); }
    bool running() const { return program_.running(); }
    /// Where the window's own viewer can look, of the last start.
    const std::string& previewUrl() const { return previewUrl_; }

  Q_SIGNALS:
    void said(const QString& line);
    void figures(const verbcast::SenderFigures& figures);
    void pairing(const verbcast::PairingNews& news);
    void playback(const verbcast::PlaybackNews& news);
    void ended(const verbcast::ChildEnd& end);

  private:
    void newPreviewUrl();
    void openFigures();
    void readFigures();

    ChildProgram program_;
    std::string previewUrl_;
    unsigned starts_ = 0;
    UniqueFd figuresRead_, figuresWrite_;
    std::unique_ptr<QSocketNotifier> figuresReady_;
    std::string partial_;
};

}  // namespace verbcast
