"""What a roll is worth in every box: `python examples/points.py yatzy 22555`."""

import sys

import knobel
from knobel.dice import parse_faces


def main(source: str = "classic", dice: str = "22555") -> None:
    """Print every box with its points, the best first."""
    rules = knobel.load(source)
    worth = knobel.points(rules, parse_faces(dice))
    for category in sorted(rules.categories, key=lambda category: -worth[category.id]):
        print(f"{worth[category.id]:4} {category.labels.en}")


if __name__ == "__main__":
    main(*sys.argv[1:])
