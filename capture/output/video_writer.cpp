// Files and pipes that FFmpeg writes.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "capture/output/frame_sink.h"
#include "capture/output/muxer.h"
#include "capture/output/picture_track.h"
#include "capture/output/sound_track.h"
#include "core/base/error.h"
#include "core/base/os/output_file.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr std::int64_t kMaxEarlySeconds = 5;  // of sound that waits for the first picture

/// Where the sound of a container that holds none is written: clip.y4m has clip.wav beside it. Empty: into
/// the file itself, or there is none. Throws Error{Usage} if it cannot be written.
std::string pathBeside(const VideoFile& file) {
    const ContainerName& container = nameOf(file.container);
    if (!file.sound || container.holdsSound) {
        return {};
    }
    const std::string remedy = "record into NUT (.nut) or Matroska (.mkv), which hold sound";
    if (!file.pictures) {
        throw Error(ErrorKind::Usage, fmt::format("{}: {} holds no sound", file.path, container.name),
                    remedy);
    }
    std::error_code ignored;
    const std::filesystem::path path = file.path;
    if (file.path == "-" ||
        (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} holds no sound, and beside {} there is no place for a .wav",
                                container.name, file.path == "-" ? "standard output" : file.path),
                    remedy);
    }
    std::filesystem::path beside = path;
    beside.replace_extension(".wav");
    if (beside == path) {
        throw Error(
            ErrorKind::Usage,
            fmt::format("{}: {} holds no sound, which goes into that file", file.path, container.name),
            "choose a name that does not end with .wav");
    }
    findOutput(beside.string(), file.existing);  // before the pictures' file is emptied
    return beside.string();
}

class VideoWriter final : public FrameSink {
  public:
    VideoWriter(const VideoFile& file, const Event& cancel);

    Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) override;
    void addSound(const SoundFormat& format) override;
    Status writeSound(const SoundFormat& format, std::int64_t pts,
                      std::span<const std::byte> planar) override;
    Status leaveOutPictures() override;
    Status finish() override;
    std::uint64_t bytesWritten() const override;
    const std::vector<std::string>& notes() const override { return notes_; }

  private:
    struct EarlySound {
        std::int64_t pts;
        std::vector<std::byte> planar;
    };
    std::string complete() const;
    std::string contents(const VideoFormat* format) const;
    Muxer& soundMuxer() { return beside_ ? *beside_ : file_; }
    Status begin(const VideoFormat* format, std::int64_t pts);
    Status beginFile(const VideoFormat* format, std::int64_t pts);
    Status beginBeside();
    void delayForSound();
    DictionaryPtr optionsOf(const Muxer& muxer, Container container) const;
    void requireSame(const SoundFormat& format, std::size_t bytes) const;
    void keepEarly(std::int64_t pts, std::span<const std::byte> planar);
    Status putEarly();
    Status putSound(std::int64_t pts, std::span<const std::byte> planar);
    bool waitsForSound() const;
    std::int64_t inFile(std::int64_t pts) const;
    std::int64_t placeOf(std::int64_t pts);
    void noteSound();

    void useSound();

    VideoFile asked_;
    const Event& cancel_;
    const Container container_;
    std::vector<std::string> notes_;
    std::string besidePath_;
    std::optional<PictureTrack> pictures_;
    std::unique_ptr<SoundTrack> sound_;
    Muxer file_;
    std::optional<Muxer> beside_;
    bool begun_ = false;
    std::deque<EarlySound> early_;
    std::int64_t earlySamples_ = 0;
    bool earlyLost_ = false;
    std::int64_t firstSound_ = 0;  // without pictures: pts of what is at 0 in the file
    std::int64_t jump_ = 0;        // added to times of sound that do not fit
    std::uint64_t jumps_ = 0;
};

std::optional<PictureTrack> pictureTrack(const VideoFile& file, std::vector<std::string>& notes) {
    return file.pictures && nameOf(file.container).holdsPictures
               ? std::make_optional<PictureTrack>(file.container, file.encoder, notes)
               : std::nullopt;
}

