// Contexts, parameter buffers, and decoding of pictures.
#include <cstring>
#include <utility>

#include "tests/decoding/driver/double_objects.h"

namespace verbcast::testing {
namespace {

VAStatus createContext(VADriverContextP context, VAConfigID config, int width, int height, int, VASurfaceID*,
                       int, VAContextID* id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    object(driver.configs, config, "vaCreateContext");
    if (width > driver.largest || height > driver.largest) {
        return VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED;
    }
    if (driver.fails("vaCreateContext")) {
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    *id = driver.add();
    driver.contexts[*id] = std::make_unique<DoubleContext>();
    return VA_STATUS_SUCCESS;
}

VAStatus destroyContext(VADriverContextP context, VAContextID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    object(driver.contexts, id, "vaDestroyContext");
    driver.contexts.erase(id);
    return VA_STATUS_SUCCESS;
}

VAStatus createBuffer(VADriverContextP context, VAContextID owner, VABufferType type, unsigned size,
                      unsigned count, void* data, VABufferID* id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    object(driver.contexts, owner, "vaCreateBuffer");
    if (driver.fails("vaCreateBuffer")) {
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    DoubleBuffer buffer;
    buffer.type = type;
    buffer.bytes.resize(std::size_t{size} * count);
    if (data != nullptr) {
        std::memcpy(buffer.bytes.data(), data, buffer.bytes.size());
    }
    *id = driver.add();
    driver.buffers[*id] = std::move(buffer);
    return VA_STATUS_SUCCESS;
}

VAStatus destroyBuffer(VADriverContextP context, VABufferID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    if (object(driver.buffers, id, "vaDestroyBuffer").isMapped) {
        misused("vaDestroyBuffer: still mapped");
    }
    driver.buffers.erase(id);
    return VA_STATUS_SUCCESS;
}

VAStatus beginPicture(VADriverContextP context, VAContextID id, VASurfaceID target) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    DoubleContext& decoding = *object(driver.contexts, id, "vaBeginPicture");
    object(driver.surfaces, target, "vaBeginPicture");
    if (driver.fails("vaBeginPicture")) {
        return VA_STATUS_ERROR_OPERATION_FAILED;
    }
    if (decoding.target != VA_INVALID_SURFACE) {
        misused("vaBeginPicture: a picture has been begun already");
    }
    decoding.target = target;
    decoding.picture = {};
    return VA_STATUS_SUCCESS;
}

template <typename Contents>
Contents contents(const DoubleBuffer& buffer) {
    Contents value;
    if (buffer.bytes.size() < sizeof value) {
        misused("vaRenderPicture: a buffer is too small for what it should hold");
    }
    std::memcpy(&value, buffer.bytes.data(), sizeof value);
    return value;
}

VAStatus renderPicture(VADriverContextP context, VAContextID id, VABufferID* buffers, int count) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    DoubleContext& decoding = *object(driver.contexts, id, "vaRenderPicture");
    if (decoding.target == VA_INVALID_SURFACE) {
        misused("vaRenderPicture: no picture has been begun");
    }
    if (driver.fails("vaRenderPicture")) {
        return VA_STATUS_ERROR_OPERATION_FAILED;
    }
    for (int i = 0; i < count; ++i) {
        const DoubleBuffer& buffer = object(driver.buffers, buffers[i], "vaRenderPicture");
        if (buffer.type == VAPictureParameterBufferType) {
            decoding.picture.parameters = contents<VAPictureParameterBufferMPEG2>(buffer);
        } else if (buffer.type == VAIQMatrixBufferType) {
            decoding.picture.matrices = contents<VAIQMatrixBufferMPEG2>(buffer);
        } else if (buffer.type == VASliceDataBufferType) {
            decoding.picture.slices.insert(decoding.picture.slices.end(), buffer.bytes.begin(),
                                           buffer.bytes.end());
        }
    }
    return VA_STATUS_SUCCESS;
}

VAStatus endPicture(VADriverContextP context, VAContextID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    DoubleContext& decoding = *object(driver.contexts, id, "vaEndPicture");
    const VASurfaceID target = std::exchange(decoding.target, VA_INVALID_SURFACE);
    if (target == VA_INVALID_SURFACE) {
        return VA_STATUS_ERROR_OPERATION_FAILED;  // FFmpeg also ends pictures whose begin failed
    }
    DoubleSurface& surface = object(driver.surfaces, target, "vaEndPicture");
    if (driver.fails("vaEndPicture") ||
        !decoding.decoder.decode(decoding.picture, surface.bytes, surface.pitch, surface.rows)) {
        return VA_STATUS_ERROR_OPERATION_FAILED;
    }
    surface.synchronised = false;
    driver.note(std::string(1, " IPB"[decoding.picture.parameters->picture_coding_type]));
    return VA_STATUS_SUCCESS;
}

}  // namespace

void addDecodingCalls(VADriverVTable& table) {
    table.vaCreateContext = createContext;
    table.vaDestroyContext = destroyContext;
    table.vaCreateBuffer = createBuffer;
    table.vaDestroyBuffer = destroyBuffer;
    table.vaBeginPicture = beginPicture;
    table.vaRenderPicture = renderPicture;
    table.vaEndPicture = endPicture;
}

}  // namespace verbcast::testing
