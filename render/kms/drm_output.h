// A connector of a card and what drives it: its mode, its pictures, and what it showed before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "render/kms/drm_card.h"
#include "render/kms/kms_screens.h"

namespace verbcast {

/// Not thread-safe. The card must outlive it and be ours (DrmCard::becomeMaster()).
class DrmOutput {
  public:
    /// Without `atomic`, or if the driver refuses an atomic commit, it uses legacy page flips.
    DrmOutput(DrmCard& card, std::string connector, std::optional<ModeWish> wish, bool atomic);
    /// Calls restore().
    ~DrmOutput();

    const KmsScreenState& state() const { return state_; }
    std::uint32_t crtc() const { return crtc_; }

    enum class Change {
        None,       ///< same display, same mode
        Plugged,    ///< a new display or another mode, which the next show() sets
        Unplugged,  ///< the display is gone
    };
    /// Checks what is plugged in. If the display lacks the wanted mode, throws Error{Usage} if `strict`, else
    /// uses the preferred one and sets `note`. `taken` lists CRTCs in use by others. Throws Error{Display} if
    /// none is left.
    Change look(const std::vector<std::uint32_t>& taken, bool strict, std::string& note);

    /// Shows the framebuffer, which has the mode's size, from the next vertical blank on; sets the mode first
    /// if necessary. Returns 0 or the errno. A page-flip event for `this` follows unless shownAt() is set.
    int show(std::uint32_t framebuffer);
    /// When the last show() became visible, if that is known without an event.
    std::optional<TimestampNs> shownAt() const { return shownAt_; }
    bool pending() const { return pending_; }
    void flipped() { pending_ = false; }
    /// Why legacy page flips are used although the driver has atomic commits, or "".
    const std::string& legacyReason() const { return legacyReason_; }

    /// Hands the display over as it was before us; look() finds it again. Call only if nothing is pending.
    void giveUp() noexcept;
    /// Restores what was shown before, once. Call only if nothing is pending.
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