std::unique_ptr<SoundTrack> soundTrack(const VideoFile& file) {
    if (!file.sound) {
        return nullptr;
    }
    if (const auto problem = soundFormatProblem(*file.sound)) {
        throw Error(ErrorKind::Usage, fmt::format("{}: sound of {}", file.path, *problem));
    }
    const bool inside = nameOf(file.container).holdsSound;
    return std::make_unique<SoundTrack>(*file.sound, file.soundEncoder,
                                        inside ? file.container : Container::Wav);
}

// Encoders and paths are checked before a file that is there already is emptied.
VideoWriter::VideoWriter(const VideoFile& file, const Event& cancel)
    : asked_(file),
      cancel_(cancel),
      container_(file.container),
      besidePath_(pathBeside(file)),
      pictures_(pictureTrack(file, notes_)),
      sound_(soundTrack(file)),
      file_(file.path, file.container, cancel, file.existing, [this] { return complete(); }) {
    useSound();
}

void VideoWriter::addSound(const SoundFormat& format) {
    VideoFile file = asked_;
    file.sound = format;
    std::string beside = pathBeside(file);
    sound_ = soundTrack(file);
    besidePath_ = std::move(beside);
    useSound();
}

void VideoWriter::useSound() {
    if (!besidePath_.empty()) {
        beside_.emplace(besidePath_, Container::Wav, cancel_, asked_.existing, [this] { return complete(); });
        notes_.push_back(fmt::format("{} holds no sound: it is in {}, which begins with the first picture",
                                     nameOf(container_).name, besidePath_));
    }
    if (sound_ && !sound_->note().empty()) {
        notes_.push_back(sound_->note());
    }
}

std::string VideoWriter::complete() const {
    return pictures_ ? counted(pictures_->written(), "whole frame")
                     : fmt::format("{:.3f} s of sound",
                                   static_cast<double>(sound_->written()) / sound_->format().rate);
}

std::uint64_t VideoWriter::bytesWritten() const {
    return file_.bytesWritten() + (beside_ ? beside_->bytesWritten() : 0);
}

std::string VideoWriter::contents(const VideoFormat* format) const {
    const std::string sound = sound_ && !beside_ ? "sound of " + describe(sound_->format()) : "";
    return format == nullptr ? sound : describe(*format) + (sound.empty() ? "" : " and " + sound);
}

DictionaryPtr VideoWriter::optionsOf(const Muxer& muxer, Container container) const {
    AVDictionary* options = nullptr;
    if (hasBoxes(container)) {
        if (sound_) {
            // Of edit lists, which say when a track begins.
            av_dict_set_int(&options, "movie_timescale", sound_->format().rate, 0);
        }
        if (!muxer.seekable()) {
            av_dict_set(&options, "movflags",
                        sound_ ? "frag_keyframe+delay_moov+default_base_moof"
                               : "frag_keyframe+empty_moov+default_base_moof",
                        0);
        }
        if (!muxer.seekable() && !pictures_) {
            av_dict_set(&options, "frag_duration", "1000000", 0);
        }
    } else if (container == Container::Wav && muxer.seekable()) {
        av_dict_set(&options, "rf64", "auto", 0);
    }
    return DictionaryPtr(options);
}

/// `format`: of the first picture, whose time is `pts`; null: there are none, and `pts` is the sound's.
Status VideoWriter::begin(const VideoFormat* format, std::int64_t pts) {
    quietFfmpeg();
    firstSound_ = pts;
    if (format != nullptr) {
        pictures_->prepare(*format);
    }
    Status status = Status::Ok;
    if (format != nullptr || !beside_) {
        status = beginFile(format, pts);
    }
    if (status == Status::Ok && beside_) {
        status = beginBeside();
    }
    begun_ = file_.isOpen() || (beside_ && beside_->isOpen());
    return status;
}

