#include "capture/convert/ffmpeg_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

struct Library {
    const char* name;
    int version;

    std::string file() const { return fmt::format("{}.so.{}", name, version); }
};

Library libraryOf(FfmpegLibrary library) {
    switch (library) {
        case FfmpegLibrary::Codec:
            return {"libavcodec", LIBAVCODEC_VERSION_MAJOR};
        case FfmpegLibrary::Format:
            return {"libavformat", LIBAVFORMAT_VERSION_MAJOR};
        case FfmpegLibrary::Resample:
            return {"libswresample", LIBSWRESAMPLE_VERSION_MAJOR};
        case FfmpegLibrary::Scale:
            return {"libswscale", LIBSWSCALE_VERSION_MAJOR};
        case FfmpegLibrary::Util:
            break;
    }
    return {"libavutil", LIBAVUTIL_VERSION_MAJOR};
}

/// Never unloaded: a second call only counts.
void* load(const Library& library) {
    void* const handle = ::dlopen(library.file().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
        throw Error(ErrorKind::Device,
                    fmt::format("FFmpeg's {} cannot be loaded: {}", library.file(), ::dlerror()),
                    fmt::format("install {}{}", library.name, library.version));
    }
    return handle;
}

}  // namespace

void* findInFfmpeg(FfmpegLibrary library, const char* name) {
    const Library from = libraryOf(library);
    void* const function = ::dlsym(load(from), name);
    if (function == nullptr) {
        throw Error(ErrorKind::Device, fmt::format("FFmpeg's {} has no {}", from.file(), name),
                    fmt::format("install {}{} of the FFmpeg that verbcast was compiled with", from.name,
                                from.version));
    }
    return function;
}

void loadFfmpeg() {
    for (const FfmpegLibrary library : {FfmpegLibrary::Codec, FfmpegLibrary::Format, FfmpegLibrary::Resample,
                                        FfmpegLibrary::Scale, FfmpegLibrary::Util}) {
        load(libraryOf(library));
    }
}

}  // namespace verbcast
