// Surfaces, and access to their pixels.
#include <algorithm>
#include <cstring>

#include "tests/decoding/driver/double_objects.h"

namespace verbcast::testing {
namespace {

constexpr int kPitchAlignment = 256;  // differs from the decoders' own, so that nobody can rely on theirs

VAImageFormat nv12() {
    VAImageFormat format{};
    format.fourcc = VA_FOURCC_NV12;
    format.byte_order = VA_LSB_FIRST;
    format.bits_per_pixel = 12;
    return format;
}

VAStatus createSurfaces(VADriverContextP context, unsigned format, unsigned width, unsigned height,
                        VASurfaceID* surfaces, unsigned count, VASurfaceAttrib*, unsigned) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    if (format != VA_RT_FORMAT_YUV420) {
        return VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT;
    }
    if (driver.fails("vaCreateSurfaces")) {
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    for (unsigned i = 0; i < count; ++i) {
        DoubleSurface surface;
        surface.width = static_cast<int>(width);
        surface.rows = static_cast<int>(height + 1) / 2 * 2;
        surface.pitch = (surface.width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
        surface.bytes.resize(static_cast<std::size_t>(surface.pitch) * surface.rows * 3 / 2);
        surfaces[i] = driver.add();
        driver.surfaces[surfaces[i]] = std::move(surface);
    }
    return VA_STATUS_SUCCESS;
}

VAStatus createPlainSurfaces(VADriverContextP context, int width, int height, int format, int count,
                             VASurfaceID* surfaces) {
    return createSurfaces(context, static_cast<unsigned>(format), static_cast<unsigned>(width),
                          static_cast<unsigned>(height), surfaces, static_cast<unsigned>(count), nullptr, 0);
}

VAStatus destroySurfaces(VADriverContextP context, VASurfaceID* surfaces, int count) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    for (int i = 0; i < count; ++i) {
        object(driver.surfaces, surfaces[i], "vaDestroySurfaces");
        driver.surfaces.erase(surfaces[i]);
    }
    return VA_STATUS_SUCCESS;
}

VAStatus surfaceAttributes(VADriverContextP context, VAConfigID, VASurfaceAttrib* list, unsigned* count) {
    const auto integer = [](VASurfaceAttribType type, int value) {
        VASurfaceAttrib attribute{};
        attribute.type = type;
        attribute.flags = VA_SURFACE_ATTRIB_GETTABLE;
        attribute.value.type = VAGenericValueTypeInteger;
        attribute.value.value.i = value;
        return attribute;
    };
    const int largest = driverOf(context).largest;
    const VASurfaceAttrib known[] = {integer(VASurfaceAttribPixelFormat, VA_FOURCC_NV12),
                                     integer(VASurfaceAttribMaxWidth, largest),
                                     integer(VASurfaceAttribMaxHeight, largest)};
    if (list != nullptr) {
        if (*count < std::size(known)) {
            *count = std::size(known);
            return VA_STATUS_ERROR_MAX_NUM_EXCEEDED;
        }
        std::copy(std::begin(known), std::end(known), list);
    }
    *count = std::size(known);
    return VA_STATUS_SUCCESS;
}

VAStatus syncSurface(VADriverContextP context, VASurfaceID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    DoubleSurface& surface = object(driver.surfaces, id, "vaSyncSurface");
    if (driver.fails("vaSyncSurface")) {
        return VA_STATUS_ERROR_DECODING_ERROR;
    }
    surface.synchronised = true;
    driver.note("sync");
    return VA_STATUS_SUCCESS;
}

VAStatus imageFormats(VADriverContextP, VAImageFormat* list, int* count) {
    list[0] = nv12();
    *count = 1;
    return VA_STATUS_SUCCESS;
}

void describe(VAImage& image, int width, int rows, int pitch) {
    image = {};
    image.format = nv12();
    image.width = static_cast<std::uint16_t>(width);
    image.height = static_cast<std::uint16_t>(rows);
    image.data_size = static_cast<std::uint32_t>(pitch * rows * 3 / 2);
    image.num_planes = 2;
    image.pitches[0] = image.pitches[1] = static_cast<std::uint32_t>(pitch);
    image.offsets[1] = static_cast<std::uint32_t>(pitch * rows);
}

void addImage(DoubleDriver& driver, VAImage& image, DoubleBuffer buffer) {
    buffer.type = VAImageBufferType;
    image.buf = driver.add();
    driver.buffers[image.buf] = std::move(buffer);
    image.image_id = driver.add();
    driver.images[image.image_id] = image.buf;
}

VAStatus createImage(VADriverContextP context, VAImageFormat* format, int width, int height, VAImage* image) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    if (format->fourcc != VA_FOURCC_NV12) {
        return VA_STATUS_ERROR_INVALID_IMAGE_FORMAT;
    }
    if (driver.fails("vaCreateImage")) {
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    const int pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
    describe(*image, width, (height + 1) / 2 * 2, pitch);
    DoubleBuffer buffer;
    buffer.bytes.resize(image->data_size);
    addImage(driver, *image, std::move(buffer));
    return VA_STATUS_SUCCESS;
}

VAStatus deriveImage(VADriverContextP context, VASurfaceID id, VAImage* image) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    DoubleSurface& surface = object(driver.surfaces, id, "vaDeriveImage");
    describe(*image, surface.width, surface.rows, surface.pitch);
    DoubleBuffer buffer;
    buffer.mapped = surface.bytes.data();
    addImage(driver, *image, std::move(buffer));
    return VA_STATUS_SUCCESS;
}

VAStatus destroyImage(VADriverContextP context, VAImageID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    const unsigned buffer = object(driver.images, id, "vaDestroyImage");
    if (object(driver.buffers, buffer, "vaDestroyImage").isMapped) {
        misused("vaDestroyImage: still mapped");
    }
    driver.buffers.erase(buffer);
    driver.images.erase(id);
    return VA_STATUS_SUCCESS;
}

VAStatus getImage(VADriverContextP context, VASurfaceID id, int x, int y, unsigned width, unsigned height,
                  VAImageID imageId) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    const DoubleSurface& surface = object(driver.surfaces, id, "vaGetImage");
    DoubleBuffer& buffer = object(driver.buffers, object(driver.images, imageId, "vaGetImage"), "vaGetImage");
    if (!surface.synchronised) {
        misused("vaGetImage: the surface is still being decoded into");
    }
    if (driver.fails("vaGetImage")) {
        return VA_STATUS_ERROR_OPERATION_FAILED;
    }
    if (x != 0 || y != 0 || static_cast<int>(width) != surface.width ||
        static_cast<int>(height + 1) / 2 * 2 != surface.rows || buffer.bytes.size() != surface.bytes.size()) {
        misused("vaGetImage: only whole surfaces are known");
    }
    buffer.bytes = surface.bytes;
    return VA_STATUS_SUCCESS;
}

