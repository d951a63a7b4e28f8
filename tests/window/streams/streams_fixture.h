// Several senders and one window that shows them.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {

class StreamsTest : public WindowTest {
  protected:
    static constexpr int kGap = 6;
    // Picture sizes that grids of six, two and four show unscaled.
    static constexpr QSize kOfSix{418, 235};
    static constexpr QSize kOfTwo{631, 355};
    static constexpr QSize kOfFour{624, 351};

    QString urlOf(int stream) const { return url() + QString("-%1").arg(stream); }
    static QImage pictureOf(int stream, const QSize& size) { return testPicture(size, 3 * stream + 1); }

    static QImage flatPicture(int stream, const QSize& size) {
        QImage picture(size, QImage::Format_RGB32);
        picture.fill(qRgb(40 + 70 * stream, 200 - 60 * stream, 90));
        return picture;
    }

    void startSender(int stream, const QImage& picture) {
        senders_.resize(std::max<std::size_t>(senders_.size(), static_cast<std::size_t>(stream) + 1));
        sender(stream) = std::make_unique<PictureSender>(picture.size(), urlOf(stream), folder());
        sender(stream)->show(picture);
    }
    std::unique_ptr<PictureSender>& sender(int stream) {
        return senders_.at(static_cast<std::size_t>(stream));
    }

    /// Starts a sender for each picture and a window that shows them.
    void open(const std::vector<QImage>& pictures, const QStringList& more = {}) {
        QStringList arguments{"view"};
        for (const QImage& picture : pictures) {
            const auto stream = static_cast<int>(arguments.size()) - 1;
            startSender(stream, picture);
            arguments << urlOf(stream);
        }
        window_ = std::make_unique<Verbcast>(arguments + more, folder(), x_.display());
        x_.movePointer(2, 300);
    }
    static std::vector<QImage> pictures(int count, const QSize& size) {
        std::vector<QImage> pictures;
        for (int stream = 0; stream < count; ++stream) {
            pictures.push_back(pictureOf(stream, size));
        }
        return pictures;
    }
    static std::vector<QImage> flatPictures(int count, const QSize& size) {
        std::vector<QImage> pictures;
        for (int stream = 0; stream < count; ++stream) {
            pictures.push_back(flatPicture(stream, size));
        }
        return pictures;
    }

    /// The place of a picture in a grid that is centred in the window.
    static QRect cell(int stream, int columns, int rows, const QSize& size) {
        const int left = (kPictureArea.width() - columns * size.width() - (columns - 1) * kGap) / 2;
        const int top = (kPictureArea.height() - rows * size.height() - (rows - 1) * kGap) / 2;
        return {QPoint(left + stream % columns * (size.width() + kGap),
                       top + stream / columns * (size.height() + kGap)),
                size};
    }

    bool shows(const QRect& place, const QImage& picture) {
        return eventually([&] { return x_.screenshot().copy(place) == picture; });
    }
    /// Waits, because names and notes disappear by themselves.
    bool showsFlat(const QRect& place, int stream) { return shows(place, flatPicture(stream, place.size())); }
    /// The stream fills the whole window, except for notes at the bottom.
    bool alone(int stream) { return showsFlat({0, 0, 1280, 560}, stream); }
    bool focused() {
        return eventually([&] { return x_.focus("Verbcast.*"); });
    }
    /// Whether the place shows the dimmed last picture of a stream that was lost or has ended.
    bool isDimmed(const QRect& place, const QImage& picture) {
        const auto at = [&](const QPoint& point) {
            const QColor bright = picture.pixelColor(point - place.topLeft());
            const QColor dimmed(bright.red() * 105 / 255, bright.green() * 105 / 255,
                                bright.blue() * 105 / 255);
            return similar(x_.screenshot().pixelColor(point), dimmed);
        };
        const QPoint inCorner(3, 3);
        return eventually(
            [&] { return at(place.topLeft() + inCorner) && at(place.bottomRight() - inCorner); });
    }

    void TearDown() override {
        window_.reset();
        senders_.clear();
        WindowTest::TearDown();
    }

    std::vector<std::unique_ptr<PictureSender>> senders_;
};

}  // namespace verbcast::testing
