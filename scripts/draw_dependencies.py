"""Draws the table of include_rules.py: a box a folder, higher layers above, an arrow "depends on".

The first picture has the folders that lie in no other. Below it each of them that has rows of its own
inside is drawn once more, with the arrows between these rows.
Arrows that follow from others (a to b to c) are not drawn. A dashed arrow allows single headers only.
"""
import dataclasses
from xml.sax.saxutils import escape

from include_rules import covering_row, inside, top_folders

# Three boxes fit side by side.
WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW_HEIGHT, MARGIN, TITLE_HEIGHT = 1240, 226, 46, 84, 20, 40


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
        headers_of = sorted({covering_row(h, folders).name for h in folder.headers} - set(folder.may))
        direct = (*folder.may, *headers_of)
        for target in direct:
            if not any(target in reach[other] for other in direct):
                yield folder.name, target, target in folder.may


def _ranks(folders, edges):
    ranks = {}
    for folder in folders:
        ranks[folder.name] = max((ranks[t] + 1 for f, t, _ in edges if f == folder.name), default=0)
    return ranks


def _of_inside(folder, folders):
    """The rows of one folder, with what they may of each other alone."""
    rows = inside(folder, folders)
    names = {f.name for f in rows}
    return [dataclasses.replace(f, may=tuple(m for m in f.may if m in names),
                                headers=tuple(h for h in f.headers if covering_row(h, rows))) for f in rows]


def boxes(folders, top):
    """name -> (x, y) of every box of one picture whose upper edge is `top`; the edges; its height."""
    edges = list(_edges(folders))
    ranks = _ranks(folders, edges)
    highest = max(ranks.values())
    place = {}
    for folder in folders:
        x = MARGIN + folder.column * (WIDTH - 2 * MARGIN - BOX_WIDTH)
        place[folder.name] = (x, top + (highest - ranks[folder.name]) * ROW_HEIGHT)
    return place, edges, highest * ROW_HEIGHT + BOX_HEIGHT


def _picture(folders, top):
    """The lines of one picture, and where it ends."""
    place, edges, height = boxes(folders, top)
    out = [_arrow(place[source], place[target], whole) for source, target, whole in edges]
    for folder in folders:
        x, y = place[folder.name]
        middle = x + BOX_WIDTH / 2
        out.append(f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4" '
                   'fill="#f4f6f8" stroke="#334"/>')
        out.append(f'<text x="{middle:g}" y="{y + 19:g}" font-size="14" font-weight="bold" '
                   f'text-anchor="middle">{escape(folder.name)}</text>')
        out.append(f'<text x="{middle:g}" y="{y + 36:g}" font-size="12" fill="#445" '
                   f'text-anchor="middle">{escape(folder.purpose)}</text>')
    return out, top + height


def pictures(folders):
    """(title, rows) of every picture."""
    tops = list(top_folders(folders))
    yield "", tops
    for folder in tops:
        rows = _of_inside(folder, folders)
        if len(rows) > 1:
            yield f"inside {folder.name}", rows


def svg(folders):
    lines, y = [], MARGIN
    for title, rows in pictures(folders):
        if title:
            y += TITLE_HEIGHT
            lines.append(f'<text x="{MARGIN}" y="{y:g}" font-size="14">{escape(title)}</text>')
            y += MARGIN
        picture, y = _picture(rows, y)
        lines += picture
    height = y + MARGIN
    return "\n".join((
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', *lines, "</svg>")) + "\n"


def _arrow(source, target, whole):
    """From the lower edge of one box to the upper edge of the other, a little aside if not below."""
    shift = max(-1.0, min(1.0, (target[0] - source[0]) / BOX_WIDTH)) * BOX_WIDTH / 4
    x1, y1 = source[0] + BOX_WIDTH / 2 + shift, source[1] + BOX_HEIGHT
    x2, y2 = target[0] + BOX_WIDTH / 2 - shift, target[1]
    bend = (y2 - y1) / 2
    dash = "" if whole else ' stroke-dasharray="5 4"'
    return (f'<path d="M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}" '
            f'fill="none" stroke="#555"{dash} marker-end="url(#tip)"/>')
