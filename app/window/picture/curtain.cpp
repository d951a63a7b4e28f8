#include "app/window/picture/curtain.h"

#include <QImageReader>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/parts/colours.h"
#include "core/base/error.h"

namespace verbcast {

Curtain::Curtain(QImage still) : still_(std::move(still)) {}

double Curtain::opacity(TimestampNs now) const {
    constexpr double kFadeNs = static_cast<double>(std::chrono::nanoseconds(kFade).count());
    const double step = std::max(static_cast<double>(now - beganAt_), 0.0) / kFadeNs;
    return end_ > begin_ ? std::min(begin_ + step, end_) : std::max(begin_ - step, end_);
}

void Curtain::moveTo(double end, TimestampNs now) {
    if (end != end_) {
        begin_ = opacity(now);
        end_ = end;
        beganAt_ = now;
    }
}

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
    // Screens count in pixels, whatever ratio the file's name ("@2x") suggests.
    still.setDevicePixelRatio(1);
    return still;
}

}  // namespace verbcast
