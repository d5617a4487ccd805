#!/usr/bin/env python3
"""Checks that each ``Type/member`` and ``member`` in comments of Swift files has a declaration.

A member of a type is searched in the files that declare or extend the type. Exit status 1 if a declaration is missing."""
import pathlib
import re
import sys

DECLARATION = re.compile(
    r"\b(?:func|var|let|case|struct|class|enum|protocol|actor|typealias|associatedtype|extension|init|subscript)"
    r"\b[ ]*`?([\w.]*)`?"
)
CASES = re.compile(r"^\s*(?:indirect )?case ([^:\n]*)", re.MULTILINE)
LINK = re.compile(r"``([^`]+)``")


def declared_names(text):
    names = {"init", "subscript"}
    for name in DECLARATION.findall(text):
        names.update(name.split("."))
    for cases in CASES.findall(text):
        names.update(re.findall(r"(\w+)(?:\(|\s*=|\s*,|\s*$)", cases))
    return names


def main(folders):
    files = {path: path.read_text() for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.swift"))}
    names = {path: declared_names(text) for path, text in files.items()}
    modules = {path.name for folder in folders for path in pathlib.Path(folder).rglob("*") if path.is_dir()}
    missing = []
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            for link in LINK.findall(line) if "//" in line else []:
                parts = [re.match(r"\w*", part)[0] for part in link.split("/")]
                candidates = list(names.values())
                if len(parts) > 1 and parts[0] in modules:
                    del parts[0]
                for part in parts:
                    candidates = [declared for declared in candidates if part in declared]
                    if not candidates:
                        missing.append(f"{path}:{number}: ``{link}``: {part} is not declared")
                        break
    print("\n".join(missing), end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
