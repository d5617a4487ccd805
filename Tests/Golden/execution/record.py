"""Answers the cases of `portico graphql batch` with graphql-core: reads NDJSON, writes NDJSON.

    python3 -m venv /tmp/graphql-core && /tmp/graphql-core/bin/pip install graphql-core==3.3.2
    /tmp/graphql-core/bin/python generate.py SEED WORLDS CASES | /tmp/graphql-core/bin/python record.py

Messages are put into the words of graphql-js, whose port graphql-core is: double quotes, `null`, and values as
JavaScript shows them. Columns count UTF-16 code units.
"""

import json
import re
import sys

from graphql import GraphQLError, build_ast_schema, execute, parse, print_ast, validate
from graphql.type import introspection_types, specified_directives, validate_schema
from graphql.validation.validate import validate_sdl


def words(message):
    message = re.sub(r"may not be used on ([a-z_ ]+)\.$", lambda m: f"may not be used on {m[1].upper().replace(' ', '_')}.", message)
    message = message.replace("not to be None", "not to be null").replace("'resolve_type'", "'resolveType'").replace("'is_type_of'", "'isTypeOf'")
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


for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("graphql.") and callable(getattr(module, "inspect", None)):
        module.inspect = inspect


# What graphql-core has beyond the specification of September 2025.
introspection_types["__Schema"].fields["directives"].args.clear()
for later in ("isDeprecated", "deprecationReason"):
    introspection_types["__Directive"].fields.pop(later, None)
LATER_LOCATIONS = ("DIRECTIVE_DEFINITION", "FRAGMENT_VARIABLE_DEFINITION")
for later in LATER_LOCATIONS:
    introspection_types["__DirectiveLocation"].values.pop(later, None)
for directive in specified_directives:
    directive.locations = tuple(l for l in directive.locations if l.name not in LATER_LOCATIONS)


def plain(value):
    """Numbers as JavaScript has them: one that is whole is written without a point."""
    match value:
        case float() if value == int(value) and abs(value) <= 2**53:
            return int(value)
        case list():
            return [plain(item) for item in value]
        case dict():
            return {k: plain(v) for k, v in value.items()}
        case _:
            return value


def resolve(source, info, **arguments):
    value = source.get(info.field_name) if isinstance(source, dict) else None
    if isinstance(value, dict):
        if isinstance(value.get("__error"), str):
            raise GraphQLError(value["__error"])
        if value.get("__args") is True:
            return json.dumps(plain(arguments), separators=(",", ":"), ensure_ascii=False)
    return value


def located(error):
    out = {"message": words(error.message), "locations": []}
    for node_or_place in error.locations or []:
        body = error.source.body if error.source else ""
        line = re.split(r"\r\n|\n|\r", body)[node_or_place.line - 1] if body else ""
        before = line[: node_or_place.column - 1]
        column = node_or_place.column + sum(1 for c in before if ord(c) > 0xFFFF)
        out["locations"].append({"line": node_or_place.line, "column": column})
    if error.path is not None:
        out["path"] = error.path
    return out


class Schemas:
    """The last schemas by their text: the schema, or what is wrong with it."""

    def __init__(self):
        self.known = {}

    def __getitem__(self, text):
        if text not in self.known:
            if len(self.known) > 50:
                self.known.clear()
            self.known[text] = self.build(text)
        return self.known[text]

    def build(self, text):
        try:
            document = parse(text)
        except GraphQLError as error:
            return [error]
        found = validate_sdl(document)
        if found:
            return found
        schema = build_ast_schema(document, assume_valid_sdl=True)
        return validate_schema(schema) or schema


schemas = Schemas()


def answer(case):
    schema = None
    if case.get("schema") is not None:
        schema = schemas[case["schema"]]
        if isinstance(schema, list):
            return {"ok": False, "errors": [located(e) for e in schema]}
    action = case["action"]
    if action == "validate" and case.get("document") is None:
        return {"ok": True, "errors": []}
    try:
        document = parse(case["document"])
    except GraphQLError as error:
        return {"ok": False, "errors": [located(error)]}
    if action == "parse":
        return {"ok": True, "errors": []}
    if action == "print":
        return {"ok": True, "printed": print_ast(document), "errors": []}
    found = validate(schema, document)
    if found or action == "validate":
        return {"ok": not found, "errors": [located(e) for e in found]}
    result = execute(
        schema, document, root_value=case.get("rootValue") if action == "execute" else None,
        variable_values=case.get("variables"), operation_name=case.get("operationName"), field_resolver=resolve)
    errors = [located(e) for e in result.errors or []]
    # A request error has no data; graphql-core tells the two apart by the missing path only.
    if result.data is None and errors and all("path" not in e for e in errors):
        return {"ok": False, "errors": errors}
    return {"ok": not errors, "errors": errors, "data": plain(result.data)}


def main():
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps({"id": case["id"], **answer(case)}, ensure_ascii=False))


if __name__ == "__main__":
    main()
