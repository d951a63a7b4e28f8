#include "app/view/drm_choice.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "app/cli/options/values.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr double kMaxHertz = 1000;

}  // namespace

std::vector<std::string> namesOf(const char* option, const std::string& text) {
    const auto nameFrom = [&](const std::string&, const std::string& name) {
        if (name.empty()) {
            throw Error(ErrorKind::Usage, fmt::format("{} {}: a name is empty", option, text),
                        fmt::format("one name, or several with a comma between them: {} NAME,NAME", option));
        }
        return name;
    };
    return text.empty() ? std::vector<std::string>()
                        : listValue(Value<std::string>{nameFrom, {}}).parse(option, text);
}

ModeWish parseMode(const std::string& text) {
    const std::size_t at = text.find('@');
    ModeWish wish;
    double hertz = 0;
    try {
        const PictureSize size = sizeValue().parse("--mode", text.substr(0, at));
        wish.width = size.width;
        wish.height = size.height;
    } catch (const Error&) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--mode {}: WIDTHxHEIGHT or WIDTHxHEIGHT@HZ expected", text),
                    "for example --mode 1920x1080@60");
    }
    if (at != std::string::npos) {
        const char* const end = text.data() + text.size();
        const auto [rest, problem] = std::from_chars(text.data() + at + 1, end, hertz);
        if (problem != std::errc() || rest != end || !(hertz >= 1 && hertz <= kMaxHertz)) {
            throw Error(ErrorKind::Usage,
                        fmt::format("--mode {}: pictures a second from 1 to {} expected after the @", text,
                                    kMaxHertz),
                        "for example --mode 1920x1080@59.94");
        }
        wish.milliHertz = static_cast<std::uint32_t>(std::lround(hertz * 1000));
    }
    return wish;
}

}  // namespace verbcast
