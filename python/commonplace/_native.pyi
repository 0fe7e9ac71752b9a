# Made by python/stubs.py.
from typing import Any

class Error(ValueError): ...

__version__: str

def __getattr__(name: str) -> Any: ...
