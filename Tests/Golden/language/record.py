"""Records what the reference says of documents into cases.json.

Needs graphql-core 3.3.0rc0 and nothing else; README.md says how to run it. The reference's Python port writes
tokens in single quotes where graphql-js writes double ones: `as_graphql_js` writes messages as graphql-js does.
"""

import json
import pathlib
import random
import re

import graphql
from graphql.language import (
    parse,
    parse_const_value,
    parse_schema_coordinate,
    parse_type,
    parse_value,
    print_ast,
)

HERE = pathlib.Path(__file__).parent
READERS = {
    "document": parse,
    "value": parse_value,
    "constValue": parse_const_value,
    "type": parse_type,
    "coordinate": parse_schema_coordinate,
}
CHARACTER = (
    "Unexpected character|Invalid character|Invalid character within String"
    "|Invalid number, unexpected digit after 0|Invalid number, expected digit but got"
)
TOKEN = r"(?:(Name|Int|Float|String|BlockString) )?'(.*)'"
FIXED = {
    "Unexpected '..', did you mean '...'?": 'Unexpected "..", did you mean "..."?',
}


def token(text):
    match = re.fullmatch(TOKEN, text, re.DOTALL)
    if not match:
        return text
    kind, value = match.groups()
    return (kind + " " if kind else "") + f'"{value}"'


def as_graphql_js(message):
    text = message.removeprefix("Syntax Error: ")
    if text in FIXED:
        text = FIXED[text]
    elif match := re.fullmatch(rf"({CHARACTER}): '([^\"])'\.", text, re.DOTALL):
        text = f'{match[1]}: "{match[2]}".'
    elif match := re.fullmatch(r"(Invalid \w+ escape sequence): '(.*)'\.", text, re.DOTALL):
        text = f'{match[1]}: "{match[2]}".'
    elif match := re.fullmatch(r"(.*) before '\.', did you mean '(.*)'\?", text):
        text = f'{match[1]} before ".", did you mean "{match[2]}"?'
    elif match := re.fullmatch(r"Expected ('?[^ ]+'?), found (.*)\.", text, re.DOTALL):
        text = f"Expected {token(match[1])}, found {token(match[2])}."
    elif match := re.fullmatch(r"Unexpected variable '(.*)' in constant value\.", text):
        text = f'Unexpected variable "{match[1]}" in constant value.'
    elif match := re.fullmatch(rf"({TOKEN}) is reserved (.*)", text, re.DOTALL):
        text = f"{token(match[1])} is reserved {match[4]}"
    elif match := re.fullmatch(r"Unexpected (.*['>])\.", text, re.DOTALL):
        text = f"Unexpected {token(match[1])}."
    return "Syntax Error: " + text


def location(source, position):
    """Line and column as graphql-js counts: no line ends but those of GraphQL, columns in UTF-16 code units."""
    lines = re.split(r"\r\n|\n|\r", source[:position])
    return len(lines), len(lines[-1].encode("utf-16-le", "surrogatepass")) // 2 + 1


def record(kind, source):
    case = {"kind": kind, "source": source}
    try:
        case["printed"] = print_ast(READERS[kind](source))
    except graphql.GraphQLError as error:
        case["message"] = as_graphql_js(error.message)
        case["line"], case["column"] = location(source, error.positions[0])
    except IndexError:  # The Python port's own fault, at a text that ends within an escape sequence.
        return None
    return case


def mutations(sources, count, seed):
    """Sources with a few tokens or characters dropped, doubled, swapped or put in."""
    chooser = random.Random(seed)
    junk = list("{}()[]:=!|&$@.,\"'\\#?%-01 \n\r\tae_\u0007é") + [
        "...", "..", '"""', "\\u", "\\u{", "true", "null", "on", "fragment", "extend", "1.5", "-", "1e", "\ufeff",
    ]
    for _ in range(count):
        text = chooser.choice([source for source in sources if source])
        start = chooser.randrange(len(text))
        text = text[start : start + chooser.randrange(20, 160)] if chooser.random() < 0.3 else text
        for _ in range(chooser.choice([1, 1, 2])):
            at = chooser.randrange(len(text) + 1)
            match chooser.randrange(4):
                case 0: text = text[:at] + text[at + 1 :]
                case 1: text = text[:at] + chooser.choice(junk) + text[at:]
                case 2: text = text[:at] + chooser.choice(junk) + text[at + 1 :]
                case 3: text = text[:at]
        yield text


def definitions(text):
    """A document's definitions, each on its own: what the parser says of them cuts the text."""
    for node in parse(text).definitions:
        yield text[node.loc.start : node.loc.end]


def main():
    assert graphql.version == "3.3.0rc0", graphql.version
    sinks = [
        (HERE / name).read_text() for name in ("kitchen-sink.graphql", "schema-kitchen-sink.graphql")
    ]
    pieces = [piece for sink in sinks for piece in definitions(sink)]
    small = json.loads((HERE / "sources.json").read_text())
    sources = [("document", text) for text in sinks + pieces]
    sources += [(kind, text) for kind, texts in small.items() for text in texts]
    sources += [("document", text) for text in mutations(pieces, 500, seed=20250901)]
    for kind in ("value", "type", "coordinate"):
        sources += [(kind, text) for text in mutations(small[kind], 60, seed=20250901)]
    cases = [case for kind, text in dict.fromkeys(sources) if (case := record(kind, text))]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (HERE / "cases.json").write_text(f"[\n{lines}\n]\n")
    print(len(cases), "cases,", sum("printed" in case for case in cases), "of them accepted")


if __name__ == "__main__":
    main()
