"""What a library answers, as small objects that notebooks show."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: A thumbnail is read from a file of at most so many bytes.
_MOST_THUMBNAIL = 4 << 20


class Record(dict):
    """A dictionary whose keys are attributes too."""

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


def _cell(value) -> str:
    if value is None:
        return ""
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
