#include "app/preload/sound_line.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

/// Before the samples of each message.
struct BlockHead {
    SoundFormat format;
    std::int64_t at = 0;
    TimestampNs capturedAt = 0;
};
static_assert(std::is_trivially_copyable_v<BlockHead>);

constexpr std::size_t kMaxSamples = std::size_t{kMaxSoundRate / kSoundBlocksPerSecond} * kMaxSoundChannels;

/// Returns false if nobody listens any more.
bool send(const UniqueFd& line, const BlockHead& head, const std::vector<float>& samples) {
    iovec parts[] = {{const_cast<BlockHead*>(&head), sizeof head},
                     {const_cast<float*>(samples.data()), samples.size() * sizeof(float)}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = std::size(parts);
    return ::sendmsg(line.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
           (errno != EPIPE && errno != ECONNRESET);
}

class LineSound final : public SoundSource {
  public:
    explicit LineSound(UniqueFd line) : line_(std::move(line)) {}

    std::string describe() const override { return "sound of the program"; }
    std::vector<std::string> notes() const override { return {}; }
    const SoundFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    int waitDescriptor() const override { return line_.get(); }

    Status read(CapturedSound& block) override {
        BlockHead head;
        iovec parts[] = {{&head, sizeof head}, {samples_.data(), samples_.size() * sizeof(float)}};
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = std::size(parts);
        const ssize_t received = ::recvmsg(line_.get(), &message, MSG_DONTWAIT);
        if (received < 0 && (errno == EAGAIN || errno == EINTR)) {
            return Status::TimedOut;
        }
        if (received <= 0) {
            return Status::Closed;  // the runner has ended
        }
        const std::size_t bytes = static_cast<std::size_t>(received) - sizeof head;
        if (static_cast<std::size_t>(received) < sizeof head || (message.msg_flags & MSG_TRUNC) != 0 ||
            soundFormatProblem(head.format) || !head.format.samplesOf(bytes)) {
            throw Error(ErrorKind::Internal, "verbcast run has passed on what is no block of sound");
        }
        format_ = head.format;
        block.samples.assign(samples_.begin(),
                             samples_.begin() + static_cast<std::ptrdiff_t>(bytes / sizeof(float)));
        block.at = head.at;
        block.capturedAt = head.capturedAt;
        return Status::Ok;
    }

  private:
    const UniqueFd line_;
    SoundFormat format_{.rate = 0};
    std::vector<float> samples_ = std::vector<float>(kMaxSamples);
};

}  // namespace

UniqueFd SoundLines::open() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        log().warn("no sound: socketpair: {}", errnoText(errno));
        return {};
    }
    UniqueFd ours(ends[0]), theirs(ends[1]);
    constexpr int kLargestBlock = sizeof(BlockHead) + kMaxSamples * sizeof(float);
    static_cast<void>(::setsockopt(ours.get(), SOL_SOCKET, SO_SNDBUF, &kLargestBlock, sizeof kLargestBlock));
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(ours));
    return theirs;
}

void SoundLines::pass(const CapturedSound& block, const SoundFormat& format) {
    const BlockHead head{format, block.at, block.capturedAt};
    const std::lock_guard lock(mutex_);
    std::erase_if(lines_, [&](const UniqueFd& line) { return !send(line, head, block.samples); });
}

std::unique_ptr<SoundSource> soundOfLine(UniqueFd line) {
    return std::make_unique<LineSound>(std::move(line));
}

}  // namespace verbcast
