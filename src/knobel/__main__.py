"""`python -m knobel` is the command `knobel`."""

import sys

if __name__ == "__main__":
    try:
        from knobel.cli import main

        main()
    except KeyboardInterrupt:  # even before the command line is there
        sys.exit(130)
