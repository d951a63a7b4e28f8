#include "app/window/parts/core_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace verbcast {
namespace {

constexpr const char* kContext = "verbcast::CoreWords";

// The core does not use Qt, and lupdate does not read it: its texts are repeated here.
constexpr const char* kWords[] = {
    // core/session/trust/trust.cpp
    QT_TRANSLATE_NOOP("verbcast::CoreWords",
                      "anybody: no key; anyone on the network can read and change everything"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "a program on this machine, without a key"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords",
                      "authenticated by its key; messages are encrypted, pictures are not"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "authenticated by its key; everything is encrypted"),
    // capture/pattern/pattern_names.h
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "75% colour bars (SMPTE RP 219) with a line that moves"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "smooth colours that move sideways"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "new noise in every frame: nothing to compress or predict"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "zone plate up to the finest detail, panning"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "large frame counter and time code"),
    // render/scenes/scene_names.h
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "waves running through a field of pillars"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "boulders orbiting a light, each on its own path"),
    // app/view/words/layout_names.h
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "rows and columns"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "one large, the others beside it"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "side by side"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "picture in picture"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords",
                      "two in one place, on either side of a line that can be dragged"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "the difference of two, with numbers"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "placed with the mouse, over or under each other"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "stereo: side by side, half of the window for each eye"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "stereo: side by side, each squeezed to half of its width"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "stereo: for red and cyan glasses"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "stereo: alternate rows of the screen for each eye"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords",
                      "stereo: alternate pictures for each eye, if the display supports it"),
    // core/video/pixel_format.cpp
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed RGB with alpha, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed BGR with alpha, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed RGB, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed RGB, 10 bits in a 32-bit word"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "planar 4:2:0, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "semi-planar 4:2:0, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "planar 4:2:2, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed 4:2:2, Cb Y Cr Y, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed 4:2:2, Y Cb Y Cr, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "planar 4:4:4, 8 bits"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "planar 4:2:0, 10 bits in the low bits of 16"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "semi-planar 4:2:0, 10 bits in the high bits of 16"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "planar 4:2:2, 10 bits in the low bits of 16"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "planar 4:4:4, 10 bits in the low bits of 16"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "packed 4:2:2, 10 bits, 6 pixels in 16 bytes (SDI)"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "luma only, 8 bits"),
    // Why a stream has its transport: core/session
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "as asked for"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "chosen by the peer"),
    // The state of a stream: core/stream/frame_receiver.cpp, core/transport
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "waiting for a sender on %1"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "connecting to %1"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "nobody is listening on %1"),
    // Why it ended: app/send/sending.cpp
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "end of stream"),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "interrupted"),
    // What statistics count: app/cli/option_values.h
    QT_TRANSLATE_NOOP("verbcast::CoreWords",
                      "A frame is dropped if it was never sent, because the viewer was not ready for it."),
    QT_TRANSLATE_NOOP("verbcast::CoreWords",
                      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one sentence
                      "A frame is skipped if it arrived but was not shown, because a newer one had arrived, "
                      "the viewer was paused, or it ended."),
    QT_TRANSLATE_NOOP("verbcast::CoreWords", "A paused viewer keeps its picture; the stream continues.")};

QString translated(const char* text) {
    return QCoreApplication::translate(kContext, text);
}

}  // namespace

std::span<const char* const> coreWords() {
    return kWords;
}

QString sentence(const QString& words) {
    QString result = words.trimmed();
    // Addresses, options and names of files stay as they are.
    static const QRegularExpression plain("^[^\\s:/.=_-]+[,;:.]?(\\s|$)");
    if (plain.match(result).hasMatch()) {
        result[0] = result[0].toUpper();
    }
    return result;
}

QString inWindowLanguage(std::string_view text) {
    for (const std::string_view each : kWords) {
        const std::size_t value = each.find("%1");
        if (value == std::string_view::npos ? text == each : text.starts_with(each.substr(0, value))) {
            return value == std::string_view::npos
                       ? translated(each.data())
                       : translated(each.data())
                             .arg(QString::fromUtf8(text.data() + value,
                                                    static_cast<qsizetype>(text.size() - value)));
        }
    }
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace verbcast
