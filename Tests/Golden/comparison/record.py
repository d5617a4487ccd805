"""Records what graphql-core says has changed between two schemas, for the tests of Sources/GraphQL/SchemaDiff.

Usage: record.py COUNT > cases.json     (with graphql-core 3.3 installed)

The pairs are those of catalogue.py, and COUNT more that mutate.py makes of the random type systems of
../types/generate.py; pairs of which one side is no valid schema are passed over.
"""

import json
import re
import sys
from pathlib import Path

from graphql import __version__ as version
from graphql import build_schema, validate_schema
from graphql.utilities import find_schema_changes
from graphql.utilities.find_schema_changes import BreakingChangeType, DangerousChangeType

sys.path.append(str(Path(__file__).parent.parent / "types"))

from catalogue import PAIRS
from generate import TypeSystem
from mutate import mutated

IMPACTS = {BreakingChangeType: "BREAKING", DangerousChangeType: "DANGEROUS"}


def words(message):
    """A description that is gone is None in Python; we say that it was removed."""
    return re.sub(r' has changed to "None"\.$', " was removed.", message)


def case(title, old_text, new_text):
    old, new = build_schema(old_text), build_schema(new_text)
    if validate_schema(old) or validate_schema(new):
        raise ValueError(title)
    changes = [
        {"impact": IMPACTS.get(type(change.type), "SAFE"), "kind": change.type.name, "message": words(change.description)}
        for change in find_schema_changes(old, new)
    ]
    return {"title": title, "old": old_text, "new": new_text, "changes": changes}


def random_cases(count):
    seed = 0
    while count > 0:
        seed += 1
        old = TypeSystem(seed, 0.0).text()
        try:
            pair = [old, mutated(old, seed, 0.15)]
            # Edits mostly take away; every other pair is turned round, so that as much is added.
            recorded = case(f"seed {seed}", *(pair if seed % 2 else reversed(pair)))
        except Exception:
            continue
        if recorded["changes"] and len(old) <= 900:
            count -= 1
            yield recorded


def main():
    cases = [case(*pair) for pair in PAIRS] + list(random_cases(int(sys.argv[1])))
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in cases)
    print(f'{{"source": {json.dumps(f"graphql-core {version}")},\n"cases": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
