#include "capture/convert/ffmpeg_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace verbcast {
namespace {

struct Library {
    const char* name;
    int version;
    std::atomic<void*> handle{nullptr};

    std::string file() const { return fmt::format("{}.so.{}", name, version); }
};

/// The loaded library; never unloaded. Tries again each time until it is there.
void* handleOf(Library& library) {
    void* handle = library.handle.load(std::memory_order_acquire);
    if (handle == nullptr) {
        handle = ::dlopen(library.file().c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) {
            throw Error(ErrorKind::Device,
                        fmt::format("FFmpeg's {} cannot be loaded: {}", library.file(), ::dlerror()),
                        fmt::format("install {}{}", library.name, library.version));
        }
        library.handle.store(handle, std::memory_order_release);
    }
    return handle;
}

Library& libraryOf(FfmpegLibrary library) {
    static Library codec{"libavcodec", LIBAVCODEC_VERSION_MAJOR},
        format{"libavformat", LIBAVFORMAT_VERSION_MAJOR};
    return library == FfmpegLibrary::Codec ? codec : format;
}

}  // namespace

void* findInFfmpeg(FfmpegLibrary library, const char* name) {
    Library& from = libraryOf(library);
    void* const function = ::dlsym(handleOf(from), name);
    if (function == nullptr) {
        throw Error(ErrorKind::Device, fmt::format("FFmpeg's {} has no {}", from.file(), name),
                    fmt::format("install {}{} of the FFmpeg that verbcast was compiled with", from.name,
                                from.version));
    }
    return function;
}

void loadFfmpeg() {
    for (const FfmpegLibrary library : {FfmpegLibrary::Codec, FfmpegLibrary::Format}) {
        handleOf(libraryOf(library));
    }
}

}  // namespace verbcast
