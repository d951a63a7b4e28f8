#include "app/commands/compose/parts_input.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

/// Limit for a part that reports no effects.
constexpr std::size_t kMaxUnshown = 4096;

}  // namespace

class PartsInput::Injector final : public InputInjector {
  public:
    explicit Injector(std::shared_ptr<PartsInput> input) : input_(std::move(input)) {}
    ~Injector() override {
        input_->send({.serial = 0, .viewer = 0, .event = {.kind = InputKind::ReleaseAll}});
    }
    void apply(std::span<const ViewerInput> events) override {
        std::ranges::for_each(events, [this](const ViewerInput& event) { input_->send(event); });
    }

  private:
    std::shared_ptr<PartsInput> input_;  // shared with the source
};

void PartsInput::sendTo(std::vector<std::shared_ptr<FrameReceiver>> parts) {
    const std::lock_guard lock(mutex_);
    for (auto& part : parts) {
        parts_.emplace_back().receiver = std::move(part);
    }
}

std::unique_ptr<InputInjector> PartsInput::injector(std::shared_ptr<PartsInput> self) {
    return std::make_unique<Injector>(std::move(self));
}

void PartsInput::send(const ViewerInput& input) {
    const std::lock_guard lock(mutex_);
    for (Part& part : parts_) {
        const std::uint64_t number = part.receiver->sendInput(input.event);
        if (number == 0) {
            continue;
        }
        if (part.sent.size() == kMaxUnshown) {
            part.sent.pop_front();
        }
        part.sent.push_back({number, input.serial});
    }
}

void PartsInput::shows(const FrameReceiver& part, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::ranges::find_if(parts_, [&](const Part& each) { return each.receiver.get() == &part; });
    if (found == parts_.end()) {
        return;
    }
    while (!found->sent.empty() && found->sent.front().number <= number) {
        found->shown = std::max(found->shown, found->sent.front().serial);
        found->sent.pop_front();
    }
}

std::uint64_t PartsInput::shownByAll() const {
    const std::lock_guard lock(mutex_);
    if (parts_.empty()) {
        return 0;
    }
    return std::ranges::min(parts_, {}, &Part::shown).shown;
}

}  // namespace verbcast
