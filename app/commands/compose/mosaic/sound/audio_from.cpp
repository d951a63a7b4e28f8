#include "app/commands/compose/mosaic/sound/audio_from.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.h"
#include "core/base/text/clean_text.h"

namespace verbcast::mosaic {

AudioFrom parseAudioFrom(std::string_view text, std::size_t inputs) {
    if (text == "focus") {
        return {AudioFrom::Way::Focus};
    }
    if (text == "mix") {
        return {AudioFrom::Way::Mix};
    }
    if (text == "none") {
        return {AudioFrom::Way::None};
    }
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > inputs) {
        throw Error(ErrorKind::Usage,
                    fmt::format("\"{}\": focus, mix, none or the number of an input expected, 1 to {}",
                                cleanText(text, 20), inputs));
    }
    return {AudioFrom::Way::Input, number - 1};
}

}  // namespace verbcast::mosaic
