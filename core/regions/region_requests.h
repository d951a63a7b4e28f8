// Receivers that want only a part of a sender's pictures.
#pragma once

#include "core/session/link_feature.h"
#include "core/session/messages/placing.h"

namespace verbcast {

class SenderLink;

/// Hears which part of an epoch's pictures a receiver wants, and where, and has only that sent. For links
/// that send each receiver its own bytes.
class RegionRequests final : public LinkFeature {
  public:
    explicit RegionRequests(SenderLink& link) : link_(link) {}

    bool onMessage(MessageType type, ByteReader& reader) override;

  private:
    void onRegion(const RegionMessage& message);
    void onPlace(const PlaceMessage& message);

    SenderLink& link_;
};

}  // namespace verbcast
