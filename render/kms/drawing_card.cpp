#include "render/kms/drawing_card.h"

#include <fmt/format.h>
#include <gbm.h>

#include <drm_fourcc.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/folder.h"
#include "render/gl_renderer.h"
#include "render/kms/drm_card.h"
#include "render/kms/gbm_context.h"

namespace verbcast {
namespace {

constexpr const char* kFolder = "/dev/dri";
constexpr const char* kRemedy = "leave out --memory dmabuf: pictures are then read back";
constexpr std::uint32_t kUse = GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR;

struct BufferDeleter {
    void operator()(gbm_bo* buffer) const { gbm_bo_destroy(buffer); }
};
using Buffer = std::unique_ptr<gbm_bo, BufferDeleter>;

/// Cards' nodes. Those for drawing alone come first: opening the others takes rights that displays need.
std::vector<std::string> nodes() {
    std::vector<std::string> found;
    for (const char* const kind : {"renderD", "card"}) {
        std::vector<std::string> ofKind;
        for (const std::string& name : namesIn(kFolder)) {
            if (name.starts_with(kind)) {
                ofKind.push_back(fmt::format("{}/{}", kFolder, name));
            }
        }
        std::ranges::sort(ofKind, {}, [](const std::string& path) { return std::pair(path.size(), path); });
        found.insert(found.end(), ofKind.begin(), ofKind.end());
    }
    return found;
}

std::uint32_t fourCcOf(PixelFormat format) {
    return format == PixelFormat::bgra ? GBM_FORMAT_ARGB8888 : GBM_FORMAT_ABGR8888;
}

/// Adds a buffer to `made`, the first of which sets how all lie. Throws Error{Device, Resource}.
void add(gbm_device* device, const VideoFormat& format, CardBuffers& made) {
    const std::string what =
        fmt::format("{}x{} {}", format.width, format.height, pixelFormatName(format.pixelFormat));
    const Buffer buffer(
        gbm_bo_create(device, format.width, format.height, fourCcOf(format.pixelFormat), kUse));
    if (!buffer) {
        const int code = errno;
        throwErrno(code == ENOMEM || code == ENOSPC ? ErrorKind::Resource : ErrorKind::Device,
                   "gbm_bo_create(linear, for drawing)", what, code, kRemedy);
    }
    const std::uint64_t modifier = gbm_bo_get_modifier(buffer.get());
    // A driver without modifiers keeps to what it was asked for.
    if (gbm_bo_get_plane_count(buffer.get()) != 1 ||
        (modifier != DRM_FORMAT_MOD_LINEAR && modifier != DRM_FORMAT_MOD_INVALID)) {
        throw Error(ErrorKind::Device,
                    fmt::format("buffers of {} are not linear: modifier {:#x}, {} planes", what, modifier,
                                gbm_bo_get_plane_count(buffer.get())),
                    kRemedy);
    }
    UniqueFd descriptor(gbm_bo_get_fd(buffer.get()));
    if (!descriptor) {
        throwErrno(errno == EMFILE || errno == ENFILE ? ErrorKind::Resource : ErrorKind::Device,
                   "gbm_bo_get_fd", what, errno, kRemedy);
    }
    const std::uint32_t stride = gbm_bo_get_stride(buffer.get()), offset = gbm_bo_get_offset(buffer.get(), 0);
    if (made.descriptors.empty()) {
        made.stride = stride;
        made.offset = offset;
    } else if (stride != made.stride || offset != made.offset) {
        throw Error(ErrorKind::Device,
                    fmt::format("buffers of {} differ: {} bytes a row from {} on, and {} from {} on", what,
                                made.stride, made.offset, stride, offset),
                    kRemedy);
    }
    made.descriptors.push_back(std::move(descriptor));
}

}  // namespace

class DrawingCard::Impl {
  public:
    explicit Impl(const std::string& path)
        : card_(path), name_(fmt::format("{} ({})", path, card_.driver())), context_(resigned(card_)) {}

    const std::string& name() const { return name_; }
    CardBuffers makeBuffers(const VideoFormat& format, std::uint32_t count) const {
        CardBuffers made;
        while (made.descriptors.size() < count) {
            add(context_.device(), format, made);
        }
        return made;
    }

  private:
    /// Who opens a card first becomes master of its displays, which others want.
    static int resigned(DrmCard& card) {
        static_cast<void>(card.resignAsMaster());
        return card.fd();
    }

    DrmCard card_;
    std::string name_;
    GbmContext context_;
};

DrawingCard::DrawingCard() {
    const VideoFormat trial = tightFormat(64, 64, PixelFormat::bgra);
    std::string problems;
    bool hardware = false;
    const auto open = [&](const std::string& path) {
        auto opened = std::make_unique<Impl>(path);
        if (rendersInSoftware() && hardware) {
            throw Error(ErrorKind::Device, "it draws in software");
        }
        hardware = hardware || !rendersInSoftware();
        opened->makeBuffers(trial, 1);
        return opened;
    };
    for (const std::string& path : nodes()) {
        try {
            impl_ = open(path);
            return;
        } catch (const Error& error) {
            problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", path, error.what());
        }
    }
    throw Error(ErrorKind::Device,
                problems.empty()
                    ? fmt::format("no graphics card has buffers to export: {} lists none", kFolder)
                    : "no graphics card has buffers to export: " + problems,
                kRemedy);
}

DrawingCard::~DrawingCard() = default;

const std::string& DrawingCard::name() const {
    return impl_->name();
}

CardBuffers DrawingCard::makeBuffers(const VideoFormat& format, std::uint32_t count) const {
    return impl_->makeBuffers(format, count);
}

}  // namespace verbcast
