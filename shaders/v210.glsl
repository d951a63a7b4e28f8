// v210: the 10-bit components Cb Y' Cr Y' ... of a row, three per little-endian 32-bit word, lowest bits
// first. A texel is one word, so component n of a row is component n % 3 of texel n / 3.
uniform sampler2D plane0;

float component(int index, int row) {
    int word = index / 3;
    vec3 texel = texelFetch(plane0, ivec2(word, row), 0).rgb;
    int place = index - 3 * word;
    return place == 0 ? texel.r : (place == 1 ? texel.g : texel.b);
}

vec2 chromaTexel(ivec2 position) {
    return vec2(component(4 * position.x, position.y), component(4 * position.x + 2, position.y));
}

float lumaTexel(ivec2 pixel) { return component(2 * pixel.x + 1, pixel.y); }

#include "chroma.glsl"
#include "packed_luma.glsl"

vec3 componentsOfPixel(ivec2 pixel) { return vec3(lumaTexel(pixel), chromaOfPixel(pixel)); }

// Interpolates chroma along the row only: rows are not subsampled, and each fetch costs time.
vec3 componentsAtPosition() {
    float column = (picturePosition.x - 0.5 - chromaSite.x) * 0.5;
    int left = int(floor(column));
    int row = clamp(int(picturePosition.y), 0, chromaLimit.y);
    vec2 leftChroma = chromaTexel(ivec2(max(left, 0), row));
    vec2 rightChroma = chromaTexel(ivec2(min(left + 1, chromaLimit.x), row));
    return vec3(lumaAtPosition(), mix(leftChroma, rightChroma, column - floor(column)));
}
