"""The long run `six-dice`: the largest table there is, solved under fire and then doubted from three sides.

Steps, each kept in `steps.json` once it is done, so that a run that was stopped goes on where it was:

    without     six dice without saved throws, solved in memory: the value is known from elsewhere
    kills       with saved throws, through the command line into files; killed twice, resumed each time. The checksums
                of all layers must be those of a solve that nobody disturbed (`data/six_dice.json`)
    residuals   random states computed again from the layer above, by plain numpy: see `Bellman`
    games       the optimal player's mean; its confidence interval must hold the value

`--scale` scales the states and the games; the two solves are always whole. Everything lies in the folder
`long/six-dice` of the data folder (`KNOBEL_DATA`, see `knobel.folder`), 4.5 GB while it works, and stays there: another
run tells what is known, checks the files again, and repeats what has another scale or whose source has changed. If that
is the source of the solves (`SOLVES`), the folder is cleared. Delete it for a run from nothing.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import sqrt
from pathlib import Path
from random import Random
from statistics import NormalDist
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

import knobel
from knobel.dice import keeps, keeps_of, outcomes, rolls
from knobel.folder import data_folder
from knobel.scoring import points_table
from knobel.sim import Simulation, simulate_optimal
from knobel.solver import table as tables
from knobel.solver.file import folder_of
from knobel.solver.table import Table
from knobel.solver.values import Values
from knobel.vocabulary import Ruleset

Array = np.ndarray[Any, np.dtype[Any]]
Result = dict[str, Any]

WITHOUT = 394.55750682041923  # points without saved throws: our prototype; another program agrees to 9 decimals
UNDISTURBED = Path(__file__).parent / "data" / "six_dice.json"  # of a solve that nobody stopped
EXACT = 1e-9  # points
KILL_AFTER = (25.0, 60.0)  # seconds: the first layers are done, the large ones are not
N_STATES, N_GAMES, SEED = 200_000, 1_000_000, 5
ARITHMETIC = 1e-12  # points: float64 in another order
_BATCH = 64  # states at a time: what belongs to them stays in the cache
SOLVES = (  # what the values depend on
    *(f"solver/{name}.py" for name in ("entry", "file", "kernel", "lanes", "lattice", "model", "solve", "table")),
    "dice.py", "scoring.py", "sheet.py", "rulesets/six-dice.toml",
)  # fmt: skip
PLAYS = ("sim.py", *(f"solver/{name}.py" for name in ("decide", "lockstep", "price", "values")))  # what the games do


def figure(scale: float) -> str:
    """Do all steps, say what they found. The first fault is raised."""
    folder = data_folder() / "long" / "six-dice"
    steps = Steps(folder)
    n_states, n_games = max(1, round(N_STATES * scale)), max(2, round(N_GAMES * scale))
    own = sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    without = steps.done("without", solved_without)
    assert abs(without["value"] - WITHOUT) <= EXACT, without
    expected = json.loads(UNDISTURBED.read_text("utf-8"))
    rng = Random(SEED)
    moments = [rng.uniform(*KILL_AFTER) for _ in range(2)]
    table = solved_under_fire("six-dice", folder, steps, expected, moments)
    residuals = steps.done(f"residuals, {n_states}, {own}", lambda: asdict(residuals_of(table, n_states, SEED)))
    level = 0.95 if scale == 1 else 0.9999  # a few games are not to fail by chance
    games = steps.done(f"games, {n_games}, {own}, {_digest(PLAYS)}", lambda: _games(table, n_games, level))
    assert games["low"] <= table.value <= games["high"], (table.value, games)
    return "; ".join(
        [_told_solve(table, without, len(steps.known["kills"])), told(residuals), _told_games(games, level)]
    )


def _told_solve(table: Table, without: Result, n_kills: int) -> str:
    return (
        f"value {table.value:.9f} ± {rounding_bound(table.ruleset):.0e}, {table.model.n_states:,} states in "
        f"{table.seconds:.0f} s on {table.threads} threads, killed {n_kills} times, to the bit as undisturbed; "
        f"without saved throws {without['value']:.9f} in {without['seconds']:.0f} s"
    )


def _told_games(games: Result, level: float) -> str:
    return (
        f"{games['n']:,} games in {games['seconds']:.0f} s: mean {games['mean']:.3f}, {100 * level:g} % "
        f"[{games['low']:.3f}, {games['high']:.3f}], deviation {games['deviation']:.2f}, median {games['median']}"
    )


def told(residuals: Result) -> str:
    """The residuals in words."""
    return (
        f"Bellman residuals of {residuals['n_values']:,} values in {residuals['n_states']:,} random chains: "
        f"max {residuals['most']:.2e}, mean {residuals['mean']:.2e}, "
        f"none beyond the rounding of its own numbers, which is {residuals['bound']:.2e} at most"
    )


class Steps:
    """What is done, in a file of the folder."""

    def __init__(self, folder: Path) -> None:
        """Go on with the folder, or begin anew if the solver has changed."""
        self._path = folder / "steps.json"
        source = _digest(SOLVES)
        self.known: Result = json.loads(self._path.read_text("utf-8")) if self._path.exists() else {}
        if self.known.get("source") != source:
            if self.known:
                print(f"the solver has changed: {folder} is cleared", file=sys.stderr)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self.known = {"source": source, "kills": []}
            self.write()

    def write(self) -> None:
        """Keep what is known."""
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps(self.known, indent=1), encoding="utf-8")
        part.replace(self._path)

    def done(self, name: str, step: Callable[[], Result]) -> Result:
        """The result of a step, done now unless it is known."""
        if name not in self.known:
            begin = monotonic()
            self.known[name] = step()
            self.write()
            print(f"{name}: {self.known[name]}, {monotonic() - begin:.0f} s", file=sys.stderr)
        result: Result = self.known[name]
        return result


def _digest(names: tuple[str, ...]) -> str:
    package = Path(knobel.__file__).parent
    return sha256(b"".join((package / name).read_bytes() for name in names)).hexdigest()[:16]


def solved_without() -> Result:
    """Value and seconds without saved throws."""
    table = tables.solve(knobel.load("six-dice", saved_throws=False))
    return {"value": table.value, "seconds": table.seconds}


def solved_under_fire(source: str, folder: Path, steps: Steps, expected: Result, moments: list[float]) -> Table:
    """The table of a ruleset from processes that are killed after so many seconds, until one comes to its end.

    `expected`: value, number of states, lengths and checksums of the layers, to the bit as if nobody had been killed.
    """
    ruleset = knobel.load(source)
    place = folder_of(ruleset, folder)
    kills: list[Result] = steps.known["kills"]
    while (manifest := place.manifest()) is None or manifest.value is None:
        command = [sys.executable, "-m", "knobel", "solve", source, "--data", str(folder), "--json"]
        before = set(manifest.layers) if manifest else set()
        seconds = moments[len(kills)] if len(kills) < len(moments) else None
        is_killed = _run([*command, "--resume"] if manifest else command, seconds)
        manifest = place.manifest()
        kept = set(manifest.layers) if manifest else set()
        assert before <= kept, f"layers were lost: {before - kept}"
        if is_killed:
            kills.append({"seconds": seconds, "layers": len(kept)})
            steps.write()
            print(f"killed after {seconds:.0f} s with {len(kept)} layers", file=sys.stderr)
    assert len(kills) == len(moments), f"the solve was over too early to be killed: {kills}"
    found = [asdict(manifest.layers[layer]) for layer in range(manifest.n_layers)]
    assert found == expected["layers"], f"other layers than undisturbed: {found}"
    assert manifest.n_states == expected["n_states"], manifest.n_states
    assert abs(manifest.value - expected["value"]) <= EXACT, manifest.value
    return tables.open_table(ruleset, folder)  # reads every byte and holds it against the manifest


def _run(command: list[str], seconds: float | None) -> bool:
    """Run a command; True if it had to be killed, after so many seconds. Raises if it fails by itself."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return True
        finally:
            process.kill()
    if code != 0:
        raise subprocess.CalledProcessError(code, command)
    return False


