"""Records what the reference implementation says of documents, for `GoldenValidationTests`.

    python3 -m venv venv && venv/bin/pip install --pre 'graphql-core>=3.3'
    venv/bin/python generate.py --golden              # writes cases.ndjson beside this script
    venv/bin/python generate.py --random 1 --count N  # random cases from a seed to standard output

A line of cases.ndjson is {"schema": SDL} for the cases after it, or {"name", "document", "errors": [[message,
[[line, column], ...]], ...]}. graphql-core words messages as graphql-js does but for its quotes and a few words;
`as_graphql_js` undoes that. In one place the reference is patched, because we differ from it on purpose: where a
list or an object stands for a leaf type, it reports the literal with variables replaced by null and without a
location. We report the literal as written, where it stands.
"""

import argparse
import json
import pathlib
import random
import re
import sys

import graphql
from graphql import build_schema, parse, validate

# The package has a function of the same name as this module.
sys.modules["graphql.utilities.validate_input_value"].replace_variables = lambda node, *_: node


def as_graphql_js(message):
    message = message.replace("'", '"').replace("not to be None.", "not to be null.")
    return re.sub(
        r"may not be used on ([a-z_ ]+)\.$",
        lambda found: f"may not be used on {found[1].upper().replace(' ', '_')}.",
        message,
    )


def oracle(schema, document, limit=50):
    return [
        [as_graphql_js(error.message), [utf16(document, place) for place in error.locations or []]]
        for error in validate(schema, parse(document), max_errors=limit)
    ]


