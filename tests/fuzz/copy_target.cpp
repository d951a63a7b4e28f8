// The receiving end of a copy, into a scratch folder next to one that must not change. The input: a byte of
// options (1: resume; 2: the target must be a folder), then the records of a sender.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/copy/copy_receiver.h"
#include "core/pipe/pipe_messages.h"
#include "tests/fuzz/script.h"

namespace verbcast::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMaxPartBytes = 16U << 20;  // per file

/// Created once per process and removed when it exits.
struct Scratch {
    fs::path root;
    Scratch() {
        // A sender may announce a hole of terabytes, whose checksum takes hours: writing such files fails.
        const rlimit most{kMaxPartBytes, kMaxPartBytes};
        require(::setrlimit(RLIMIT_FSIZE, &most) == 0, "setrlimit");
        std::signal(SIGXFSZ, SIG_IGN);
        std::string name = (fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string()) +
                           std::string("/verbcast-fuzz-XXXXXX");
        require(::mkdtemp(name.data()) != nullptr, "mkdtemp");
        root = name;
        fs::create_directory(outside());
        std::ofstream(outside() / "precious") << "gold";
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }
    fs::path outside() const { return root / "outside"; }
    fs::path target() const { return root / "target"; }

    /// Nothing was created, changed or removed outside the target.
    void requireUntouched() const {
        std::string text;
        std::ifstream(outside() / "precious") >> text;
        require(text == "gold", "a file outside of the target was changed");
        require(std::distance(fs::directory_iterator(outside()), fs::directory_iterator()) == 1 &&
                    std::distance(fs::directory_iterator(root), fs::directory_iterator()) == 2,
                "something was made outside of the target");
    }
};

void receive(const CopyReceiveOptions& options, Bytes stream) {
    const UniqueFd input(::memfd_create("copy", MFD_CLOEXEC));
    const UniqueFd output(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    require(::write(input.get(), stream.data(), stream.size()) == static_cast<ssize_t>(stream.size()) &&
                ::lseek(input.get(), 0, SEEK_SET) == 0,
            "memfd");
    try {
        expectErrors([&] { CopyReceiver(options, input.get(), output.get()).run(); });
    } catch (const PipeStopped&) {
        // The records ended early.
    }
}

}  // namespace

FUZZ_TARGET(copy_receiver) {
    static const Scratch scratch;
    Script script(input);
    const auto flags = script.byte();
    const Bytes stream = script.takeBytes(input.size());
    fs::create_directory(scratch.target());
    // A symbolic link that a sender may try to write through.
    fs::create_directory_symlink(scratch.outside(), scratch.target() / "trap");
    const CopyReceiveOptions options{
        .target = scratch.target(), .intoFolder = (flags & 2) != 0, .resume = (flags & 1) != 0};
    receive(options, stream);
    receive(options, stream);  // over the existing files
    scratch.requireUntouched();
    for (const auto& entry :
         fs::recursive_directory_iterator(scratch.target(), fs::directory_options::skip_permission_denied)) {
        if (entry.is_directory() && !entry.is_symlink()) {
            fs::permissions(entry.path(), fs::perms::owner_all);  // makes it removable
        }
    }
    fs::remove_all(scratch.target());
}

}  // namespace verbcast::fuzz