def _games(table: Table, n_games: int, level: float) -> Result:
    played = simulate_optimal(Values(table), n_games, SEED)
    low, high = interval(played, level)
    return {
        "n": n_games, "mean": played.mean, "low": low, "high": high,
        "deviation": played.deviation, "median": played.percentile(50), "seconds": played.seconds,
    }  # fmt: skip


def interval(played: Simulation, level: float) -> tuple[float, float]:
    """Confidence interval of the mean, by the normal distribution."""
    half = NormalDist().inv_cdf((1 + level) / 2) * played.deviation / sqrt(len(played.totals))
    return played.mean - half, played.mean + half


def rounding_bound(ruleset: Ruleset) -> float:
    """By how much float64 can change the value of a new pad.

    The layers are passed on in full precision. Maxima do not magnify errors and means average them, so those on the
    way of one game add up: each throw goes through at most `dice` sums of six and their division, each entry is a sum.
    """
    points = np.array([points_table(ruleset)[roll] for roll in rolls(ruleset.dice)])
    most = points.max(axis=0).sum() + (ruleset.upper.bonus if ruleset.upper else 0)
    operations = len(ruleset.boxes) * (ruleset.throws * ruleset.dice * 7 + 1)
    return float(operations * 2.0**-53 * most)


@dataclass(frozen=True)
class Residuals:
    """How far stored values are from what the layer above makes them."""

    n_states: int  # drawn at random
    n_values: int  # compared: also those of the same pad with fewer saved throws, which come out on the way
    most: float  # points
    mean: float
    bound: float  # most that rounding allows any of them: half a unit in the last place of the value and of those read


