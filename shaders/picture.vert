// The picture's rectangle: corners in picture pixels from the top left, and each plane's sampling position.
uniform mat3 pictureToClip;  // from the unit square, origin top left
uniform vec2 pictureSize;    // pixels
uniform vec4 chromaFromUnit; // scale (xy) and offset (zw) from the unit square to chroma texture coordinates

out vec2 unitPosition;
out vec2 picturePosition;
out vec2 chromaPosition;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    unitPosition = corner;
    picturePosition = corner * pictureSize;
    chromaPosition = corner * chromaFromUnit.xy + chromaFromUnit.zw;
    gl_Position = vec4((pictureToClip * vec3(corner, 1.0)).xy, 0.0, 1.0);
}
