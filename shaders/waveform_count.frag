// Adds one.
out vec4 fragment;

void main() { fragment = vec4(1.0); }