def residuals_of(table: Table, n_states: int, seed: int) -> Residuals:
    """Compare random states, about equally many of each layer, and all of the full pad.

    Within a layer every value is equally likely to be drawn. Raises if one is off by more than rounding allows.
    """
    bellman, rng = Bellman(table.ruleset), np.random.default_rng(seed)
    last = len(table.layers) - 1
    np.testing.assert_array_equal(table.layers[last], bellman.full_pad())
    np.testing.assert_array_equal([len(layer) for layer in table.layers], [bellman.size(n) for n in range(last + 1)])
    n_drawn = n_values = 0
    total = most = bound = 0.0
    for layer, number in enumerate(_shares([bellman.size(layer) for layer in range(last)], n_states)):
        size = bellman.size(layer)
        index = np.arange(size) if number == size else rng.integers(size, size=number)
        states = bellman.states(layer, index)
        order = np.argsort(states.saved, kind="stable")
        for start in range(0, number, _BATCH):
            batch = states.part(order[start : start + _BATCH])
            found, allowed = bellman.values(batch, table.layers[layer + 1])
            saved = np.arange(len(found))[:, None]
            stored = table.layers[layer][batch.place + (saved - batch.saved) * batch.n_lanes]
            allowed = allowed + np.spacing(stored) / 2 + ARITHMETIC
            residual = np.abs(found - stored)
            worst = np.unravel_index(np.argmax(residual - allowed), residual.shape)
            if not (residual <= allowed).all():
                where = f"layer {layer}, saved {worst[0]}, {batch.part(worst[1:])}"
                raise AssertionError(f"stored {stored[worst]}, should be {found[worst]} ± {allowed[worst]}: {where}")
            n_drawn, n_values, total = n_drawn + len(batch.code), n_values + residual.size, total + residual.sum()
            most, bound = max(most, residual.max()), max(bound, allowed.max())
    return Residuals(n_drawn, n_values, float(most), float(total / n_values), float(bound))


