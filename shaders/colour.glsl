// Converts the components in a texture to what the screen shows. The uniforms come from colour.cpp, which
// names the sources of all figures. Exactly one of COLOUR_PLAIN, COLOUR_MATRIX, COLOUR_WIDE_GAMUT, COLOUR_PQ,
// COLOUR_HLG is defined.
#ifdef COLOUR_PLAIN
vec3 toScreen(vec3 components) { return components; }
#else

uniform mat3 signalFromComponents;  // to R'G'B' with nominal range 0..1
uniform vec3 signalOffset;

#ifdef COLOUR_MATRIX
vec3 toScreen(vec3 components) { return signalFromComponents * components + signalOffset; }
#else

uniform mat3 screenFromPrimaries;  // linear light to BT.709 primaries

#ifdef COLOUR_WIDE_GAMUT
const float kDisplayGamma = 2.4;  // BT.1886

vec3 toScreen(vec3 components) {
    vec3 signal = clamp(signalFromComponents * components + signalOffset, 0.0, 1.0);
    vec3 light = screenFromPrimaries * pow(signal, vec3(kDisplayGamma));
    return pow(clamp(light, 0.0, 1.0), vec3(1.0 / kDisplayGamma));
}
#else
#include "tone_map.glsl"

vec3 toScreen(vec3 components) {
    vec3 light = displayLight(clamp(signalFromComponents * components + signalOffset, 0.0, 1.0));
    light = screenFromPrimaries * (toneMap(light) / kScreenWhite);
    return encodeSrgb(clamp(light, 0.0, 1.0));
}
#endif
#endif
#endif
