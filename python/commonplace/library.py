"""A library of collections: what the command line does, from Python."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _native
from .answers import (
    DetectAnswer,
    Record,
    RelateAnswer,
    SearchAnswer,
    SuggestAnswer,
    TransferAnswer,
    records,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Item", "Library", "progress_bar"]

Progress = Callable[[str, int, int, str], object]


@dataclass
class Item:
    """Something with tags."""

    id: str
    title: str = ""
    text: str = ""
    tags: list[str] = field(default_factory=list)
    image: str = ""
    place: tuple[float, float] | None = None
    time: str = ""
    labels: dict[str, str] = field(default_factory=dict)

    @classmethod
    def _from_json(cls, found: dict[str, Any]) -> Item:
        tags = found.get("tags") or []
        return cls(
            id=found["id"],
            title=found.get("title") or "",
            text=found.get("text") or "",
            tags=[each if isinstance(each, str) else each["name"] for each in tags],
            image=found.get("image") or "",
            place=(found["lat"], found["lon"]) if "lat" in found else None,
            time=found.get("time") or "",
            labels=dict(found.get("labels") or {}),
        )


class progress_bar:
    """Progress as a line that stays on its place; give it as `progress=progress_bar()`."""

    def __init__(self, width: int = 30):
        self.width = width
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int, unit: str) -> None:
        share = done / total if total else 0
        bar = "#" * int(share * self.width)
        end = "\n" if self._stage and stage != self._stage else ""
        self._stage = stage
        count = f"{done:,}/{total:,}" if total else f"{done:,}"
        print(f"{end}\r{stage} [{bar:<{self.width}}] {count} {unit}", end="", flush=True)


class Library:
    """A library: a folder with collections of items, their features, and models.

    >>> import commonplace as cp, tempfile
    >>> lib = cp.Library(tempfile.mkdtemp() + "/library", create=True)
    >>> lib.add("notes", [{"id": "a", "text": "a ferry in the harbour", "tags": ["ship"]}])
    >>> [item.tags for item in lib.items("notes")]
    [['ship']]
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ):
        text = os.fspath(path)
        if create and not (Path(text) / "library.db").exists():
            _native.Library.create(text)
        self._native = _native.Library(text)
        self.progress = progress
        self._jobs = 0 if n_jobs is None or n_jobs < 0 else n_jobs

    def __repr__(self) -> str:
        return f"Library({self._native.path!r}: " + ", ".join(
            f"{each.name} ({each['items']:,})" for each in self.collections
        ) + ")"

    def _repr_html_(self) -> str:
        return self._frame_of(self.collections)._repr_html_()

    @staticmethod
    def _frame_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([dict(each) for each in rows])

    # What there is.

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._native.path)

    @property
    def collections(self) -> list[Record]:
        """The collections: name, items, features, ..."""
        return records(json.loads(self._native.collections()))["collections"]

    @property
    def models(self) -> list[Record]:
        """The models that were learned."""
        return records(json.loads(self._native.models()))

    def items(self, collection: str, *, machine_tags: bool = False) -> list[Item]:
        """The items, in the order of the rows of their features."""
        return [
            Item._from_json(each)
            for each in json.loads(self._native.items(collection, machine_tags))
        ]

    def frame(self, collection: str, *, machine_tags: bool = False) -> pd.DataFrame:
        """The items as a pandas DataFrame, by their ids."""
        frame = self._frame_of(
            asdict(each) for each in self.items(collection, machine_tags=machine_tags)
        )
        return frame.set_index("id") if len(frame) else frame

    def item(self, collection: str, id: str) -> Record:
        """All that is known of one item."""
        return records(json.loads(self._native.item(collection, id)))

    def tags(self, collection: str) -> dict[str, int]:
        """The tags, most used first, with how many items have each."""
        return dict(self._native.tags(collection))

    # What people say.

    def add(
        self,
        collection: str,
        source: Union[str, os.PathLike[str], Iterable[Item | Mapping[str, Any]], pd.DataFrame],
        *,
        format: str = "",
        labels_from_folders: bool = False,
        prune: bool = False,
        progress: Progress | None = None,
    ) -> Record | None:
        """Add a file or folder, items, dictionaries, or a DataFrame; what is there is updated.

        Columns of a DataFrame are the fields of Item; its index is the id where there is none.
        """
        if isinstance(source, (str, os.PathLike)):
            return records(
                json.loads(
                    self._native.add_source(
                        collection,
                        os.fspath(source),
                        format,
                        labels_from_folders,
                        prune,
                        self._jobs,
                        progress or self.progress,
                    )
                )
            )
        self._native.add_items(collection, [_as_item(each) for each in _rows_of(source)])
        return None

    def accept(self, collection: str, id: str, tag: str) -> None:
        """Decide that an item has a tag."""
        self._native.decide(collection, [(id, tag, 1)])

    def reject(self, collection: str, id: str, tag: str) -> None:
        """Decide that an item has not a tag: it is never suggested again."""
        self._native.decide(collection, [(id, tag, -1)])

    def decide(self, collection: str, decisions: Iterable[tuple[str, str, int]]) -> None:
        """Store decisions (id, tag, 1 accepted, -1 rejected, 0 withdrawn); all or none."""
        self._native.decide(collection, list(decisions))

    def decisions(self, collection: str) -> list[Record]:
        """The decisions in force, oldest first."""
        names = ("item", "tag", "verdict", "time")
        return [Record(zip(names, each)) for each in self._native.decisions(collection)]

    # Features.

    def features(self, collection: str, name: str | None = None) -> Any:
        """The features of that name: a memory-mapped array, or a CSR matrix. Without a name, what
        there is."""
        found = self._native.features(collection)
        names = ("name", "sparse", "rows", "columns", "source")
        if name is None:
            return [Record(zip(names, each)) for each in found]
        for each in found:
            if each[0] == name:
                if not each[1]:
                    return np.load(each[5], mmap_mode="r")
                from scipy.sparse import csr_matrix

                data, indices, starts, columns, _ = self._native.sparse_features(collection, name)
                return csr_matrix((data, indices, starts), shape=(len(starts) - 1, columns))
        raise _native.Error(
            f"{collection} has no features {name!r}; it has {[each[0] for each in found]}"
        )

    def store_features(self, collection: str, name: str, rows: Any) -> None:
        """Store features, a row for each item in their order, in place of those of that name."""
        from . import _inputs

        self._native.store_features(collection, name, _inputs.rows(rows))

    def make_features(
        self,
        collection: str,
        what: str = "text",
        *,
        name: str = "",
        encoder: str | None = None,
        progress: Progress | None = None,
        **settings: Any,
    ) -> None:
        """Make features of `what`: text, tags, topics, tag_topics, sift, surf, gist; or by an encoder."""
        told = progress or self.progress
        if encoder is not None:
            self._native.encode_features(
                collection, name or Path(encoder).name, encoder, "", self._jobs, told
            )
            return
        texts = {key: _setting(value) for key, value in settings.items()}
        self._native.make_features(collection, what, texts, name, self._jobs, told)

    # What machines learn, and answer.

    def learn(
        self,
        verb: str,
        collection: str = "",
        *,
        auxiliaries: Sequence[str] = (),
        name: str = "",
        progress: Progress | None = None,
        **options: Any,
    ) -> Record:
        """Learn to search, suggest, detect or relate, and store the model. Options are those that
        `commonplace learn LIB VERB --help` lists, with _ for -."""
        told = progress or self.progress
        if verb == "search":
            report = self._native.learn_search(
                collection, list(auxiliaries), name, options, self._jobs, told
            )
        elif verb == "suggest":
            report = self._native.learn_suggest(collection, name, options, self._jobs, told)
        elif verb == "detect":
            report = self._native.learn_detect(collection, name, options, self._jobs, told)
        elif verb == "relate":
            if collection:
                options.setdefault("collections", collection)
            report = self._native.learn_relate(name, options, self._jobs, told)
        else:
            raise _native.Error(
                f"there is nothing to learn for {verb!r}; expected search, suggest, detect or relate"
            )
        return records(json.loads(report))

    def search(
        self,
        query: str,
        *,
        collections: Sequence[str] = (),
        models: Sequence[str] = (),
        limit: int = 20,
        explain: bool = False,
    ) -> SearchAnswer:
        """Find items by their words, and by what a model knows to go with them."""
        answer = self._native.search(
            query, list(collections), list(models), limit, explain, self._jobs, None
        )
        return SearchAnswer(json.loads(answer), self._picture)

    def suggest(
        self,
        text: str = "",
        *,
        item: str = "",
        picture: str | os.PathLike[str] | None = None,
        tags: Sequence[str] = (),
        vectors: Mapping[str, Any] | None = None,
        collection: str = "",
        model: str = "",
        limit: int = 10,
        threshold: float | None = None,
        explain: bool = False,
    ) -> SuggestAnswer:
        """Suggest tags for an item of the library, or for a text, a picture, tags or vectors."""
        thing: dict[str, Any] = {"text": text, "tags": list(tags)}
        if vectors:
            thing["vectors"] = {key: np.asarray(of, np.float32).tolist() for key, of in vectors.items()}
        if picture is not None:
            thing["picture"] = Path(picture).read_bytes()
            thing["picture_called"] = os.fspath(picture)
        answers = self._native.suggest(
            [] if item else [thing],
            [item] if item else [],
            collection,
            model,
            limit,
            threshold,
            explain,
            self._jobs,
            None,
        )
        return SuggestAnswer(json.loads(answers[0]))

    def teach(
        self,
        concept: str,
        *,
        yes: Sequence[str] = (),
        no: Sequence[str] = (),
        forget: Sequence[str] = (),
        collection: str = "",
    ) -> None:
        """Show items that have a concept, and items that have not."""
        lessons = [(id, 1) for id in yes] + [(id, -1) for id in no] + [(id, 0) for id in forget]
        self._native.teach(collection, concept, lessons)

    def detect(
        self,
        concept: str,
        *,
        collection: str = "",
        model: str = "",
        limit: int = 50,
        uncertain: bool = False,
    ) -> DetectAnswer:
        """Rank items by how surely they show a concept."""
        answer = json.loads(
            self._native.detect(concept, collection, model, limit, uncertain, self._jobs, None)
        )
        return DetectAnswer(answer, lambda each: self._picture({**each, "collection": answer["collection"]}))

    def relate(
        self,
        item: str = "",
        *,
        tag: str = "",
        text: str = "",
        at: tuple[float, float] | None = None,
        collection: str = "",
        kinds: Sequence[str] = (),
        model: str = "",
        limit: int = 10,
        explain: bool = False,
    ) -> RelateAnswer:
        """What belongs to an item, a tag, words or a place."""
        query = {
            "item": item, "tag": tag, "text": text, "at": at, "collection": collection,
            "kinds": list(kinds), "limit": limit, "explain": explain,
        }  # fmt: skip
        return RelateAnswer(json.loads(self._native.relate(query, model, self._jobs)))

    def transfer(
        self,
        source: str | Sequence[str],
        target: str,
        *,
        through: Sequence[str] = (),
        direct: bool = False,
        dry_run: bool = True,
        force: bool = False,
        above: float = 0.0,
        name: str = "",
        progress: Progress | None = None,
        **options: Any,
    ) -> TransferAnswer:
        """Label a collection from another. With dry_run, the default, nothing is written."""
        request = {
            "sources": [source] if isinstance(source, str) else list(source), "target": target,
            "through": list(through), "direct": direct, "force": force, "dry_run": dry_run,
            "above": above, "name": name,
        }  # fmt: skip
        return TransferAnswer(
            json.loads(
                self._native.transfer(request, options, self._jobs, progress or self.progress)
            )
        )

    def _picture(self, hit: Mapping[str, Any]) -> str | None:
        """Where the picture of a hit is, if it is a file."""
        if not hit.get("image", True):
            return None
        found = json.loads(self._native.item(hit["collection"], hit["id"]))
        image = found.get("image")
        if not image or "://" in image:
            return None
        roots = [each.source for each in self.collections if each.name == hit["collection"]]
        return str(Path(roots[0] if roots else "") / image)


def _setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows_of(source: Any) -> Iterable[Any]:
    if hasattr(source, "to_dict") and hasattr(source, "columns"):
        frame = source if "id" in source.columns else source.rename_axis("id").reset_index()
        known = [each.name for each in fields(Item)]
        strange = [name for name in frame.columns if name not in known]
        if strange:
            raise _native.Error(f"columns {strange} are no fields of an item; expected of {known}")
        return [
            {key: each for key, each in row.items() if not _missing(each)}
            for row in frame.to_dict("records")
        ]
    return source


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _as_item(each: Item | Mapping[str, Any]) -> dict[str, Any]:
    values = asdict(each) if isinstance(each, Item) else dict(each)
    values["id"] = str(values["id"])
    values["tags"] = [str(tag) for tag in values.get("tags") or []]
    place = values.get("place")
    if place is not None:
        values["place"] = (float(place[0]), float(place[1]))
    return values
