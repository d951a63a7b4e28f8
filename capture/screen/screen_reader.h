// Reads pictures from the X server into the slots of a frame pool.
#pragma once

#include <sys/shm.h>
#include <xcb/shm.h>

#include <memory>

#include "capture/screen/rectangle.h"
#include "capture/screen/x_display.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// How pixels come from the server; best first.
enum class ReadPath {
    Slots,    ///< the server writes into the slot (MIT-SHM 1.2: it maps the pool's memory): only its own copy
    Segment,  ///< the server writes into our shared memory: one copy from there
    Wire,     ///< over the connection, even from another machine: two copies besides the connection's
};

/// Owns the pool. The display must outlive it. Used by one thread.
class ScreenReader {
  public:
    /// Uses the best working path, from `best` on.
    ScreenReader(const XDisplay& display, ReadPath best, std::uint32_t slots);
    ~ScreenReader();
    ScreenReader(const ScreenReader&) = delete;
    ScreenReader& operator=(const ScreenReader&) = delete;

    /// Makes room for pictures of that many bytes; keeps a pool that is large enough. Throws Error{Resource}.
    void prepare(std::uint64_t payloadBytes);
    const std::shared_ptr<FramePool>& pool() const { return pool_; }
    ReadPath path() const { return path_; }

    /// Reads `part` of the drawable, 4 bytes per pixel without padding, to the start of the slot. False: the
    /// drawable has changed or is gone. Throws Error{Display} if the server is gone.
    bool read(xcb_drawable_t drawable, const Rectangle& part, const FrameLease& slot);

  private:
    bool canShareMemory(std::uint16_t minorVersion) const;
    bool attachPool(int descriptor);
    bool attachSegment(std::uint64_t bytes);
    void detach();
    bool readShared(xcb_drawable_t drawable, const Rectangle& part, std::uint32_t offset);
    bool readOverWire(xcb_drawable_t drawable, const Rectangle& part, const FrameLease& slot);

    struct DetachMemory {
        void operator()(void* memory) const { ::shmdt(memory); }
    };

    const XDisplay& display_;
    std::uint32_t slots_;
    ReadPath path_;
    std::shared_ptr<FramePool> pool_;
    xcb_shm_seg_t segment_ = XCB_NONE;  // the server's name for the pool or memory_
    std::unique_ptr<void, DetachMemory> memory_;
};

}  // namespace verbcast
