"""The front as HTML for notebooks: a table, and a chart as inline SVG. All texts are escaped."""

import html
from typing import Any, Dict, List, Optional, Sequence, Tuple

_WIDTH, _HEIGHT = 420, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 40


def escaped(value: Any) -> str:
    return html.escape(str(value), quote=True)


def _range(values: Sequence[float]) -> Tuple[float, float]:
    """Ends of an axis, a little wider than the values."""
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or max(abs(high), 1.0) * 0.05
    return low - margin, high + margin


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11" fill="currentColor">'
            f'{escaped(text)}</text>')


def chart(points: Sequence[Dict[str, Any]], y_title: str) -> str:
    """SVG of points with "x" (speed-up), "y", "title" and "chosen"."""
    shown = [p for p in points if p["y"] is not None]
    if not shown:
        return ""
    x_low, x_high = _range([p["x"] for p in shown])
    y_low, y_high = _range([p["y"] for p in shown])

    def place(point: Dict[str, Any]) -> Tuple[float, float]:
        x = _LEFT + (point["x"] - x_low) / (x_high - x_low) * (_WIDTH - _LEFT - _RIGHT)
        y = _HEIGHT - _BOTTOM - (point["y"] - y_low) / (y_high - y_low) * (_HEIGHT - _TOP - _BOTTOM)
        return x, y

    places = [place(p) for p in shown]
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">',
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="currentColor" opacity="0.5"/>',
        _text(_LEFT - 4, _TOP + 10, "end", f"{y_high:.3g}"),
        _text(_LEFT - 4, bottom, "end", f"{y_low:.3g}"),
        _text(_LEFT, bottom + 14, "start", f"{x_low:.2f}"),
        _text(right, bottom + 14, "end", f"{x_high:.2f}"),
        _text((_LEFT + right) / 2, bottom + 30, "middle", "speed-up"),
        _text(_LEFT + 4, _TOP + 10, "start", y_title),
        '<polyline fill="none" stroke="#4878a8" points="'
        + " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + '"/>',
    ]
    for point, (x, y) in zip(shown, places):
        color = "#d1495b" if point["chosen"] else "#4878a8"
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{6 if point["chosen"] else 4}" fill="{color}">'
                     f'<title>{escaped(point["title"])}</title></circle>')
    return "".join(parts) + "</svg>"


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], strong: Optional[int] = None) -> str:
    """A table; row `strong` in bold."""
    head = "".join(f"<th>{escaped(title)}</th>" for title in titles)
    lines: List[str] = []
    for number, row in enumerate(rows):
        style = ' style="font-weight:bold"' if number == strong else ""
        lines.append(f"<tr{style}>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
