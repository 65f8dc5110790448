from os import PathLike
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

__version__: str

Json = Dict[str, Any]
Progress = Union[bool, Callable[[int, Optional[int]], object], None]

class Picture(str):
    def _repr_svg_(self) -> str: ...
    def save(self, path: Union[str, PathLike[str]]) -> None: ...

def run(protocol: str, *, progress: Progress = ..., **options: Any) -> Json: ...
def picture(protocol: str, *, theme: str = ..., progress: Progress = ..., **options: Any) -> Picture: ...
def check(protocol: str, *, progress: Progress = ..., **options: Any) -> Json: ...
def sweep(
    *protocols: str,
    runs: int = ...,
    seed: int = ...,
    level: float = ...,
    quantities: Sequence[str] = ...,
    vary: Optional[Mapping[str, Iterable[Any]]] = ...,
    threads: Optional[int] = ...,
    progress: Progress = ...,
    **options: Any,
) -> Json: ...
def exact(
    protocol: str,
    n: Union[int, Iterable[int]],
    *,
    set: Optional[Mapping[str, Any]] = ...,
    wakes: str = ...,
    orientations: str = ...,
    threads: Optional[int] = ...,
    progress: Progress = ...,
) -> Json: ...
def protocols() -> List[Json]: ...
