"""A library of collections: what the command line does, from Python."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _native
from .answers import (
    AuditAnswer,
    BridgesAnswer,
    DetectAnswer,
    Evaluation,
    Record,
    RelateAnswer,
    Report,
    SearchAnswer,
    StatusAnswer,
    SuggestAnswer,
    TransferAnswer,
    UpdateAnswer,
    records,
)

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

__all__ = ["Item", "Library", "options", "progress_bar"]

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


def options(verb: str, *, evaluate: bool = False) -> list[Record]:
    """What Library.learn, or with `evaluate` Library.evaluate, may be told for a verb: records of
    `name`, `default` and `help`.

    >>> import commonplace as cp
    >>> [each.name for each in cp.options("detect")][:3]
    ['features', 'concepts_from', 'min_uses']
    """
    names = ("name", "default", "help")
    return [Record(zip(names, each)) for each in _native.verb_options(verb, evaluate)]


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
        """The items as a pandas DataFrame, by their ids; `add` takes it back."""
        frame = self._frame_of(
            asdict(each) for each in self.items(collection, machine_tags=machine_tags)
        )
        return frame.set_index("id") if len(frame) else frame

    def columns(self, collection: str, *, machine_tags: bool = False) -> dict[str, np.ndarray]:
        """The fields of the items as numpy arrays, in the order of the rows of their features.

        Texts are of dtype object, `tags` are lists; `place` has shape (n_items, 2), NaN where there
        is none; a label is a column "labels.FIELD", "" where there is none.
        """
        items = self.items(collection, machine_tags=machine_tags)
        found: dict[str, np.ndarray] = {}
        for name in ("id", "title", "text", "tags", "image", "time"):
            found[name] = np.empty(len(items), object)
            found[name][:] = [getattr(each, name) for each in items]
        nowhere = (np.nan, np.nan)
        found["place"] = np.array([each.place or nowhere for each in items], float).reshape(-1, 2)
        for label in sorted({label for each in items for label in each.labels}):
            values = [each.labels.get(label, "") for each in items]
            found[f"labels.{label}"] = np.array(values, object)
        return found

    def tag_matrix(
        self, collection: str, *, min_uses: int = 1
    ) -> tuple[csr_matrix, list[str]]:
        """Which item has which tag, as estimators take it: a CSR matrix of items x tags, and the
        tags' names, most used first. Tags that were rejected are -1."""
        from scipy.sparse import csr_matrix

        names = [name for name, uses in self.tags(collection).items() if uses >= min_uses]
        place = {name: at for at, name in enumerate(names)}
        items = self.items(collection)
        row = {each.id: at for at, each in enumerate(items)}
        cells = {
            (at, place[tag]): 1.0 for at, each in enumerate(items) for tag in each.tags if tag in place
        }
        for each in self.decisions(collection):
            if each.verdict < 0 and each.tag in place and each.item in row:
                cells[row[each.item], place[each.tag]] = -1.0
        at = np.array(list(cells), int).reshape(-1, 2)
        values = np.array(list(cells.values()), np.float32)
        return csr_matrix((values, (at[:, 0], at[:, 1])), (len(items), len(names))), names

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

    def link(
        self,
        collection: str,
        links: Union[str, os.PathLike[str], Iterable[Sequence[Any]], pd.DataFrame],
        *,
        to: str = "",
        progress: Progress | None = None,
    ) -> Record:
        """Say which items belong together (weights above 0, to 1) or apart (below 0, to -1).

        `links` are (id, id) or (id, id, weight), a DataFrame of such columns, or a CSV file. The
        second ids are of the collection `to`; without it, of the same one.
        """
        file, stored = "", []
        if isinstance(links, (str, os.PathLike)):
            file = os.fspath(links)
        else:
            pairs = links.itertuples(index=False) if hasattr(links, "itertuples") else links
            stored = [(str(a), str(b), float(*weight or (1,))) for a, b, *weight in pairs]
        return records(
            json.loads(
                self._native.link(
                    collection, to or collection, file, stored, self._jobs, progress or self.progress
                )
            )
        )

    def links(self, collection: str, *, to: str = "") -> list[Record]:
        """The links between two collections, or within one: `a`, `b` and `weight`."""
        names = ("a", "b", "weight")
        return [Record(zip(names, each)) for each in self._native.links(collection, to or collection)]

    # Features.

    def features(self, collection: str, name: str | None = None) -> Any:
        """The features of that name: an array, or a CSR matrix, which lie in their memory-mapped
        file and cannot be written to. Without a name, what there is."""
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
                shape = (len(starts) - 1, columns)
                return csr_matrix((data, indices, starts), shape=shape, copy=False)
        raise _native.Error(
            f"{collection} has no features {name!r}; it has {[each[0] for each in found]}"
        )

    def column_names(self, collection: str, name: str) -> list[str]:
        """What the columns of sparse features are called, such as words; empty: they have no names."""
        return list(self._native.sparse_features(collection, name)[4])

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
        update: bool = False,
        progress: Progress | None = None,
        **options: Any,
    ) -> Report:
        """Learn to search, suggest, detect or relate, and store the model; or for transfer, which
        bridges help.

        Parameters
        ----------
        verb : search, suggest, detect, relate or transfer
        collection : what it is learned from; for relate several, separated by commas
        auxiliaries : collections that search borrows from, or that transfer tries; empty: all
        name : of the model; empty: the usual one
        update : take in what has come since, and keep all else
        options : those that commonplace.options(verb) lists, the same as on the command line
        """
        told = progress or self.progress
        others = list(auxiliaries)
        if update:
            if verb not in ("suggest", "detect", "relate"):
                raise _native.Error(
                    f"update=True is for suggest, detect and relate; for {verb!r} there is update()"
                )
            if options:
                raise _native.Error(f"an update keeps all settings; leave out {', '.join(options)}")
            usual = "relate" if verb == "relate" else f"{verb}.{collection}"
            report = self._native.update_model(verb, name or usual, self._jobs, told)
        elif verb == "search":
            report = self._native.learn_search(collection, others, name, options, self._jobs, told)
        elif verb == "suggest":
            report = self._native.learn_suggest(collection, name, options, self._jobs, told)
        elif verb == "detect":
            report = self._native.learn_detect(collection, name, options, self._jobs, told)
        elif verb == "relate":
            if collection:
                options.setdefault("collections", collection)
            report = self._native.learn_relate(name, options, self._jobs, told)
        elif verb == "transfer":
            report = self._native.learn_transfer(others, options, self._jobs, told)
        else:
            raise _unknown(verb)
        return Report(records(json.loads(report)))

    def evaluate(
        self,
        verb: str,
        collection: str = "",
        *,
        auxiliaries: Sequence[str] = (),
        source: str | Sequence[str] = (),
        through: Sequence[str] = (),
        progress: Progress | None = None,
        **options: Any,
    ) -> Evaluation:
        """Measure on items held out what a verb is worth here, beside other methods.

        No item or model is changed; what is found is kept in the library, where the page shows it.

        Parameters
        ----------
        verb : search, suggest, detect, relate or transfer
        collection : what is asked for; for relate several, separated by commas
        auxiliaries : collections that search borrows from
        source, through : of transfer, collections with labels, and those in between
        options : those that commonplace.options(verb, evaluate=True) and commonplace.options(verb)
            list, the same as on the command line
        """
        told = progress or self.progress
        if verb == "search":
            found = self._native.evaluate_search(
                collection, list(auxiliaries), options, self._jobs, told
            )
        elif verb == "suggest":
            found = self._native.evaluate_suggest(collection, options, self._jobs, told)
        elif verb == "detect":
            found = self._native.evaluate_detect(collection, options, self._jobs, told)
        elif verb == "relate":
            if collection:
                options.setdefault("collections", collection)
            found = self._native.evaluate_relate(options, self._jobs, told)
        elif verb == "transfer":
            found = self._native.evaluate_transfer(
                _names(source), list(through), collection, options, self._jobs, told
            )
        else:
            raise _unknown(verb)
        answer, plot, problem = found
        if problem:
            warnings.warn(f"the result is not kept in the library: {problem}", stacklevel=2)
        return Evaluation(json.loads(answer), plot)

    def update(self, *, progress: Progress | None = None) -> UpdateAnswer:
        """Do whatever is out of date, and nothing else: files that have changed, features, models,
        and tags that `apply` gave. It can be stopped at any moment and goes on from there."""
        return UpdateAnswer(json.loads(self._native.update(self._jobs, progress or self.progress)))

    def status(self) -> StatusAnswer:
        """What is up to date, what is not, and what is missing."""
        return StatusAnswer(json.loads(self._native.status()))

    def search(
        self,
        query: str = "",
        *,
        like: str = "",
        picture: str | os.PathLike[str] | None = None,
        collections: Sequence[str] = (),
        models: Sequence[str] = (),
        limit: int = 20,
        explain: bool = False,
        exact: bool = False,
        words_only: bool = False,
    ) -> SearchAnswer:
        """Find items by their words, and by what a model knows to go with them; or items `like` one
        of them, by its id, or whose pictures look like a file.

        With `exact` a word borrows through tags that are the word, not that contain it; with
        `words_only` nothing is borrowed.
        """
        asked: dict[str, Any] = {
            "query": query, "like": like, "limit": limit, "explain": explain, "exact": exact,
            "words_only": words_only,
        }  # fmt: skip
        if picture is not None:
            asked["picture"] = Path(picture).read_bytes()
            asked["picture_called"] = os.fspath(picture)
        if bool(query) + bool(like) + (picture is not None) != 1:
            raise _native.Error("give either words to search for, or like=ITEM, or picture=FILE")
        wanted = list(collections)
        if like and not wanted and len(self.collections) == 1:
            wanted = [self.collections[0].name]
        answer = self._native.search(asked, wanted, list(models), self._jobs, None)
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

    def apply(
        self,
        collection: str,
        *,
        concept: str = "",
        model: str = "",
        above: float = 0.9,
        limit_per_item: int = 5,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Record:
        """Write the suggestions that are sure enough, or a concept, as a machine's tags. Tags of
        yours are not touched; `undo` takes them back."""
        return records(
            json.loads(
                self._native.apply(
                    collection, concept, model, above, limit_per_item, dry_run, self._jobs,
                    progress or self.progress,
                )
            )
        )  # fmt: skip

    def audit(
        self,
        collection: str,
        *,
        limit: int = 20,
        progress: Progress | None = None,
        **options: Any,
    ) -> AuditAnswer:
        """Find tags that are probably wrong, and tags that are probably missing.

        Every item is judged by models that learned from other items alone. All that is found is kept
        with the library, where the page shows it; `accept` and `reject` answer it.

        Parameters
        ----------
        collection : the collection
        limit : at most so many of either kind are returned
        options : those of `commonplace audit`, such as folds=5, and of commonplace.options("suggest")
        """
        told = progress or self.progress
        found = json.loads(self._native.audit(collection, options, self._jobs, told))
        return AuditAnswer({**found, **{kind: found[kind][:limit] for kind in ("wrong", "missing")}})

    @property
    def runs(self) -> list[Record]:
        """What machines wrote, by which model and why; the newest first."""
        return records(json.loads(self._native.runs()))

    def undo(self, run: int) -> Record:
        """Take a run back, whatever came later."""
        return records(json.loads(self._native.change_run(run, True)))

    def restore(self, run: int) -> Record:
        """Put a run that was taken back in force again."""
        return records(json.loads(self._native.change_run(run, False)))

    def teach(
        self,
        concept: str,
        *,
        yes: Sequence[str] = (),
        no: Sequence[str] = (),
        forget: Sequence[str] = (),
        collection: str = "",
    ) -> Record:
        """Show items that have a concept, and items that have not. Says how many there are now."""
        lessons = [(id, 1) for id in yes] + [(id, -1) for id in no] + [(id, 0) for id in forget]
        if not lessons:
            raise _native.Error("show at least one example: yes=[ID] or no=[ID]")
        return records(json.loads(self._native.teach(collection, concept, lessons)))

    def concepts(self, *, collection: str = "", model: str = "") -> list[Record]:
        """What can be detected: concepts that were taught, or learned from tags."""
        return records(json.loads(self._native.concepts(collection, model, self._jobs, None)))

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
        asked = {
            "item": item, "tag": tag, "text": text, "at": at, "collection": collection,
            "kinds": list(kinds), "limit": limit, "explain": explain,
        }  # fmt: skip
        return RelateAnswer(json.loads(self._native.relate(asked, model, self._jobs)))

    def transfer(
        self,
        source: str | Sequence[str],
        target: str,
        *,
        through: Sequence[str] = (),
        direct: bool = False,
        chain: bool = False,
        candidates: Sequence[str] = (),
        dry_run: bool = True,
        force: bool = False,
        above: float = 0.0,
        name: str = "",
        progress: Progress | None = None,
        **options: Any,
    ) -> TransferAnswer:
        """Label a collection from another. With dry_run, the default, nothing is written.

        Without `through` the collection in between that is clearly predicted to help is taken, or
        none; with `chain` a path over several is searched. Where harm is predicted it refuses.
        """
        request = {
            "sources": _names(source), "target": target, "through": list(through), "direct": direct,
            "chain": chain, "candidates": list(candidates), "force": force, "dry_run": dry_run,
            "above": above, "name": name,
        }  # fmt: skip
        return TransferAnswer(
            json.loads(
                self._native.transfer(request, options, self._jobs, progress or self.progress)
            )
        )

    def bridges(
        self,
        source: str | Sequence[str],
        target: str,
        *,
        candidates: Sequence[str] = (),
        progress: Progress | None = None,
        **options: Any,
    ) -> BridgesAnswer:
        """Which collections could help to transfer labels, found without looking at labels."""
        request = {"sources": _names(source), "target": target, "candidates": list(candidates)}
        return BridgesAnswer(
            json.loads(self._native.bridges(request, options, self._jobs, progress or self.progress))
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


def _names(one_or_more: str | Sequence[str]) -> list[str]:
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more)


def _unknown(verb: str) -> Exception:
    return _native.Error(
        f"there is no verb {verb!r}; expected search, suggest, detect, relate or transfer"
    )


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
