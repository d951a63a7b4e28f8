#include "app/window/parts/core_words.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <array>

namespace verbcast {
namespace {

struct CoreWords {
    Q_DECLARE_TR_FUNCTIONS(verbcast::CoreWords)
  public:
    static auto all();
};

// The core does not use Qt, and lupdate does not read it: its texts are repeated here.
auto CoreWords::all() {
    static constexpr auto kWords = std::to_array<const char*>(
        {// core/session/trust/trust.cpp
         QT_TR_NOOP("anybody: no key; anyone on the network can read and change everything"),
         QT_TR_NOOP("a program on this machine, without a key"),
         QT_TR_NOOP("authenticated by its key; messages are encrypted, pictures are not"),
         QT_TR_NOOP("authenticated by its key; everything is encrypted"),
         // capture/pattern/pattern_names.h
         QT_TR_NOOP("75% colour bars (SMPTE RP 219) with a line that moves"),
         QT_TR_NOOP("smooth colours that move sideways"),
         QT_TR_NOOP("new noise in every frame: nothing to compress or predict"),
         QT_TR_NOOP("zone plate up to the finest detail, panning"),
         QT_TR_NOOP("large frame counter and time code"), QT_TR_NOOP("black, and white at each whole second"),
         // render/scenes/scene_names.h
         QT_TR_NOOP("waves running through a field of pillars"),
         QT_TR_NOOP("boulders orbiting a light, each on its own path"),
         // app/view/layout.cpp
         QT_TR_NOOP("Grid"), QT_TR_NOOP("One large"), QT_TR_NOOP("Side by side"),
         QT_TR_NOOP("Picture in picture"), QT_TR_NOOP("Wipe"), QT_TR_NOOP("Difference"), QT_TR_NOOP("Free"),
         QT_TR_NOOP("Stereo, side by side"), QT_TR_NOOP("Stereo, half width"), QT_TR_NOOP("Stereo, anaglyph"),
         QT_TR_NOOP("Stereo, interlaced"), QT_TR_NOOP("Stereo, page flip"), QT_TR_NOOP("rows and columns"),
         QT_TR_NOOP("one large, the others beside it"), QT_TR_NOOP("side by side"),
         QT_TR_NOOP("picture in picture"),
         QT_TR_NOOP("two in one place, on either side of a line that can be dragged"),
         QT_TR_NOOP("the difference of two, with numbers"),
         QT_TR_NOOP("placed freely, over or under each other"),
         QT_TR_NOOP("stereo: side by side, half of the window for each eye"),
         QT_TR_NOOP("stereo: side by side, each squeezed to half of its width"),
         QT_TR_NOOP("stereo: for red and cyan glasses"),
         QT_TR_NOOP("stereo: alternate rows of the screen for each eye"),
         QT_TR_NOOP("stereo: alternate pictures for each eye, if the display supports it"),
         // core/video/pixel_format.cpp
         QT_TR_NOOP("packed RGB with alpha, 8 bits"), QT_TR_NOOP("packed BGR with alpha, 8 bits"),
         QT_TR_NOOP("packed RGB, 8 bits"), QT_TR_NOOP("packed RGB, 10 bits in a 32-bit word"),
         QT_TR_NOOP("planar 4:2:0, 8 bits"), QT_TR_NOOP("semi-planar 4:2:0, 8 bits"),
         QT_TR_NOOP("planar 4:2:2, 8 bits"), QT_TR_NOOP("packed 4:2:2, Cb Y Cr Y, 8 bits"),
         QT_TR_NOOP("packed 4:2:2, Y Cb Y Cr, 8 bits"), QT_TR_NOOP("planar 4:4:4, 8 bits"),
         QT_TR_NOOP("planar 4:2:0, 10 bits in the low bits of 16"),
         QT_TR_NOOP("semi-planar 4:2:0, 10 bits in the high bits of 16"),
         QT_TR_NOOP("planar 4:2:2, 10 bits in the low bits of 16"),
         QT_TR_NOOP("planar 4:4:4, 10 bits in the low bits of 16"),
         QT_TR_NOOP("packed 4:2:2, 10 bits, 6 pixels in 16 bytes (SDI)"), QT_TR_NOOP("luma only, 8 bits"),
         // Why no sound is heard: render/sound
         QT_TR_NOOP("no PipeWire runs, and ALSA has no device that plays"), QT_TR_NOOP("PipeWire has ended"),
         QT_TR_NOOP("PipeWire has no device that plays"), QT_TR_NOOP("PipeWire has no %1"),
         QT_TR_NOOP("there is no sound output %1"),
         // Why a stream has its transport: core/session
         QT_TR_NOOP("as asked for"), QT_TR_NOOP("chosen by the peer"),
         // The state of a stream: core/stream/frame_receiver.cpp, core/transport
         QT_TR_NOOP("waiting for a sender on %1"), QT_TR_NOOP("connecting to %1"),
         QT_TR_NOOP("nobody is listening on %1"),
         // Why it ended: app/commands/send/sending.cpp
         QT_TR_NOOP("end of stream"), QT_TR_NOOP("interrupted"),
         // What statistics count: app/cli/option_values.h
         QT_TR_NOOP("A frame is dropped if it was never sent, because the viewer was not ready for it."),
         QT_TR_NOOP(  // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one sentence
             "A frame is skipped if it arrived but was not shown, because a newer one had arrived, "
             "the viewer was paused, or it ended."),
         QT_TR_NOOP("A paused viewer keeps its picture; the stream continues.")});
    return std::span<const char* const>(kWords);
}

}  // namespace

std::span<const char* const> coreWords() {
    return CoreWords::all();
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
    for (const std::string_view each : CoreWords::all()) {
        const std::size_t value = each.find("%1");
        if (value == std::string_view::npos ? text == each : text.starts_with(each.substr(0, value))) {
            return value == std::string_view::npos
                       ? CoreWords::tr(each.data())
                       : CoreWords::tr(each.data()).arg(QString::fromUtf8(text.substr(value)));
        }
    }
    return QString::fromUtf8(text);
}

}  // namespace verbcast
