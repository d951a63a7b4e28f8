#include "app/window/main/child_program.h"

#include <fcntl.h>
#include <sys/prctl.h>

#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QSysInfo>
#include <csignal>

#include "app/host/helper_program.h"
#include "app/window/desktop/exit_signals.h"
#include "app/window/parts/window_words.h"
#include "core/base/text/clean_text.h"
#include "core/session/trust/session_key.h"
#include "core/transport/url.h"

namespace verbcast {
namespace {

constexpr qsizetype kLinesKept = 50;
const QString kErrorPrefix = QStringLiteral("verbcast: ");
const QString kLoggedPrefix = QStringLiteral("error: ");
const QString kWarningPrefix = QStringLiteral("verbcast: warning: ");
const QString kRemedyPrefix = QStringLiteral("  try: ");

/// Runs in the child between fork and exec: async-signal-safe calls only.
void prepareChild(int inherited) {
    // The window blocks SIGINT and SIGTERM to read them from a descriptor; the child would inherit that.
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (inherited >= 0) {
        ::fcntl(inherited, F_SETFD, 0);
    }
}

}  // namespace

std::optional<Message> childProblem(const QStringList& lines, int exitCode) {
    if (exitCode == 0 || exitCode == kInterruptedExit) {
        return std::nullopt;
    }
    Message message{.alarming = true};
    for (qsizetype i = lines.size(); i-- > 0;) {
        if (lines[i].startsWith(kErrorPrefix) && !lines[i].startsWith(kWarningPrefix)) {
            message.text = lines[i].mid(kErrorPrefix.size());
            if (message.text.startsWith(kLoggedPrefix)) {
                message.text.remove(0, kLoggedPrefix.size());
            }
            if (i + 1 < lines.size() && lines[i + 1].startsWith(kRemedyPrefix)) {
                message.remedy = lines[i + 1].mid(kRemedyPrefix.size());
            }
            return inWindowWords(message);
        }
    }
    message.text = lines.isEmpty() ? ChildProgram::tr("it ended with exit code %1").arg(exitCode)
                                   : ChildProgram::tr("%1 (exit code %2)").arg(lines.last()).arg(exitCode);
    return message;
}

QString addressSaid(const QString& line) {
    static const QRegularExpression waiting(
        "waiting for a viewer on (?:.*, )?(\\w+)://([^:/,]*|\\[[^\\]]*\\]):(\\d+)");
    const QRegularExpressionMatch found = waiting.match(line);
    if (!found.hasMatch()) {
        return {};
    }
    const QString host = found.captured(2).isEmpty() ? QSysInfo::machineHostName() : found.captured(2);
    return host + (found.captured(3).toUInt() == kDefaultPort ? QString() : ":" + found.captured(3));
}

ChildProgram::ChildProgram(QObject* parent, std::chrono::milliseconds patience)
    : QObject(parent), stopPatience_(patience) {
    process_.setProcessChannelMode(QProcess::ForwardedOutputChannel);
    patience_.setSingleShot(true);
    connect(&patience_, &QTimer::timeout, &process_, &QProcess::kill);
    connect(&process_, &QProcess::readyReadStandardError, this, &ChildProgram::readLines);
    connect(&process_, &QProcess::finished, this, &ChildProgram::onFinished);
    // Queued: starting may fail before start() returns.
    connect(&process_, &QProcess::errorOccurred, this, &ChildProgram::onFailedToStart, Qt::QueuedConnection);
}

ChildProgram::~ChildProgram() {
    process_.disconnect(this);
    if (running()) {
        if (!asked_) {
            process_.terminate();
        }
        if (!process_.waitForFinished(static_cast<int>(stopPatience_.count()))) {
            process_.kill();
            process_.waitForFinished();
        }
    }
}

void ChildProgram::start(const Words& words, int inherited, Key key, Input input) {
    partial_.clear();
    lines_.clear();
    asked_ = false;
    QStringList arguments;
    for (const std::string& word : words) {
        arguments << QString::fromStdString(word);
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (key == Key::None) {
        environment.remove(kKeyVariable);
    }
    environment.insert("VERBCAST_LOG_TIMES", "off");  // its lines are shown to the user
    process_.setProcessEnvironment(environment);
    process_.setStandardInputFile(input == Input::None ? QProcess::nullDevice() : QString());
    process_.setChildProcessModifier([inherited] { prepareChild(inherited); });
    process_.start(QString::fromStdString(helperProgram("verbcast")), arguments);
}

void ChildProgram::stop() {
    if (running() && !asked_) {
        asked_ = true;
        process_.terminate();
        patience_.start(stopPatience_);
    }
}

void ChildProgram::readLines() {
    partial_ += process_.readAllStandardError();
    for (qsizetype end = partial_.indexOf('\n'); end >= 0; end = partial_.indexOf('\n')) {
        const QString line = QString::fromStdString(cleanLine(partial_.left(end).toStdString()));
        partial_.remove(0, end + 1);
        lines_ << line;
        if (lines_.size() > kLinesKept) {
            lines_.removeFirst();
        }
        Q_EMIT said(line);
    }
}

void ChildProgram::onFinished(int exitCode, QProcess::ExitStatus status) {
    patience_.stop();
    readLines();
    ChildEnd end{.exitCode = exitCode, .asked = asked_};
    if (status == QProcess::CrashExit) {
        end.exitCode = 128 + exitCode;  // as shells report it; Qt gives the signal's number
    }
    if (!asked_) {
        end.problem = childProblem(lines_, end.exitCode);
    }
    end.lastLine = lines_.isEmpty() ? QString() : lines_.last();
    Q_EMIT ended(end);
}

void ChildProgram::onFailedToStart(QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) {
        return;  // onFinished() follows
    }
    Q_EMIT ended({.exitCode = 1,
                  .asked = false,
                  .problem = Message{
                      .text = tr("verbcast cannot be started: %1").arg(process_.errorString()),
                      .remedy = tr("reinstall Verbcast: verbcast and its window must be installed together"),
                      .alarming = true}});
}

}  // namespace verbcast