Status VideoWriter::beginFile(const VideoFormat* format, std::int64_t pts) {
    // Whole frames bypass the buffer; rows do not, nor do boxes whose sizes are filled in later, nor sound.
    const bool direct = format != nullptr && !pictures_->encodes() && container_ != Container::Y4m;
    if (const Status opened = file_.open(direct); opened != Status::Ok) {
        return opened;
    }
    if (format != nullptr) {
        pictures_->addTo(file_, *format, pts);
    }
    const bool inside = sound_ && !beside_;
    if (inside) {
        sound_->addTo(file_, pictures_ && pictures_->encodes());
    }
    const Status status = file_.writeHeader(contents(format), optionsOf(file_, container_));
    if (status == Status::Ok && inside) {
        delayForSound();
    }
    return status;
}

Status VideoWriter::beginBeside() {
    if (const Status opened = beside_->open(false); opened != Status::Ok) {
        return opened;
    }
    sound_->addTo(*beside_, false);
    return beside_->writeHeader("sound of " + describe(sound_->format()),
                                optionsOf(*beside_, Container::Wav));
}

/// No time in the file is negative: sound from before the first picture delays both. By whole units of both,
/// so that no time is rounded.
void VideoWriter::delayForSound() {
    const std::uint32_t rate = sound_->format().rate;
    const std::int64_t before = early_.empty() ? 0 : -inFile(early_.front().pts);
    const std::int64_t needed =
        std::clamp<std::int64_t>(before, 0, kMaxEarlySeconds * rate) + sound_->preroll();
    const std::int64_t unit = wholeUnits(rate, pictures_ ? pictures_->timeBase() : sound_->timeBase());
    const std::int64_t delay = (needed + unit - 1) / unit * unit;
    file_.delayAll(delay, {1, static_cast<int>(rate)});
    sound_->setEarliest(sound_->preroll() - delay);
}

Status VideoWriter::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) {
    if (!pictures_) {
        throw Error(ErrorKind::Internal, "a picture for a file of sound");
    }
    if (!begun_) {
        if (const Status status = begin(&format, info.pts); status != Status::Ok) {
            return status;
        }
        if (const Status status = putEarly(); status != Status::Ok) {
            return status;
        }
    }
    int code = pictures_->write(format, info, payload);
    if (code >= 0 && waitsForSound()) {
        code = sound_->putSilence(pictures_->lastTime(sound_->format().rate));
    }
    const Status status = file_.written(code);
    if (status == Status::Ok) {
        pictures_->countWritten();
    }
    return status;
}

/// In a pipe, QuickTime and MP4 say nothing before each track has something.
bool VideoWriter::waitsForSound() const {
    return sound_ && !beside_ && !sound_->isBegun() && !file_.seekable() && hasBoxes(container_) &&
           pictures_->lastTime(sound_->format().rate) >= sound_->format().rate;
}

void VideoWriter::requireSame(const SoundFormat& format, std::size_t bytes) const {
    if (!sound_) {
        throw Error(ErrorKind::Internal, "sound for a file that has none");
    }
    const SoundFormat& first = sound_->format();
    if (!sameSound(format, first)) {
        throw Error(ErrorKind::Input,
                    fmt::format("the sound has changed from {} to {}, which one file cannot hold; written "
                                "until then: {}",
                                describe(first), describe(format), complete()),
                    "start again with another file");
    }
    if (!format.samplesOf(bytes)) {
        throw Error(ErrorKind::Internal, fmt::format("a block of sound of {} bytes: 1 to {} samples of {} "
                                                     "channels expected",
                                                     bytes, format.maxSamples, format.channels));
    }
}

Status VideoWriter::writeSound(const SoundFormat& format, std::int64_t pts,
                               std::span<const std::byte> planar) {
    requireSame(format, planar.size());
    if (!begun_) {
        if (pictures_) {
            keepEarly(pts, planar);
            return Status::Ok;
        }
        if (const Status status = begin(nullptr, pts); status != Status::Ok) {
            return status;
        }
    }
    return putSound(pts, planar);
}

