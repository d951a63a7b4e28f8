// The kernel's virtual cameras, and pulling their plug.
#pragma once

#include <string>
#include <vector>

namespace verbcast::testing {

struct VirtualCamera {
    std::string path;  ///< "/dev/video0"
    std::string bus;   ///< "platform:vivid-000"
};

/// Those of vivid that capture, by number; as many as $VERBCAST_VIRTUAL_CAMERAS says, at least one. Throws
/// when there are fewer: the tests are pointless then.
std::vector<VirtualCamera> virtualCameras();

/// All virtual cameras are gone; plugged in again by the destructor at the latest. Needs root.
class Unplugged {
  public:
    Unplugged();
    ~Unplugged();
    Unplugged(const Unplugged&) = delete;
    Unplugged& operator=(const Unplugged&) = delete;
    void plugIn();

  private:
    bool unplugged_ = true;
};

}  // namespace verbcast::testing
