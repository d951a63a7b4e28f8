// Textures and buffers of OpenGL: the double reads textures through OpenGL when they are mapped, and writes
// buffers when they are unmapped.
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/gpu/driver/double_state.h"

using namespace verbcast::testing;

namespace {

// As in GL/gl.h and GL/glext.h.
constexpr unsigned kTexture2d = 0x0DE1, kBoundTexture2d = 0x8069;
constexpr unsigned kPackBuffer = 0x88EB, kBoundPackBuffer = 0x88ED;
constexpr unsigned kWidth = 0x1000, kHeight = 0x1001, kInternalFormat = 0x1003;
constexpr unsigned kUnpackBuffer = 0x88EC, kBoundUnpackBuffer = 0x88EF, kBufferSize = 0x8764;
constexpr unsigned kRgba = 0x1908, kRgba8 = 0x8058, kUnsignedByte = 0x1401;

template <typename Function>
Function* fromEgl(const char* name) {
    static void* const egl = ::dlopen("libEGL.so.1", RTLD_NOW | RTLD_NOLOAD);
    return egl != nullptr ? reinterpret_cast<Function*>(::dlsym(egl, name)) : nullptr;
}

/// The context that is current on this thread; null for none.
void* currentGl() {
    auto* const current = fromEgl<void*()>("eglGetCurrentContext");
    return current != nullptr ? current() : nullptr;
}

template <typename... Parameters>
void gl(const char* name, Parameters... parameters) {
    void* const function = fromEgl<void*(const char*)>("eglGetProcAddress")(name);
    reinterpret_cast<void (*)(Parameters...)>(function)(parameters...);
}

int glInteger(unsigned name) {
    int value = 0;
    gl("glGetIntegerv", name, &value);
    return value;
}

/// Runs with that texture bound and memory to read into, and leaves OpenGL as it was.
template <typename Work>
void withTexture(unsigned texture, Work&& work) {
    const auto bound = static_cast<unsigned>(glInteger(kBoundTexture2d));
    const auto buffer = static_cast<unsigned>(glInteger(kBoundPackBuffer));
    gl("glBindTexture", kTexture2d, texture);
    gl("glBindBuffer", kPackBuffer, 0U);
    work();
    gl("glBindBuffer", kPackBuffer, buffer);
    gl("glBindTexture", kTexture2d, bound);
}

/// Runs with that buffer bound, and leaves OpenGL as it was.
template <typename Work>
void withBuffer(unsigned buffer, Work&& work) {
    const auto bound = static_cast<unsigned>(glInteger(kBoundUnpackBuffer));
    gl("glBindBuffer", kUnpackBuffer, buffer);
    work();
    gl("glBindBuffer", kUnpackBuffer, bound);
}

int levelInteger(unsigned name) {
    int value = 0;
    gl("glGetTexLevelParameteriv", kTexture2d, 0, name, &value);
    return value;
}

bool exists(const CUgraphicsResource_st& resource) {
    void* const function =
        fromEgl<void*(const char*)>("eglGetProcAddress")(resource.isBuffer ? "glIsBuffer" : "glIsTexture");
    return reinterpret_cast<unsigned char (*)(unsigned)>(function)(resource.name) != 0;
}

CUgraphicsResource_st& pictureOf(CUgraphicsResource resource, const char* call) {
    const auto found = driver().pictures.find(resource);
    if (found == driver().pictures.end()) {
        misuse("%s: no such resource", call);
    }
    if (found->second->gl != currentGl()) {
        misuse("%s: its OpenGL context is not current", call);
    }
    if (!exists(*found->second)) {
        misuse("%s: OpenGL has deleted it", call);
    }
    return *found->second;
}

CUgraphicsResource_st& only(unsigned count, CUgraphicsResource* resources, const char* call) {
    if (count != 1) {
        misuse("%s: %u resources", call, count);
    }
    return pictureOf(*resources, call);
}

/// Copies that wait in that stream come before what OpenGL does next, so they still read what was drawn.
void unmapPicture(CUgraphicsResource_st& picture, CUstream stream) {
    std::vector<std::byte> pixels = std::exchange(picture.content.pixels, {});
    const auto reads = [&](const CUstream_st::Copy& copy) {
        return copy.from >= pixels.data() && copy.from < pixels.data() + pixels.size();
    };
    for (const auto& [one, held] : driver().streams) {
        if (one != stream && std::ranges::any_of(held->waiting, reads)) {
            misuse("cuGraphicsUnmapResources: copies from it are waiting in another stream");
        }
    }
    if (std::ranges::any_of(stream->waiting, reads)) {
        stream->kept.push_back(std::move(pixels));
    }
}

/// What it held before is lost, as CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD says.
void mapBuffer(CUgraphicsResource_st& buffer) {
    void* const content =
        ::mmap(nullptr, buffer.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void* const seen = ::mmap(nullptr, buffer.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (content == MAP_FAILED || seen == MAP_FAILED) {
        misuse("cuGraphicsMapResources: no address space");
    }
    std::memset(content, 0xA5, buffer.bytes);
    buffer.address = reinterpret_cast<CUdeviceptr>(seen);
    driver().allocations.emplace(buffer.address, Allocation{.bytes = buffer.bytes,
                                                            .mapped = buffer.bytes,
                                                            .content = static_cast<std::byte*>(content),
                                                            .context = contexts().back(),
                                                            .reserved = true});
}

void unmapBuffer(const CUgraphicsResource_st& buffer) {
    const auto found = driver().allocations.find(buffer.address);
    const Allocation& gone = found->second;
    refuseWaitingCopies(gone, "cuGraphicsUnmapResources");
    withBuffer(buffer.name, [&] {
        gl("glBufferSubData", kUnpackBuffer, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(buffer.bytes),
           static_cast<const void*>(gone.content));
    });
    ::munmap(gone.content, gone.mapped);
    ::munmap(reinterpret_cast<void*>(buffer.address), gone.mapped);
    driver().allocations.erase(found);
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuGLGetDevices_v2(unsigned* count, CUdevice* devices, unsigned capacity, int list) {
    const Entry entry("cuGLGetDevices", Needs::Start);
    if (list != 1 || capacity == 0) {
        misuse("cuGLGetDevices: list %d, room for %u", list, capacity);
    }
    if (currentGl() == nullptr) {
        return CUDA_ERROR_INVALID_GRAPHICS_CONTEXT;
    }
    if (entry.result == CUDA_SUCCESS) {
        *count = 1;
        devices[0] = 0;
    }
    return entry.result;
}

CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource* resource, unsigned image, unsigned target,
                                           unsigned flags) {
    const Entry entry("cuGraphicsGLRegisterImage", Needs::Context);
    if (target != kTexture2d || flags != CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY || currentGl() == nullptr) {
        misuse("cuGraphicsGLRegisterImage: target %x, flags %u", target, flags);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    auto made = std::make_unique<CUgraphicsResource_st>();
    made->context = contexts().back();
    made->gl = currentGl();
    made->name = image;
    withTexture(image, [&] {
        made->content.width = static_cast<std::size_t>(levelInteger(kWidth));
        made->content.height = static_cast<std::size_t>(levelInteger(kHeight));
        if (levelInteger(kInternalFormat) != kRgba8 || made->content.width == 0) {
            misuse("cuGraphicsGLRegisterImage: a texture of %zux%zu, format %x", made->content.width,
                   made->content.height, static_cast<unsigned>(levelInteger(kInternalFormat)));
        }
    });
    *resource = made.get();
    driver().pictures.emplace(made.get(), std::move(made));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource* resource, unsigned buffer, unsigned flags) {
    const Entry entry("cuGraphicsGLRegisterBuffer", Needs::Context);
    if (flags != CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD || currentGl() == nullptr) {
        misuse("cuGraphicsGLRegisterBuffer: flags %u", flags);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    int bytes = 0;
    withBuffer(buffer, [&] { gl("glGetBufferParameteriv", kUnpackBuffer, kBufferSize, &bytes); });
    if (bytes <= 0) {
        misuse("cuGraphicsGLRegisterBuffer: a buffer of %d bytes", bytes);
    }
    auto made = std::make_unique<CUgraphicsResource_st>();
    made->context = contexts().back();
    made->gl = currentGl();
    made->name = buffer;
    made->isBuffer = true;
    made->bytes = static_cast<std::size_t>(bytes);
    *resource = made.get();
    driver().pictures.emplace(made.get(), std::move(made));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphicsUnregisterResource(CUgraphicsResource resource) {
    const Entry entry("cuGraphicsUnregisterResource", Needs::Context);
    if (pictureOf(resource, "cuGraphicsUnregisterResource").mapped) {
        misuse("cuGraphicsUnregisterResource: it is still mapped");
    }
    driver().pictures.erase(resource);
    return entry.result;
}

CUresult CUDAAPI cuGraphicsMapResources(unsigned count, CUgraphicsResource* resources, CUstream /*stream*/) {
    const Entry entry("cuGraphicsMapResources", Needs::Context);
    CUgraphicsResource_st& picture = only(count, resources, "cuGraphicsMapResources");
    if (picture.mapped) {
        misuse("cuGraphicsMapResources: it is mapped already");
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    picture.mapped = true;
    if (picture.isBuffer) {
        mapBuffer(picture);
        return CUDA_SUCCESS;
    }
    picture.content.pixels.resize(4 * picture.content.width * picture.content.height);
    withTexture(picture.name, [&] {
        gl("glGetTexImage", kTexture2d, 0, kRgba, kUnsignedByte, picture.content.pixels.data());
    });
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphicsUnmapResources(unsigned count, CUgraphicsResource* resources, CUstream stream) {
    const Entry entry("cuGraphicsUnmapResources", Needs::Context);
    CUgraphicsResource_st& picture = only(count, resources, "cuGraphicsUnmapResources");
    if (!picture.mapped) {
        misuse("cuGraphicsUnmapResources: it is not mapped");
    }
    if (picture.isBuffer) {
        unmapBuffer(picture);
    } else {
        unmapPicture(picture, stream);
    }
    picture.mapped = false;
    return entry.result;
}

CUresult CUDAAPI cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr* address, std::size_t* bytes,
                                                       CUgraphicsResource resource) {
    const Entry entry("cuGraphicsResourceGetMappedPointer", Needs::Context);
    const CUgraphicsResource_st& buffer = pictureOf(resource, "cuGraphicsResourceGetMappedPointer");
    if (!buffer.mapped || !buffer.isBuffer) {
        misuse("cuGraphicsResourceGetMappedPointer: not mapped, or no buffer");
    }
    if (entry.result == CUDA_SUCCESS) {
        *address = buffer.address;
        *bytes = buffer.bytes;
    }
    return entry.result;
}

CUresult CUDAAPI cuGraphicsSubResourceGetMappedArray(CUarray* array, CUgraphicsResource resource,
                                                     unsigned index, unsigned level) {
    const Entry entry("cuGraphicsSubResourceGetMappedArray", Needs::Context);
    CUgraphicsResource_st& picture = pictureOf(resource, "cuGraphicsSubResourceGetMappedArray");
    if (!picture.mapped || picture.isBuffer || index != 0 || level != 0) {
        misuse("cuGraphicsSubResourceGetMappedArray: not mapped, or index %u, level %u", index, level);
    }
    if (entry.result == CUDA_SUCCESS) {
        *array = &picture.content;
    }
    return entry.result;
}
}  // extern "C"
