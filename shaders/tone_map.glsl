// Maps HDR to an SDR screen. Light is in cd/m2 unless stated otherwise.
const float kScreenWhite = 203.0;   // BT.2408: HDR reference white, which maps to the SDR screen's white
const float kSourcePeak = 1000.0;   // BT.2100 nominal peak; brighter highlights clip

// SMPTE ST 2084 as in BT.2100 table 4.
const float kPqM1 = 2610.0 / 16384.0;
const float kPqM2 = 2523.0 / 4096.0 * 128.0;
const float kPqC1 = 3424.0 / 4096.0;
const float kPqC2 = 2413.0 / 4096.0 * 32.0;
const float kPqC3 = 2392.0 / 4096.0 * 32.0;

vec3 pqToLight(vec3 signal) {
    vec3 root = pow(signal, vec3(1.0 / kPqM2));
    return 10000.0 * pow(max(root - kPqC1, 0.0) / (kPqC2 - kPqC3 * root), vec3(1.0 / kPqM1));
}

float pqToLight(float signal) {
    float root = pow(signal, 1.0 / kPqM2);
    return 10000.0 * pow(max(root - kPqC1, 0.0) / (kPqC2 - kPqC3 * root), 1.0 / kPqM1);
}

float lightToPq(float light) {
    float power = pow(light / 10000.0, kPqM1);
    return pow((kPqC1 + kPqC2 * power) / (1.0 + kPqC3 * power), kPqM2);
}

#ifdef COLOUR_HLG
// BT.2100 table 5: inverse OETF, then the OOTF of a 1000 cd/m2 display (gamma 1.2).
const float kHlgA = 0.17883277;
const float kHlgB = 1.0 - 4.0 * kHlgA;
const float kHlgC = 0.55991073;

vec3 displayLight(vec3 signal) {
    vec3 low = signal * signal / 3.0;
    vec3 high = (exp((signal - kHlgC) / kHlgA) + kHlgB) / 12.0;
    vec3 scene = mix(low, high, greaterThan(signal, vec3(0.5)));
    float luminance = dot(scene, vec3(0.2627, 0.6780, 0.0593));
    return kSourcePeak * pow(max(luminance, 1e-6), 0.2) * scene;
}
#else
vec3 displayLight(vec3 signal) { return pqToLight(signal); }
#endif

// EETF of BT.2390, section 5.4.1, from kSourcePeak to kScreenWhite with black at 0, applied to the largest
// component; the others keep their ratio to it, which preserves hue.
vec3 toneMap(vec3 light) {
    float peak = max(max(light.r, light.g), light.b);
    float sourceMaximum = lightToPq(kSourcePeak);
    float targetMaximum = lightToPq(kScreenWhite) / sourceMaximum;
    float knee = 1.5 * targetMaximum - 0.5;
    float signal = min(lightToPq(max(peak, 1e-6)) / sourceMaximum, 1.0);
    float t = max(signal - knee, 0.0) / (1.0 - knee);
    float t2 = t * t, t3 = t2 * t;
    float spline = (2.0 * t3 - 3.0 * t2 + 1.0) * knee + (t3 - 2.0 * t2 + t) * (1.0 - knee) +
                   (-2.0 * t3 + 3.0 * t2) * targetMaximum;
    float mapped = pqToLight(min(signal, signal < knee ? signal : spline) * sourceMaximum);
    return light * (mapped / max(peak, 1e-6));
}

// IEC 61966-2-1.
vec3 encodeSrgb(vec3 light) {
    vec3 curve = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
    return mix(curve, 12.92 * light, lessThanEqual(light, vec3(0.0031308)));
}
