#include "app/window/trust/qr_code.h"

#include <qrencode.h>

#include <QDialogButtonBox>
#include <QPainter>
#include <QPushButton>
#include <cerrno>
#include <chrono>
#include <memory>

#include "app/window/parts/form.h"
#include "app/window/style/theme.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kQuietModules = 4;  // ISO/IEC 18004, 6.3.8

/// Draws each module in whole pixels.
class ModulesView : public QWidget {
  public:
    ModulesView(const QImage& modules, QWidget* parent) : QWidget(parent), modules_(modules) {
        const int pixels = std::max(2, theme::line() * 22 / modules_.width());
        setFixedSize(modules_.size() * pixels);
        setAccessibleName(QrCodeDialog::tr("QR code"));
    }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.drawImage(rect(), modules_);
    }

  private:
    QImage modules_;
};

}  // namespace

QImage qrCode(const std::string& text) {
    const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
        QRcode_encodeData(static_cast<int>(text.size()), reinterpret_cast<const unsigned char*>(text.data()),
                          0, QR_ECLEVEL_M),
        &QRcode_free);
    if (!code) {
        throw Error(ErrorKind::Usage,
                    QrCodeDialog::tr("%1 bytes do not make a QR code: %2")
                        .arg(text.size())
                        .arg(QString::fromStdString(errnoText(errno)))
                        .toStdString(),
                    QrCodeDialog::tr("copy the key, or its file, instead").toStdString());
    }
    const int width = code->width;
    QImage image(width + 2 * kQuietModules, width + 2 * kQuietModules, QImage::Format_RGB32);
    image.fill(theme::kWhite);
    for (int y = 0; y < width; ++y) {
        for (int x = 0; x < width; ++x) {
            if ((code->data[y * width + x] & 1) != 0) {
                image.setPixelColor(x + kQuietModules, y + kQuietModules, theme::kBlack);
            }
        }
    }
    return image;
}

QrCodeDialog::QrCodeDialog(const std::string& secret, const QString& title, QWidget* parent)
    : QDialog(parent), remaining_(mutedLabel("", this)) {
    setWindowTitle(tr("Verbcast - QR code"));
    auto* heading = new QLabel(title, this);
    heading->setFont(theme::font(1.3, QFont::DemiBold));
    auto* warning = new QLabel(tr("Anyone who photographs this code has the key."), this);
    theme::setTone(*warning, theme::Tone::Warning);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* modules = new ModulesView(qrCode(secret), this);
    layOutDialog(*this, {heading, warning, rowOf(0, {Part::rest(), modules, Part::rest()}),
                         rowOf(theme::line() / 3, {Part(remaining_, 1), buttons})});
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&second_, &QTimer::timeout, this, &QrCodeDialog::countDown);
    second_.start(std::chrono::seconds(1));
    countDown();
}

void QrCodeDialog::countDown() {
    remaining_->setText(tr("Closes in %1 s").arg(seconds_));
    if (seconds_-- == 0) {
        reject();
    }
}

}  // namespace verbcast
