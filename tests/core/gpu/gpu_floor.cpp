// What one 4K rgba picture costs between main memory, a GPU's memory and OpenGL's textures if nothing but
// CUDA and OpenGL is called: the floor under our own figures, measured by scripts/gpu in the same run. Each
// way is waited for.
//
//   gpu_floor [TIMES]    prints "WAY <tab> ms by the clock <tab> ms of a processor", the median of TIMES (50)
#include <epoxy/gl.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/gpu/cuda/cuda_driver.h"
#include "render/gl/offscreen_context.h"

namespace verbcast::testing {
namespace {

constexpr int kWidth = 3840, kHeight = 2160;
constexpr std::size_t kRow = 4UL * kWidth, kBytes = kRow * kHeight, kPage = 4096;
// CU_GRAPHICS_REGISTER_FLAGS_NONE and _WRITE_DISCARD
constexpr unsigned kEither = 0, kOverwritten = 2;

struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
};
using Pixels = std::unique_ptr<std::byte, Free>;

Pixels makePixels() {
    return Pixels(static_cast<std::byte*>(std::aligned_alloc(kPage, kBytes)));
}

double secondsOf(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Floor {
  public:
    explicit Floor(int times) : times_(times) {
        const GpuReport report = gpuReport();
        if (report.state != GpuState::Ready) {
            throw Error(ErrorKind::Device, report.reason);
        }
        std::fill_n(pixels_.get(), kBytes, std::byte{1});
        std::fill_n(others_.get(), kBytes, std::byte{2});
        unsigned count = 0;
        CUdevice gpu = 0;
        need(cuda_.GLGetDevices(&count, &gpu, 1, 1), "cuGLGetDevices");
        need(cuda_.DevicePrimaryCtxRetain(&context_, gpu), "cuDevicePrimaryCtxRetain");
        need(cuda_.CtxPushCurrent(context_), "cuCtxPushCurrent");
        need(cuda_.MemAlloc(&memory_, kBytes), "cuMemAlloc");
        need(cuda_.MemHostRegister(pixels_.get(), kBytes, 0), "cuMemHostRegister");
        int least = 0, greatest = 0;
        need(cuda_.CtxGetStreamPriorityRange(&least, &greatest), "cuCtxGetStreamPriorityRange");
        need(cuda_.StreamCreateWithPriority(&stream_, CU_STREAM_NON_BLOCKING, greatest),
             "cuStreamCreateWithPriority");
        need(cuda_.EventCreate(&event_, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), "cuEventCreate");
        glGenTextures(1, &texture_);
        glBindTexture(GL_TEXTURE_2D, texture_);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, kWidth, kHeight);
        glGenFramebuffers(1, &framebuffer_);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_, 0);
        glGenBuffers(1, &buffer_);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
        glBufferData(GL_PIXEL_UNPACK_BUFFER, static_cast<GLsizeiptr>(kBytes), nullptr, GL_STREAM_DRAW);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        glGenBuffers(1, &packed_);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, packed_);
        glBufferData(GL_PIXEL_PACK_BUFFER, static_cast<GLsizeiptr>(kBytes), nullptr, GL_STREAM_READ);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        glFinish();
        need(cuda_.GraphicsGLRegisterImage(&toTexture_, texture_, GL_TEXTURE_2D, kEither),
             "cuGraphicsGLRegisterImage");
        need(cuda_.GraphicsGLRegisterBuffer(&toBuffer_, buffer_, kOverwritten), "cuGraphicsGLRegisterBuffer");
    }
    ~Floor() {
        for (CUgraphicsResource resource : {toTexture_, toBuffer_}) {
            static_cast<void>(cuda_.GraphicsUnregisterResource(resource));
        }
        static_cast<void>(cuda_.EventDestroy(event_));
        static_cast<void>(cuda_.StreamDestroy(stream_));
        static_cast<void>(cuda_.MemHostUnregister(pixels_.get()));
        static_cast<void>(cuda_.MemFree(memory_));
        CUcontext popped = nullptr;
        static_cast<void>(cuda_.CtxPopCurrent(&popped));
        CUdevice gpu = 0;
        unsigned count = 0;
        static_cast<void>(cuda_.GLGetDevices(&count, &gpu, 1, 1));
        static_cast<void>(cuda_.DevicePrimaryCtxRelease(gpu));
    }
    Floor(const Floor&) = delete;
    Floor& operator=(const Floor&) = delete;

    void measure() {
        const auto wait = [this] { waitBlocked(); };
        way("main memory to GPU", [&] {
            toGpu();
            wait();
        });
        way("GPU to main memory", [&] {
            need(cuda_.MemcpyDtoHAsync(pixels_.get(), memory_, kBytes, stream_), "cuMemcpyDtoHAsync");
            wait();
        });
        way("GPU to texture", [&] {
            withTexture([&](CUarray array) {
                copy(gpu(memory_), texture(array));
                wait();
            });
        });
        way("main memory to texture", [&] {
            withTexture([&](CUarray array) {
                copy(main(), texture(array));
                wait();
            });
        });
        way("texture to main memory", [&] {
            withTexture([&](CUarray array) {
                copy(texture(array), main());
                wait();
            });
        });
        way("texture to GPU", [&] {
            withTexture([&](CUarray array) {
                copy(texture(array), gpu(memory_));
                wait();
            });
        });
        way("GPU to buffer to texture", [&] {
            need(cuda_.GraphicsMapResources(1, &toBuffer_, stream_), "cuGraphicsMapResources");
            CUdeviceptr mapped = 0;
            std::size_t bytes = 0;
            need(cuda_.GraphicsResourceGetMappedPointer(&mapped, &bytes, toBuffer_),
                 "cuGraphicsResourceGetMappedPointer");
            copy(gpu(memory_), gpu(mapped));
            wait();
            need(cuda_.GraphicsUnmapResources(1, &toBuffer_, stream_), "cuGraphicsUnmapResources");
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_);
            load(nullptr);
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
            glFinish();
        });
        way("main memory to texture by glTexSubImage2D", [&] {
            load(pixels_.get());
            glFinish();
        });
        way("texture to main memory by glReadPixels", [&] { read(pixels_.get()); });
        // The ring of pixel buffers, in its two steps, beside what the processor's copy can be.
        glBindBuffer(GL_PIXEL_PACK_BUFFER, packed_);
        way("texture to pixel buffer by glReadPixels", [&] {
            read(nullptr);
            glFinish();
        });
        way("pixel buffer, mapped, to main memory by memcpy", [&] {
            const void* mapped = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, kBytes, GL_MAP_READ_BIT);
            if (mapped == nullptr) {
                throw Error(ErrorKind::Device, "glMapBufferRange: no memory");
            }
            std::memcpy(pixels_.get(), mapped, kBytes);
            glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
        });
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        way("main memory to main memory by memcpy",
            [&] { std::memcpy(pixels_.get(), others_.get(), kBytes); });
        way("main memory to GPU, waited for by cuStreamSynchronize", [&] {
            toGpu();
            need(cuda_.StreamSynchronize(stream_), "cuStreamSynchronize");
        });
    }

  private:
    static void need(CUresult result, const char* call) {
        if (result != CUDA_SUCCESS) {
            throw Error(ErrorKind::Device, std::string(call) + ": error " + std::to_string(result));
        }
    }
    void way(const char* name, const std::function<void()>& work) const {
        std::vector<double> wall, processor;
        for (int time = -3; time < times_; ++time) {  // the first three warm up
            const double wallBegan = secondsOf(CLOCK_MONOTONIC), began = secondsOf(CLOCK_PROCESS_CPUTIME_ID);
            work();
            if (time >= 0) {
                processor.push_back(secondsOf(CLOCK_PROCESS_CPUTIME_ID) - began);
                wall.push_back(secondsOf(CLOCK_MONOTONIC) - wallBegan);
            }
        }
        const auto median = [](std::vector<double>& all) {
            std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
            return 1e3 * all[all.size() / 2];
        };
        std::printf("%s\t%.3f\t%.3f\n", name, median(wall), median(processor));
        std::fflush(stdout);
    }
    void waitBlocked() {
        need(cuda_.EventRecord(event_, stream_), "cuEventRecord");
        need(cuda_.EventSynchronize(event_), "cuEventSynchronize");
    }
    void toGpu() {
        need(cuda_.MemcpyHtoDAsync(memory_, pixels_.get(), kBytes, stream_), "cuMemcpyHtoDAsync");
    }
    static void read(std::byte* pixels) {
        glReadPixels(0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    static void load(const std::byte* pixels) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    }
    void withTexture(const std::function<void(CUarray)>& work) {
        need(cuda_.GraphicsMapResources(1, &toTexture_, stream_), "cuGraphicsMapResources");
        CUarray array = nullptr;
        need(cuda_.GraphicsSubResourceGetMappedArray(&array, toTexture_, 0, 0),
             "cuGraphicsSubResourceGetMappedArray");
        work(array);
        need(cuda_.GraphicsUnmapResources(1, &toTexture_, stream_), "cuGraphicsUnmapResources");
    }

    /// One end of a copy.
    struct End {
        CUmemorytype type;
        std::byte* main = nullptr;
        CUdeviceptr gpu = 0;
        CUarray texture = nullptr;
    };
    End main() const { return {.type = CU_MEMORYTYPE_HOST, .main = pixels_.get()}; }
    static End gpu(CUdeviceptr memory) { return {.type = CU_MEMORYTYPE_DEVICE, .gpu = memory}; }
    static End texture(CUarray array) { return {.type = CU_MEMORYTYPE_ARRAY, .texture = array}; }
    void copy(const End& from, const End& into) {
        CUDA_MEMCPY2D picture{};
        picture.srcMemoryType = from.type;
        picture.srcHost = from.main;
        picture.srcDevice = from.gpu;
        picture.srcArray = from.texture;
        picture.dstMemoryType = into.type;
        picture.dstHost = into.main;
        picture.dstDevice = into.gpu;
        picture.dstArray = into.texture;
        picture.srcPitch = picture.dstPitch = picture.WidthInBytes = kRow;
        picture.Height = kHeight;
        need(cuda_.Memcpy2DAsync(&picture, stream_), "cuMemcpy2DAsync");
    }

    const int times_;
    const CudaCalls& cuda_ = cudaDriver().calls;
    const Pixels pixels_ = makePixels(), others_ = makePixels();
    CUcontext context_ = nullptr;
    CUdeviceptr memory_ = 0;
    CUstream stream_ = nullptr;
    CUevent event_ = nullptr;
    CUgraphicsResource toTexture_ = nullptr, toBuffer_ = nullptr;
    unsigned texture_ = 0, framebuffer_ = 0, buffer_ = 0, packed_ = 0;
};

}  // namespace
}  // namespace verbcast::testing

int main(int count, char** words) {
    try {
        const verbcast::OffscreenContext context;
        verbcast::testing::Floor(count > 1 ? std::max(1, std::atoi(words[1])) : 50).measure();
    } catch (const verbcast::Error& error) {
        std::fprintf(stderr, "gpu_floor: %s\n", error.what());
        return 7;
    }
    return 0;
}
