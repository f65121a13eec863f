"""Draws the table of include_rules.py: a box a folder, higher layers above, an arrow "depends on".

Arrows that follow from others (a to b to c) are not drawn. A dashed arrow allows single headers only.
"""
from xml.sax.saxutils import escape

WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW_HEIGHT, MARGIN = 760, 270, 46, 84, 20


def _closure(direct):
    """name -> every name reachable from it; rows come in order of layers."""
    reach = {}
    for name, targets in direct.items():
        reach[name] = set(targets).union(*(reach[t] for t in targets))
    return reach


def _edges(folders):
    """(from, to, whole folder?) without those that follow from others."""
    reach = _closure({f.name: f.may for f in folders})
    for folder in folders:
        headers_of = sorted({h.rsplit("/", 1)[0] for h in folder.headers})
        direct = (*folder.may, *headers_of)
        for target in direct:
            if not any(target in reach[other] for other in direct):
                yield folder.name, target, target in folder.may


def _ranks(folders, edges):
    ranks = {}
    for folder in folders:
        ranks[folder.name] = max((ranks[t] + 1 for f, t, _ in edges if f == folder.name), default=0)
    return ranks


def svg(folders):
    edges = list(_edges(folders))
    ranks = _ranks(folders, edges)
    top = max(ranks.values())
    height = 2 * MARGIN + top * ROW_HEIGHT + BOX_HEIGHT
    place = {}
    for folder in folders:
        x = MARGIN + folder.column * (WIDTH - 2 * MARGIN - BOX_WIDTH)
        place[folder.name] = (x, MARGIN + (top - ranks[folder.name]) * ROW_HEIGHT)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
           '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
           'markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>',
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    for source, target, whole in edges:
        out.append(_arrow(place[source], place[target], whole))
    for folder in folders:
        x, y = place[folder.name]
        middle = x + BOX_WIDTH / 2
        out.append(f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4" '
                   'fill="#f4f6f8" stroke="#334"/>')
        out.append(f'<text x="{middle:g}" y="{y + 19:g}" font-size="14" font-weight="bold" '
                   f'text-anchor="middle">{escape(folder.name)}</text>')
        out.append(f'<text x="{middle:g}" y="{y + 36:g}" font-size="12" fill="#445" '
                   f'text-anchor="middle">{escape(folder.purpose)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _arrow(source, target, whole):
    """From the lower edge of one box to the upper edge of the other, a little aside if not below."""
    shift = max(-1.0, min(1.0, (target[0] - source[0]) / BOX_WIDTH)) * BOX_WIDTH / 4
    x1, y1 = source[0] + BOX_WIDTH / 2 + shift, source[1] + BOX_HEIGHT
    x2, y2 = target[0] + BOX_WIDTH / 2 - shift, target[1]
    bend = (y2 - y1) / 2
    dash = "" if whole else ' stroke-dasharray="5 4"'
    return (f'<path d="M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}" '
            f'fill="none" stroke="#555"{dash} marker-end="url(#tip)"/>')
