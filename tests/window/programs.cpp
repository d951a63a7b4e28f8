#include "tests/window/programs.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QProcessEnvironment>
#include <csignal>
#include <stdexcept>

namespace verbcast::testing {
namespace {

constexpr int kPatienceMilliseconds = 60'000;
constexpr const char* kReportPrefix = "sanitizer";

QProcessEnvironment environmentFor(const QString& folder, const QString& display) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* variable :
         {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP",
          "DBUS_SESSION_BUS_ADDRESS", "LANGUAGE", "LC_ALL", "LC_MESSAGES"}) {
        environment.remove(variable);
    }
    environment.insert("LANG", "C.UTF-8");  // the windows speak English
    if (!display.isEmpty()) {
        environment.insert("DISPLAY", display);
    }
    environment.insert("VERBCAST_TIMEOUT", "5");  // machines that run tests are busy
    environment.insert("HOME", folder);
    environment.insert("XDG_RUNTIME_DIR", folder);
    environment.insert("LIBGL_ALWAYS_SOFTWARE", "1");
    // For sanitizer builds. Leak detection is off for windows: display drivers leak a little at every exit
    // from modules that are already unloaded, and the leak checker's tracer sometimes crashes among the
    // software renderer's threads.
    environment.insert("ASAN_OPTIONS",
                       "detect_leaks=0:abort_on_error=1:log_path=" + folder + "/" + kReportPrefix);
    environment.insert("UBSAN_OPTIONS", "print_stacktrace=1:log_path=" + folder + "/" + kReportPrefix);
    return environment;
}

}  // namespace

Verbcast::Verbcast(const QStringList& arguments, const QString& folder, const QString& display,
                   const QStringList& through) {
    QStringList words = through + QStringList{VERBCAST_PROGRAM} + arguments;
    const QString program = words.takeFirst();
    process_.setProcessEnvironment(environmentFor(folder, display));
    process_.setWorkingDirectory(folder);
    process_.setProcessChannelMode(QProcess::SeparateChannels);
    // These tests may run in a script's background, or under nohup.
    process_.setChildProcessModifier([] { ::signal(SIGINT, SIG_DFL); });
    process_.start(program, words);
    if (!process_.waitForStarted(kPatienceMilliseconds)) {
        throw std::runtime_error("cannot start " + program.toStdString());
    }
}

Verbcast::~Verbcast() {
    kill();
}

void Verbcast::write(const QByteArray& bytes) {
    process_.write(bytes);
    while (process_.bytesToWrite() > 0 && process_.waitForBytesWritten(kPatienceMilliseconds)) {
    }
}

void Verbcast::interrupt() {
    ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
}

void Verbcast::kill() {
    process_.kill();
    process_.waitForFinished(kPatienceMilliseconds);
}

int Verbcast::exitCode() {
    if (process_.state() != QProcess::NotRunning && !process_.waitForFinished(kPatienceMilliseconds)) {
        return -1;
    }
    return process_.exitStatus() == QProcess::CrashExit ? 128 + process_.exitCode() : process_.exitCode();
}

bool Verbcast::running() {
    // No event loop runs that would update the state.
    process_.waitForFinished(0);
    return process_.state() == QProcess::Running;
}

std::string Verbcast::errors() {
    running();  // reads what is available
    errors_ += process_.readAllStandardError();
    return errors_.toStdString();
}

PictureSender::PictureSender(const QSize& size, const QString& option, const QString& url,
                             const QString& folder)
    : program_({"send", "-", "--size", QString("%1x%2").arg(size.width()).arg(size.height()), "--format",
                "rgba", option, url},
               folder) {}

PictureSender::PictureSender(const QSize& size, const QString& url, const QString& folder)
    : PictureSender(size, "--listen", url, folder) {}

std::unique_ptr<PictureSender> PictureSender::calling(const QSize& size, const QString& url,
                                                      const QString& folder) {
    return std::unique_ptr<PictureSender>(new PictureSender(size, "--to", url, folder));
}

void PictureSender::show(const QImage& picture) {
    const QImage rgba = picture.convertToFormat(QImage::Format_RGBA8888);
    program_.write(QByteArray(reinterpret_cast<const char*>(rgba.constBits()), rgba.sizeInBytes()));
}

QImage testPicture(const QSize& size, int seed) {
    QImage picture(size, QImage::Format_RGB32);
    for (int y = 0; y < size.height(); ++y) {
        for (int x = 0; x < size.width(); ++x) {
            picture.setPixel(
                x, y, qRgb((x * 7 + seed * 50) % 256, (y * 11 + seed * 90) % 256, (x * y + seed) % 256));
        }
    }
    return picture;
}

std::string sanitizerReports(const QString& folder) {
    const QDir place(folder);
    QByteArray reports;
    for (const QString& name : place.entryList({QString(kReportPrefix) + ".*"})) {
        QFile file(place.filePath(name));
        if (file.open(QIODevice::ReadOnly)) {
            reports += file.readAll();
        }
    }
    return reports.toStdString();
}

QJsonObject readJson(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

}  // namespace verbcast::testing
