"""Exact values of rulesets with a single player: solve, look up, distribute. Loads numpy and numba.

>>> import knobel
>>> from knobel.solver import Values
>>> rules = knobel.load("classic", order="down")
>>> round(Values.solve(rules).value(knobel.start(rules)), 9)
130.285971941
"""

from knobel.solver.distribution import Distribution, distribution
from knobel.solver.file import TableError
from knobel.solver.model import Unsolvable
from knobel.solver.table import Plan, plan_of, solve_into
from knobel.solver.values import Prices, Situations, Values

__all__ = [
    "Distribution",
    "Plan",
    "Prices",
    "Situations",
    "TableError",
    "Unsolvable",
    "Values",
    "distribution",
    "plan_of",
    "solve_into",
]
