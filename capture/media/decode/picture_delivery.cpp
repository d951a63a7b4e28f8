#include "capture/media/decode/picture_delivery.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "capture/convert/format_mapping.h"
#include "capture/media/decode/hardware_decoding.h"

namespace verbcast {
namespace {

int workers(int threads) {
    return threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
}

/// The other side at the same aspect ratio, rounded to even.
std::uint32_t otherSide(std::uint32_t side, int pictureSide, int pictureOther) {
    const double exact = static_cast<double>(side) * pictureOther / pictureSide;
    return std::max<std::uint32_t>(2, static_cast<std::uint32_t>(std::lround(exact / 2)) * 2);
}

void requireRange(std::optional<std::uint32_t> side, const char* name) {
    if (side && (*side < kMinDimension || *side > kMaxDimension)) {
        throw Error(ErrorKind::Usage, fmt::format("a {} of {} is out of range: {} to {} expected", name,
                                                  *side, kMinDimension, kMaxDimension));
    }
}

/// Colour after a conversion: RGB is full range; former RGB becomes BT.709, limited range.
Colour convertedColour(Colour colour, const AVFrame& picture, PixelFormat target) {
    const bool wasRgb = colour.matrix == 0;
    const PixelFormatInfo& info = pixelFormatInfo(target);
    if (info.rgb) {
        colour.matrix = 0;
        colour.fullRange = true;
    } else if (wasRgb) {
        colour.matrix = 1;
        colour.fullRange = target == PixelFormat::gray;
    }
    const bool sameChroma = directPixelFormat(static_cast<AVPixelFormat>(picture.format)) && !wasRgb &&
                            info.chromaShiftX + info.chromaShiftY > 0;
    if (!sameChroma && (info.rgb || info.chromaShiftX + info.chromaShiftY == 0)) {
        colour.chromaLocation = 0;
    }
    return colour;
}

Rational scaledAspect(Rational aspect, const AVFrame& picture, std::uint32_t width, std::uint32_t height) {
    AVRational result;
    av_reduce(&result.num, &result.den, std::int64_t{aspect.numerator} * height * picture.width,
              std::int64_t{aspect.denominator} * width * picture.height, INT32_MAX);
    return {result.num, result.den};
}

/// Aligns rows to vectors, which swscale likes, except where a pixel's size does not divide that.
void layOutForCopy(VideoFormat& format) {
    const bool oddPixels = format.pixelFormat == PixelFormat::rgb24;
    layOutPlanes(format, oddPixels ? 4 : 64, 64);
}

void copyPlanes(const AVFrame& picture, const VideoFormat& format, std::byte* payload) {
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        av_image_copy_plane(reinterpret_cast<std::uint8_t*>(payload) + format.planes[plane].offset,
                            static_cast<int>(format.planes[plane].stride), picture.data[plane],
                            picture.linesize[plane], static_cast<int>(tightRowBytes(format, plane)),
                            static_cast<int>(planeRows(format, plane)));
    }
}

}  // namespace

PictureDelivery::PictureDelivery(const SourceOptions& options, SlotAllocator& allocator)
    : options_(options), allocator_(allocator), converter_(workers(options.decoderThreads)) {
    requireRange(options.width, "width");
    requireRange(options.height, "height");
    if (options.memory != PictureMemory::Host) {
        gpu_ = std::make_unique<GpuPictures>(std::max<std::uint32_t>(1, options.slots));
    }
}

PictureDelivery::Plan PictureDelivery::planFor(const AVFrame& picture) {
    const AVPixelFormat source = pixelFormatOf(picture);
    if (source != knownFormat_) {
        const auto nearest = nearestPixelFormat(source);
        if (!nearest) {
            throw Error(ErrorKind::Input, "pictures of " + avPixelFormatName(source) + " cannot be sent");
        }
        knownFormat_ = source;
        knownTarget_ = options_.pixelFormat.value_or(keptFormat_.value_or(nearest->format));
        note_.reset();
        if (directPixelFormat(source) != knownTarget_) {
            note_ = fmt::format("{} is sent as {}", avPixelFormatName(source), pixelFormatName(knownTarget_));
            if (!options_.pixelFormat && !keptFormat_ && !nearest->loss.empty()) {
                *note_ += ": " + nearest->loss;
            }
        }
    }
    Plan plan{knownTarget_, static_cast<std::uint32_t>(picture.width),
              static_cast<std::uint32_t>(picture.height)};
    if (options_.width || options_.height) {
        plan.width =
            options_.width ? *options_.width : otherSide(*options_.height, picture.height, picture.width);
        plan.height =
            options_.height ? *options_.height : otherSide(*options_.width, picture.width, picture.height);
    }
    if (std::min(plan.width, plan.height) < kMinDimension ||
        std::max(plan.width, plan.height) > kMaxDimension) {
        throw Error(ErrorKind::Input,
                    fmt::format("a picture of {}x{} cannot be sent: {}x{} to {}x{} expected", plan.width,
                                plan.height, kMinDimension, kMinDimension, kMaxDimension, kMaxDimension),
                    "scale it: --size WIDTHxHEIGHT");
    }
    return plan;
}

