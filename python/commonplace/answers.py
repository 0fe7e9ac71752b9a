"""What a library answers, as small objects that notebooks show."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = [
    "Record",
    "Answer",
    "SearchAnswer",
    "SuggestAnswer",
    "DetectAnswer",
    "RelateAnswer",
    "TransferAnswer",
    "BridgesAnswer",
    "Report",
    "Evaluation",
    "AuditAnswer",
    "UpdateAnswer",
    "StatusAnswer",
    "reliability_plot",
]

#: A thumbnail is read from a file of at most so many bytes.
_MOST_THUMBNAIL = 4 << 20


class Record(dict):
    """A dictionary whose keys are attributes too, but for those that are its own, such as `items`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no {name!r} here; there are {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self if key.isidentifier())]


def records(value):
    """JSON with records for objects."""
    if isinstance(value, dict):
        return Record({key: records(each) for key, each in value.items()})
    if isinstance(value, list):
        return [records(each) for each in value]
    return value


class Answer(Record):
    """An answer: its main list is what it iterates over, counts, and shows as a table."""

    #: Where the main list is, and the columns of the table.
    of: str = ""
    columns: tuple[str, ...] = ()

    def __init__(self, value: dict, picture=None):
        super().__init__(records(value))
        self.__dict__["_picture"] = picture

    def __iter__(self) -> Iterator[Record]:
        return iter(self[self.of])

    def __len__(self) -> int:
        return len(self[self.of])

    def __getitem__(self, key):
        return self[self.of][key] if isinstance(key, (int, slice)) else super().__getitem__(key)

    def __repr__(self) -> str:
        rows = [", ".join(_cell(each.get(name)) for name in self.columns) for each in self]
        return f"<{type(self).__name__}: {len(rows)}>" + "".join(f"\n  {row}" for row in rows[:20])

    def frame(self):
        """The main list as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame([dict(each) for each in self])

    def _repr_html_(self) -> str:
        picture = self.__dict__["_picture"]
        names = [*(["picture"] if picture else []), *self.columns]
        lines = ["<table><thead><tr>", *(f"<th>{html.escape(name)}</th>" for name in names)]
        lines.append("</tr></thead><tbody>")
        for each in self:
            cells = [f'<td dir="auto">{html.escape(_cell(each.get(name)))}</td>' for name in self.columns]
            if picture:
                cells.insert(0, f"<td>{_thumbnail(picture(each))}</td>")
            lines.append("<tr>" + "".join(cells) + "</tr>")
        lines.append("</tbody></table>")
        return "".join(lines)


class SearchAnswer(Answer):
    """Items, best first."""

    of = "hits"
    columns = ("collection", "id", "title", "tags", "score")


class SuggestAnswer(Answer):
    """Tags, surest first; none: nothing fits."""

    of = "suggestions"
    columns = ("tag", "confidence")


class DetectAnswer(Answer):
    """Items that show a concept, best first."""

    of = "results"
    columns = ("id", "score", "confidence", "taught")


class RelateAnswer(Answer):
    """Kinds of things that belong to what was asked, each with its own list."""

    of = "kinds"
    columns = ("kind", "things")


class TransferAnswer(Answer):
    """Labels of the items that had none."""

    of = "predictions"
    columns = ("item", "label", "probability")

    def __init__(self, value: dict, picture=None):
        super().__init__({"predictions": [], **value}, picture)


class BridgesAnswer(Answer):
    """Collections that labels could go through, the best first."""

    of = "bridges"
    columns = ("name", "gain", "gain_error", "success", "only_way")


class UpdateAnswer(Answer):
    """What was done to bring a library up to date, and in `steps` what there is still to do."""

    of = "did"
    columns = ("collection", "step", "why", "said", "problem", "seconds")


class StatusAnswer(Answer):
    """What is up to date in a library, what is not, and what is missing."""

    of = "steps"
    columns = ("collection", "step", "state", "why", "said")


class AuditAnswer(Answer):
    """Tags that are probably `wrong`, and such as are probably `missing`, the worst first."""

    of = "faults"
    columns = ("doubt", "kind", "tag", "id", "reason")

    def __init__(self, value: dict):
        super().__init__({**value, "faults": [*value["wrong"], *value["missing"]]})


class Report(Record):
    """What learning found: all of its figures, what was tried, and whether confidence is honest."""

    def _repr_html_(self) -> str:
        figures = {key: each for key, each in self.items() if not isinstance(each, (dict, list))}
        parts = [_table(("", ""), [(key, _cell(each)) for key, each in figures.items()])]
        tried = self.get("tried") or []
        if tried:
            names = tuple(tried[0])
            rows = [tuple(_cell(each.get(name)) for name in names) for each in tried]
            parts.append(_table(names, rows))
        for bins in _found(self, "reliability"):
            parts.append(reliability_plot(bins))
        return "".join(parts)


class Evaluation(Answer):
    """Methods side by side on items held out; `plot` is their figures as SVG."""

    of = "methods"

    def __init__(self, value: dict, plot: str = ""):
        super().__init__(value)
        self.__dict__["plot"] = plot

    @property
    def columns(self):  # type: ignore[override]
        """What the methods say of themselves in a word, a number, or a number with its interval."""
        names = dict.fromkeys(name for each in self for name in each)
        return tuple(name for name in names if any(_is_short(each.get(name)) for each in self))

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.__dict__["plot"]


def reliability_plot(bins, side: int = 220) -> str:
    """How often things are right, against how sure they were: honest confidence lies on the line.

    `bins` have `confidence`, `right` and `pairs`, so many cases, which are the areas of the discs. SVG.
    """
    most = max((each["pairs"] for each in bins), default=0)
    if not most:
        return ""
    marks = []
    for each in bins:
        if not each["pairs"]:
            continue
        x, y = side * each["confidence"], side * (1 - each["right"])
        radius = 2 + 6 * (each["pairs"] / most) ** 0.5
        told = f"{each['confidence']:.2f} sure, {each['right']:.2f} right, {each['pairs']:,}"
        marks.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#2a6fb0" fill-opacity="0.7">'
            f"<title>{told}</title></circle>"
        )
    return (
        f'<svg width="{side + 40}" height="{side + 40}" viewBox="-30 -10 {side + 40} {side + 40}" '
        'role="img" aria-label="reliability" font-size="11" font-family="sans-serif">'
        f'<rect width="{side}" height="{side}" fill="none" stroke="#999"/>'
        f'<line x1="0" y1="{side}" x2="{side}" y2="0" stroke="#999" stroke-dasharray="4"/>'
        f'{"".join(marks)}'
        f'<text x="{side // 2}" y="{side + 20}" text-anchor="middle" fill="currentColor">how sure</text>'
        f'<text transform="translate(-10 {side // 2}) rotate(-90)" text-anchor="middle" '
        'fill="currentColor">how often right</text></svg>'
    )


def _found(value, name):
    """All lists of that name, wherever they are."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key == name and isinstance(each, list):
                yield each
            else:
                yield from _found(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _found(each, name)


def _is_short(value) -> bool:
    return isinstance(value, (str, int, float)) or isinstance(value, dict) and "value" in value


def _table(names, rows) -> str:
    lines = ["<table><thead><tr>", *(f"<th>{html.escape(name)}</th>" for name in names)]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        cells = (f'<td dir="auto">{html.escape(str(cell))}</td>' for cell in row)
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "".join([*lines, "</tbody></table>"])


def _cell(value) -> str:
    if value is None:
        return ""
    if isinstance(value, dict) and "value" in value:
        return _cell(value["value"])
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(str(each["name"]) if isinstance(each, dict) else str(each) for each in value)
    return str(value)


def _thumbnail(path) -> str:
    """A picture of at most 96 pixels in the page itself; nothing where it cannot be read."""
    if path is None:
        return ""
    file = Path(path)
    kinds = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".webp": "webp", ".svg": "svg+xml"}
    kind = kinds.get(file.suffix.lower())
    try:
        if kind is None or file.stat().st_size > _MOST_THUMBNAIL:
            return ""
        coded = base64.b64encode(file.read_bytes()).decode()
    except OSError:
        return ""
    return f'<img src="data:image/{kind};base64,{coded}" style="max-width:96px;max-height:96px">'
