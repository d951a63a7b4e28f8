// A file that is read again from its beginning.
#pragma once

#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Keeps a file that is to be opened several times, even if somebody removes it meanwhile or puts another one
/// in its place. Of pipes, devices and addresses it knows the name only.
class KeptFile {
  public:
    explicit KeptFile(const std::string& path);

    /// Where to open it now: by its name, as long as that is its name.
    std::string path() const;

  private:
    const std::string path_;
    UniqueFd file_;
};

}  // namespace verbcast
