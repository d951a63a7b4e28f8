// Textures and buffers of OpenGL: the double reads textures through OpenGL when they are mapped, and writes
// those that are not only read, and buffers, when they are unmapped.
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "tests/core/gpu/driver/double_state.h"

using namespace verbcast::testing;

namespace {

// As in GL/gl.h and GL/glext.h.
constexpr unsigned kTexture2d = 0x0DE1, kBoundTexture2d = 0x8069;
constexpr unsigned kPackBuffer = 0x88EB, kBoundPackBuffer = 0x88ED;
constexpr unsigned kWidth = 0x1000, kHeight = 0x1001, kInternalFormat = 0x1003;
constexpr unsigned kUnpackBuffer = 0x88EC, kBoundUnpackBuffer = 0x88EF, kBufferSize = 0x8764;
constexpr unsigned kPackAlignment = 0x0D05, kUnpackAlignment = 0x0CF5, kUnpackRowLength = 0x0CF2;
constexpr unsigned kRed = 0x1903, kRg = 0x8227, kRgba = 0x1908;
constexpr unsigned kUnsignedByte = 0x1401, kUnsignedShort = 0x1403;

/// The formats of textures that CUDA knows, of those that verbcast uses.
struct TexelFormat {
    unsigned internal, format, type;
    std::size_t bytes;
};
constexpr std::array kTexelFormats{
    TexelFormat{0x8229, kRed, kUnsignedByte, 1},   // GL_R8
    TexelFormat{0x822B, kRg, kUnsignedByte, 2},    // GL_RG8
    TexelFormat{0x8058, kRgba, kUnsignedByte, 4},  // GL_RGBA8
    TexelFormat{0x822A, kRed, kUnsignedShort, 2},  // GL_R16
    TexelFormat{0x822C, kRg, kUnsignedShort, 4},   // GL_RG16
};

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

/// Sets something of OpenGL's for as long as this lives.
class Set {
  public:
    Set(unsigned query, const char* call, unsigned what, int value)
        : call_(call), what_(what), before_(glInteger(query)) {
        gl(call_, what_, value);
    }
    ~Set() { gl(call_, what_, before_); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;

  private:
    const char* call_;
    unsigned what_;
    int before_;
};

/// Runs with that texture bound, and memory to read into and from, and leaves OpenGL as it was.
template <typename Work>
void withTexture(unsigned texture, Work&& work) {
    const Set bound(kBoundTexture2d, "glBindTexture", kTexture2d, static_cast<int>(texture));
    const Set into(kBoundPackBuffer, "glBindBuffer", kPackBuffer, 0);
    const Set from(kBoundUnpackBuffer, "glBindBuffer", kUnpackBuffer, 0);
    const Set packed(kPackAlignment, "glPixelStorei", kPackAlignment, 1);
    const Set unpacked(kUnpackAlignment, "glPixelStorei", kUnpackAlignment, 1);
    const Set rows(kUnpackRowLength, "glPixelStorei", kUnpackRowLength, 0);
    work();
}

/// Runs with that buffer bound, and leaves OpenGL as it was.
template <typename Work>
void withBuffer(unsigned buffer, Work&& work) {
    const Set bound(kBoundUnpackBuffer, "glBindBuffer", kUnpackBuffer, static_cast<int>(buffer));
    work();
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

std::vector<CUgraphicsResource_st*> allOf(unsigned count, CUgraphicsResource* resources, const char* call) {
    if (count == 0) {
        misuse("%s: no resources", call);
    }
    std::vector<CUgraphicsResource_st*> all;
    for (unsigned i = 0; i < count; ++i) {
        all.push_back(&pictureOf(resources[i], call));
    }
    return all;
}

/// Copies that wait in that stream come before what OpenGL does next, so they still read what was drawn.
/// Nobody leaves copies that write.
void unmapPicture(CUgraphicsResource_st& picture, CUstream stream) {
    std::vector<std::byte> pixels = std::exchange(picture.content.pixels, {});
    if (picture.content.writable) {
        for (const CUstream_st::Copy& copy : stream->waiting) {
            if (copy.to >= pixels.data() && copy.to < pixels.data() + pixels.size()) {
                misuse("cuGraphicsUnmapResources: copies to it are waiting");
            }
        }
        withTexture(picture.name, [&] {
            gl("glTexSubImage2D", kTexture2d, 0, 0, 0, static_cast<int>(picture.content.width),
               static_cast<int>(picture.content.height), picture.content.format, picture.content.type,
               static_cast<const void*>(pixels.data()));
        });
    }
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
    const bool known =
        flags == CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY || flags == CU_GRAPHICS_REGISTER_FLAGS_NONE;
    if (target != kTexture2d || !known || currentGl() == nullptr) {
        misuse("cuGraphicsGLRegisterImage: target %x, flags %u", target, flags);
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    auto made = std::make_unique<CUgraphicsResource_st>();
    made->context = contexts().back();
    made->gl = currentGl();
    made->name = image;
    made->content.writable = flags == CU_GRAPHICS_REGISTER_FLAGS_NONE;
    withTexture(image, [&] {
        made->content.width = static_cast<std::size_t>(levelInteger(kWidth));
        made->content.height = static_cast<std::size_t>(levelInteger(kHeight));
        const auto internal = static_cast<unsigned>(levelInteger(kInternalFormat));
        const auto* const found = std::ranges::find(kTexelFormats, internal, &TexelFormat::internal);
        if (found == kTexelFormats.end() || made->content.width == 0) {
            misuse("cuGraphicsGLRegisterImage: a texture of %zux%zu, format %x", made->content.width,
                   made->content.height, internal);
        }
        made->content.texelBytes = found->bytes;
        made->content.format = found->format;
        made->content.type = found->type;
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
    const auto all = allOf(count, resources, "cuGraphicsMapResources");
    if (std::ranges::any_of(all, &CUgraphicsResource_st::mapped)) {
        misuse("cuGraphicsMapResources: it is mapped already");
    }
    if (entry.result != CUDA_SUCCESS) {
        return entry.result;
    }
    for (CUgraphicsResource_st* const picture : all) {
        picture->mapped = true;
        if (picture->isBuffer) {
            mapBuffer(*picture);
            continue;
        }
        CUarray_st& content = picture->content;
        content.pixels.resize(content.rowBytes() * content.height);
        withTexture(picture->name, [&] {
            gl("glGetTexImage", kTexture2d, 0, content.format, content.type,
               static_cast<void*>(content.pixels.data()));
        });
    }
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGraphicsUnmapResources(unsigned count, CUgraphicsResource* resources, CUstream stream) {
    const Entry entry("cuGraphicsUnmapResources", Needs::Context);
    for (CUgraphicsResource_st* const picture : allOf(count, resources, "cuGraphicsUnmapResources")) {
        if (!picture->mapped) {
            misuse("cuGraphicsUnmapResources: it is not mapped");
        }
        if (picture->isBuffer) {
            unmapBuffer(*picture);
        } else {
            unmapPicture(*picture, stream);
        }
        picture->mapped = false;
    }
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