std::string PictureDelivery::whyNotOnGpu(const AVFrame& surface) {
    const Plan plan = planFor(surface);
    if (surface.format != AV_PIX_FMT_CUDA) {
        return "it was not decoded by NVIDIA's decoder";
    }
    if (directPixelFormat(pixelFormatOf(surface)) != plan.pixelFormat || !plan.isSizeOf(surface)) {
        return "the processor converts it";
    }
    if (surface.crop_left != 0 || surface.crop_top != 0) {
        return "it is cropped at the left or at the top";
    }
    VideoFormat format = tightFormat(plan.width, plan.height, plan.pixelFormat);
    layOutForCopy(format);
    return gpu_->makeRoom(format.payloadBytes);
}

bool PictureDelivery::takesSurface(const AVFrame& surface) {
    if (!gpu_) {
        return false;
    }
    std::string reason;
    try {
        reason = whyNotOnGpu(surface);
    } catch (const Error& error) {
        if (options_.memory == PictureMemory::Device || error.kind() != ErrorKind::Device) {
            throw;
        }
        reason = error.what();
        gpu_.reset();  // it stays so
    }
    const bool asked = options_.memory == PictureMemory::Device || surface.format == AV_PIX_FMT_CUDA;
    broughtBecause_ = asked ? reason : "";
    return reason.empty();
}

VideoFormat PictureDelivery::formatFor(const Plan& plan, const AVFrame& picture,
                                       const StreamTraits& traits) const {
    VideoFormat format;
    format.width = plan.width;
    format.height = plan.height;
    format.pixelFormat = plan.pixelFormat;
    format.frameRate = traits.frameRate;
    format.timeBase = traits.timeBase;
    format.pixelAspect = scaledAspect(traits.pixelAspect, picture, plan.width, plan.height);
    format.rotation = traits.rotation;
    format.colour = colourOf(picture, pixelFormatOf(picture));
    const bool rowsKept = format.height == static_cast<std::uint32_t>(picture.height);
    format.fieldOrder = rowsKept ? traits.fieldOrder : FieldOrder::Progressive;
    format.hdr = traits.hdr;
    return format;
}

Status PictureDelivery::deliver(const AVFrame& picture, const StreamTraits& traits, const Event& cancel,
                                CapturedFrame& frame, SourceCounters& counters) {
    const Plan plan = planFor(picture);
    VideoFormat format = formatFor(plan, picture, traits);
    if (isSurface(picture)) {
        layOutForCopy(format);
        frame.format = format;
        return gpu_->copy(picture, format, cancel, frame.lease);
    }
    const bool sameSize = plan.isSizeOf(picture);
    const bool sameBytes = directPixelFormat(static_cast<AVPixelFormat>(picture.format)) == plan.pixelFormat;
    if (sameSize && sameBytes) {
        if (const auto shared = shareSlot(picture, format, frame)) {
            return *shared;
        }
    } else {
        format.colour = convertedColour(format.colour, picture, plan.pixelFormat);
    }

    layOutForCopy(format);
    const Status acquired =
        allocator_.acquireForCopy(format.payloadBytes + PictureConverter::kOverrunBytes, cancel, frame.lease);
    if (acquired != Status::Ok) {
        return acquired;
    }
    if (sameSize && sameBytes) {
        copyPlanes(picture, format, frame.lease.data());
    } else {
        converter_.convert(picture, format, frame.lease.data());
    }
    ++counters.pixelCopies;
    frame.format = format;
    return Status::Ok;
}

// The picture may start inside the slot (cropping), so offsets follow the decoder's plane pointers.
std::optional<Status> PictureDelivery::shareSlot(const AVFrame& picture, const VideoFormat& described,
                                                 CapturedFrame& frame) {
    auto lease = allocator_.leaseOf(picture);
    if (!lease) {
        return std::nullopt;
    }
    VideoFormat format = described;
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        const std::ptrdiff_t offset = reinterpret_cast<std::byte*>(picture.data[plane]) - lease->data();
        if (picture.linesize[plane] <= 0 || offset < 0) {
            return std::nullopt;  // rows run bottom-up
        }
        Plane& place = format.planes[plane];
        place.offset = static_cast<std::uint64_t>(offset);
        place.stride = static_cast<std::uint32_t>(picture.linesize[plane]);
        const std::uint64_t end = place.offset +
                                  std::uint64_t{place.stride} * (planeRows(format, plane) - 1) +
                                  tightRowBytes(format, plane);
        format.payloadBytes = std::max(format.payloadBytes, end);
    }
    if (format.payloadBytes > lease->capacity() || formatProblem(format)) {
        return std::nullopt;
    }
    frame.lease = std::move(*lease);
    frame.format = format;
    return Status::Ok;
}

}  // namespace verbcast
