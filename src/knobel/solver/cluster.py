"""The same solve spread over machines: parts of each layer are tasks of a Dask cluster, with the same bits.

Needs the extra `cluster` here, and this very version of knobel on every worker. Each layer travels once from here to
the workers, which pass it on to each other, and once back in parts. Whoever solves holds two layers, a worker one (two
while it arrives); what a dying worker takes along can be sent again.
"""

import asyncio
from collections.abc import Generator, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

import knobel
from knobel.errors import KnobelError, Reason
from knobel.solver import table
from knobel.solver.lattice import Array
from knobel.solver.model import Model, model_of
from knobel.solver.solve import WIDTH, Watch, Work, descend, estimated_seconds, read_only, work_of
from knobel.solver.table import Table
from knobel.vocabulary import Ruleset

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_SECONDS = 10.0  # to reach the scheduler
WORKER_SECONDS = 60.0  # until there is a worker
_TASK_SECONDS = 0.3  # about; less is lost to the scheduler, more is lost with a worker
_MOST_FRUITLESS = 5  # attempts at a layer, one after another, of which nothing comes back
_building = Lock()  # the threads of a worker share a model


class ClusterError(KnobelError):
    """A cluster that cannot be used, or that went away: what is in the data folder by then is kept."""


class LayerValues:
    """The values of a layer on their way to the workers: where they arrive they can be read by compiled functions.

    Dask puts what it receives at any address; numbers at odd ones would be copied for each task or compiled for anew.
    """

    def __init__(self, values: Array) -> None:
        """`values` (float64) are not copied unless they lie at an odd address; here they are read-only."""
        self.values = read_only(np.require(values, np.float64, ["C", "A"]))

    def __reduce__(self) -> tuple[type["LayerValues"], tuple[Array]]:
        """Numbers apart from the rest, so that Dask does not copy them."""
        return LayerValues, (self.values,)

    def __sizeof__(self) -> int:
        """What Dask counts as the memory of a worker."""
        return object.__sizeof__(self) + self.values.nbytes


