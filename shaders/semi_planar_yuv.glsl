// Two planes: Y', and Cb with Cr. nv12, p010le.
uniform sampler2D plane0;
uniform sampler2D plane1;

vec2 chromaTexel(ivec2 position) { return texelFetch(plane1, position, 0).rg; }

#include "chroma.glsl"

vec3 componentsOfPixel(ivec2 pixel) { return vec3(texelFetch(plane0, pixel, 0).r, chromaOfPixel(pixel)); }

vec3 componentsAtPosition() {
    return vec3(texture(plane0, unitPosition).r, texture(plane1, chromaPosition).rg);
}
