// The rectangle of the frame number, in the target's lower left (its rows start at the top).
uniform vec4 rectangle;  // clip space: left, top, right, bottom
uniform vec2 dots;       // across and down

out vec2 dotPosition;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    dotPosition = corner * dots;
    gl_Position = vec4(mix(rectangle.xy, rectangle.zw, corner), 0.0, 1.0);
}