def utf16(document, place):
    """graphql-js counts columns in UTF-16 code units, graphql-core in characters."""
    before = document.split("\n")[place.line - 1][: place.column - 1]
    return [place.line, len(before.encode("utf-16-le")) // 2 + 1]


# Random schemas


NAMES = ["a", "b", "c", "d", "id", "name", "nameOf", "item10", "item9", "item"]
ARGUMENTS = ["x", "y", "z", "limit", "limits"]


class Schemas:
    def __init__(self, rng):
        self.rng = rng
        self.scalars = ["Int", "Float", "String", "Boolean", "ID", "Date"]
        self.enums = {f"E{i}": rng.sample(["RED", "GREEN", "BLUE", "GREY", "REDDISH"], 3) for i in range(2)}
        self.inputs = {}
        self.one_ofs = set()
        self.interfaces = {}
        self.objects = {}
        self.unions = {}
        self.directives = {}

    def wrap(self, name, depth=2):
        if depth and self.rng.random() < 0.25:
            name = f"[{self.wrap(name, depth - 1)}]"
        return name + ("!" if self.rng.random() < 0.25 else "")

    def input_type(self):
        return self.rng.choice(self.scalars + list(self.enums) + list(self.inputs) * 2)

    def constant(self, type_, depth=2):
        """A default that fits the type."""
        rng = self.rng
        if type_.endswith("!"):
            return self.constant(type_[:-1], depth)
        if type_.startswith("["):
            return "[" + ", ".join(self.constant(type_[1:-1], depth - 1) for _ in range(rng.randint(0, 2))) + "]"
        if type_ in self.enums:
            return rng.choice(self.enums[type_])
        if type_ in self.inputs:
            return None
        return {"Int": "1", "Float": "1.5", "String": '"s"', "Boolean": "true", "ID": '"i"', "Date": "5"}[type_]

    def arguments(self, count):
        found = {}
        for name in self.rng.sample(ARGUMENTS, count):
            type_ = self.wrap(self.input_type())
            default = self.constant(type_) if self.rng.random() < 0.25 and type_.strip("[]!") not in self.inputs else None
            found[name] = (type_, default)
        return found

    def fields(self, count):
        out = {}
        targets = self.scalars * 1 + list(self.enums) + self.composites * 2
        for name in self.rng.sample(NAMES, count):
            arguments = self.arguments(self.rng.choice([0, 0, 1, 2])) if self.rng.random() < 0.6 else {}
            out[name] = (self.wrap(self.rng.choice(targets)), arguments)
        return out

    def build(self):
        rng = self.rng
        for i in range(3):
            name = f"In{i}"
            one_of = i == 2
            fields = {}
            for field in rng.sample(ARGUMENTS, 3):
                type_ = rng.choice(self.scalars + list(self.enums) + list(self.inputs))
                if one_of:
                    fields[field] = (type_ if rng.random() < 0.7 else f"[{type_}]", None)
                else:
                    type_ = self.wrap(type_)
                    has_default = rng.random() < 0.2 and type_.strip("[]!") not in self.inputs
                    fields[field] = (type_, self.constant(type_) if has_default else None)
            self.inputs[name] = fields
            if one_of:
                self.one_ofs.add(name)
        self.composites = [f"I{i}" for i in range(2)] + [f"T{i}" for i in range(4)] + ["U0"]
        for i in range(2):
            self.interfaces[f"I{i}"] = self.fields(3)
        for i in range(4):
            implemented = [name for name in self.interfaces if rng.random() < 0.4]
            fields = self.fields(4)
            for interface in implemented:
                for name, field in self.interfaces[interface].items():
                    fields[name] = field
            # Two interfaces may ask for different fields by one name.
            implemented = [
                one for one in implemented if all(fields[n] == f for n, f in self.interfaces[one].items())
            ]
            self.objects[f"T{i}"] = (implemented, fields)
        self.unions["U0"] = rng.sample(list(self.objects), 2)
        for name in ["one", "two"]:
            locations = rng.sample(
                ["FIELD", "QUERY", "MUTATION", "FRAGMENT_SPREAD", "INLINE_FRAGMENT", "FRAGMENT_DEFINITION",
                 "VARIABLE_DEFINITION", "SUBSCRIPTION"], 5)
            self.directives[name] = (self.arguments(rng.randint(0, 2)), rng.random() < 0.4, locations)
        for root in ["Query", "Mutation", "Subscription"]:
            self.objects[root] = ([], self.fields(6))
        return self

    def sdl(self):
        def args(arguments):
            if not arguments:
                return ""
            return "(" + ", ".join(
                f"{n}: {t}" + (f" = {d}" if d is not None else "") for n, (t, d) in arguments.items()) + ")"

        def body(fields):
            return " {\n" + "".join(f"  {n}{args(a)}: {t}\n" for n, (t, a) in fields.items()) + "}\n"

        out = "scalar Date\n"
        for name, (arguments, repeatable, locations) in self.directives.items():
            out += f"directive @{name}{args(arguments)}{' repeatable' if repeatable else ''} on {' | '.join(locations)}\n"
        for name, values in self.enums.items():
            out += f"enum {name} {{ {' '.join(values)} }}\n"
        for name, fields in self.inputs.items():
            out += f"input {name}{' @oneOf' if name in self.one_ofs else ''} {{ " + ", ".join(
                f"{n}: {t}" + (f" = {d}" if d is not None else "") for n, (t, d) in fields.items()) + " }\n"
        for name, fields in self.interfaces.items():
            out += f"interface {name}" + body(fields)
        for name, (implemented, fields) in self.objects.items():
            out += f"type {name}" + (f" implements {' & '.join(implemented)}" if implemented else "") + body(fields)
        for name, members in self.unions.items():
            out += f"union {name} = {' | '.join(members)}\n"
        return out


# Random documents


class Documents:
    """Documents that fit a schema, but for a fault here and there."""

    def __init__(self, rng, schema, faults):
        self.rng = rng
        self.schema = schema
        self.faults = faults
        self.variables = {}
        self.fragments = [f"F{i}" for i in range(rng.randint(0, 4))]

    def fault(self):
        return self.rng.random() < self.faults

    def fields_of(self, type_):
        s = self.schema
        return s.objects[type_][1] if type_ in s.objects else s.interfaces.get(type_, {})

    def value(self, type_, depth=3, constant=False):
        rng = self.rng
        if self.fault():
            return rng.choice(['"RED"', "5", "2.5", "true", "null", "RED", "PURPLE", "{x: 1}", "[1, \"a\"]", "99999999999",
                               "{x: 1, lim: {y: 2}}", "[[]]", '"""block"""', "{}"])
        if not constant and rng.random() < 0.2:
            name = rng.choice(["v", "w", "u", "unknown"] if self.fault() else ["v", "w", "u"])
            self.variables.setdefault(name, type_ if not self.fault() else rng.choice(["Int", "[String]", "T0", "In0", "Nope"]))
            return "$" + name
        if type_.endswith("!"):
            return self.value(type_[:-1], depth, constant)
        if type_.startswith("["):
            if rng.random() < 0.3 and type_.strip("[]!") not in self.schema.one_ofs:
                return self.value(type_[1:-1], depth - 1, constant)
            return "[" + ", ".join(self.value(type_[1:-1], depth - 1, constant) for _ in range(rng.randint(0, 2))) + "]"
        if type_ in self.schema.enums:
            return rng.choice(self.schema.enums[type_])
        if type_ in self.schema.inputs:
            fields = self.schema.inputs[type_]
            names = list(fields)
            if type_ in self.schema.one_ofs:
                names = rng.sample(names, 1 if not self.fault() else rng.randint(0, 2))
            elif depth <= 0 or rng.random() < 0.3:
                names = [n for n in names if fields[n][0].endswith("!")]
            if self.fault():
                names.append(rng.choice(ARGUMENTS))
            rng.shuffle(names)
            parts = [
                f"{n}: {self.value(fields[n][0] if n in fields else 'Int', depth - 1, constant)}" for n in names]
            return "{" + ", ".join(parts) + "}"
        return {"Int": "7", "Float": rng.choice(["1", "1.5"]), "String": rng.choice(['"s"', '"""s"""']),
                "Boolean": "false", "ID": rng.choice(["1", '"i"']), "Date": rng.choice(["5", '"d"', "{any: [1]}"])}[type_]

    def arguments(self, definitions, constant=False):
        given = {}
        for name, (type_, default) in definitions.items():
            required = type_.endswith("!") and default is None
            if (required and not self.fault()) or self.rng.random() < 0.5:
                given[name] = self.value(type_, constant=constant)
        parts = [f"{n}: {v}" for n, v in given.items()]
        if self.fault():
            parts.append(f"{self.rng.choice(ARGUMENTS + ['lmit'])}: 1")
        return f"({', '.join(parts)})" if parts else ""

    def directives(self, constant=False):
        rng = self.rng
        out = ""
        while rng.random() < 0.12:
            if self.fault():
                out += rng.choice([" @nope", " @include", " @skip(if: 1)", " @deprecated"])
            elif rng.random() < 0.5 and not constant:
                out += f" @{rng.choice(['skip', 'include'])}(if: {self.value('Boolean!')})"
            else:
                name = rng.choice(list(self.schema.directives))
                out += f" @{name}{self.arguments(self.schema.directives[name][0], constant)}"
        return out

    def composite(self):
        s = self.schema
        return self.rng.choice(list(s.objects) + list(s.interfaces) + list(s.unions))

    def condition(self, type_):
        if self.fault():
            return self.rng.choice(["Nope", "Int", "In0", "E0", "T00", self.composite()])
        s = self.schema
        if type_ in s.unions:
            return self.rng.choice(s.unions[type_])
        if type_ in s.interfaces:
            return self.rng.choice([n for n, (i, _) in s.objects.items() if type_ in i] or [type_])
        if type_ in s.objects:
            return self.rng.choice([type_] + s.objects[type_][0])
        return self.composite()

    def selections(self, type_, depth):
        rng = self.rng
        out = []
        fields = self.fields_of(type_)
        for _ in range(rng.randint(1, 4)):
            kind = rng.random()
            if kind < 0.12 and self.fragments:
                name = rng.choice(self.fragments) if not self.fault() else "Missing"
                out.append(f"...{name}{self.directives()}")
            elif kind < 0.27 and depth > 0:
                if rng.random() < 0.2:
                    out.append(f"...{self.directives()} {self.selections(type_, depth - 1)}")
                else:
                    on = self.condition(type_)
                    out.append(f"... on {on}{self.directives()} {self.selections(on, depth - 1)}")
            else:
                alias = f"{rng.choice('abc')}: " if rng.random() < 0.15 else ""
                if rng.random() < 0.1 or not fields:
                    out.append(alias + "__typename" + self.directives())
                    continue
                if self.fault():
                    out.append(alias + rng.choice(NAMES + ["nam", "items", "__schema { types { name } }"]))
                    continue
                name = rng.choice(list(fields))
                result, arguments = fields[name]
                result = result.strip("[]!")
                text = alias + name + self.arguments(arguments) + self.directives()
                leaf = result in self.schema.scalars or result in self.schema.enums
                if leaf != self.fault():
                    out.append(text)
                elif depth > 0:
                    out.append(f"{text} {self.selections(result, depth - 1)}")
                else:
                    out.append(f"{text} {{ __typename }}")
        return "{ " + " ".join(out) + " }"

    def variable_definitions(self):
        parts = []
        for name, type_ in self.variables.items():
            if self.fault() and self.rng.random() < 0.5:
                continue
            text = f"${name}: {type_}"
            if self.rng.random() < 0.2 and type_.strip("[]!") not in ["T0", "Nope"]:
                text += f" = {self.value(type_, constant=True)}"
            parts.append(text + self.directives(constant=True))
        if self.fault():
            parts.append("$unused: Int")
        self.rng.shuffle(parts)
        return f"({', '.join(parts)})" if parts else ""

    def build(self):
        rng = self.rng
        fragments = []
        conditions = {}
        for name in self.fragments:
            conditions[name] = self.composite() if not self.fault() else self.condition(None)
        for name in self.fragments:
            on = conditions[name]
            fragments.append((name, on, self.directives(), self.selections(on, 2)))
            if self.fault() and rng.random() < 0.3:
                fragments.append(fragments[-1])
        parts = []
        count = 1 if rng.random() < 0.8 else 2
        for i in range(count):
            kind = rng.choice(["query"] * 6 + ["mutation", "subscription"])
            body = self.selections(kind.capitalize(), rng.randint(1, 4))
            directives = self.directives()
            name = f"Q{i}" if count > 1 and not self.fault() else rng.choice(["", "Q"])
            parts.append(f"{kind} {name}{self.variable_definitions()}{directives} {body}")
        parts += [f"fragment {n} on {t}{d} {b}" for n, t, d, b in fragments]
        if rng.random() < 0.3:
            rng.shuffle(parts)
        if self.fault() and rng.random() < 0.2:
            parts.append(rng.choice(["type T9 { a: Nope @nope }", "extend type T0 @one { b: Int @deprecated @deprecated }",
                                     "directive @two(q: Int!) on FIELD", "input In9 { a: Int = {b: 1, b: 2} }",
                                     "schema { query: Quer }", "extend schema @one @one", "scalar String2 @specifiedBy"]))
        return "\n".join(parts)


def random_cases(seed, count):
    """Pairs of SDL and a list of documents that parse."""
    rng = random.Random(seed)
    while count > 0:
        schemas = Schemas(rng).build()
        sdl = schemas.sdl()
        try:
            schema = build_schema(sdl)
            graphql.assert_valid_schema(schema)
        except Exception:
            continue
        documents = []
        while len(documents) < 20:
            text = Documents(rng, schemas, rng.choice([0, 0.01, 0.03, 0.1])).build()
            try:
                parse(text)
            except graphql.GraphQLSyntaxError:
                continue
            documents.append(text)
        count -= len(documents)
        yield sdl, schema, documents


def write_golden(directory):
    """The handwritten cases, then random ones, those that find most first."""
    lines = []
    handwritten = json.loads((directory / "handwritten.json").read_text())
    for group in handwritten:
        sdl = "\n".join(group["schema"])
        lines.append({"schema": sdl})
        schema = build_schema(sdl)
        for name, document in group["documents"].items():
            text = document if isinstance(document, str) else "\n".join(document)
            lines.append({"name": name, "document": text, "errors": oracle(schema, text)})
    for number, (sdl, schema, documents) in enumerate(random_cases(20250901, 300)):
        lines.append({"schema": sdl})
        for position, text in enumerate(documents):
            errors = oracle(schema, text)
            if sum(len(message) for message, _ in errors) < 1200:
                lines.append({"name": f"random {number}.{position}", "document": text, "errors": errors})
    with (directory / "cases.ndjson").open("w") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--golden", action="store_true")
    options.add_argument("--random", type=int)
    options.add_argument("--count", type=int, default=1000)
    options = options.parse_args()
    if options.golden:
        write_golden(pathlib.Path(__file__).parent)
    if options.random is not None:
        for sdl, schema, documents in random_cases(options.random, options.count):
            print(json.dumps({"schema": sdl}))
            for text in documents:
                print(json.dumps({"name": "", "document": text, "errors": oracle(schema, text)}))


main()
