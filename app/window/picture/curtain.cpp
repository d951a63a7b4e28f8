#include "app/window/picture/curtain.h"

#include <QImageReader>
#include <QPainter>
#include <utility>

#include "app/window/style/colours.h"
#include "core/base/error.h"

namespace verbcast {

Curtain::Curtain(QImage still) : still_(std::move(still)) {}

const QImage& Curtain::image(const QSize& pixels) {
    if (fitted_.size() == pixels) {
        return fitted_;
    }
    fitted_ = QImage(pixels, QImage::Format_RGB32);
    fitted_.fill(theme::kBlack);
    if (!still_.isNull()) {
        const QImage scaled = still_.size() == pixels
                                  ? still_
                                  : still_.scaled(pixels, Qt::KeepAspectRatio, Qt::SmoothTransformation);
        QPainter painter(&fitted_);
        painter.drawImage((pixels.width() - scaled.width()) / 2, (pixels.height() - scaled.height()) / 2,
                          scaled);
    }
    return fitted_;
}

QImage loadStill(const std::string& path) {
    QImageReader reader(QString::fromStdString(path));
    reader.setDecideFormatFromContent(true);
    reader.setAutoTransform(true);
    QImage still = reader.read();
    if (still.isNull()) {
        throw Error(ErrorKind::Input,
                    "the still picture " + path + " cannot be read: " + reader.errorString().toStdString(),
                    "give a PNG or JPEG file with --still");
    }
    // Count pixels, whatever ratio the file's name ("@2x") suggests.
    still.setDevicePixelRatio(1);
    return still;
}

}  // namespace verbcast
