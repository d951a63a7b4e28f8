// Dark gradients show code steps; a little noise hides them (interleaved gradient noise, Jimenez 2014).
uniform vec2 corner;  // top left corner of the part that is kept

noperspective in vec3 screenColour;

out vec4 fragment;

void main() {
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy + corner, vec2(0.06711056, 0.00583715))));
    fragment = vec4(screenColour + (noise - 0.5) / 255.0, 1.0);
}
