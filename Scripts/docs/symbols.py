#!/usr/bin/env python3
"""Checks the names of symbols and files in comments of Swift files and in pages of Markdown.

    Scripts/docs/symbols.py        all files of the repository; exit status 1 if a name is not declared

- ``Type``, ``member`` and ``Type/member`` are links: a member belongs to the type, to an extension of it, or to a type that it
  conforms to; one without a type to a type of the same file.
- `Type.member` is a member of a type of Portico, or a coordinate of the schema. A type of neither must be one of EXTERNAL.
- `Type` in pages about the code and in comments is a name in a Swift file or in the schema.
- A name with the ending of a source file is that of a file, by its path from the root or from the folder of the page, or by the
  end of its path.

Two rules on locks and unsafe code are in reasons.py."""
import pathlib
import re
import subprocess
import sys

TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    r'|(?P<string>(?P<raw>#*)""".*?"""(?P=raw)|#".*?"#|"(?:\\.|[^"\\\n])*")'
    r"|(?P<brace>[{}])"
    r"|(?<![.\w])(?P<keyword>func|var|let|case|struct|class|enum|protocol|actor|typealias|associatedtype|extension|init|subscript)\b",
    re.DOTALL,
)
TYPES = {"struct", "class", "enum", "protocol", "actor", "extension"}
NAME = re.compile(r"\s*`?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)`?")
# The rest of a declaration of a type until its body.
HEAD = re.compile(r"[^{}]*")


ENDINGS = {"swift", "md", "sh", "py", "graphql", "yaml", "yml", "json", "sql", "html", "js", "css", "h", "db", "key", "txt"}
FILE = re.compile(
    r"(?<![\w/.*<{}$:-])((?:[\w…+-]|\.(?=\w)|\.\./)(?:[\w…+-]|\.(?=\w)|\.\./|/)*\.(?:swift|md|sh|py|graphql|yaml|yml))(?![\w/.-]*\w)")
# Types of Swift, of other products, and of examples.
EXTERNAL = {"CombinedGraphQLErrors", "Int", "StockService", "Type"}
# Files of other products, of users and of examples.
FOREIGN = {
    ".circleci/config.yml", "PROTOCOL.md", "Type+Concern.swift", "ci/graphql.sh", "libraries/python/tests/test_webhooks.py",
    "providers.examples.yaml", "providers.yaml", "wN.graphql",
}
# Pages that are about earlier states.
HISTORY = {"CHANGELOG.md"}
# Pages whose names are those of the code; others also have names of client libraries and of brokers.
ABOUT_CODE = r"SECURITY\.md|CONTRIBUTING\.md|docs/design/|docs/extending/|Sources/"


