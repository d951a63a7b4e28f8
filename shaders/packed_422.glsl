// One plane whose texels hold two pixels as Cb Y'0 Cr Y'1: uyvy422, and yuyv422 by the texture's swizzle.
uniform sampler2D plane0;

vec2 chromaTexel(ivec2 position) { return texelFetch(plane0, position, 0).rb; }

float lumaTexel(ivec2 pixel) {
    vec4 pair = texelFetch(plane0, ivec2(pixel.x >> 1, pixel.y), 0);
    return (pixel.x & 1) == 0 ? pair.g : pair.a;
}

#include "chroma.glsl"
#include "packed_luma.glsl"

vec3 componentsOfPixel(ivec2 pixel) { return vec3(lumaTexel(pixel), chromaOfPixel(pixel)); }

vec3 componentsAtPosition() { return vec3(lumaAtPosition(), texture(plane0, chromaPosition).rb); }
