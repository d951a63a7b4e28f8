// A connector of a card and what drives it: its mode, its pictures, and what was there before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "render/kms/drm_card.h"
#include "render/kms/kms_screens.h"

namespace verbcast {

/// Not synchronised. The card outlives it and is ours (DrmCard::becomeMaster()).
class DrmOutput {
  public:
    DrmOutput(DrmCard& card, std::string connector, std::optional<ModeWish> wish);
    /// restore()s.
    ~DrmOutput();
    DrmOutput(const DrmOutput&) = delete;
    DrmOutput& operator=(const DrmOutput&) = delete;

    const KmsScreenState& state() const { return state_; }
    std::uint32_t crtc() const { return crtc_; }

    enum class Change {
        None,       ///< same display, same mode
        Plugged,    ///< a display, or another mode: the next show() sets it
        Unplugged,  ///< no display any more
    };
    /// Looks what is plugged in. `strict`: a mode that the display lacks throws Error{Usage}, else the
    /// preferred one is taken and `note` says so. `taken`: CRTCs of others. Throws Error{Display} when none
    /// is left.
    Change look(const std::vector<std::uint32_t>& taken, bool strict, std::string& note);

    /// Shows the framebuffer, of the mode's size, from the next vertical blank on; sets the mode first if it
    /// has to be. 0 or the errno. A page-flip event for `this` follows unless shownAt() has a value.
    int show(std::uint32_t framebuffer);
    /// When the last show() was seen, if that is known without an event.
    std::optional<TimestampNs> shownAt() const { return shownAt_; }
    bool pending() const { return pending_; }
    void flipped() { pending_ = false; }
    /// Why legacy page flips are used though the driver has atomic commits; "" otherwise.
    const std::string& legacyReason() const { return legacyReason_; }
    void useAtomic(bool atomic) { state_.atomic = atomic; }

    /// Puts back what was there, once. Only when nothing is pending.
    void restore() noexcept;

  private:
    bool findCrtc(const drmModeConnector& connector, const std::vector<std::uint32_t>& taken);
    void keepFormer();
    void findPlane();
    int showAtomic(std::uint32_t framebuffer, bool setsMode);
    int showLegacy(std::uint32_t framebuffer, bool setsMode);
    void addOtherPlanesOff(drmModeAtomicReq* request) const;

    DrmCard& card_;
    const std::optional<ModeWish> wish_;
    KmsScreenState state_;
    std::uint32_t connector_ = 0, crtc_ = 0, plane_ = 0;
    std::uint32_t crtcIndex_ = 0;
    drmModeModeInfo mode_{};
    bool modeSet_ = false;
    bool everSet_ = false;
    bool pending_ = false;
    std::optional<TimestampNs> shownAt_;
    std::string legacyReason_;
    DrmPropertyMap connectorProperties_, crtcProperties_, planeProperties_;
    DrmCrtc former_;
    std::vector<std::uint32_t> formerConnectors_;
};

}  // namespace verbcast