def parenthesized(text):
    """The beginning of a text until its first parenthesis is closed."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[:place + 1]
    return text


def signature(name, parameters, is_subscript=False):
    """The name of a function as in a link: `take(_:now:)`."""
    inside = re.sub(r"//[^\n]*", "", parameters)[1:-1]
    # Commas of nested brackets separate no parameters; -> is no bracket.
    plain, depth = "", 0
    for character in inside.replace("->", ""):
        depth += (character in "([{<") - (character in ")]}>")
        plain += character if depth == 0 or character not in "," else " "
    labels = []
    for parameter in plain.split(","):
        words = re.findall(r"\w+", parameter.split(":")[0])
        words = [word for word in words if word not in {"escaping", "autoclosure"}]
        if words:
            unlabeled = ":" not in parameter or (is_subscript and len(words) == 1)
            labels.append("_" if unlabeled else words[0])
    return f"{name}({''.join(label + ':' for label in labels)})"


class Type:
    """The members of all types with one name, and the names of the types that they conform to."""

    def __init__(self):
        self.members, self.parents = {"init", "subscript"}, set()


class Declarations:
    def __init__(self):
        self.types, self.globals, self.files = {}, set(), {}

    def type(self, name):
        return self.types.setdefault(name, Type())

    def add(self, path, text):
        """Reads the declarations of a file."""
        own = self.files.setdefault(path, set())
        # The name of the type of each open brace; None for any other.
        stack, pending = [], None
        for token in TOKEN.finditer(text):
            if token["brace"] == "{":
                stack.append(pending)
                pending = None
            elif token["brace"]:
                if stack:
                    stack.pop()
            elif token["keyword"] and (not stack or stack[-1]):
                keyword, rest = token["keyword"], text[token.end():token.end() + 400]
                names, signatures = self.declared(keyword, rest)
                scope = self.type(stack[-1]).members if stack else self.globals
                scope |= {name.split(".")[-1] for name in names} | signatures
                if keyword in TYPES and names:
                    pending = names[0].split(".")[-1]
                    own.add(pending)
                    # A nested type extended by its full name.
                    for outer, inner in zip(names[0].split("."), names[0].split(".")[1:]):
                        self.type(outer).members.add(inner)
                    head = HEAD.match(rest[NAME.match(rest).end():])[0]
                    self.type(pending).parents |= set(re.findall(r"\b[A-Z]\w*", head))
                elif keyword in {"typealias", "associatedtype"} and names:
                    # What it stands for has its members.
                    line = rest.split("\n")[0]
                    self.type(names[0]).parents |= set(re.findall(r"\b[A-Z]\w*", line)) - {names[0]}

    @staticmethod
    def declared(keyword, rest):
        """The names that a declaration adds, and those of functions and cases also with their labels."""
        if keyword in {"init", "subscript"}:
            parameters = parenthesized(rest[rest.find("("):])
            return [keyword], {signature(keyword, parameters, keyword == "subscript")}
        if keyword == "case":
            cases = re.match(r"[^\n]*(?:,\n[^\n]*)*", rest)[0]
            if "(" in cases:
                # Values can be on several lines.
                cases = cases[:cases.index("(")] + parenthesized(rest[rest.index("("):]) + "".join(
                    cases.split(parenthesized(rest[rest.index("("):]), 1)[1:])
            found = re.findall(r"(?:^|,)\s*`?([A-Za-z_]\w*)`?\s*(\((?:[^()]|\([^()]*\))*\))?", cases)
            return [name for name, _ in found], {signature(name, values) for name, values in found if values}
        if keyword in {"let", "var"}:
            if tuple_ := re.match(r"\s*\(([^)]*)\)", rest):
                return re.findall(r"\w+", tuple_[1]), set()
            # Further properties of one declaration.
            first = NAME.match(rest)
            more = re.findall(r",\s*([a-z]\w*)\s*(?=[:=,])", rest.split("\n")[0].split("{")[0]) if first else []
            return [first[1]] + more if first else [], set()
        name = NAME.match(rest)
        if not name:
            return [], set()
        is_function = keyword == "func"
        return [name[1]], {signature(name[1], parenthesized(rest[rest.find("("):]))} if is_function else set()

    def has(self, name, member, seen=None):
        """Whether types with a name, or what they conform to, have a member."""
        seen = set() if seen is None else seen
        if name in seen or name not in self.types:
            return False
        seen.add(name)
        type_ = self.types[name]
        return member in type_.members or any(self.has(parent, member, seen) for parent in type_.parents)

    def resolves(self, parts, path=None):
        """Whether a path of names is declared, seen from a file."""
        first, rest = parts[0], parts[1:]
        if not rest:
            return (
                first in self.types or first in self.globals
                or any(self.has(own, first) for own in self.files.get(path, ())))
        return all(self.has(outer, inner) for outer, inner in zip(parts, rest))


def tracked(*patterns):
    """The files of the repository, whether committed or new."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in names if name and pathlib.Path(name).is_file()]


def coordinates(schema):
    """The types of a schema with their fields, arguments and values."""
    types = {}
    for name, body in re.findall(r"^(?:type|interface|input|enum) (\w+)[^{]*\{(.*?)^\}", schema, re.DOTALL | re.MULTILINE):
        types[name] = set(re.findall(r"^\s+(\w+)", re.sub(r'""".*?"""', "", body, flags=re.DOTALL), re.MULTILINE))
    for name in re.findall(r"^(?:scalar|union|directive @)\s*(\w+)", schema, re.MULTILINE):
        types[name] = set()
    return types


def comments(text):
    """The lines of comments of a Swift file, with their numbers."""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped.startswith("//"):
            yield number, stripped