VAStatus mapBuffer(VADriverContextP context, VABufferID id, void** data) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    DoubleBuffer& buffer = object(driver.buffers, id, "vaMapBuffer");
    if (driver.fails("vaMapBuffer")) {
        return VA_STATUS_ERROR_OPERATION_FAILED;
    }
    buffer.isMapped = true;
    *data = buffer.mapped != nullptr ? buffer.mapped : buffer.bytes.data();
    return VA_STATUS_SUCCESS;
}

VAStatus unmapBuffer(VADriverContextP context, VABufferID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    object(driver.buffers, id, "vaUnmapBuffer").isMapped = false;
    return VA_STATUS_SUCCESS;
}

}  // namespace

void addPictureCalls(VADriverVTable& table) {
    table.vaCreateSurfaces = createPlainSurfaces;
    table.vaCreateSurfaces2 = createSurfaces;
    table.vaDestroySurfaces = destroySurfaces;
    table.vaQuerySurfaceAttributes = surfaceAttributes;
    table.vaSyncSurface = syncSurface;
    table.vaQueryImageFormats = imageFormats;
    table.vaCreateImage = createImage;
    table.vaDeriveImage = deriveImage;
    table.vaDestroyImage = destroyImage;
    table.vaGetImage = getImage;
    table.vaMapBuffer = mapBuffer;
    table.vaUnmapBuffer = unmapBuffer;
}

}  // namespace verbcast::testing