void VideoWriter::keepEarly(std::int64_t pts, std::span<const std::byte> planar) {
    const auto samplesIn = [&](std::span<const std::byte> block) {
        return static_cast<std::int64_t>(block.size() / sound_->format().bytes(1));
    };
    early_.push_back({pts, {planar.begin(), planar.end()}});
    earlySamples_ += samplesIn(planar);
    while (earlySamples_ > kMaxEarlySeconds * sound_->format().rate) {
        earlyLost_ = true;
        earlySamples_ -= samplesIn(early_.front().planar);
        early_.pop_front();
    }
}

Status VideoWriter::putEarly() {
    Status status = Status::Ok;
    for (; status == Status::Ok && !early_.empty(); early_.pop_front()) {
        status = putSound(early_.front().pts, early_.front().planar);
    }
    return status;
}

Status VideoWriter::putSound(std::int64_t pts, std::span<const std::byte> planar) {
    return soundMuxer().written(sound_->put(placeOf(pts), planar));
}

/// In samples.
std::int64_t VideoWriter::inFile(std::int64_t pts) const {
    return pictures_ ? pictures_->toFile(pts, sound_->format().rate)
                     : std::clamp(pts, -kLatestTime, kLatestTime) -
                           std::clamp(firstSound_, -kLatestTime, kLatestTime);
}

/// Where a block lies in the file. Pictures and sound of a sender that starts over arrive in any order, and
/// either's clock may be set: a time that neither follows the sound nor goes with the pictures is not
/// believed, and the block follows the last one until a time is believed again.
std::int64_t VideoWriter::placeOf(std::int64_t pts) {
    const std::int64_t rate = sound_->format().rate;
    const std::int64_t picture = pictures_ ? pictures_->lastTime(sound_->format().rate) : 0;
    const std::int64_t next = sound_->isBegun() ? sound_->end() : picture;
    const std::int64_t back = sound_->isBegun() ? rate : kMaxEarlySeconds * rate;
    const auto follows = [&](std::int64_t time) {
        return time >= next - back && time <= next + SoundTrack::kMaxSilenceSeconds * rate;
    };
    const std::int64_t told = inFile(pts);
    if (follows(told) || (pictures_ && told >= picture - rate && told <= picture + rate)) {
        jump_ = 0;
        return told;
    }
    if (!follows(told + jump_)) {
        jump_ = next - told;
        ++jumps_;
    }
    return told + jump_;
}

void VideoWriter::noteSound() {
    if (earlyLost_) {
        notes_.push_back(
            fmt::format("sound from more than {} s before the first picture is left out", kMaxEarlySeconds));
    }
    if (jumps_ > 0) {
        notes_.push_back(fmt::format("the sound's times have jumped, {}", counted(jumps_, "time")));
    }
    std::ranges::move(sound_->notes(), std::back_inserter(notes_));
}

Status VideoWriter::leaveOutPictures() {
    pictures_.reset();
    if (early_.empty()) {
        return Status::Ok;
    }
    const Status status = begin(nullptr, early_.front().pts);
    return status == Status::Ok ? putEarly() : status;
}

Status VideoWriter::finish() {
    if (!sound_ && !pictures_) {
        throw Error(ErrorKind::Usage, fmt::format("{} is for sound, and there was none", asked_.path),
                    "record the pictures into Matroska (.mkv) or NUT (.nut)");
    }
    if (!begun_ && !early_.empty()) {
        static_cast<void>(leaveOutPictures());  // the muxer keeps it
    }
    int code = 0;
    if (begun_ && sound_ && soundMuxer().refused() == Status::Ok) {
        code = sound_->finish();
    }
    if (sound_) {
        noteSound();
    }
    Status status = Status::Ok;
    if (beside_) {
        status = beside_->finish(code);
        code = 0;
    }
    if (pictures_ && file_.refused() == Status::Ok && code >= 0) {
        code = pictures_->finish();
    }
    const Status pictures = file_.finish(code);
    return pictures == Status::Ok ? status : pictures;
}

}  // namespace

std::unique_ptr<FrameSink> openSink(const VideoFile& file, const Event& cancel) {
    loadFfmpeg();
    return std::make_unique<VideoWriter>(file, cancel);
}

}  // namespace verbcast
