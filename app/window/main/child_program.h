// A verbcast that the window starts: what it says, and how it ends.
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>
#include <optional>

#include "app/window/parts/message_overlay.h"
#include "app/window/settings/command_composer.h"

namespace verbcast {

struct ChildEnd {
    int exitCode = 0;
    bool asked = false;              ///< stop() was called
    std::optional<Message> problem;  ///< what went wrong, unless it ended well or was asked to
    QString lastLine;                ///< what it said last, such as its figures
};

/// What a program that ended with this code has said went wrong: the last error among its lines, in the form
/// of report_error.h, else the last line; nothing when the code is 0 or that of an interruption.
std::optional<Message> childProblem(const QStringList& lines, int exitCode);

/// Ends with this object, and with this program, whatever happens to it. Belongs to the GUI thread.
class ChildProgram : public QObject {
    Q_OBJECT
  public:
    explicit ChildProgram(QObject* parent = nullptr);
    ~ChildProgram() override;

    /// Whether it gets the key of the environment (VERBCAST_KEY), if there is one.
    enum class Key { OfEnvironment, None };
    /// Whether write() leads to its standard input, or nothing does.
    enum class Input { None, Written };
    /// Runs `verbcast WORDS`, which inherits the descriptor (-1: none). Only when it does not run. A start
    /// that fails is told by ended(), too.
    void start(const Words& words, int inherited = -1, Key key = Key::OfEnvironment,
               Input input = Input::None);
    void write(const QByteArray& bytes) { process_.write(bytes); }
    /// Asks it to end as Ctrl-C does; kills it after a few seconds.
    void stop();
    bool running() const { return process_.state() != QProcess::NotRunning; }
    qint64 processId() const { return process_.processId(); }

  Q_SIGNALS:
    /// A line of its standard error.
    void said(const QString& line);
    void ended(const verbcast::ChildEnd& end);

  private:
    void readLines();
    void onFinished(int exitCode, QProcess::ExitStatus status);
    void onFailedToStart(QProcess::ProcessError error);

    QProcess process_;
    QTimer patience_;
    QByteArray partial_;
    QStringList lines_;  // the last ones
    bool asked_ = false;
};

}  // namespace verbcast
