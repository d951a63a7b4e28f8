// A verbcast process that the window starts: its output and how it ends.
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>
#include <chrono>
#include <optional>

#include "app/window/parts/message_overlay.h"
#include "app/window/settings/command_composer.h"

namespace verbcast {

struct ChildEnd {
    int exitCode = 0;
    bool asked = false;                ///< stop() was called
    std::optional<Message> problem{};  ///< what went wrong; nullopt if it ended well or was stopped
    QString lastLine{};                ///< its last line, such as statistics
};

/// What went wrong in a program with these output lines and exit code: its last error, in the format of
/// report_error.h, else its last line; nullopt if the code is 0 or that of an interruption.
std::optional<Message> childProblem(const QStringList& lines, int exitCode);

/// An address that can be typed elsewhere, in a line like "waiting for a viewer on tcp://:7423,
/// shm://port-7423"; empty if there is none.
QString addressSaid(const QString& line);

/// The process ends with this object, and with this program in any case. Belongs to the GUI thread.
class ChildProgram : public QObject {
    Q_OBJECT
  public:
    /// A sender takes up to a second to say goodbye to its viewers.
    static constexpr std::chrono::milliseconds kStopPatience{5000};

    /// `patience`: how long it may take to end before it is killed.
    explicit ChildProgram(QObject* parent = nullptr, std::chrono::milliseconds patience = kStopPatience);
    ~ChildProgram() override;

    /// Whether it inherits VERBCAST_KEY from the environment.
    enum class Key { OfEnvironment, None };
    /// Whether write() leads to its standard input, or that is /dev/null.
    enum class Input { None, Written };
    /// Runs `verbcast WORDS`, which inherits the descriptor (-1: none). Call only while none runs. ended()
    /// also reports a failure to start.
    void start(const Words& words, int inherited = -1, Key key = Key::OfEnvironment,
               Input input = Input::None);
    void write(const QByteArray& bytes) { process_.write(bytes); }
    /// Interrupts it as Ctrl-C does; kills it when its patience is over.
    void stop();
    bool running() const { return process_.state() != QProcess::NotRunning; }

  Q_SIGNALS:
    /// A line of its standard error.
    void said(const QString& line);
    void ended(const verbcast::ChildEnd& end);

  private:
    void readLines();
    void onFinished(int exitCode, QProcess::ExitStatus status);
    void onFailedToStart(QProcess::ProcessError error);

    QProcess process_;
    const std::chrono::milliseconds stopPatience_;
    QTimer patience_;
    QByteArray partial_;
    QStringList lines_;  // the last few
    bool asked_ = false;
};

}  // namespace verbcast