def prose(text):
    """The lines of a page outside of its blocks of code, with their numbers."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


class Checks:
    def __init__(self, root="."):
        self.root = pathlib.Path(root)
        self.declarations, self.faults = Declarations(), []
        self.schema = {}
        self.modules, self.paths, self.counts = set(), [], {"links": 0, "names": 0, "files": 0}

    def fault(self, path, number, text):
        self.faults.append(f"{path}:{number}: {text}")

    def links(self, path, number, line):
        for link in re.findall(r"(?<!`)``([^`]+)``(?!`)", line):
            self.counts["links"] += 1
            # DocC adds types to a name that several functions have.
            parts = re.sub(r"-\(.*", "", link).split("/")
            if len(parts) > 1 and parts[0] in self.modules:
                del parts[0]
            if link not in self.modules and not self.declarations.resolves(parts, path):
                self.fault(path, number, f"``{link}`` is not declared")

    def members(self, path, number, line):
        for name in re.findall(r"(?<!`)`([A-Z]\w*(?:\.\w+)+)(?:\([^`]*\))?`(?!`)", line):
            parts = name.split(".")
            # A file, or a symbol of an exchange.
            if parts[-1] in ENDINGS or name.isupper():
                continue
            self.counts["names"] += 1
            if parts[0] in self.modules and len(parts) > 2:
                del parts[0]
            if parts[0] in self.schema and (len(parts) < 2 or parts[1] in self.schema[parts[0]]):
                continue
            if parts[0] in self.declarations.types and self.declarations.resolves(parts):
                continue
            if parts[0] not in EXTERNAL:
                self.fault(path, number, f"`{name}` is not declared")

    def types(self, path, number, line):
        for name in re.findall(r"(?<!`)`([A-Z][a-z0-9]+(?:[A-Z]\w*)+)`(?!`)", line):
            self.counts["names"] += 1
            if name not in self.declarations.types and name not in self.schema and name not in self.modules \
                    and not any(name in type_.members for type_ in self.declarations.types.values()):
                self.fault(path, number, f"`{name}` is not declared")

    def files(self, path, number, line):
        for name in FILE.findall(line):
            self.counts["files"] += 1
            name = name.removeprefix("./")
            folder = str(pathlib.PurePosixPath(path).parent)
            near = [parent + "/" + name for parent in (folder, str(pathlib.PurePosixPath(folder).parent))]
            if name in self.paths or any(normal(each) in self.paths for each in near) or name in FOREIGN:
                continue
            if not any(known.endswith("/" + name.split("…/")[-1]) for known in self.paths):
                self.fault(path, number, f"{name} does not exist")

    def run(self):
        swift, pages = tracked("*.swift"), [page for page in tracked("*.md") if page not in HISTORY]
        texts = {path: pathlib.Path(path).read_text(encoding="utf-8") for path in swift + pages}
        for path in swift:
            self.declarations.add(path, texts[path])
        self.schema = coordinates(pathlib.Path("schema/schema.graphql").read_text(encoding="utf-8"))
        self.paths = set(tracked("."))
        self.modules = {part for path in swift for part in re.findall(r"^(?:Sources|Tests)/(?:Providers/)?(\w+)/", path)}
        self.modules.add("PorticoCore")
        for path in swift:
            for number, line in comments(texts[path]):
                self.links(path, number, line)
                self.members(path, number, line)
                self.files(path, number, line)
        for path in pages:
            is_about_code = re.match(ABOUT_CODE, path)
            for number, line in prose(texts[path]):
                if ".docc/" in path:
                    self.links(path, number, line)
                self.members(path, number, line)
                self.files(path, number, line)
                if is_about_code:
                    self.types(path, number, line)
        for path in tracked("Scripts/*", "Docker/*", "Makefile"):
            for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8", errors="replace").split("\n"), 1):
                if line.lstrip().startswith("#"):
                    self.files(path, number, line)


def normal(path):
    parts = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return "/".join(parts)


def main():
    checks = Checks()
    checks.run()
    print("\n".join(checks.faults), end="\n" if checks.faults else "")
    print(", ".join(f"{count} {kind}" for kind, count in checks.counts.items()) + f": {len(checks.faults)} faults")
    return 1 if checks.faults else 0


if __name__ == "__main__":
    sys.exit(main())
