"""Lines over time as a plain SVG."""

import html

WIDTH, HEIGHT, LEFT, TOP, GAP = 900, 190, 90, 40, 50
COLOURS = ("#3366cc", "#dc3912", "#ff9900", "#109618", "#990099", "#0099c6", "#dd4477", "#66aa00")


def _nice(value):
    """The next 1, 2 or 5 of a power of ten."""
    step = 1.0
    while step * 10 <= value:
        step *= 10
    while step > value:
        step /= 10
    return next(step * factor for factor in (1, 2, 5, 10) if step * factor >= value)


def _panel(title, lines, top, seconds):
    highest = _nice(max((value for line in lines.values() for _, value in line), default=1) or 1)
    width, height = WIDTH - LEFT - 20, HEIGHT - GAP
    parts = [f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{html.escape(title)}</text>']
    for part in range(5):
        y = top + height - height * part / 4
        parts.append(f'<path d="M{LEFT} {y:.1f}h{width}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{highest * part / 4:g}</text>')
        x = LEFT + width * part / 4
        parts.append(f'<text x="{x:.1f}" y="{top + height + 14}" text-anchor="middle">{seconds / 60 * part / 4:.1f} min</text>')
    for number, line in enumerate(lines.values()):
        points = " ".join(f"{LEFT + width * at / seconds:.1f},{top + height - height * value / highest:.1f}" for at, value in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}"/>')
    return "\n".join(parts)


def draw(title, panels, seconds):
    """`panels`: {title: {name: [(seconds, value)]}}, with the same names in all."""
    names = list(next(iter(panels.values())))
    total = TOP + 20 + HEIGHT * len(panels) + 18 * len(names)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}" '
             'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="20" font-size="15">{html.escape(title)}</text>']
    for number, (name, lines) in enumerate(panels.items()):
        parts.append(_panel(name, lines, TOP + 20 + HEIGHT * number, seconds))
    for number, name in enumerate(names):
        y = TOP + 20 + HEIGHT * len(panels) + 18 * number
        parts.append(f'<rect x="{LEFT}" y="{y - 9}" width="14" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>'
                     f'<text x="{LEFT + 20}" y="{y}">{html.escape(name)}</text>')
    return "\n".join([*parts, "</svg>\n"])
