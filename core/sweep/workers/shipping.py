"""Calls on their way to another process: problems travel once, and are then known by their content.

A call refers to problems of `core.sweep`, which may hold a whole table. In a pickled call each problem is replaced by a
hash of its content; the worker keeps the problem itself. So what a worker remembers of a problem, e.g. its statistics,
is found again, also if the problem equals only itself. Large arrays of a problem are in shared memory.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import weakref
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import cloudpickle

from core.sweep.workers import segments

MOST_PROBLEMS = 96  # That are remembered; workers know no others.


@dataclass(frozen=True)
class Parcel:
    """A problem, pickled, with the arrays that it refers to."""

    digest: str
    content: bytes
    arrays: tuple[segments.SharedArray, ...] = field(default=(), repr=False)


class Shipper:
    """The problems that were sent to any worker of this process; one thread calls it, results may be unpacked in others.

    Parameters
    ----------
    dropped : callable
        Called with the hash of every problem that is no longer remembered here.
    """

    def __init__(self, dropped: Callable[[str], None]):
        self._parcels: OrderedDict[Any, Parcel] = OrderedDict()
        self._problems: dict[str, Any] = {}
        self._arrays: weakref.WeakValueDictionary[str, segments.SharedArray] = weakref.WeakValueDictionary()
        self._dropped = dropped

    def pack(self, job: Any) -> tuple[bytes, frozenset[str]]:
        """A call, pickled, and the hashes of the problems to which it refers."""
        referred: set[str] = set()

        def reference(value):
            if not is_problem(value):
                return None
            digest = self._parcel(value).digest
            referred.add(digest)
            return digest

        return _pickled(job, reference), frozenset(referred)

    def contents(self, digests: Collection[str]) -> dict[str, bytes]:
        """The pickled problems of these hashes."""
        return {d: self._parcels[self._problems[d]].content for d in digests if d in self._problems}

    def unpack(self, content: bytes) -> Any:
        """A result; problems in it are the ones of this process."""
        return _unpickled(content, self._problems.__getitem__)

    def forget(self, problem: Any) -> None:
        """Remove a problem, here and from all workers."""
        parcel = self._parcels.pop(problem, None)
        if parcel is not None:
            self._problems.pop(parcel.digest, None)
            self._dropped(parcel.digest)

    def _parcel(self, problem):
        if problem not in self._parcels:
            self._parcels[problem] = self._made(problem)
            while len(self._parcels) > MOST_PROBLEMS:
                self.forget(next(iter(self._parcels)))
        self._parcels.move_to_end(problem)
        parcel = self._parcels[problem]
        self._problems[parcel.digest] = problem
        return parcel

    def _made(self, problem):
        arrays: list[segments.SharedArray] = []

        def reference(value):
            if not segments.shareable(value):
                return None
            name = segments.name_of(value)
            shared = self._arrays.get(name)
            if shared is None:
                shared = self._arrays[name] = segments.SharedArray(value, name)
            arrays.append(shared)
            return shared.place

        content = _pickled(problem, reference)
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        return Parcel(digest, content, tuple(arrays))


class Store:
    """The problems that a worker process knows.

    Parameters
    ----------
    dropped : callable
        Called with a problem that is no longer remembered.
    """

    def __init__(self, dropped: Callable[[Any], None]):
        self._problems: dict[str, Any] = {}
        self._dropped = dropped

    def learn(self, contents: Mapping[str, bytes]) -> None:
        """Take problems that were sent."""
        for digest, content in contents.items():
            self._problems[digest] = _unpickled(content, segments.opened)

    def unpack(self, content: bytes) -> Any:
        """A call, with the problems of this store."""
        return _unpickled(content, self._problems.__getitem__)

    def pack(self, result: Any) -> bytes:
        """A result, pickled; problems of this store travel as their hashes."""
        names = {id(problem): digest for digest, problem in self._problems.items()}
        return _pickled(result, lambda value: names.get(id(value)) if is_problem(value) else None)

    def forget(self, digest: str) -> None:
        """Remove a problem, and what was computed from it, from this worker."""
        problem = self._problems.pop(digest, None)
        if problem is not None:
            self._dropped(problem)


_PROBLEMS: dict[type, bool] = {}


def is_problem(value: Any) -> bool:
    """Whether a value is a problem of `core.sweep`."""
    kind = type(value)
    if kind not in _PROBLEMS:
        _PROBLEMS[kind] = callable(getattr(kind, "statistics", None)) and callable(
            getattr(kind, "estimate", None)
        )
    return _PROBLEMS[kind]


class _Pickler(cloudpickle.Pickler):
    """Pickles; what `reference` has a name for is replaced by it."""

    def __init__(self, file, reference):
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._reference = reference

    def persistent_id(self, value):
        return self._reference(value)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, find):
        super().__init__(file)
        self._find = find

    def persistent_load(self, name):
        return self._find(name)


def _pickled(value, reference):
    file = io.BytesIO()
    _Pickler(file, reference).dump(value)
    return file.getvalue()


def _unpickled(content, find):
    return _Unpickler(io.BytesIO(content), find).load()
