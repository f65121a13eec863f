"""README's front is the one of docs/reports.md, line by line: both show one run.

    front_test.py SOURCE_FOLDER
"""
import pathlib
import re
import sys


def front_of(text):
    """Lines of the first block that is a front, from its heading to the next empty line."""
    block = re.search(r"^#    speed-up.*?(?=^$|^```)", text, re.MULTILINE | re.DOTALL)
    return block.group(0).splitlines() if block else []


def main():
    source = pathlib.Path(sys.argv[1])
    shown = front_of((source / "README.md").read_text())
    linked = front_of((source / "docs/reports.md").read_text())
    if len(shown) < 3:
        sys.exit("README.md: expected a front ('#    speed-up ...'), found none")
    if shown != linked:
        sys.exit("README.md and docs/reports.md show different fronts: paste the same run of scripts/quickstart.sh "
                 "into both, and draw docs/front_digits.svg from it (scripts/plot_front.py)")


main()
