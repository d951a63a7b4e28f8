// Options of `verbcast compose --layout`.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/compose/mosaic/sound/audio_from.h"
#include "app/commands/send/sending_options.h"
#include "app/view/layout.h"
#include "app/view/pane_places.h"
#include "core/sync/frame_alignment.h"
#include "core/video/pixel_format.h"

namespace verbcast {

/// Upper limit: each input has one or two threads and a ring of memory.
inline constexpr std::size_t kMaxMosaicInputs = 64;

/// 0..1
struct RgbColour {
    float rgb[3] = {0, 0, 0};
};

struct MosaicOptions : SendingOptions {
    std::vector<std::string> inputs;  ///< addresses of senders, or sources as `send` takes them
    const Layout* layout = &layouts().front();
    std::vector<PanePlace> panes{};  ///< of the free layout
    std::size_t focus = 0;
    PictureSize size{1920, 1080};
    /// rgba, bgra or x2rgb10le; nullopt: whichever of the first two is read back without a conversion.
    std::optional<PixelFormat> pixelFormat{};
    AlignmentOptions alignment{};
    mosaic::AudioFrom audioFrom{};
    int gap = 0;     ///< pixels between pictures and around them
    int border = 0;  ///< thickness in pixels of a frame inside each picture
    /// Shows names: these, and where they are fewer or empty the inputs' own.
    std::optional<std::vector<std::string>> names{};
    RgbColour colour{};                        ///< behind the pictures
    std::string background{};                  ///< a PNG or JPEG file, over the colour
    std::chrono::nanoseconds fade{0};          ///< how long a change of the layout takes
    bool loop = false;                         ///< files restart at their end
    bool commanded = false;                    ///< lines on standard input change it: see changes.h
    std::optional<std::uint64_t> maxMemory{};  ///< for received frames in bytes; see RingMemory
};

/// Whether an input is a source of this host, as `send` takes it, and no sender's address: a scheme of
/// kSourceSchemes, "-", a file, or a URL that only FFmpeg knows.
bool isLocalInput(const std::string& input);

/// "1a2b3c" or "#1a2b3c", RGB in hexadecimal; nothing for another text.
std::optional<RgbColour> colourIn(const std::string& text);

}  // namespace verbcast
