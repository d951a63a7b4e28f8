// Three planes: Y', Cb, Cr. yuv420p, yuv422p, yuv444p and their 10-bit forms.
uniform sampler2D plane0;
uniform sampler2D plane1;
uniform sampler2D plane2;

vec2 chromaTexel(ivec2 position) {
    return vec2(texelFetch(plane1, position, 0).r, texelFetch(plane2, position, 0).r);
}

#include "chroma.glsl"

vec3 componentsOfPixel(ivec2 pixel) { return vec3(texelFetch(plane0, pixel, 0).r, chromaOfPixel(pixel)); }

vec3 componentsAtPosition() {
    return vec3(texture(plane0, unitPosition).r, texture(plane1, chromaPosition).r,
                texture(plane2, chromaPosition).r);
}