@contextmanager
def connected(address: str, seconds: float = CONNECT_SECONDS) -> Iterator["Client"]:
    """A client of the scheduler at an address such as `tcp://host:8786`, which must reach the workers as well.

    Raises `ClusterError` if the extra is missing or nobody answers in time.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(Reason("solver-no-cluster", {"extra": "cluster"})) from None
    try:
        with ThreadPoolExecutor(1) as pool:  # a notebook has a loop of its own in this thread
            pool.submit(asyncio.run, _greet(address, seconds)).result()
        client = Client(address, timeout=seconds, set_as_default=False, direct_to_workers=True, name="knobel")
    except Exception as error:  # whatever may answer at a wrong address
        raise _unreachable(address, error) from None
    with client:
        yield client


async def _greet(address: str, seconds: float) -> None:
    """See whether a scheduler answers: a `Client` waits without end for one that accepts and says nothing."""
    from distributed import Security
    from distributed.comm import connect

    security = Security().get_connection_args("client")
    try:
        comm = await asyncio.wait_for(connect(address, timeout=seconds, **security), seconds + 1)
    except TimeoutError:
        raise OSError(f"no answer after {seconds:g} s") from None
    await comm.close()


def solve_into(
    ruleset: Ruleset,
    data: Path,
    address: str,
    watch: Watch | None = None,
    is_forced: bool = False,
    is_resumed: bool = False,
    seconds: float = CONNECT_SECONDS,
) -> Table:
    """`table.solve_into` on the cluster of a scheduler; files and memory are those of this machine.

    Raises what that raises, and `ClusterError`: then the solve can go on with `is_resumed`, with or without a cluster.
    """
    with connected(address, seconds) as client:
        return table.solve_into(
            ruleset, data, n_threads(client), watch, is_forced, is_resumed, source=partial(layers, client=client)
        )


def n_threads(client: "Client") -> int:
    """Threads of all workers; waits for the first worker. Raises `ClusterError` if there is none."""
    _await_worker(client)
    return max(sum(client.nthreads().values()), 1)


def layers(
    model: Model,
    client: "Client",
    threads: int | None = None,  # noqa: ARG001 # as many as the workers have
    width: int = WIDTH,
    watch: Watch | None = None,
    above: tuple[int, Array] | None = None,
    work_of_task: int | None = None,
) -> Iterator[tuple[int, Array]]:
    """`solve.layers` with the workers of `client`, bit by bit the same.

    Workers may come and go. Raises `ClusterError` if the scheduler or the last worker stays away, or if a task fails.
    """
    if work_of_task is None:
        seconds = max(estimated_seconds(model, 1), 1e-9)
        total = sum(work_of(model, layer, width).amount for layer in range(model.n_layers - 1))
        work_of_task = max(int(_TASK_SECONDS * total / seconds), 1)
    yield from descend(model, partial(_solve_layer, model.ruleset, client, work_of_task), width, watch, above)


def _solve_layer(
    ruleset: Ruleset, client: "Client", work_of_task: int, work: Work, here: Array, after: Array
) -> Generator[tuple[int, int], None, None]:
    """The tasks of a layer on workers."""
    missing = dict.fromkeys(work.parts(work_of_task))
    fruitless, address = 0, _address(client)
    while missing:
        n_missing, problem = len(missing), "the workers lose the values that they are sent"
        try:
            with closing(_attempt(ruleset, work, list(missing), after, client)) as found:
                for (first, end), values in found:
                    here[work.offsets[first] : work.offsets[end]] = values
                    del missing[first, end]
                    yield len(values), int(work.ends[end] - work.ends[first])
        except Exception as error:
            if client.status == "running" and not isinstance(error, OSError | CancelledError):
                raise
            problem = str(error)
        while client.status == "connecting":  # it gives up in time
            sleep(0.05)
        if client.status != "running":
            raise _unreachable(address, problem)
        fruitless = fruitless + 1 if len(missing) == n_missing else 0
        if fruitless == _MOST_FRUITLESS:
            raise _failed(problem)


def _attempt(
    ruleset: Ruleset, work: Work, missing: list[tuple[int, int]], after: Array, client: "Client"
) -> Generator[tuple[tuple[int, int], Array], None, None]:
    """Have parts of a layer solved; yields those that come back with their values.

    Dask itself repeats what dies with a worker. The others are those that want a layer of which no copy is left.
    """
    from distributed import as_completed

    name = uuid4().hex
    futures: dict[Future, tuple[int, int]] = {}
    held = None
    try:
        _await_worker(client)
        held = client.scatter(LayerValues(after), broadcast=True, hash=False)
        part = partial(_solve_part, sources(), ruleset, work.layer, width=work.width)
        keys = [(name, first) for first, _ in missing]
        tasks = client.map(part, *zip(*missing, strict=True), after=held, key=keys, pure=False)
        futures = dict(zip(tasks, missing, strict=True))
        del tasks
        for batch in as_completed(list(futures), loop=client.loop).batches():
            for future, values in _gathered(client, batch):
                yield futures.pop(future), values
                future.release()
    finally:
        for future in [*futures, *([held] if held is not None else [])]:
            future.release()


def _gathered(client: "Client", batch: list["Future"]) -> list[tuple["Future", Array]]:
    """The results of tasks that are done; nothing of those that were given up. Raises for tasks that failed."""
    for future in batch:
        if future.status == "error":
            error = future.exception()
            raise error if isinstance(error, KnobelError) else _failed(error)
    finished = [future for future in batch if future.status == "finished"]
    try:
        return list(zip(finished, client.gather(finished), strict=True))
    except CancelledError:
        return []


def _await_worker(client: "Client") -> None:
    try:
        client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except TimeoutError:
        raise ClusterError(Reason("solver-cluster-empty", {"address": _address(client)})) from None


def _solve_part(
    expected: str, ruleset: Ruleset, layer: int, first: int, end: int, after: LayerValues, width: int
) -> Array:
    """On a worker: the values of the units `first` to `end` of a layer."""
    if sources() != expected:
        raise ClusterError(Reason("solver-cluster-version", {"version": knobel.__version__}))
    with _building:
        work = _work_on(ruleset, layer, width)
    values = np.empty(work.offsets[end] - work.offsets[first])
    work.fill(first, end, values, after.values)
    return values


@lru_cache(maxsize=2)
def _work_on(ruleset: Ruleset, layer: int, width: int) -> Work:
    return work_of(model_of(ruleset), layer, width)


@lru_cache(maxsize=1)
def sources() -> str:
    """Digest of all that values depend on: workers of other sources must not take part."""
    package = Path(__file__).parent.parent
    files = sorted([*package.glob("*.py"), *package.glob("solver/*.py")])
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _address(client: "Client") -> str:
    return str(client.scheduler.address) if client.scheduler is not None else "-"


def _unreachable(address: str, problem: object) -> ClusterError:
    return ClusterError(Reason("solver-cluster-unreachable", {"address": address, "problem": str(problem)}))


def _failed(problem: object) -> ClusterError:
    return ClusterError(Reason("solver-cluster-failed", {"problem": str(problem)}))
