"""Writes short texts of which a half are families: members share a template, and their own part is rare.

SHARE is the template's part of a member's features: with 0.66 to 0.75 members are similar at 0.65 by the
template alone, with 0.5 to 0.64 they are not.

Usage: families.py QUESTIONS OUT MEMBERS SHARE
"""

import json
import random
import sys
from itertools import islice
from pathlib import Path

TEMPLATE = 60


def han(chance: random.Random, length: int) -> str:
    """Random Chinese characters."""
    return "".join(chr(chance.randrange(0x4E00, 0x8E00)) for _ in range(length))


def main() -> None:
    """Writes the file."""
    questions, out, members, share = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    chance = random.Random(3)
    with questions.open(encoding="utf-8") as lines:
        rows = [json.loads(line)["text"] for line in islice(lines, members)]
    template = han(chance, TEMPLATE)
    rows += [template + han(chance, round(TEMPLATE / share * (1 - share))) for _ in range(members)]
    chance.shuffle(rows)
    with out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": row}, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
