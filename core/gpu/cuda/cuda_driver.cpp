#include "core/gpu/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

/// cuGetProcAddress of CUDA 12, which older headers do not know; the last parameter receives a status.
using GetProcAddress12 = CUresult(CUDAAPI*)(const char*, void**, int, cuuint64_t, void*);

/// Finds entry points in the form of a given version of CUDA.
class EntryPoints {
  public:
    explicit EntryPoints(void* library)
        : newer_(reinterpret_cast<GetProcAddress12>(::dlsym(library, "cuGetProcAddress_v2"))),
          older_(reinterpret_cast<PFN_cuGetProcAddress_v11030>(::dlsym(library, "cuGetProcAddress"))) {}

    bool any() const { return newer_ != nullptr || older_ != nullptr; }

    template <typename Function>
    bool find(Function& function, const char* name, int version) const {
        void* found = nullptr;
        const CUresult result = newer_ != nullptr
                                    ? newer_(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr)
                                    : older_(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT);
        function = result == CUDA_SUCCESS ? reinterpret_cast<Function>(found) : nullptr;
        return function != nullptr;
    }

  private:
    GetProcAddress12 newer_;  // of 12.0 and later
    PFN_cuGetProcAddress_v11030 older_;
};

void fail(CudaDriver& driver, GpuState state, std::string reason, std::string remedy) {
    driver.state = state;
    driver.reason = std::move(reason);
    driver.remedy = std::move(remedy);
}

/// Returns the name of the first call that is missing, or "".
std::string findCalls(const EntryPoints& entries, CudaCalls& calls) {
#define VERBCAST_CUDA_FIND(name, version)                                       \
    if (!entries.find(calls.name, "cu" #name, version)) {                       \
        return fmt::format("cu{} of CUDA {}", #name, cudaVersionText(version)); \
    }
    VERBCAST_CUDA_CALLS(VERBCAST_CUDA_FIND)
#undef VERBCAST_CUDA_FIND
#define VERBCAST_CUDA_FIND(name, version) entries.find(calls.name, "cu" #name, version);
    VERBCAST_CUDA_GL_CALLS(VERBCAST_CUDA_FIND)
#undef VERBCAST_CUDA_FIND
    return "";
}

void start(CudaDriver& driver) {
    const CUresult result = driver.calls.Init(0);
    if (result == CUDA_SUCCESS) {
        driver.state = GpuState::Ready;
        return;
    }
    const std::string text = "cuInit: " + cudaErrorText(driver.calls, result);
    if (result == CUDA_ERROR_NO_DEVICE) {
        fail(driver, GpuState::NoDevice, text, "");
    } else {
        fail(driver, GpuState::BadDriver, text,
             "nvidia-smi, for what the driver itself says; after an update of the driver, a restart");
    }
}

CudaDriver load() {
    CudaDriver driver;
    void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const std::string problem =
            ::dlerror();  // "libcuda.so.1: cannot open shared object file: No such..."
        const bool absent = problem.find(errnoText(ENOENT)) != std::string::npos;  // translated
        fail(driver, absent ? GpuState::NoDriver : GpuState::BadDriver,
             absent ? std::string(kLibrary) + " is not installed" : problem,
             "install NVIDIA's driver, if there is such a GPU (Debian: sudo apt-get install libcuda1)");
        return driver;
    }
    const auto version =
        reinterpret_cast<PFN_cuDriverGetVersion_v2020>(::dlsym(library, "cuDriverGetVersion"));
    if (version == nullptr || version(&driver.version) != CUDA_SUCCESS) {
        fail(driver, GpuState::BadDriver, std::string(kLibrary) + " does not tell its version",
             "reinstall NVIDIA's driver; the toolkit's stub library of that name is not a driver");
        return driver;
    }
    const EntryPoints entries(library);
    if (driver.version < kOldestDriver || !entries.any()) {
        fail(driver, GpuState::DriverTooOld,
             fmt::format("the driver knows CUDA {}, {} needed", cudaVersionText(driver.version),
                         cudaVersionText(kOldestDriver)),
             "install NVIDIA's driver 515 or later");
        return driver;
    }
    if (const std::string missing = findCalls(entries, driver.calls); !missing.empty()) {
        driver.calls = {};
        fail(driver, GpuState::BadDriver,
             fmt::format("the driver of CUDA {} has no {}", cudaVersionText(driver.version), missing),
             "install another version of NVIDIA's driver");
        return driver;
    }
    start(driver);
    return driver;
}

}  // namespace

const CudaDriver& cudaDriver() {
    static const CudaDriver driver = load();
    return driver;
}

std::string cudaErrorText(const CudaCalls& calls, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (calls.GetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
        return fmt::format("error {}", static_cast<int>(result));
    }
    if (calls.GetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) {
        text = "unknown";
    }
    return fmt::format("{} ({}): {}", name, static_cast<int>(result), text);
}

void checkCuda(CUresult result, std::string_view call, std::string_view object) {
    if (result == CUDA_SUCCESS) {
        return;
    }
    const std::string text = cudaErrorText(cudaDriver().calls, result);
    const bool memory = result == CUDA_ERROR_OUT_OF_MEMORY;
    throw Error(memory ? ErrorKind::Resource : ErrorKind::Device,
                fmt::format("{} on {}: {}", call, object, text),
                memory ? "use fewer slots (--slots) or a smaller --size"
                       : "nvidia-smi and the kernel's log (dmesg | grep NVRM) tell what happened to the GPU");
}

}  // namespace verbcast
