// Options of `verbcast view`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/view/layout.h"
#include "app/view/pane_places.h"
#include "app/wall/viewed_tile.h"
#include "capture/output/container_names.h"
#include "capture/picture_memory.h"
#include "core/base/os/output_file.h"
#include "core/memory/device_memory.h"
#include "core/stream/stream_acceptor.h"
#include "core/stream/viewed_source.h"
#include "core/sync/frame_alignment.h"
#include "render/kms/display_mode.h"

namespace verbcast {

/// Plays sound nowhere, in real time.
inline constexpr const char* kNullDevice = "null";

/// Options of `verbcast view`.
struct ViewOptions : StreamOptions {
    /// What all streams have in common: see receiverOptions().
    ReceiverOptions receiver{};
    /// One for each stream; when listening, a single one.
    std::vector<StreamPeer> peers = {StreamPeer{}};
    std::uint32_t streams = 1;  ///< limit: the number of peers, or of senders when listening
    /// True when listening for up to that many senders.
    bool takesCallers() const { return streams > peers.size(); }
    bool headless = false;
    /// "auto": the default device, if there is sound and one to play it, and of a wall's displays only at the
    /// first; "none": no sound; kNullDevice; else a device's name. Without a window, sound is received and
    /// not played.
    std::string audio = "auto";
    double volume = 100;  ///< per cent
    bool muted = false;
    double avOffset = 0;                ///< ms that sound is heard after its picture
    std::optional<double> avLatency{};  ///< ms that pictures wait for their sound; nullopt: as sound needs
    bool wantsSound() const { return audio != "none" && (audio != "auto" || !tile || tile->isFirst); }
    std::string output;  ///< file to write the frames to; "-": standard output; %n: the stream's number
    Container container = Container::Nut;
    std::string encoder, soundEncoder;          ///< see VideoFile
    Existing existing = Existing::Refused;      ///< a file at `output`
    const Layout* layout = &layouts().front();  ///< arrangement of several streams in the window
    bool swapEyes = false;                      ///< of the stereo layouts
    AlignmentOptions alignment{};               ///< of several streams
    std::vector<PanePlace> panes;    ///< of the free layout; streams without a place are placed automatically
    std::optional<ViewedTile> tile;  ///< a display of a wall: only its part is received
    bool sync = true;                ///< a single stream is shown when its sender says so, if it does
    std::vector<std::string> overlays;  ///< of kOverlayNames
    bool fullscreen = false;
    bool input = false;  ///< send keys and mouse to the sender from the start
    bool kiosk = false;
    std::string screen;  ///< number or name of a monitor; empty: a kiosk takes the first
    bool drm = false;    ///< kiosk without a desktop
    /// Of a graphics card; empty: the first with a display.
    std::vector<std::string> connectors;
    std::optional<ModeWish> mode;   ///< for their displays; else their preferred mode
    std::vector<ViewedTile> tiles;  ///< one for each connector, or none
    std::string still;              ///< kiosk: picture shown without a signal; empty: black
    std::string snapshot;           ///< PNG file of the last frame shown, written at the end
    std::string upload = "auto";    ///< see uploadPathByName()
    /// Device: frames arrive in the GPU's memory; Auto: those that no copy needs to bring there.
    PictureMemory memory = PictureMemory::Host;
};

/// Upper limit: each stream has one or two threads and rings of memory.
inline constexpr std::uint32_t kMaxViewedStreams = 64;

/// All peers to connect to or wait for.
inline const std::vector<StreamPeer>& peersOf(const ViewOptions& options) {
    return options.tile && !options.tile->sources.empty() ? options.tile->sources : options.peers;
}
inline std::vector<SessionAddress> addressesOf(const ViewOptions& options) {
    const std::vector<StreamPeer>& peers = peersOf(options);
    return {peers.begin(), peers.end()};
}
/// Receiver options for one of the peers. A window outlives the stream; without a window, the program ends
/// with it.
ReceiverOptions receiverOptions(const ViewOptions& options, const StreamPeer& peer);
/// For the senders that call, up to ViewOptions::streams.
StreamAcceptorOptions acceptorOptions(const ViewOptions& options);
/// What to say before openStream(), which may print warnings; "" if nothing.
std::string openingText(const ViewOptions& options, const StreamPeer& peer);
/// Opens the stream of that peer, or of a tile's sources. `frameLock` may be null and must outlive the
/// stream. Throws as FrameReceiver does.
std::unique_ptr<ViewedSource> openStream(const ViewOptions& options, const StreamPeer& peer,
                                         FrameLockListener* frameLock);

}  // namespace verbcast
