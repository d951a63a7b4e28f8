// Haze that glows at the horizon and darkens away from it: a grid over the whole target, behind everything.
// Each instance is one row of the grid, a strip.
uniform ivec2 grid;
uniform float horizon;    // its height in clip space
uniform vec3 hazeColour;  // linear light at the horizon
uniform vec3 deepColour;  // far from it

noperspective out vec3 screenColour;

void main() {
    vec2 corner = vec2(gl_VertexID >> 1, gl_InstanceID + (gl_VertexID & 1));
    vec2 position = corner / vec2(grid) * 2.0 - 1.0;
    float away = (position.y - horizon) * 1.3;
    float side = position.x * 0.55;
    screenColour = toScreen(mix(deepColour, hazeColour, 1.0 / (1.0 + away * away + side * side)));
    gl_Position = vec4(position, 1.0, 1.0);
}
