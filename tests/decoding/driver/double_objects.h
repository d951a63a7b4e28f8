// The state of the VA driver double, and its checks for misuse.
#pragma once

#include <va/va_backend.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/decoding/driver/mpeg2_pictures.h"

namespace verbcast::testing {

/// Reports the misuse and ends the program.
[[noreturn]] void misused(const std::string& what);

struct DoubleSurface {
    int width = 0, rows = 0, pitch = 0;
    std::vector<std::uint8_t> bytes;
    bool synchronised = true;  ///< nothing is being decoded into it
};

struct DoubleBuffer {
    VABufferType type = VABufferTypeMax;
    std::vector<std::uint8_t> bytes;
    std::uint8_t* mapped = nullptr;  ///< the surface's memory, for derived images
    bool isMapped = false;
};

struct DoubleContext {
    Mpeg2Decoder decoder;
    Mpeg2Picture picture;
    VASurfaceID target = VA_INVALID_SURFACE;  ///< between vaBeginPicture() and vaEndPicture()
};

/// One initialised display. Locked by each call.
struct DoubleDriver {
    std::mutex mutex;
    std::string failingCall;  ///< see va_double.h
    long failAfter = 0, failTimes = -1;
    bool decodesNothing = false;
    int largest = 4096;
    std::string log;
    unsigned nextId = 1;
    std::map<unsigned, VAProfile> configs;
    std::map<unsigned, DoubleSurface> surfaces;
    std::map<unsigned, std::unique_ptr<DoubleContext>> contexts;
    std::map<unsigned, DoubleBuffer> buffers;
    std::map<unsigned, unsigned> images;  ///< their buffers

    void readEnvironment();
    /// Whether this call is to fail.
    bool fails(const char* call);
    void note(const std::string& line) const;
    /// Ends the program if any object is left.
    void requireEmpty() const;
    unsigned add() { return nextId++; }
};

DoubleDriver& driverOf(VADriverContextP context);

/// The object with that number; ends the program if there is none.
template <typename Objects>
auto& object(Objects& objects, unsigned id, const char* call) {
    const auto found = objects.find(id);
    if (found == objects.end()) {
        misused(std::string(call) + ": no such object: " + std::to_string(id));
    }
    return found->second;
}

/// Add their calls to the driver's table.
void addDecodingCalls(VADriverVTable& table);
void addPictureCalls(VADriverVTable& table);

}  // namespace verbcast::testing
