// The real programs, run as a user would run them.
#pragma once

#include <QImage>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <memory>
#include <string>

namespace verbcast::testing {

/// Runs `verbcast ARGUMENTS` in a folder, which also serves as its home. Killed with this object.
class Verbcast {
  public:
    /// `display` may be empty: then there is none. `through`: words before the command, such as those of
    /// TwoHosts::on().
    Verbcast(const QStringList& arguments, const QString& folder, const QString& display = {},
             const QStringList& through = {});
    ~Verbcast();
    Verbcast(const Verbcast&) = delete;
    Verbcast& operator=(const Verbcast&) = delete;

    void write(const QByteArray& bytes);
    void closeInput() { process_.closeWriteChannel(); }
    void interrupt();
    /// SIGKILL, as when the machine fails.
    void kill();
    bool running();
    qint64 processId() const { return process_.processId(); }

    /// Waits for the end; -1 when it does not come. Ends by a signal are 128 and its number.
    int exitCode();
    /// What it wrote to stderr so far.
    std::string errors();

  private:
    QProcess process_;
    QByteArray errors_;
};

/// A sender of raw RGBA pictures, one for each call of show(), over shared memory.
class PictureSender {
  public:
    PictureSender(const QSize& size, const QString& url, const QString& folder);
    /// One that calls a viewer there.
    static std::unique_ptr<PictureSender> calling(const QSize& size, const QString& url,
                                                  const QString& folder);
    /// `picture` has the sender's size. Waits until the sender has read it, which for one larger than a pipe
    /// may take a viewer.
    void show(const QImage& picture);
    void kill() { program_.kill(); }
    void finish() { program_.closeInput(); }
    Verbcast& program() { return program_; }

  private:
    PictureSender(const QSize& size, const QString& option, const QString& url, const QString& folder);

    Verbcast program_;
};

/// A picture in which every pixel differs from its neighbours, and pictures of different seeds from each
/// other.
QImage testPicture(const QSize& size, int seed);

/// What sanitizers reported about programs that ran in the folder; empty when all is well.
std::string sanitizerReports(const QString& folder);

QJsonObject readJson(const QString& path);

}  // namespace verbcast::testing
