#include "app/window/wall/live_picture.h"

#include <QTransform>
#include <utility>

#include "app/wall/tile_region.h"
#include "core/base/error.h"
#include "render/gl/offscreen_context.h"
#include "render/stream_renderer.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kBetweenPictures = 200ms;
constexpr auto kStatePeriod = 100ms;
constexpr int kMaxWidth = 1280, kMaxHeight = 720;

QImage asShown(const RgbaImage& pixels, const VideoFormat& format) {
    const QImage stored(pixels.pixels.data(), static_cast<int>(pixels.width), static_cast<int>(pixels.height),
                        static_cast<qsizetype>(pixels.width) * 4, QImage::Format_RGBA8888);
    const DisplaySize size = displaySize(format);
    const QSize fitted =
        QSizeF(size.width, size.height).scaled(kMaxWidth, kMaxHeight, Qt::KeepAspectRatio).toSize();
    const QImage turned =
        format.rotation == 0 ? stored : stored.transformed(QTransform().rotate(format.rotation));
    // Always makes a copy: `pixels` does not outlive this.
    return turned.scaled(fitted, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)
        .convertToFormat(QImage::Format_RGB32);
}

}  // namespace

LivePicture::~LivePicture() {
    stop();
}

template <typename Emit>
void LivePicture::tell(std::uint64_t watch, Emit&& emit) {
    QMetaObject::invokeMethod(
        this,
        [this, watch, emit = std::forward<Emit>(emit)] {
            if (watch == watch_) {
                emit();
            }
        },
        Qt::QueuedConnection);
}

void LivePicture::watch(const ReceiverOptions& options) {
    stop();
    thread_ = std::jthread([this, options, watch = watch_](const std::stop_token& token) {
        try {
            run(options, watch, token);
        } catch (const std::exception& error) {
            tell(watch, [this, reason = QString::fromUtf8(error.what())] { Q_EMIT failed(reason); });
        }
    });
}

void LivePicture::stop() {
    thread_ = {};
    ++watch_;
}

void LivePicture::run(const ReceiverOptions& options, std::uint64_t watch, const std::stop_token& stop) {
    FrameReceiver receiver(options);
    const std::stop_callback cancel(stop, [&receiver] { receiver.cancel(); });
    const OffscreenContext context;
    StreamRenderer renderer(UploadPath::Direct);
    std::string told;
    TimestampNs convertedAt = 0;
    for (;;) {
        ReceivedFrame frame;
        const Status status = receiver.receiveNewest(frame, kStatePeriod);
        if (status != Status::Ok && status != Status::TimedOut) {
            return;
        }
        const std::string text = receiver.status().text;
        if (text != told) {
            told = text;
            tell(watch, [this, state = QString::fromStdString(text)] { Q_EMIT stateChanged(state); });
        }
        if (status != Status::Ok || (convertedAt != 0 && nowNs() - convertedAt < kBetweenPictures.count())) {
            continue;
        }
        // Frames in between were not taken, so their changes are unknown.
        const bool whole = renderer.take(*frame.format, frame.lease, PictureChanges::all(),
                                         [&] { return receiver.confirm(frame); });
        frame.lease.reset();
        if (whole) {
            convertedAt = nowNs();
            receiver.frameShown(frame);
            const VideoFormat& format = renderer.format();
            const QSize size(static_cast<int>(format.width), static_cast<int>(format.height));
            tell(watch, [this, size, upright = isUpright(format),
                         picture = asShown(renderer.readPicture(), format)] {
                Q_EMIT pictureChanged(picture, size, upright);
            });
        }
    }
}

}  // namespace verbcast
