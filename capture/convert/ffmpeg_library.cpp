#include "capture/convert/ffmpeg_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

struct Library {
    const char* name;
    int version;
    void* handle;  ///< null: it is missing
    std::string problem;

    Library(const char* library, int major)
        : name(library), version(major), handle(::dlopen(file().c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle == nullptr) {
            problem = ::dlerror();
        }
    }
    std::string file() const { return fmt::format("{}.so.{}", name, version); }
};

const Library& libraryOf(FfmpegLibrary library) {
    if (library == FfmpegLibrary::Codec) {
        static const Library codec("libavcodec", LIBAVCODEC_VERSION_MAJOR);
        return codec;
    }
    static const Library format("libavformat", LIBAVFORMAT_VERSION_MAJOR);
    return format;
}

}  // namespace

void* findInFfmpeg(FfmpegLibrary library, const char* name) {
    const Library& from = libraryOf(library);
    if (from.handle == nullptr) {
        throw Error(ErrorKind::Device,
                    fmt::format("FFmpeg's {} cannot be loaded: {}", from.file(), from.problem),
                    fmt::format("install {}{}", from.name, from.version));
    }
    void* const function = ::dlsym(from.handle, name);
    if (function == nullptr) {
        throw Error(ErrorKind::Device, fmt::format("FFmpeg's {} has no {}", from.file(), name),
                    fmt::format("install {}{} of the FFmpeg that verbcast was compiled with", from.name,
                                from.version));
    }
    return function;
}

}  // namespace verbcast
