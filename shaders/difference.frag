// Draws how much two pictures differ, per component. Both textures are laid out like the viewport.
uniform sampler2D plane0, plane1;
uniform ivec2 origin;  // of the viewport
uniform float gain;

out vec4 fragment;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy) - origin;
    vec3 difference = texelFetch(plane0, at, 0).rgb - texelFetch(plane1, at, 0).rgb;
    fragment = vec4(abs(difference) * gain, 1.0);
}
