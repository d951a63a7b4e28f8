#include "capture/media/decode/picture_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/media/input/ffmpeg_log.h"
#include "core/base/error.h"
#include "core/base/log/log.h"

namespace verbcast {
namespace {

// The picture being delivered, the last one skipped, and one being transferred.
constexpr std::uint32_t kSlotsForTransfers = 3;

}  // namespace

PictureDecoder::PictureDecoder(const MediaInput& input, Wish wish, SlotAllocator& allocator,
                               const InPlaceRule& rule)
    : parameters_(copyOf(*input.stream().codecpar)),
      setup_{.what = "the video in " + input.path(),
             .withoutDecoder = "convert it first: ffmpeg -i FILE -c:v libx264 -crf 12 OUT.mkv",
             .timeBase = input.stream().time_base,
             .threads = wish.threads},
      wish_(wish),
      allocator_(allocator),
      rule_(rule),
      untried_(hardwareToTry(wish.decoder)),
      packet_(newPacket()) {
    std::ranges::reverse(untried_);
    openNext();
    tellChoice();
}

void PictureDecoder::openNext() {
    hardware_.reset();
    while (!untried_.empty() && !hardware_) {
        const Decoder decoder = untried_.back();
        untried_.pop_back();
        std::string reason;
        hardware_ = HardwareDecoding::open(decoder, wish_.use, *parameters_, setup_.timeBase, reason);
        if (!hardware_ && decoder == wish_.decoder) {
            throw Error(
                ErrorKind::Device,
                fmt::format("--decoder {} cannot decode {}: {}", nameOf(decoder), setup_.what, reason),
                remedyFor(decoder));
        }
        if (!hardware_) {
            noteRefusal(decoder, reason);
        }
    }
    if (!hardware_) {
        openSoftware(0);
        return;
    }
    keeps_ = true;
    allocator_.setRule(rule_);
    allocator_.setDecoderSlots(kSlotsForTransfers);
    decoding_.decoder = nameOf(hardware_->decoder());
    decoding_.reason = wish_.decoder == Decoder::Auto ? "it decodes this file" : "as --decoder says";
    decoding_.codec = avcodec_get_name(parameters_->codec_id);
}

void PictureDecoder::openSoftware(int delay) {
    hardware_.reset();
    history_.letGo();
    DecoderSetup setup = setup_;
    setup.delay = delay;
    software_ = openDecoder(*parameters_, setup, allocator_, rule_);
    decoding_.decoder = nameOf(Decoder::Software);
    decoding_.codec = avcodec_get_name(parameters_->codec_id);
    decoding_.reason =
        wish_.decoder == Decoder::Software ? "as --decoder says" : "no hardware decodes it: " + refusals_;
}

void PictureDecoder::noteRefusal(Decoder decoder, const std::string& reason) {
    refusals_ += fmt::format("{}{}: {}", refusals_.empty() ? "" : "; ", nameOf(decoder), reason);
}

void PictureDecoder::tellChoice() {
    log(LogCategory::Capture)
        .info("{} is decoded by {} ({}): {}", setup_.what, decoding_.decoder, decoding_.codec,
              decoding_.reason);
}

bool PictureDecoder::handOver(const std::string& failure) {
    const std::string declined = hardware_ ? hardware_->whyDeclined() : "";
    if (!hardware_ || (failure.empty() && declined.empty())) {
        return false;
    }
    const Decoder last = hardware_->decoder();
    const std::string& reason = declined.empty() ? failure : declined;
    const bool atStart = !declined.empty() && !brought_;
    if (atStart && wish_.decoder == last) {
        throw Error(ErrorKind::Device,
                    fmt::format("--decoder {} cannot decode {}: {}", nameOf(last), setup_.what, reason),
                    "leave out --decoder: auto takes what decodes it");
    }
    if (atStart) {
        noteRefusal(last, reason);
        openNext();
        tellChoice();
    } else {
        const bool whole = history_.isWhole();
        openSoftware(hardware_->context().has_b_frames);
        decoding_.reason = fmt::format("{} failed: {}", nameOf(last), reason);
        news_ = fmt::format("the decoder {} failed ({}): software decodes from here on{}", nameOf(last),
                            reason, whole ? "" : ", and pictures up to the next key picture may be missing");
    }
    history_.rewind();
    av_packet_unref(packet_.get());
    packetWaits_ = false;
    draining_ = false;
    return true;
}

Status PictureDecoder::next(MediaInput& input, AVFrame& picture, SourceCounters& counters) {
    for (;;) {
        const LastFfmpegError logged;
        const int code = avcodec_receive_frame(&context(), &picture);
        const bool failed = code < 0 && code != AVERROR(EAGAIN) && code != AVERROR_EOF;
        // Hardware conceals nothing: software conceals the damage that hardware reports.
        const bool damaged = code == 0 && hardware_ && isMarkedDamaged(picture);
        const std::string failure = damaged ? "a picture is damaged" : failed ? logged.textOr(code) : "";
        if (handOver(failure)) {
            av_frame_unref(&picture);
            continue;
        }
        if (code == 0 && keeps_ && !hardware_ && history_.wasHandedOut(picture)) {
            av_frame_unref(&picture);
            continue;
        }
        if (code == 0) {
            if (hardware_) {
                history_.handOut(picture);
            }
            return Status::Ok;
        }
        if (code == AVERROR_EOF) {
            return Status::Closed;
        }
        if (failed) {
            ++counters.packetsUndecodable;
        }
        if (const Status fed = feed(input, counters); fed != Status::Ok) {
            return fed;
        }
    }
}

bool PictureDecoder::bring(AVFrame& picture) {
    if (!isSurface(picture)) {
        return true;
    }
    const LastFfmpegError logged;
    if (const int code = bringToMemory(picture, allocator_); code < 0) {
        history_.takeBack(picture);
        handOver(logged.textOr(code));
        return false;
    }
    brought_ = true;
    ++decoding_.fromDevice;
    history_.arrived(picture);
    return true;
}

void PictureDecoder::leave(const AVFrame& surface) {
    brought_ = true;
    ++decoding_.onDevice;
    history_.arrived(surface);
}

Status PictureDecoder::read(MediaInput& input, SourceCounters& counters) {
    if (inputEnded_) {
        draining_ = true;
        return Status::Ok;
    }
    const int code = input.read(*packet_);
    if (code == AVERROR_EXIT) {
        return Status::Cancelled;
    }
    if (code < 0) {
        if (code != AVERROR_EOF || input.isCutOff()) {
            readProblem_ = code != AVERROR_EOF ? avErrorText(code) : "it was cut off";
            ++counters.packetsUndecodable;
        }
        inputEnded_ = draining_ = true;
    } else if (keeps_) {
        history_.keep(*packet_);
    }
    return Status::Ok;
}

Status PictureDecoder::feed(MediaInput& input, SourceCounters& counters) {
    if (draining_) {
        return Status::Ok;
    }
    if (!packetWaits_ && !(keeps_ && history_.next(*packet_))) {
        if (const Status status = read(input, counters); status != Status::Ok) {
            return status;
        }
        if (draining_) {
            avcodec_send_packet(&context(), nullptr);
            return Status::Ok;
        }
    }
    const LastFfmpegError logged;
    const int code = avcodec_send_packet(&context(), packet_.get());
    packetWaits_ = code == AVERROR(EAGAIN);
    if (!packetWaits_) {
        av_packet_unref(packet_.get());
        if (!handOver(code < 0 ? logged.textOr(code) : "") && code < 0) {
            ++counters.packetsUndecodable;
        }
    }
    return Status::Ok;
}

void PictureDecoder::restart() {
    avcodec_flush_buffers(&context());
    history_.clear();
    av_packet_unref(packet_.get());
    packetWaits_ = false;
    inputEnded_ = draining_ = false;
}

}  // namespace verbcast
