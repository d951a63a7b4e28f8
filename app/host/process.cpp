#include "app/host/process.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace verbcast {

std::vector<char*> pointersTo(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str()));  // posix_spawn() only reads them
    }
    pointers.push_back(nullptr);
    return pointers;
}

UniqueFd processDescriptor(pid_t child) {
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
}

}  // namespace verbcast
