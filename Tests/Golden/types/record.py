"""Records what graphql-core says of random type systems, for the tests of Sources/GraphQL/Types.

Usage: record.py COUNT [FIRST_SEED [LONGEST_SDL]] > cases.json     (with graphql-core 3.3 installed)

Words are put into those of graphql-js, whose port graphql-core is: double quotes, `null`, and names of directive
locations. What graphql-core has beyond the specification of September 2025 is left out.
"""

import json
import re
import sys
from dataclasses import replace

from graphql import GraphQLError, parse, print_schema
from graphql import __version__ as version
from graphql.execution.values import get_argument_values, get_variable_values
from graphql.language import Visitor, print_ast, visit
from graphql.type import validate_schema
from graphql.type import specified_scalar_types
from graphql.utilities import build_ast_schema, build_schema, print_introspection_schema
from graphql.validation.validate import validate_sdl

from generate import TypeSystem


BEYOND = {"DIRECTIVE_DEFINITION", "FRAGMENT_VARIABLE_DEFINITION"}


def words(message):
    message = re.sub(r"may not be used on (.*)\.$", lambda m: f"may not be used on {m[1].upper().replace(' ', '_')}.", message)
    message = message.replace("not to be None", "not to be null")
    return message.replace("'", '"')


def inspect(value, level=1):
    """A value as graphql-js shows it in messages; graphql-core writes Python."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return re.sub(r"e([+-])0*", r"e\1", repr(value)) if value != int(value) or abs(value) >= 1e21 else str(int(value))
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            if level > 2 and value:
                return "[Array]"
            return "[" + ", ".join(inspect(item, level + 1) for item in value) + "]"
        case dict():
            if not value:
                return "{}"
            if level > 2:
                return "[Object]"
            return "{ " + ", ".join(f"{k}: {inspect(v, level + 1)}" for k, v in value.items()) + " }"
        case _:
            return str(value)


for module in ("type.definition", "type.scalars", "utilities.validate_input_value"):
    sys.modules[f"graphql.{module}"].inspect = inspect


def literal(value):
    """A value in GraphQL syntax; enum values are strings, as in JSON."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case list():
            return "[" + ", ".join(literal(item) for item in value) + "]"
        case dict():
            return "{ " + ", ".join(f"{k}: {literal(v)}" for k, v in value.items()) + " }"
        case _:
            return str(value)


def coerced(value):
    """The same for a coerced value. Floats that are integers in every way are written as such."""
    match value:
        case float() if value == int(value) and abs(value) <= 2**53:
            return int(value)
        case list():
            return [coerced(item) for item in value]
        case dict():
            return {k: coerced(v) for k, v in value.items()}
        case _:
            return value


def errors(found):
    return [
        {"message": words(e.message), "locations": [[l.line, l.column] for l in e.locations or []]} for e in found
    ]


def built_in():
    """Types and directives that every schema has, without those parts that the specification does not have yet."""
    document = parse(print_introspection_schema(build_schema("type Query { a: Int }")))

    texts = []
    for node in document.definitions:
        match node.kind, node.name.value:
            case "directive_definition", _:
                node = replace(node, locations=tuple(l for l in node.locations if l.value not in BEYOND))
            case "object_type_definition", "__Directive":
                later = ("isDeprecated", "deprecationReason")
                node = replace(node, fields=tuple(f for f in node.fields if f.name.value not in later))
            case "object_type_definition", "__Schema":
                node = replace(node, fields=tuple(replace(f, arguments=()) for f in node.fields))
            case "enum_type_definition", _:
                node = replace(node, values=tuple(v for v in node.values if v.name.value not in BEYOND))
        texts.append(print_ast(node))
    return {
        "introspection": "\n\n".join(texts),
        "scalars": {name: scalar.description for name, scalar in specified_scalar_types.items()},
    }


class References(Visitor):
    """The directives and types that a definition names."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def enter_directive(self, node, *_):
        self.names.add("@" + node.name.value)

    def enter_named_type(self, node, *_):
        self.names.add(node.name.value)


def has_directive_cycle(document):
    """Whether a directive is used in its own definition, which graphql-core does not check (specification, section 3.13)."""
    uses = {}
    for node in document.definitions:
        if node.kind.startswith(("directive", "input", "enum", "scalar")):
            references = References()
            visit(node, references)
            name = ("@" if node.kind.startswith("directive") else "") + node.name.value
            uses.setdefault(name, set()).update(references.names)
    for middle in uses:
        for names in uses.values():
            if middle in names:
                names |= uses[middle]
    return any(name in names for name, names in uses.items() if name.startswith("@"))


def arguments(field, node, variables):
    try:
        return {"values": literal(coerced(get_argument_values(field, node, variables)))}
    except GraphQLError as error:
        return {"error": errors([error])[0]}


def case(seed):
    wildness = [0, 0.03, 0.1][seed % 3]
    system = TypeSystem(seed, wildness)
    sdl = system.text()
    out = {"seed": seed, "sdl": sdl}
    try:
        document = parse(sdl)
    except GraphQLError:
        return None
    if has_directive_cycle(document):
        return None
    found = validate_sdl(document)
    if not found:
        try:
            schema = build_ast_schema(document, assume_valid_sdl=True)
            found = validate_schema(schema)
        except GraphQLError as error:
            found = [error]
        except TypeError:
            # graphql-core cannot check a default whose type is no input type.
            return None
    if found:
        out["errors"] = errors(found)
        return out
    out["printed"] = print_schema(schema)
    out["order"] = list(schema.type_map)
    fields = schema.query_type.fields
    query, variables = system.operation(
        {n: {m: str(a.type) for m, a in f.args.items()} for n, f in fields.items()}
    )
    out["query"], out["variables"] = query, literal(variables)
    operation = parse(query).definitions[0]
    result = get_variable_values(schema, operation.variable_definitions, variables)
    if isinstance(result, list):
        out["variableErrors"] = errors(result)
    else:
        out["coerced"] = literal(coerced(result.coerced))
        out["arguments"] = [
            arguments(fields[node.name.value], node, result)
            for node in operation.selection_set.selections
            if node.name.value in fields
        ]
    return out


def main():
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    longest = int(sys.argv[3]) if len(sys.argv) > 3 else sys.maxsize
    recorded = (case(first + number) for number in range(count))
    cases = [c for c in recorded if c and len(c["sdl"]) <= longest]
    lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
    source = json.dumps(f"graphql-core {version}")
    print(f'{{"source": {source},\n"builtIn": {json.dumps(built_in())},\n"cases": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
