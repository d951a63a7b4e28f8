#include "app/bench/workers/frame_job.h"

namespace verbcast {

Trust FrameJob::trust() const {
    Trust trust;
    if (!key.empty()) {
        trust.key = NamedKey{kSharedKeyName, SessionKey::fromText(key)};
        trust.encrypt = true;
    }
    return trust;
}

void to_json(nlohmann::json& json, const LatencyHistogram& histogram) {
    json = nlohmann::json::array();
    for (const LatencyHistogram::Bucket& bucket : histogram.buckets()) {
        json.push_back({bucket.valueNs, bucket.count});
    }
}

void from_json(const nlohmann::json& json, LatencyHistogram& histogram) {
    for (const nlohmann::json& bucket : json) {
        histogram.record(bucket.at(0), bucket.at(1));
    }
}

}  // namespace verbcast
