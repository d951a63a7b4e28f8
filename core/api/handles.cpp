#include "core/api/handles.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "core/base/error.h"

namespace verbcast {
namespace {

/// Of the last number given, for a child of a fork, which cannot lock the table. It needs no memory order.
std::atomic<std::uint64_t> lastNumber{0};

}  // namespace

HandleTable::HandleTable() : entries_(new Entries) {
    if (const int code = ::pthread_atfork(nullptr, nullptr, &HandleTable::forgetInChild); code != 0) {
        throwErrno(ErrorKind::Resource, "pthread_atfork", "libverbcast", code);
    }
}

/// Never destroyed: threads of a program that calls exit() may still use it.
HandleTable& HandleTable::ours() {
    static HandleTable& table = *new HandleTable;
    return table;
}

void HandleTable::forgetInChild() {
    auto* const none = new Entries;
    none->parentsBelow = lastNumber + 1;
    ours().entries_ = none;
}

std::uint64_t HandleTable::add(Entry entry) {
    const std::lock_guard lock(entries_->mutex);
    const std::uint64_t number = ++lastNumber;
    entries_->objects.emplace(number, std::move(entry));
    return number;
}

std::shared_ptr<void> HandleTable::find(std::uint64_t number, const char* const* kind) const {
    const std::lock_guard lock(entries_->mutex);
    const auto found = entries_->objects.find(number);
    return found != entries_->objects.end() && found->second.kind == kind ? found->second.object : nullptr;
}

std::shared_ptr<void> HandleTable::take(std::uint64_t number, const char* const* kind) {
    const std::lock_guard lock(entries_->mutex);
    const auto found = entries_->objects.find(number);
    if (found == entries_->objects.end() || found->second.kind != kind) {
        return nullptr;
    }
    std::shared_ptr<void> object = std::move(found->second.object);
    entries_->objects.erase(found);
    return object;
}

void HandleTable::putBack(std::uint64_t number, Entry entry) {
    const std::lock_guard lock(entries_->mutex);
    entries_->objects.emplace(number, std::move(entry));
}

bool HandleTable::isParents(std::uint64_t number) const {
    return number < entries_->parentsBelow;
}

}  // namespace verbcast
