// Receives the newest pictures of a PipeWire node.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "capture/screen/portal/buffer_picture.h"
#include "capture/screen/portal/producer_buffers.h"
#include "capture/screen/portal/stream_parameters.h"
#include "core/base/os/event.h"
#include "core/base/os/unique_fd.h"
#include "core/pipewire/pipewire_handles.h"
#include "core/video/picture_changes.h"
#include "core/video/video_format.h"

namespace verbcast {

/// What to do when PipeWire fails.
inline constexpr const char* kCheckPipeWire =
    "check that pipewire and wireplumber run: systemctl --user status pipewire wireplumber";

struct PipeWireNode {
    std::uint32_t id = 0;
    Rational fastest;        ///< pictures a second that are wanted
    bool inDmaBufs = false;  ///< whether they may lie in dma-bufs
};

/// Consumes one node. PipeWire's own threads keep the newest picture and return all older ones, so that the
/// producer never waits for us and our picture is never stale. The pictures are in the producer's memory: in
/// a memfd, from which take() copies them once, or in dma-bufs, which borrow() lends out.
///
/// Used by one thread; its lock is held while take() copies a picture.
class PipeWireStream {
  public:
    /// Connects through `remote` and waits until the format is agreed on: some desktops send the first
    /// picture only when something changes. Throws Error{Display}.
    PipeWireStream(UniqueFd remote, const PipeWireNode& node, std::chrono::milliseconds patience,
                   const Event* cancel = nullptr);
    PipeWireStream(const PipeWireStream&) = delete;
    PipeWireStream& operator=(const PipeWireStream&) = delete;

    /// Readable when a picture has come or the stream has ended, until the next clearNews().
    int descriptor() const { return news_.descriptor(); }
    void clearNews() const { news_.clear(); }

    struct Waiting {
        PictureLayout layout;
        bool inDmaBuf = false;  ///< borrow() gets it; else take() does
    };
    /// The pending picture; nullopt if there is none.
    std::optional<Waiting> waiting() const;
    /// The layout first agreed on.
    const PictureLayout& agreed() const { return agreed_; }
    /// When a taken picture was made, and what changed in it.
    struct Taken {
        TimestampNs at = 0;  ///< when the producer made it
        /// Since the last picture taken, including those returned unseen, as the producer tells. All if it
        /// tells nothing, skipped pictures or turned them.
        PictureChanges changed = PictureChanges::all();
    };
    /// Copies the pending picture from shared memory, rows without padding, and returns it to PipeWire.
    /// Returns nullopt if none with that layout is pending there.
    std::optional<Taken> take(const PictureLayout& layout, std::byte* target);

    /// A picture in one of the producer's dma-bufs, which the producer does not get back before the last
    /// lease is gone. Processors may read it that long.
    struct Loan {
        FrameLease lease;
        BufferPicture picture;  ///< within the lease's memory
        Taken taken;
        /// Why it may not be kept, but must be copied and given back at once; "" if it may.
        std::string mustBeCopied;
        bool shortage = false;  ///< and it could be kept if fewer others were
    };
    /// Lends the pending picture, and waits until the device has drawn it. Returns nullopt if none with that
    /// layout is pending in a dma-buf.
    std::optional<Loan> borrow(const PictureLayout& layout);
    /// Whether PipeWire has not taken the buffer of that loan away: from then on the producer may draw there.
    bool stillLends(const FrameLease& lease) const;

    /// Why dma-bufs that the producer offered are not used; "" unless that has happened.
    std::string whyNoDmaBufs() const;

    /// Whether the node is gone: the desktop has stopped. Throws Error{Display} if PipeWire has failed.
    bool hasEnded() const;

  private:
    struct Picture {
        pw_buffer* buffer = nullptr;  // owned by the stream
        BufferPicture rows;
        std::optional<std::uint32_t> slot;  // of lender_; nothing: in shared memory
    };
    void connect(UniqueFd remote);
    PictureLayout awaitFormat(std::chrono::milliseconds patience, const Event* cancel) const;
    std::optional<PictureLayout> expected() const;
    // On the loop's thread, with its lock:
    void negotiated(const spa_pod* parameter);
    void process();
    void added(pw_buffer* buffer);
    std::optional<Picture> understood(pw_buffer* buffer);
    std::optional<Picture> inDmaBuf(pw_buffer* buffer);
    void giveBack(pw_buffer* buffer) { pw_stream_queue_buffer(stream_.get(), buffer); }
    void collectReturned();
    /// Asks for pictures in shared memory from now on.
    void refuseDmaBufs(const std::string& why);
    void noteChanges(const spa_buffer& buffer, const std::optional<Picture>& picture);
    void removed(const pw_buffer* buffer);
    void fail(const std::string& problem);
    void end();

    static const pw_core_events kCoreEvents;
    static const pw_registry_events kRegistryEvents;
    static const pw_stream_events kStreamEvents;

    const PipeWireNode node_;
    PictureLayout agreed_;
    Event news_;
    // Guarded by the loop's lock:
    std::optional<PictureLayout> format_;   // layout of whole buffers
    BufferKind kind_ = BufferKind::Shared;  // agreed on
    std::string whyNoDmaBufs_;              // "" while they are offered
    std::shared_ptr<const Event> returned_ =
        std::make_shared<const Event>();       // shared: leases may outlive us
    std::shared_ptr<ProducerBuffers> lender_;  // null: no dma-bufs; shared with its leases while they return
    Picture newest_;
    PictureChanges changes_ = PictureChanges::all();  // since the last picture taken
    PictureLayout changesLayout_;                     // of the previous picture, and
    spa_point changesOrigin_{};                       // its place in the buffer
    std::uint64_t lastNumber_ = 0;                    // the producer's number of the last buffer
    bool ended_ = false;
    std::string problem_;

    spa_hook coreListener_{}, registryListener_{}, streamListener_{};
    PipeWireHandle<pw_thread_loop> loop_;
    PipeWireHandle<pw_context> context_;
    PipeWireHandle<pw_core> core_;
    PipeWireHandle<pw_registry> registry_;
    PipeWireHandle<pw_stream> stream_;
    RunningPipeWireLoop running_;  // last: the thread must stop before anything above goes
};

}  // namespace verbcast
