"""Leader election, mutual exclusion and readers-writers protocols: simulated, model-checked, measured.

Every function takes a protocol and the options of the command line as keywords: ``-n 4`` is ``n=4``, ``--wake-at 0,4,-,4`` is
``wake_at="0,4,-,4"``, ``--set k=3`` is ``set={"k": 3}``. Lists stand for values with commas, and a pair for a range: ``r=(1, 4)``
is ``--r 1..4``. What comes back is what ``--json`` prints, as dictionaries. Ctrl-C, or interrupting a notebook's kernel, raises
``KeyboardInterrupt``, with what there is so far as its ``partial``.

    >>> import ringleader
    >>> ringleader.run("chang-roberts", ids=[3, 1, 4, 2])["cost"]["messages"]["total"]
    12
"""

import csv as _csv
import io as _io
import json as _json
import os as _os
import sys as _sys

from . import _ringleader
from ._ringleader import __version__

__all__ = ["Picture", "check", "exact", "picture", "protocols", "run", "sweep"]


class Picture(str):
    """An SVG picture, which notebooks show."""

    def _repr_svg_(self):
        return str(self)

    def save(self, path):
        """Writes it to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def run(protocol, *, progress=None, **options):
    """One run, as ``ringleader run --json`` prints it."""
    report, _, raised = _ringleader.run(protocol, _texts(options), None, _progress(progress, "messages"))
    return _complete(_json.loads(report), raised)


def picture(protocol, *, theme="auto", progress=None, **options):
    """The picture of a run: light, dark, or as its viewer prefers."""
    _, drawn, raised = _ringleader.run(protocol, _texts(options), theme, _progress(progress, "messages"))
    return _complete(Picture(drawn), raised)


def check(protocol, *, progress=None, **options):
    """All schedules of a small instance, as ``ringleader check --json`` prints it.

    Beside the options of the command line: ``ltl``, ``always`` and ``eventually`` take a formula or a list of them, ``timed``,
    ``untimed`` and ``no_reduce`` are true or false, and ``max_memory`` is a number of bytes.
    """
    options.setdefault("n", None if "ids" in options or "readers" in options else 3)
    options.setdefault("threads", _os.cpu_count() or 1)
    report, raised = _ringleader.check(protocol, _texts(options), _progress(progress, "states"))
    return _complete(_json.loads(report), raised)


def sweep(
    *protocols,
    runs=100,
    seed=1,
    level=0.95,
    quantities=(),
    vary=None,
    threads=None,
    progress=None,
    **options,
):
    """Many runs, as ``sweep.json`` of ``ringleader sweep --data`` has it, with the runs themselves as ``columns``.

    A list of values for ``n`` varies it; ``vary={"r": [(1, 1), (1, 4)], "set.law": ["2^i", "walk"]}`` varies whatever it names.
    ``columns`` is a dictionary of lists of equal length: ``pandas.DataFrame(result["columns"])`` takes it as it is.
    """
    axes = []
    sizes = options.get("n")
    if not isinstance(sizes, (int, str, type(None))):
        axes.append(("n", [_text("n", size) for size in options.pop("n")]))
    for name, values in (vary or {}).items():
        axes.append((_name(name), [_text(name, value) for value in values]))
    report, rows, raised = _ringleader.sweep(
        list(protocols),
        _texts(options),
        axes,
        runs,
        seed,
        level,
        list(quantities),
        threads or _os.cpu_count() or 1,
        _progress(progress, "runs"),
    )
    report = _json.loads(report)
    report["description"] = report["columns"]
    report["columns"] = _columns(report["description"], rows)
    return _complete(report, raised)


def exact(protocol, n, *, set=None, wakes="together", orientations="same", threads=None, progress=None):
    """The distribution of a cost over all orders of identities, as ``ringleader exact --json`` prints it.

    ``n`` is a number or several; ``wakes="all"`` takes every set of initiators, ``orientations="all"`` every orientation.
    """
    for name, value, allowed in (("wakes", wakes, ("together", "all")), ("orientations", orientations, ("same", "all"))):
        if value not in allowed:
            raise ValueError(f"{name} is {value!r}\nallowed: {', '.join(allowed)}")
    report, raised = _ringleader.exact(
        protocol,
        [n] if isinstance(n, int) else list(n),
        [(key, _text(key, value)) for key, value in (set or {}).items()],
        (wakes == "all", orientations == "all"),
        threads or _os.cpu_count() or 1,
        _progress(progress, "runs"),
    )
    return _complete(_json.loads(report), raised)


def protocols():
    """All protocols, as ``ringleader list --json`` prints them."""
    return _json.loads(_ringleader.protocols())


def _complete(result, raised):
    """The result, or what was raised before it was complete, with the partial result as its ``partial``."""
    if raised is None:
        return result
    raised.partial = result
    raise raised


def _name(name):
    return name.replace("_", "-") if not name.startswith("set.") else name


def _text(name, value):
    """A value in the notation of the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple) and len(value) == 2 and name in _RANGES:
        return f"{value[0]}..{value[1]}"
    if isinstance(value, (list, tuple, range)):
        return ",".join(_text(name, item) for item in value)
    return str(value)


_RANGES = frozenset({"r", "d", "first", "think", "hold"})
# Options that may be given more than once.
_REPEATED = frozenset({"again", "ltl", "always", "eventually"})


def _texts(options):
    """Options as names and texts."""
    texts = []
    for name, value in options.items():
        if value is None:
            continue
        if name == "set":
            texts.extend((f"set.{key}", _text(key, item)) for key, item in value.items())
        elif name in _REPEATED and not isinstance(value, str):
            texts.extend((_name(name), str(item)) for item in value)
        elif name == "no_reduce" and isinstance(value, bool):
            texts.extend([("no-reduce", "all")] if value else [])
        else:
            texts.append((_name(name), _text(name, value)))
    return texts


_TYPES = {"integer": int, "number": float, "text": str, "list": lambda text: [int(item) for item in text.split()]}


def _columns(description, rows):
    """The columns of CSV rows, each value of its type; an empty number is ``None``."""
    reader = _csv.reader(_io.StringIO(rows))
    names = next(reader)
    kinds = {column["name"]: column["type"] for column in description}
    columns = {name: [] for name in names}
    for row in reader:
        for name, text in zip(names, row):
            kind = kinds[name]
            columns[name].append(None if text == "" and kind != "text" else _TYPES[kind](text))
    for column in description:
        values = columns[column["name"]]
        if column["role"] == "parameter" and values and all(text.isdecimal() for text in values):
            columns[column["name"]] = [int(text) for text in values]
    return columns


def _progress(progress, unit):
    """A function of what is done and, where it is known, out of how much; ``True`` writes to standard error."""
    if not progress:
        return None
    if callable(progress):
        return progress

    def show(done, of):
        share = f" of {of:,} ({done / of:.0%})" if of else ""
        print(f"\r{done:,}{share} {unit}", end="", file=_sys.stderr, flush=True)

    return show
