#include "render/kms/drawing_card.h"

#include <fmt/ranges.h>
#include <gbm.h>

#include <drm_fourcc.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "render/gl/gl_renderer.h"
#include "render/kms/drm_card.h"
#include "render/kms/gbm_context.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "leave out --memory dmabuf: pictures are then read back";
constexpr std::uint32_t kUse = GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR;

struct BufferDeleter {
    void operator()(gbm_bo* buffer) const { gbm_bo_destroy(buffer); }
};
using Buffer = std::unique_ptr<gbm_bo, BufferDeleter>;

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

struct DrawingCard::State {
    explicit State(const std::string& path)
        : card(path), name(fmt::format("{} ({})", path, card.driver())), context(resigned(card)) {}

    /// Who opens a card first becomes master of its displays, which others want.
    static int resigned(DrmCard& card) {
        static_cast<void>(card.resignAsMaster());
        return card.fd();
    }

    DrmCard card;
    std::string name;
    GbmContext context;
};

DrawingCard::DrawingCard() {
    const VideoFormat trial = tightFormat(64, 64, PixelFormat::bgra);
    // Those for drawing alone come first: opening the others takes rights that displays need.
    std::vector<std::string> nodes = cardNodes("renderD");
    std::ranges::move(cardNodes("card"), std::back_inserter(nodes));
    std::vector<std::string> problems;
    bool hardware = false;
    const auto open = [&](const std::string& path) {
        state_ = std::make_unique<State>(path);
        if (rendersInSoftware() && hardware) {
            throw Error(ErrorKind::Device, "it draws in software");
        }
        hardware = hardware || !rendersInSoftware();
        makeBuffers(trial, 1);
    };
    for (const std::string& path : nodes) {
        try {
            open(path);
            return;
        } catch (const Error& error) {
            problems.push_back(fmt::format("{}: {}", path, error.what()));
            state_.reset();
        }
    }
    throw Error(
        ErrorKind::Device,
        fmt::format("no graphics card has buffers to export: {}",
                    problems.empty() ? "/dev/dri lists none" : fmt::format("{}", fmt::join(problems, "; "))),
        kRemedy);
}

DrawingCard::~DrawingCard() = default;

const std::string& DrawingCard::name() const {
    return state_->name;
}

CardBuffers DrawingCard::makeBuffers(const VideoFormat& format, std::uint32_t count) const {
    CardBuffers made;
    while (made.descriptors.size() < count) {
        add(state_->context.device(), format, made);
    }
    return made;
}

}  // namespace verbcast
