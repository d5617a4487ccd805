"""Compares two files of results, line by line: ours and the reference implementation's.

    compare.py CASES OURS THEIRS [HOW_MANY_TO_SHOW]
"""

import json
import sys


def canonical(value):
    """Keeps 1 apart from true, and 1 together with 1.0; keeps the order of keys."""
    match value:
        case bool() | None | str():
            return value
        case int() | float():
            return ("number", float(value))
        case list():
            return [canonical(item) for item in value]
        case dict():
            return [(k, canonical(v)) for k, v in value.items()]


def form(result):
    errors = sorted(json.dumps(e, sort_keys=True) for e in result.get("errors", []))
    return [result["id"], result["ok"], result.get("printed"), errors, "data" in result, canonical(result.get("data"))]


def first_difference(one, other, path=""):
    """The first place where two forms part."""
    if type(one) is type(other) and isinstance(one, (list, tuple)):
        for index, (left, right) in enumerate(zip(one, other)):
            found = first_difference(left, right, f"{path}/{left[0] if isinstance(left, tuple) and len(left) == 2 else index}")
            if found:
                return found
        return None if len(one) == len(other) else f"{path}: {len(one)} and {len(other)} items: {one} {other}"
    return None if one == other else f"{path}: {one!r} and {other!r}"


def main():
    cases, ours, theirs = (open(path) for path in sys.argv[1:4])
    shown = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    count = different = 0
    for case, one, other in zip(cases, ours, theirs, strict=True):
        count += 1
        one, other, case = json.loads(one), json.loads(other), json.loads(case)
        if form(one) == form(other):
            continue
        different += 1
        if different <= shown:
            print("CASE      ", json.dumps(case))
            print("DIFFERENCE", first_difference(form(one), form(other))[:1500], "\n")
    print(f"{different} of {count} differ")
    return 1 if different else 0


sys.exit(main())
