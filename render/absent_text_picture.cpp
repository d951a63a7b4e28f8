// Without Pango.
#include "core/base/error.h"
#include "render/text_picture.h"

namespace verbcast {

bool hasText() {
    return false;
}

TextPicture textPicture(const std::string& /*text*/, int /*height*/, int /*width*/) {
    throw Error(ErrorKind::Resource, "this build draws no text: Pango was not there",
                "install libpango1.0-dev and build again, or leave out --names");
}

}  // namespace verbcast
