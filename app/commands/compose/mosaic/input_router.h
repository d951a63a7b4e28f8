// Takes viewers' input to the picture under the pointer.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "app/commands/compose/mosaic/mosaic_input.h"
#include "capture/input_injector.h"
#include "render/picture_geometry.h"
#include "render/stream_renderer.h"

namespace verbcast {

/// Pointer, wheel and touch go to the topmost picture under them, while a button or finger is down to the one
/// where it went down; keys and messages go to the viewer's last picture, at first the one in focus.
/// Thread-safe.
class InputRouter {
  public:
    struct Pane {
        std::uint64_t id = 0;
        std::shared_ptr<MosaicInput> input{};  // shared with the mosaic
        TargetRect area, clip;
        VideoFormat format;
        bool focused = false;
    };

    /// In drawing order. From now on input goes there.
    void show(std::vector<Pane> panes);
    /// The picture of that pane, which will be shown next, shows the events up to that number of its own.
    void shows(std::uint64_t pane, std::uint64_t number);
    /// The last event of which shows() has told; 0: none.
    std::uint64_t shown() const;

    void apply(std::span<const ViewerInput> events);

  private:
    struct Viewer {
        std::uint64_t pane = 0;          // its last one; 0: none
        std::set<std::uint64_t> down{};  // buttons and fingers
    };
    struct Sent {
        std::uint64_t pane, number, serial;
    };
    void apply(const ViewerInput& input);
    const Pane* paneOf(const Viewer& viewer) const;
    const Pane* paneUnder(float x, float y) const;
    void send(const Pane& pane, InputEvent event, std::uint64_t serial);

    mutable std::mutex mutex_;  // guards all below
    std::vector<Pane> panes_;
    std::map<std::uint64_t, Viewer> viewers_;
    std::deque<Sent> sent_;  // whose effect was not shown yet
    std::uint64_t shown_ = 0;
};

}  // namespace verbcast
