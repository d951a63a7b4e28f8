// Bilinear chroma at a pixel for any siting, using the layout's `vec2 chromaTexel(ivec2)`. Written out with
// texelFetch because hardware filters may round to 8 bits, an error that B' then doubles. CHROMA_SHIFT_X and
// CHROMA_SHIFT_Y are log2 of the subsampling.
vec2 chromaOfPixel(ivec2 pixel) {
#if CHROMA_SHIFT_X == 0
    return chromaTexel(pixel);
#else
    float column = (float(pixel.x) - chromaSite.x) * 0.5;
    float columnFloor = floor(column);
    float columnWeight = column - columnFloor;
    int left = max(int(columnFloor), 0);
    int right = min(int(columnFloor) + 1, chromaLimit.x);
#if CHROMA_SHIFT_Y == 0
    return mix(chromaTexel(ivec2(left, pixel.y)), chromaTexel(ivec2(right, pixel.y)), columnWeight);
#else
    float row = (float(pixel.y) - chromaSite.y) * 0.5;
    float rowFloor = floor(row);
    float rowWeight = row - rowFloor;
    int top = max(int(rowFloor), 0);
    int bottom = min(int(rowFloor) + 1, chromaLimit.y);
    return mix(mix(chromaTexel(ivec2(left, top)), chromaTexel(ivec2(right, top)), columnWeight),
               mix(chromaTexel(ivec2(left, bottom)), chromaTexel(ivec2(right, bottom)), columnWeight),
               rowWeight);
#endif
#endif
}
