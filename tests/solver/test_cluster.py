"""The solve on two worker processes of this machine: the same bits, also when workers die."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest

import knobel
from knobel.solver import cluster, solve, table
from knobel.solver.cluster import ClusterError
from knobel.solver.model import Model, model_of
from knobel.solver.solve import Progress, get_ready
from tests.solver.toys import TOYS

distributed = pytest.importorskip("distributed")
WORK = 1000  # of a task: many for each of the larger layers
ANY_PORT = ":0"  # with None the scheduler still asks for 8787, and warns where another one has it


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers with a thread each."""
    import dask

    get_ready()  # or the workers would compile the same at the same time
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),  # for one that is dead
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=ANY_PORT, memory_limit=0
        ) as workers,
        cluster.connected(workers.scheduler_address, seconds=2) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def model() -> Model:
    return model_of(knobel.load("kniffel-2003"))


@pytest.fixture(scope="module")
def expected(model: Model) -> dict[int, bytes]:
    return {layer: values.tobytes() for layer, values in solve.layers(model)}


def solved(model: Model, client: Any, **more: Any) -> dict[int, bytes]:
    return {layer: values.tobytes() for layer, values in cluster.layers(model, client, work_of_task=WORK, **more)}


def test_same_bits(client: Any, model: Model, expected: dict[int, bytes]) -> None:
    seen: list[Progress] = []
    assert solved(model, client, watch=seen.append) == expected
    assert len(seen) > 5 * model.n_layers
    assert seen[-1].share == 1
    assert seen[-1].states == sum(len(values) // 8 for layer, values in expected.items() if layer < model.n_layers - 1)
    assert cluster.n_threads(client) == 2


@pytest.mark.parametrize("name", ["columns-bonus", "saved-first", "gates-fives-strike"])
def test_other_mechanisms(client: Any, name: str) -> None:
    model = model_of(TOYS[name])
    here = {layer: values.tobytes() for layer, values in solve.layers(model, threads=1)}
    assert {layer: values.tobytes() for layer, values in cluster.layers(model, client, work_of_task=5)} == here


def test_one_layer_at_a_time(client: Any, model: Model) -> None:
    """Workers never hold more than one layer, and in the end nothing."""
    most = 0

    def held(dask_worker: Any) -> int:
        return sum(isinstance(value, cluster.LayerValues) for value in dict(dask_worker.data).values())

    def watch(progress: Progress) -> None:
        nonlocal most
        if progress.layer in (6, 5):
            most = max(most, *client.run(held).values())

    solved(model, client, watch=watch)
    assert most == 1
    for _ in range(100):  # the scheduler is told a moment later
        if not client.who_has():
            return
        sleep(0.05)
    pytest.fail(str(client.who_has()))


def test_going_on_below_a_layer(client: Any, model: Model, expected: dict[int, bytes]) -> None:
    found = dict(solve.layers(model))
    rest = solved(model, client, above=(5, found[5]))
    assert rest == {layer: expected[layer] for layer in range(5)}


def test_workers_may_die(client: Any, model: Model, expected: dict[int, bytes]) -> None:
    """First one: the layer is left on the other. Then all: it is sent again once there is a new one."""
    killed: dict[int, list[int]] = {}

    def watch(progress: Progress) -> None:
        if progress.layer in (7, 5) and progress.layer not in killed:
            alive = list(client.run(os.getpid).values())
            killed[progress.layer] = alive[:1] if progress.layer == 7 else alive
            for process in killed[progress.layer]:
                os.kill(process, signal.SIGKILL)

    assert solved(model, client, watch=watch) == expected
    assert [*killed] == [7, 5]


def test_workers_of_another_version_are_refused(client: Any, model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "sources", lambda: "others")
    with pytest.raises(ClusterError) as caught:
        solved(model, client)
    assert caught.value.reason.key == "solver-cluster-version"


def test_table_of_the_cluster(client: Any, tmp_path: Path) -> None:
    """Stopped on the cluster, then finished on it: the files of a solve in this process."""
    rules = knobel.load("kniffel-2003")
    address = client.scheduler.address

    def stop(progress: Progress) -> None:
        if progress.layer == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cluster.solve_into(rules, tmp_path, address, watch=stop)
    found = cluster.solve_into(rules, tmp_path, address, is_resumed=True)
    assert found.value == table.solve(rules).value
    assert found.threads == 2
    assert table.open_table(rules, tmp_path).value == found.value


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "ftp://host:1", "silent"])
def test_nobody_answers(address: str) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        if address == "silent":
            address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(ClusterError) as caught, cluster.connected(address, seconds=0.3):
            pass
    assert caught.value.reason.key == "solver-cluster-unreachable"
    assert caught.value.reason.params["address"] == address


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError) as caught, cluster.connected("tcp://127.0.0.1:1"):
        pass
    assert caught.value.reason.key == "solver-no-cluster"


def test_nobody_works_or_schedules(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKER_SECONDS", 0.2)
    with (
        distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=ANY_PORT) as empty,
        cluster.connected(empty.scheduler_address, seconds=0.5) as client,
    ):
        with pytest.raises(ClusterError) as caught:
            cluster.n_threads(client)
        assert caught.value.reason.key == "solver-cluster-empty"
        empty.sync(empty.scheduler.close)
        with pytest.raises(ClusterError) as caught:
            solved(model, client)
        assert caught.value.reason.key == "solver-cluster-unreachable"