def _shares(sizes: list[int], total: int) -> list[int]:
    """So many of each layer: equally many, but none more than it has."""
    shares, rest = [0] * len(sizes), total
    for done, layer in enumerate(sorted(range(len(sizes)), key=lambda layer: sizes[layer])):
        shares[layer] = min(sizes[layer], -(-rest // (len(sizes) - done)))
        rest -= shares[layer]
    return shares


class Drawn(NamedTuple):
    """States of a layer, as arrays of one length."""

    place: Array  # of the value in its layer
    code: Array  # bit b: box b is filled
    lane: Array
    n_lanes: Array
    saved: Array

    def part(self, which: Any) -> "Drawn":
        """Some of them."""
        return Drawn(*(array[which] for array in self))


class Bellman:
    """Values of states from the values of the layer above, by the definition: no lattice, no kernel, no model.

    For one column without a fixed order and without anything that depends on the past but points and saved throws.
    A_r[roll] is the best entry with r throws left over (they are saved, if the rules say so) or the best keep;
    K_r[keep] the mean of A_r-1 over all that can follow: a matrix product with the exact chances. The layout of the
    layers is that of the description in `knobel.solver.model`: codes in ascending order, then saved throws, then lanes.
    """

    def __init__(self, ruleset: Ruleset) -> None:
        """The matrices for a ruleset."""
        assert len(ruleset.columns) == 1, "one column"
        assert not ruleset.order, "free choice of boxes"
        assert ruleset.all_equal is None, "no jokers, no further fives"
        assert not ruleset.is_gated, "all boxes after each throw"
        self._ruleset, self._n_boxes = ruleset, len(ruleset.categories)
        self._threshold = ruleset.upper.threshold if ruleset.upper else 0
        # those with most keeps first: then the rolls that have an n-th keep are the first ones
        ordered = sorted(rolls(ruleset.dice), key=lambda roll: -len(keeps_of(roll)))
        place = {roll: index for index, roll in enumerate(ordered)}
        kept = [keep for keep in keeps(ruleset.dice) if len(keep) < ruleset.dice]
        self._chances = np.zeros((len(kept), len(ordered)))
        for row, keep in enumerate(kept):
            for roll, chance in outcomes(keep, ruleset.dice):
                self._chances[row, place[roll]] += float(chance)
        number = {keep: index for index, keep in enumerate(kept)}
        lists = [[number[keep] for keep in keeps_of(roll)] for roll in ordered]
        self._nth_keeps = [
            np.array([numbers[n] for numbers in lists if len(numbers) > n]) for n in range(len(lists[0]))
        ]
        self._entries(np.array([points_table(ruleset)[roll] for roll in ordered]))
        self._layout()

    def _entries(self, points: Array) -> None:
        """Different entries: pairs of a box and the points that a roll brings there; which of them each roll allows."""
        pairs: list[tuple[int, int]] = sorted({(box, int(p)) for box in range(self._n_boxes) for p in points[:, box]})
        place = {pair: index for index, pair in enumerate(pairs)}
        self._pair_box = np.array([box for box, _ in pairs])
        self._pair_points = np.array([points for _, points in pairs])
        upper = np.array([category.section == "upper" for category in self._ruleset.categories])
        self._pair_gain = self._pair_points * upper[self._pair_box]  # of the upper total
        self._pair_of = np.array([[place[box, int(row[box])] for row in points] for box in range(self._n_boxes)])
        self._most = points.max(axis=0) * upper

    def _layout(self) -> None:
        """Lanes of each code, and where its values begin in its layer."""
        code = np.arange(1 << self._n_boxes)
        filled = (code[:, None] >> np.arange(self._n_boxes) & 1).astype(np.int64)
        reach, rest = filled @ self._most, (1 - filled) @ self._most
        highest = np.minimum(reach, self._threshold)
        # up to here the bonus cannot be reached any more, so these totals are one; so are all that have reached it
        self._base = np.clip(self._threshold - rest - 1, 0, highest)
        self._n_lanes = highest - self._base + 1
        n_filled = filled.sum(axis=1)
        self._codes = [np.flatnonzero(n_filled == layer) for layer in range(self._n_boxes + 1)]
        self._offset = np.zeros(len(code), np.int64)
        self._sizes = []
        for layer, codes in enumerate(self._codes):
            sizes = self._n_lanes[codes] * self._n_saved(layer)
            self._offset[codes] = np.cumsum(sizes) - sizes
            self._sizes.append(int(sizes.sum()))

    def _n_saved(self, layer: int) -> int:
        """A turn that ends after its first throw saves all others."""
        return layer * (self._ruleset.throws - 1) + 1 if self._ruleset.saved_throws else 1

    def size(self, layer: int) -> int:
        """Number of values of a layer."""
        return self._sizes[layer]

    def states(self, layer: int, index: Array) -> Drawn:
        """The states whose values lie there."""
        codes = self._codes[layer]
        code = codes[np.searchsorted(self._offset[codes], index, "right") - 1]
        saved, lane = np.divmod(index - self._offset[code], self._n_lanes[code])
        return Drawn(index, code, lane, self._n_lanes[code], saved)

    def full_pad(self) -> Array:
        """All values of the full pad: its upper bonus."""
        full = (1 << self._n_boxes) - 1
        total = self._base[full] + np.arange(self._n_lanes[full])
        bonus = self._ruleset.upper.bonus if self._ruleset.upper else 0
        values = np.where(total >= self._threshold, bonus, 0) if self._ruleset.upper else total * 0
        return np.tile(values.astype(float), self._n_saved(self._n_boxes))

    def values(self, states: Drawn, above: Array) -> tuple[Array, Array]:
        """Values of the pads of these states with 0, 1, ... saved throws (rows), up to the most that any of them has.

        And for each state the rounding of the values that were read for it: half a unit in the last place at most.
        """
        box, gain = self._pair_box[:, None], self._pair_gain[:, None]
        is_free = (states.code >> box & 1) == 0
        code = states.code | 1 << box
        total = self._base[states.code] + states.lane + gain
        lane = np.clip(total - self._base[code], 0, self._n_lanes[code] - 1)
        place, step = (self._offset[code] + lane) * is_free, self._n_lanes[code] * is_free
        points = np.where(
            is_free, self._pair_points[:, None], -np.inf
        )  # a filled box allows no entry, whatever is read
        extra = self._ruleset.throws - 1
        found = np.empty((int(states.saved.max()) + 1, len(states.code)))
        rounding = np.zeros(len(states.code))
        best = np.zeros(0)
        for left in range(extra + len(found)):
            if left == 0 or self._ruleset.saved_throws:
                read = above[place + left * step]
                rounding = np.maximum(rounding, np.where(is_free, np.spacing(read), 0).max(axis=0) / 2)
                stop = self._best_entries(points + read)
            best = np.maximum(stop, self._best_keeps(self._chances @ best)) if left else stop
            if left >= extra:
                found[left - extra] = self._chances[0] @ best  # the empty keep: the first throw
        return found, rounding

    def _best_entries(self, worth: Array) -> Array:
        """For each roll the best of its entries, one for each box."""
        best: Array = worth[self._pair_of[0]]
        room = np.empty_like(best)
        for pairs in self._pair_of[1:]:
            np.maximum(best, np.take(worth, pairs, axis=0, out=room, mode="clip"), out=best)
        return best

    def _best_keeps(self, worth: Array) -> Array:
        """For each roll the best of the keeps that lie within it."""
        best: Array = worth[self._nth_keeps[0]]
        room = np.empty_like(best)
        for nth in self._nth_keeps[1:]:
            part = np.take(worth, nth, axis=0, out=room[: len(nth)], mode="clip")
            np.maximum(best[: len(nth)], part, out=best[: len(nth)])
        return best
