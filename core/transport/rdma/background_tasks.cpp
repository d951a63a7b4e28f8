#include "core/transport/rdma/background_tasks.h"

#include <system_error>

#include "core/base/error.h"

namespace verbcast {

void BackgroundTasks::start(std::function<Use()> work) {
    auto added = std::make_unique<Task>();
    Task& task = *added;
    try {
        task.thread = std::jthread([this, &task, work = std::move(work)] {
            try {
                task.use = work();
            } catch (...) {
                task.failure = std::current_exception();
            }
            task.done.store(true, std::memory_order_release);
            done_.notify();
        });
    } catch (const std::system_error& error) {
        throw Error(ErrorKind::Resource, std::string("no thread for registering memory: ") + error.what());
    }
    tasks_.push_back(std::move(added));
}

void BackgroundTasks::finish() {
    while (anyDone()) {
        const auto task = std::move(tasks_.front());
        tasks_.pop_front();
        task->thread.join();  // it is done, but may not have notified yet
        done_.clear();        // before checking again: one that finishes later notifies again
        if (task->failure) {
            std::rethrow_exception(task->failure);
        }
        task->use();
    }
}

}  // namespace verbcast
