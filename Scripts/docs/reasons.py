#!/usr/bin/env python3
"""Checks that each lock, `@unchecked Sendable` and `nonisolated(unsafe)` in Sources has its reason beside it.

    Scripts/docs/reasons.py        exit status 1 if a reason is missing

The reason is a comment on the line or directly above the declaration; that of a lock can also be in the description of its type,
which then names the lock, the mutex or the threads. The word `unsafe` marks single expressions, whose reason is that of their
function or type: a script cannot find it."""
import pathlib
import re
import sys

from symbols import tracked

LOCK = re.compile(r"\b(?:let|var)\b.*\b(?:Mutex|NSLock|NIOLock|NIOLockedValueBox)\b\s*[<(]")
UNCHECKED = re.compile(r"@unchecked Sendable|nonisolated\(unsafe\)")
TYPE = re.compile(r"^(\s*)(?:[a-z]+ )*(?:struct|class|enum|actor|extension) ")
OF_A_LOCK = re.compile(r"\block|mutex|thread", re.IGNORECASE)


def comment_above(lines, index):
    """The comment directly above a declaration, without its attributes."""
    index -= 1
    while index >= 0 and lines[index].strip().startswith("@"):
        index -= 1
    found = []
    while index >= 0 and lines[index].strip().startswith("//"):
        found.append(lines[index])
        index -= 1
    return "\n".join(found)


def type_above(lines, index):
    """The description of the type whose declaration is the nearest one with a smaller indentation."""
    indentation = len(lines[index]) - len(lines[index].lstrip())
    for above in range(index - 1, -1, -1):
        found = TYPE.match(lines[above])
        if found and len(found[1]) < indentation:
            return comment_above(lines, above)
    return ""


def faults(path, text):
    lines = text.split("\n")
    for index, line in enumerate(lines):
        code = line.split("//")[0]
        is_lock = LOCK.search(code)
        if not is_lock and not UNCHECKED.search(code):
            continue
        if "//" in line or comment_above(lines, index) or is_lock and OF_A_LOCK.search(type_above(lines, index)):
            continue
        yield f"{path}:{index + 1}: no comment has the reason of: {line.strip()}"


def main():
    found = [fault for path in tracked("Sources/*.swift") for fault in faults(path, pathlib.Path(path).read_text(encoding="utf-8"))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
