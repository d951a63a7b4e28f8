// The kernel's virtual cameras, and unplugging them.
#pragma once

#include <string>
#include <vector>

namespace verbcast::testing {

struct VirtualCamera {
    std::string path;  ///< "/dev/video0"
    std::string bus;   ///< "platform:vivid-000"
};

/// vivid's capture devices, by number; as many as $VERBCAST_VIRTUAL_CAMERAS says, at least one. Throws if
/// there are fewer, because the tests would be pointless.
std::vector<VirtualCamera> virtualCameras();

/// Unplugs all virtual cameras and plugs them in again in the destructor at the latest. Needs root.
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
