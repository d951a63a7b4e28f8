// Copies of pictures that OpenGL draws. CUDA maps a texture as an array while OpenGL does not use it.
#include <fmt/format.h>

#include "core/gpu/cuda/cuda_stream.h"
#include "core/gpu/gl_picture.h"

namespace verbcast {
namespace {

constexpr unsigned kTexture2d = 0x0DE1;  // GL_TEXTURE_2D of GL/gl.h
constexpr int kAllDevices = 1;           // CU_GL_DEVICE_LIST_ALL of cudaGL.h
constexpr std::uint32_t kBytesPerPixel = 4;

const CudaCalls& requireGlCalls() {
    const CudaDriver& driver = cudaDriver();
    if (driver.state != GpuState::Ready) {
        throwUnusable(gpuReport());
    }
#define VERBCAST_CUDA_REQUIRE(name, version)                             \
    if (driver.calls.name == nullptr) {                                  \
        throw Error(ErrorKind::Device, "NVIDIA's driver has no cu" #name \
                                       ", so CUDA reads nothing that "   \
                                       "OpenGL draws");                  \
    }
    VERBCAST_CUDA_GL_CALLS(VERBCAST_CUDA_REQUIRE)
#undef VERBCAST_CUDA_REQUIRE
    return driver.calls;
}

/// The texture is CUDA's while this lives. Drawing before is finished first, and what CUDA does with it
/// before drawing after. Needs the current context.
class Mapped {
  public:
    Mapped(const CudaContext& context, CUgraphicsResource resource, const CudaStream& stream)
        : context_(context), resource_(resource), stream_(stream) {
        checkCuda(context_.calls().GraphicsMapResources(1, &resource_, stream_.get()),
                  "cuGraphicsMapResources", context_.name());
    }
    ~Mapped() { static_cast<void>(context_.calls().GraphicsUnmapResources(1, &resource_, stream_.get())); }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

    CUarray array() const {
        CUarray array = nullptr;
        checkCuda(context_.calls().GraphicsSubResourceGetMappedArray(&array, resource_, 0, 0),
                  "cuGraphicsSubResourceGetMappedArray", context_.name());
        return array;
    }

  private:
    const CudaContext& context_;
    CUgraphicsResource resource_;
    const CudaStream& stream_;
};

class CudaGlPicture final : public GlPicture {
  public:
    CudaGlPicture(int gpu, unsigned texture, std::uint32_t width, std::uint32_t height)
        : context_(CudaContext::of(gpu)),
          stream_(*context_),
          rowBytes_(std::size_t{width} * kBytesPerPixel),
          rows_(height) {
        const CudaCalls& calls = requireGlCalls();
        const CurrentCuda current(*context_);
        checkCuda(calls.GraphicsGLRegisterImage(&resource_, texture, kTexture2d,
                                                CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY),
                  "cuGraphicsGLRegisterImage", context_->name());
    }
    ~CudaGlPicture() override {
        try {
            const CurrentCuda current(*context_);
            static_cast<void>(context_->calls().GraphicsUnregisterResource(resource_));
        } catch (const Error&) {  // the GPU has failed
        }
    }
    CudaGlPicture(const CudaGlPicture&) = delete;
    CudaGlPicture& operator=(const CudaGlPicture&) = delete;

    void copy(DeviceMemoryAddress into) override {
        const CurrentCuda current(*context_);
        const Mapped mapped(*context_, resource_, stream_);
        CUDA_MEMCPY2D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = mapped.array();
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = static_cast<CUdeviceptr>(into);
        copy.dstPitch = rowBytes_;
        copy.WidthInBytes = rowBytes_;
        copy.Height = rows_;
        checkCuda(context_->calls().Memcpy2DAsync(&copy, stream_.get()), "cuMemcpy2DAsync", context_->name());
        stream_.finish();
    }

  private:
    std::shared_ptr<const CudaContext> context_;  // shared by all that use the GPU
    CudaStream stream_;
    std::size_t rowBytes_, rows_;
    CUgraphicsResource resource_ = nullptr;
};

}  // namespace

int gpuOfGl() {
    const CudaCalls& calls = requireGlCalls();
    unsigned count = 0;
    CUdevice device = 0;
    const CUresult result = calls.GLGetDevices(&count, &device, 1, kAllDevices);
    if (result != CUDA_SUCCESS || count == 0) {
        throw Error(ErrorKind::Device,
                    fmt::format("OpenGL does not draw on a GPU of CUDA's: {}",
                                result != CUDA_SUCCESS ? cudaErrorText(calls, result) : "it names none"),
                    "verbcast doctor tells which OpenGL driver draws");
    }
    int gpus = 0;
    checkCuda(calls.DeviceGetCount(&gpus), "cuDeviceGetCount", "the driver");
    for (int gpu = 0; gpu < gpus; ++gpu) {
        CUdevice one = 0;
        if (calls.DeviceGet(&one, gpu) == CUDA_SUCCESS && one == device) {
            return gpu;
        }
    }
    throw Error(ErrorKind::Device, "OpenGL draws on a GPU that CUDA does not list",
                "CUDA_VISIBLE_DEVICES may hide it");
}

std::unique_ptr<GlPicture> registerGlPicture(int gpu, unsigned texture, std::uint32_t width,
                                             std::uint32_t height) {
    return std::make_unique<CudaGlPicture>(gpu, texture, width, height);
}

}  // namespace verbcast
