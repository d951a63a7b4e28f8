// What a window shows of several streams, as a stream of its own.
#pragma once

#include <QObject>
#include <QString>
#include <string>

#include "app/window/main/child_program.h"
#include "app/window/settings/session.h"

namespace verbcast {

/// Runs `verbcast compose`, which connects to the senders itself. Belongs to the GUI thread; what is sent
/// ends with this object.
class SentView : public QObject {
    Q_OBJECT
  public:
    explicit SentView(QObject* parent = nullptr);

    /// Whether a view with these settings can be sent: its streams all have addresses, and its layout shows
    /// them as they are.
    static bool canSend(const ViewSettings& view, std::size_t streams);

    /// Throws as composeCommand() does.
    void start(const ViewSettings& view, std::size_t focus, PictureSize size);
    void stop() { program_.stop(); }
    bool running() const { return program_.running(); }
    /// The window shows this now; streams are still those of start().
    void follow(const ViewSettings& view, std::size_t focus);
    /// Where viewers find it; empty: not yet.
    const QString& address() const { return address_; }

  Q_SIGNALS:
    /// For the user: where it is, or why it ended.
    void news(const QString& text);

  private:
    void send(const std::string& line);

    ChildProgram program_;
    ViewSettings shown_;
    std::size_t focus_ = 1;
    QString address_;
};

}  // namespace verbcast
