#include "core/stream/send/imports.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "core/base/os/signals_blocked.h"
#include "core/memory/same_owner.h"

namespace verbcast {

Imports::Answer Imports::of(TrackId track, const std::shared_ptr<const Memory>& memory) {
    const std::lock_guard lock(mutex_);
    std::vector<Asked>& asked = asked_[track];
    const auto found =
        std::ranges::find_if(asked, [&](const Asked& one) { return sameOwner(one.memory, memory); });
    if (found != asked.end()) {
        newest_[track] = found->answer;
        return found->answer;
    }
    std::erase_if(asked, [](const Asked& one) { return one.memory.expired(); });
    asked.push_back({memory, ask(memory)});
    newest_[track] = asked.back().answer;
    return asked.back().answer;
}

Imports::Answer Imports::ask(const std::shared_ptr<const Memory>& memory) {
    std::promise<Import> promise;
    Answer answer = promise.get_future().share();
    if (auto known = path_.reaches(*memory)) {
        promise.set_value(std::move(*known));
        return answer;
    }
    std::erase_if(tasks_, [](const Task& task) { return known(task.answer); });
    std::promise<Import> noThread;
    Answer failed = noThread.get_future().share();
    try {
        const SignalsBlocked blocked;
        std::jthread thread([this, held = memory, promise = std::move(promise)]() mutable {
            Import import;
            try {
                import = path_.import(held);
            } catch (const std::exception& error) {
                import = Import::needsCopy(error.what());
            }
            held.reset();  // before the answer: of() may then join this thread, and freeing memory takes long
            promise.set_value(std::move(import));
        });
        tasks_.push_back({answer, std::move(thread)});
        return answer;
    } catch (const std::system_error& error) {
        noThread.set_value(
            Import::needsCopy(std::string("there is no thread for registering memory: ") + error.what()));
        return failed;
    }
}

std::string Imports::copyReason(TrackId track) const {
    const std::lock_guard lock(mutex_);
    const Answer& answer = newest_[track];
    return answer.valid() && known(answer) && !answer.get().direct ? answer.get().reason : "";
}

}  // namespace verbcast
