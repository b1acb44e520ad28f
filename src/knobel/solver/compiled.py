"""The one way in which knobel compiles a function with numba: native code, without the interpreter lock, kept on disk.

numba looks at the file of a kernel only to see whether its kept code is old; kernels are made of functions of several
modules. So the code is kept in a folder named after the contents of this whole package.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from platformdirs import user_cache_path

_Function = TypeVar("_Function", bound=Callable[..., object])
int64: Any = np.int64  # inside compiled functions a number of exactly this kind
uint64: Any = np.uint64

_SETTINGS: dict[str, Any] = {
    "nogil": True,
    "fastmath": False,  # strict floating point: the same bits whatever the number of lanes and threads
    "error_model": "numpy",
    "_nrt": False,  # no counting of references to arrays, which would cost more than the work; so no allocation either
}


def _keep_code() -> None:
    if "NUMBA_CACHE_DIR" not in os.environ:
        sources = sorted(Path(__file__).parent.glob("*.py"))
        name = sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
        numba.config.CACHE_DIR = str(user_cache_path("knobel") / "compiled" / name)


def compiled(function: _Function) -> _Function:
    """The function as native code; arrays are not checked for indices outside."""
    return cast("_Function", numba.njit(cache=True, **_SETTINGS)(function))


def inlined(function: _Function) -> _Function:
    """The same for a small function that is copied into each compiled caller, which saves passing its arguments."""
    return cast("_Function", numba.njit(forceinline=True, **_SETTINGS)(function))


_keep_code()
