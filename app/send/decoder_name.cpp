#include "app/send/decoder_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/text/nearest_word.h"

namespace verbcast {

Decoder parseDecoder(std::string_view name) {
    const auto found = std::ranges::find(kDecoderNames, name, &DecoderName::name);
    if (found != kDecoderNames.end()) {
        return found->decoder;
    }
    std::vector<std::string> names;
    names.reserve(kDecoderNames.size());
    for (const DecoderName& each : kDecoderNames) {
        names.emplace_back(each.name);
    }
    throw Error(ErrorKind::Usage, fmt::format("--decoder {}: {} expected", name, fmt::join(names, ", ")),
                didYouMean(name, names));
}

}  // namespace verbcast
