#include "app/view/picture_file.h"

#include "capture/frame_source.h"
#include "core/base/error.h"

namespace verbcast {

void uploadPictureFile(StreamRenderer& renderer, const std::string& path, const char* option) {
    try {
        const Event never;
        CapturedFrame frame;
        const auto source = openSource({.source = path});
        if (source->capture(frame, never) != Status::Ok) {
            throw Error(ErrorKind::Input, "there is no picture in it");
        }
        renderer.upload(frame.format, frame.lease.data());
    } catch (const Error& error) {
        throw Error(ErrorKind::Input, "the picture " + path + " cannot be read: " + error.what(),
                    std::string("give a PNG or JPEG file with ") + option);
    }
}

}  // namespace verbcast
