#!/usr/bin/env python3
"""Compares the imports between the targets of Sources with the table of layers in CONTRIBUTING.md.

    Scripts/docs/layers.py        exit status 1 if they differ

The table lists the targets from top to bottom: each may import the targets of its row, which must be below it. The build rejects
imports that Package.swift does not declare; this check rejects a new declaration, and a row that says more than the sources do.
Providers stands for all targets in Sources/Providers."""
import pathlib
import re
import sys

PAGE = pathlib.Path("CONTRIBUTING.md")
START = "| Target | Imports |"
PROVIDERS = sorted(folder.name for folder in pathlib.Path("Sources/Providers").iterdir() if folder.is_dir())
FOLDERS = {
    "PorticoCore": "Core", "portico": "Executables/portico", "portico-server": "Executables/portico-server",
    **{name: f"Providers/{name}" for name in PROVIDERS},
}
# Targets without Swift files.
LEAVES = {"CCurl", "CEmbeddedFiles", "CJemalloc", "COpenSSL", "CPQ", "CZlib"}
IMPORT = re.compile(r"^(?:[a-z]+ )?import (?:(?:struct|class|enum|func) )?(\w+)", re.MULTILINE)


def table(text):
    """The targets in their order, with the targets that each imports."""
    rows = {}
    for line in text[text.index(START):].splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").replace("Providers", ", ".join(PROVIDERS)).split("|")]
        if len(cells) != 2:
            break
        allowed = set(re.findall(r"[\w-]+", cells[1]))
        for name in re.findall(r"[\w-]+", cells[0]):
            rows[name] = allowed
    return rows


def imports(target, names):
    folder = pathlib.Path("Sources") / FOLDERS.get(target, target)
    return {
        name for file in sorted(folder.rglob("*.swift")) for name in IMPORT.findall(file.read_text(encoding="utf-8"))
        if name in names}


def faults(rows, found):
    order = list(rows)
    for target, allowed in rows.items():
        for name in sorted(allowed - LEAVES):
            if name not in rows:
                yield f"{target}: {name} is no target of the table"
            elif order.index(name) <= order.index(target):
                yield f"{target} may not import {name}, which is not below it"
        # Targets of one row have the imports of any of them.
        row = [name for name in rows if rows[name] is allowed]
        for name in sorted(found[target] - allowed):
            yield f"{target} imports {name}, which its row does not allow"
        for name in sorted(allowed - set().union(*(found[other] for other in row))):
            yield f"{target} does not import {name}: remove it from its row"


def main():
    rows = table(PAGE.read_text(encoding="utf-8"))
    found = {target: imports(target, set(rows) | LEAVES) for target in rows}
    folders = {path.name for path in pathlib.Path("Sources").iterdir() if any(path.rglob("*.swift"))}
    listed = {FOLDERS.get(target, target).split("/")[0] for target in rows}
    problems = list(faults(rows, found)) + [f"{name} is not in the table of layers" for name in sorted(folders - listed)]
    for problem in problems:
        print(problem)
    print(f"{len(rows)} targets, {sum(map(len, found.values()))} imports: {len(problems)} faults")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
