// The double's initialisation and termination, its configurations, and the calls that it lacks.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>

#include "tests/decoding/driver/double_objects.h"
#include "tests/decoding/driver/va_double.h"

namespace verbcast::testing {

void misused(const std::string& what) {
    std::fprintf(stderr, "va double: %s\n", what.c_str());
    std::fflush(stderr);
    ::_exit(kVaDoubleMisused);
}

DoubleDriver& driverOf(VADriverContextP context) {
    return *static_cast<DoubleDriver*>(context->pDriverData);
}

void DoubleDriver::readEnvironment() {
    const auto value = [](const char* name) {
        const char* const text = std::getenv(name);
        return std::string(text == nullptr ? "" : text);
    };
    const std::string fail = value("VA_DOUBLE_FAIL");
    failingCall = fail.substr(0, fail.find(':'));
    std::sscanf(fail.c_str() + failingCall.size(), ":%ld:%ld", &failAfter, &failTimes);
    decodesNothing = value("VA_DOUBLE_PROFILES") == "none";
    if (const std::string given = value("VA_DOUBLE_LARGEST"); !given.empty()) {
        largest = std::stoi(given);
    }
    log = value("VA_DOUBLE_LOG");
}

bool DoubleDriver::fails(const char* call) {
    if (failingCall != call || failTimes == 0) {
        return false;
    }
    if (failAfter > 0) {
        --failAfter;
        return false;
    }
    if (failTimes > 0) {
        --failTimes;
    }
    return true;
}

void DoubleDriver::note(const std::string& line) const {
    if (!log.empty()) {
        std::ofstream(log, std::ios::app) << line << '\n';
    }
}

void DoubleDriver::requireEmpty() const {
    if (!configs.empty() || !surfaces.empty() || !contexts.empty() || !buffers.empty() || !images.empty()) {
        misused("left at vaTerminate: " + std::to_string(configs.size()) + " configurations, " +
                std::to_string(surfaces.size()) + " surfaces, " + std::to_string(contexts.size()) +
                " contexts, " + std::to_string(buffers.size()) + " buffers, " +
                std::to_string(images.size()) + " images");
    }
}

namespace {

/// Implements every call that the double lacks.
template <typename... Arguments>
VAStatus absent(Arguments...) {
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus terminate(VADriverContextP context) {
    const std::unique_ptr<DoubleDriver> driver(&driverOf(context));
    context->pDriverData = nullptr;
    driver->requireEmpty();
    return VA_STATUS_SUCCESS;
}

VAStatus profiles(VADriverContextP context, VAProfile* list, int* count) {
    *count = 0;
    if (!driverOf(context).decodesNothing) {
        list[(*count)++] = VAProfileMPEG2Simple;
        list[(*count)++] = VAProfileMPEG2Main;
    }
    return VA_STATUS_SUCCESS;
}

VAStatus entrypoints(VADriverContextP, VAProfile, VAEntrypoint* list, int* count) {
    list[0] = VAEntrypointVLD;
    *count = 1;
    return VA_STATUS_SUCCESS;
}

VAStatus attributes(VADriverContextP, VAProfile, VAEntrypoint, VAConfigAttrib* list, int count) {
    for (int i = 0; i < count; ++i) {
        list[i].value =
            list[i].type == VAConfigAttribRTFormat ? VA_RT_FORMAT_YUV420 : VA_ATTRIB_NOT_SUPPORTED;
    }
    return VA_STATUS_SUCCESS;
}

VAStatus createConfig(VADriverContextP context, VAProfile profile, VAEntrypoint, VAConfigAttrib*, int,
                      VAConfigID* id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    if (driver.fails("vaCreateConfig")) {
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    *id = driver.add();
    driver.configs[*id] = profile;
    return VA_STATUS_SUCCESS;
}

VAStatus destroyConfig(VADriverContextP context, VAConfigID id) {
    DoubleDriver& driver = driverOf(context);
    const std::lock_guard lock(driver.mutex);
    object(driver.configs, id, "vaDestroyConfig");
    driver.configs.erase(id);
    return VA_STATUS_SUCCESS;
}

VAStatus queryConfig(VADriverContextP context, VAConfigID id, VAProfile* profile, VAEntrypoint* entrypoint,
                     VAConfigAttrib*, int* count) {
    *profile = object(driverOf(context).configs, id, "vaQueryConfigAttributes");
    *entrypoint = VAEntrypointVLD;
    *count = 0;
    return VA_STATUS_SUCCESS;
}

VAStatus noFormats(VADriverContextP, VAImageFormat*, unsigned*, unsigned* count) {
    *count = 0;
    return VA_STATUS_SUCCESS;
}

VAStatus noDisplayAttributes(VADriverContextP, VADisplayAttribute*, int* count) {
    *count = 0;
    return VA_STATUS_SUCCESS;
}

void addAbsentCalls(VADriverVTable& table) {
    table.vaBufferSetNumElements = absent;
    table.vaQuerySurfaceStatus = absent;
    table.vaPutSurface = absent;
    table.vaSetImagePalette = absent;
    table.vaPutImage = absent;
    table.vaQuerySubpictureFormats = noFormats;
    table.vaCreateSubpicture = absent;
    table.vaDestroySubpicture = absent;
    table.vaSetSubpictureImage = absent;
    table.vaSetSubpictureChromakey = absent;
    table.vaSetSubpictureGlobalAlpha = absent;
    table.vaAssociateSubpicture = absent;
    table.vaDeassociateSubpicture = absent;
    table.vaQueryDisplayAttributes = noDisplayAttributes;
    table.vaGetDisplayAttributes = absent;
    table.vaSetDisplayAttributes = absent;
}

}  // namespace

VAStatus initialise(VADriverContextP context) {
    auto driver = std::make_unique<DoubleDriver>();
    driver->readEnvironment();
    if (driver->fails("vaInitialize")) {
        return VA_STATUS_ERROR_HW_BUSY;
    }
    context->version_major = VA_MAJOR_VERSION;
    context->version_minor = VA_MINOR_VERSION;
    context->max_profiles = 2;
    context->max_entrypoints = 1;
    context->max_attributes = 1;
    context->max_image_formats = 1;
    context->max_subpic_formats = 1;
    context->max_display_attributes = 1;
    context->str_vendor = "verbcast's double of a driver";
    VADriverVTable& table = *context->vtable;
    addAbsentCalls(table);
    addDecodingCalls(table);
    addPictureCalls(table);
    table.vaTerminate = terminate;
    table.vaQueryConfigProfiles = profiles;
    table.vaQueryConfigEntrypoints = entrypoints;
    table.vaGetConfigAttributes = attributes;
    table.vaCreateConfig = createConfig;
    table.vaDestroyConfig = destroyConfig;
    table.vaQueryConfigAttributes = queryConfig;
    context->pDriverData = driver.release();
    return VA_STATUS_SUCCESS;
}

}  // namespace verbcast::testing

// libva looks up the name for its own version and for earlier minor versions of the same major.
#define VERBCAST_VA_ENTRY_(major, minor) __vaDriverInit_##major##_##minor
#define VERBCAST_VA_ENTRY(major, minor) VERBCAST_VA_ENTRY_(major, minor)
extern "C" __attribute__((visibility("default"))) VAStatus VERBCAST_VA_ENTRY(
    VA_MAJOR_VERSION, VA_MINOR_VERSION)(VADriverContextP context) {
    return verbcast::testing::initialise(context);
}
