#include "app/window/picture/snapshot.h"

#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QImageWriter>

#include "core/base/error.h"
#include "core/base/os/whole_file.h"

namespace verbcast {
namespace {

constexpr int kMaxNames = 10000;

// Writes a 4K picture in a second; the file is hardly larger than at the slowest level.
constexpr int kPngQuality = 80;  // Qt's scale: 100 is uncompressed, 0 the smallest file

[[noreturn]] void throwUnwritable(const QString& path, const QString& reason) {
    throw Error(ErrorKind::Usage,
                "cannot write the picture " + path.toStdString() + ": " + reason.toStdString(),
                "choose a folder that exists and that you may write to");
}

void writePng(QIODevice& device, const RgbaImage& image, const QString& path) {
    const QImage picture(image.pixels.data(), static_cast<int>(image.width), static_cast<int>(image.height),
                         static_cast<qsizetype>(image.width) * 4, QImage::Format_RGBA8888);
    QImageWriter writer(&device, "png");
    writer.setQuality(kPngQuality);
    // Streams carry no transparency: an alpha channel is not part of the picture on the screen.
    if (!writer.write(picture.convertToFormat(QImage::Format_RGB888))) {
        throwUnwritable(path, writer.errorString());
    }
}

}  // namespace

QString snapshotName(const QDateTime& when, std::uint64_t sequence) {
    return QString("verbcast-%1-frame%2.png").arg(when.toString("yyyyMMdd-HHmmss")).arg(sequence);
}

QString saveNewPng(const RgbaImage& image, const QString& folder, const QString& name) {
    const QString stem = QDir(folder).filePath(QFileInfo(name).completeBaseName());
    for (int number = 1; number < kMaxNames; ++number) {
        QString path = stem + (number == 1 ? QString() : QString("-%1").arg(number)) + ".png";
        QFile file(path);
        if (file.open(QIODevice::WriteOnly | QIODevice::NewOnly)) {
            try {
                writePng(file, image, path);
                if (!file.flush() || file.error() != QFileDevice::NoError) {
                    throwUnwritable(path, file.errorString());
                }
            } catch (...) {
                QFile::remove(path);
                throw;
            }
            return path;
        }
        if (!QFile::exists(path)) {
            throwUnwritable(path, file.errorString());
        }
    }
    throwUnwritable(stem + ".png", "too many pictures of that name");
}

void savePng(const RgbaImage& image, const QString& path) {
    QBuffer png;
    png.open(QIODevice::WriteOnly);
    writePng(png, image, path);
    writeWhole(path.toStdString(), png.data().toStdString());
}

}  // namespace verbcast
