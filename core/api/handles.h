// What programs hold of the library: numbers, not addresses, so that one that is stale is found out.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace verbcast {

/// Specialised for each kind of object: "vc_sender".
template <typename T>
extern const char* const kHandleName;

/// The objects of this process by number, which no other ever has. Who finds one shares it, so another thread
/// may close it meanwhile. Thread-safe. In the child of a fork there are none: the parent's objects are not
/// destroyed, since their threads are not there.
class HandleTable {
  public:
    static HandleTable& ours();

    template <typename T>
    std::uint64_t add(std::shared_ptr<T> object) {
        return add({&kHandleName<T>, std::move(object)});
    }
    /// Null: no object of that kind has this number, any more.
    template <typename T>
    std::shared_ptr<T> find(std::uint64_t number) const {
        return std::static_pointer_cast<T>(find(number, &kHandleName<T>));
    }
    /// The same, and the table forgets it.
    template <typename T>
    std::shared_ptr<T> take(std::uint64_t number) {
        return std::static_pointer_cast<T>(take(number, &kHandleName<T>));
    }
    /// One that was taken gets its number back.
    template <typename T>
    void putBack(std::uint64_t number, std::shared_ptr<T> object) {
        putBack(number, {&kHandleName<T>, std::move(object)});
    }
    /// Whether the number was given before this process was forked.
    bool isParents(std::uint64_t number) const;

  private:
    struct Entry {
        const char* const* kind;       // tells kinds apart by its address
        std::shared_ptr<void> object;  // shared with the calls that use it
    };
    struct Entries {
        std::mutex mutex;  // guards the rest; held only to find, add or remove
        std::unordered_map<std::uint64_t, Entry> objects;
        std::uint64_t parentsBelow = 0;
    };

    HandleTable();
    static void forgetInChild();
    std::uint64_t add(Entry entry);
    std::shared_ptr<void> find(std::uint64_t number, const char* const* kind) const;
    std::shared_ptr<void> take(std::uint64_t number, const char* const* kind);
    void putBack(std::uint64_t number, Entry entry);

    Entries* entries_;  // in a child of a fork, the parent's is left as it is, perhaps locked
};

}  // namespace verbcast
