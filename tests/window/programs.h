// The real programs, run as a user runs them.
#pragma once

#include <QImage>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <memory>
#include <string>

namespace verbcast::testing {

/// Runs `verbcast ARGUMENTS` in a folder that also serves as its home. The destructor kills it.
class Verbcast {
  public:
    /// An empty `display` means no display. `through` is a command prefix, such as the one from
    /// TwoHosts::on().
    Verbcast(const QStringList& arguments, const QString& folder, const QString& display = {},
             const QStringList& through = {});
    ~Verbcast();
    Verbcast(const Verbcast&) = delete;
    Verbcast& operator=(const Verbcast&) = delete;

    void write(const QByteArray& bytes);
    void closeInput() { process_.closeWriteChannel(); }
    void interrupt();
    /// Sends SIGKILL, to simulate a machine failure.
    void kill();
    bool running();
    qint64 processId() const { return process_.processId(); }

    /// Waits for the program to exit; -1 on timeout. Returns 128 plus the signal number if a signal ended it.
    int exitCode();
    /// What it has written to stderr so far.
    std::string errors();

  private:
    QProcess process_;
    QByteArray errors_;
};

/// Sends raw RGBA pictures over shared memory, one for each call of show().
class PictureSender {
  public:
    PictureSender(const QSize& size, const QString& url, const QString& folder);
    /// A sender that connects to a listening viewer.
    static std::unique_ptr<PictureSender> calling(const QSize& size, const QString& url,
                                                  const QString& folder);
    /// `picture` must have the sender's size. Waits until the sender has read it; if it is larger than a
    /// pipe, that may need a viewer.
    void show(const QImage& picture);
    void kill() { program_.kill(); }
    void finish() { program_.closeInput(); }
    Verbcast& program() { return program_; }

  private:
    PictureSender(const QSize& size, const QString& option, const QString& url, const QString& folder);

    Verbcast program_;
};

/// A picture in which every pixel differs from its neighbours. Pictures from different seeds differ
/// everywhere.
QImage testPicture(const QSize& size, int seed);

/// Sanitizer reports of programs that ran in the folder; empty if there are none.
std::string sanitizerReports(const QString& folder);

QJsonObject readJson(const QString& path);

}  // namespace verbcast::testing
