"""Line and bar charts as SVG text; no scripts, no fonts or styles from elsewhere."""
import math
from xml.sax.saxutils import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#000000", "#b8a800")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 340, 64, 150, 34, 44


def colour(number):
    return COLOURS[number % len(COLOURS)]


def text(x, y, words, anchor="start", size=12, fill="#222"):
    return '<text x="%.1f" y="%.1f" font-size="%d" text-anchor="%s" fill="%s">%s</text>' % (x, y, size, anchor, fill,
                                                                                          escape(words))


def line(x1, y1, x2, y2, stroke="#ddd"):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>' % (x1, y1, x2, y2, stroke)


def figure(parts, title, height=HEIGHT):
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="sans-serif">'
    return "\n".join([head % (WIDTH, height, WIDTH, height), "<title>%s</title>" % escape(title),
                      '<rect width="%d" height="%d" fill="#fff"/>' % (WIDTH, height), text(LEFT, 20, title, size=14)] + parts +
                     ["</svg>"])


def decades(low, high):
    return [10.0 ** k for k in range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1)]


def lines(title, series, x_range, y_range, x_name, y_name):
    """series: [(name, [(x, y), ...])], drawn as steps on two logarithmic axes."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def spot(value, ends, first, last):
        value = min(max(value, ends[0]), ends[1])
        return first + (last - first) * math.log(value / ends[0]) / math.log(ends[1] / ends[0])

    parts = []
    for x in decades(*x_range):
        if x_range[0] <= x <= x_range[1]:
            at = spot(x, x_range, LEFT, right)
            parts += [line(at, TOP, at, bottom), text(at, bottom + 16, "%g" % x, "middle")]
    for y in decades(*y_range):
        if y_range[0] <= y <= y_range[1]:
            at = spot(y, y_range, bottom, TOP)
            parts += [line(LEFT, at, right, at), text(LEFT - 6, at + 4, "%g" % y, "end")]
    parts += [text((LEFT + right) / 2, HEIGHT - 8, x_name, "middle"),
              '<text x="14" y="%.1f" font-size="12" text-anchor="middle" fill="#222" transform="rotate(-90 14 %.1f)">%s</text>'
              % ((TOP + bottom) / 2, (TOP + bottom) / 2, escape(y_name))]
    for number, (name, points) in enumerate(series):
        steps, before = [], None
        for x, y in points:
            place = spot(x, x_range, LEFT, right), spot(y, y_range, bottom, TOP)
            steps += ["%.1f,%.1f" % (place[0], before)] if before is not None else []
            steps.append("%.1f,%.1f" % place)
            before = place[1]
        parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>' % (" ".join(steps), colour(number)))
        parts.append(line(right + 12, TOP + 10 + 18 * number, right + 30, TOP + 10 + 18 * number, colour(number)))
        parts.append(text(right + 36, TOP + 14 + 18 * number, name))
    return figure(parts, title)


def bars(title, groups, y_range, y_name):
    """groups: [(group, [(name, value or None), ...])]; values on a logarithmic axis, those below it at its foot."""
    names = []
    for _, values in groups:
        names += [name for name, _ in values if name not in names]
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts, wide = [], (right - LEFT) / max(1, len(groups))
    for y in decades(*y_range):
        at = bottom - (bottom - TOP) * math.log(y / y_range[0]) / math.log(y_range[1] / y_range[0])
        parts += [line(LEFT, at, right, at), text(LEFT - 6, at + 4, "%g" % y, "end")]
    for place, (group, values) in enumerate(groups):
        thick = 0.8 * wide / max(1, len(names))
        parts.append(text(LEFT + wide * (place + 0.5), bottom + 16, group, "middle"))
        for name, value in values:
            if value is None:
                continue
            number, kept = names.index(name), min(max(value, y_range[0]), y_range[1])
            tall = max(2.0, (bottom - TOP) * math.log(kept / y_range[0]) / math.log(y_range[1] / y_range[0]))
            parts.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s</title></rect>' %
                         (LEFT + wide * (place + 0.1) + thick * number, bottom - tall, thick * 0.92, tall, colour(number),
                          escape("%s, %s: %.4g" % (group, name, value))))
    for number, name in enumerate(names):
        parts.append('<rect x="%d" y="%d" width="18" height="10" fill="%s"/>' % (right + 12, TOP + 4 + 18 * number, colour(number)))
        parts.append(text(right + 36, TOP + 14 + 18 * number, name))
    parts.append('<text x="14" y="%.1f" font-size="12" text-anchor="middle" fill="#222" transform="rotate(-90 14 %.1f)">%s</text>'
                 % ((TOP + bottom) / 2, (TOP + bottom) / 2, escape(y_name)))
    return figure(parts, title)
