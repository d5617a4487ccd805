"""Random schemas, root values, documents and variables from a seed: cases for `portico graphql batch`.

Most documents are valid; most values are of the type that the schema says, and some are not, in every way.
"""

import json
import random
import re

SCALARS = ["Int", "Float", "String", "Boolean", "ID", "Any"]
FIELDS = ["a", "b", "c", "d", "e", "name", "id", "next", "items", "value"]


class World:
    """One random schema, with as many cases as are asked for. `faults` is the chance of a wrong value."""

    def __init__(self, seed, faults):
        self.random = random.Random(seed)
        self.faults = faults
        r = self.random
        self.enums = {f"E{i}": r.sample(["RED", "GREEN", "BLUE", "CYAN"], 3) for i in range(2)}
        self.inputs = {}
        for i in range(3):
            self.inputs[f"In{i}"] = self.input_fields(i == 2)
        self.interfaces, self.objects, self.unions, self.known = {}, {}, {}, {}
        self.composites = ["I0", "I1", "U0", "T0", "T1", "T2", "T3", "Query"]
        self.interfaces["I0"] = ([], self.fields(3))
        inherited = dict(self.interfaces["I0"][1])
        self.interfaces["I1"] = (["I0"] if r.random() < 0.5 else [], {})
        fields = self.fields(3)
        if self.interfaces["I1"][0]:
            fields.update(inherited)
        self.interfaces["I1"] = (self.interfaces["I1"][0], fields)
        for name in ["T0", "T1", "T2", "T3"]:
            implemented, fields = [], self.fields(4)
            for interface in r.choice([[], ["I0"], ["I1"], ["I0"]]):
                for parent in [interface, *self.interfaces[interface][0]]:
                    if parent not in implemented:
                        implemented.append(parent)
                for parent in implemented:
                    fields.update({n: f for n, f in self.interfaces[parent][1].items()})
            self.objects[name] = (implemented, fields)
        self.unions["U0"] = r.sample(["T0", "T1", "T2", "T3"], 2)
        self.objects["Query"] = ([], self.fields(7))
        self.objects["Mutation"] = ([], self.fields(5))

    # The schema

    def wrap(self, name, depth=2):
        r = self.random
        if depth and r.random() < 0.3:
            name = f"[{self.wrap(name, depth - 1)}]"
        return name + ("!" if r.random() < 0.25 else "")

    def input_fields(self, one_of):
        r = self.random
        fields = {}
        for name in r.sample(["x", "y", "z", "u"], 3):
            type_ = r.choice(SCALARS + list(self.enums) + list(self.inputs))
            if one_of:
                fields[name] = (type_, None)
            else:
                type_ = self.wrap(type_, 1)
                fields[name] = (type_, self.literal(type_, 1, False) if r.random() < 0.3 else None)
        return fields

    def fields(self, count):
        r = self.random
        return {name: self.field(name) for name in r.sample(FIELDS, count)}

    def field(self, name):
        """A field has the same type and arguments wherever it is defined, so that selections rarely conflict."""
        r = self.random
        if name not in self.known:
            arguments = {}
            if r.random() < 0.35:
                for argument in r.sample(["x", "y", "z"], r.randint(1, 3)):
                    type_ = self.wrap(r.choice(SCALARS + list(self.enums) + list(self.inputs)), 1)
                    arguments[argument] = (type_, self.literal(type_, 1, False) if r.random() < 0.35 else None)
            target = r.choice(SCALARS + ["String"] + list(self.enums) + self.composites[:7] * 2)
            if arguments and r.random() < 0.6:
                target = "String"
            self.known[name] = (self.wrap(target, 0 if arguments else 2), arguments)
        return self.known[name]

    def sdl(self):
        def values(definitions):
            return ", ".join(f"{n}: {t}" + (f" = {d}" if d is not None else "") for n, (t, d) in definitions.items())

        def body(implemented, fields):
            head = f" implements {' & '.join(implemented)}" if implemented else ""
            lines = (f"  {n}{f'({values(a)})' if a else ''}: {t}" for n, (t, a) in fields.items())
            return head + " {\n" + "\n".join(lines) + "\n}"

        parts = ["scalar Any"]
        parts += [f"enum {n} {{ {' '.join(v)} }}" for n, v in self.enums.items()]
        parts += [f"input {n}{' @oneOf' if n == 'In2' else ''} {{ {values(f)} }}" for n, f in self.inputs.items()]
        parts += [f"interface {n}{body(i, f)}" for n, (i, f) in self.interfaces.items()]
        parts += [f"type {n}{body(i, f)}" for n, (i, f) in self.objects.items()]
        parts += [f"union {n} = {' | '.join(m)}" for n, m in self.unions.items()]
        return "\n".join(parts) + "\n"

    def possible(self, type_):
        if type_ in self.unions:
            return self.unions[type_]
        if type_ in self.interfaces:
            return [n for n, (i, _) in self.objects.items() if type_ in i]
        return [type_]

    def fields_of(self, type_):
        for kind in (self.objects, self.interfaces):
            if type_ in kind:
                return kind[type_][1]
        return {}

    # Data

    def wild_value(self):
        return self.random.choice(
            [None, True, False, 0, 7, -3, 2147483648, 1.5, "a", "7", "RED", "", [], [1, None, "a"], {}, {"a": 1},
             {"__error": "Told to fail."}, {"__typename": "T0"}, {"__typename": "Nope"}, {"__typename": 5},
             {"__typename": "I0"}, {"__typename": "Query", "a": 1}, {"a": {"b": {"c": {"d": [1, 2]}}}}])

    def data(self, type_, depth, has_arguments=False):
        r = self.random
        if r.random() < self.faults:
            return self.wild_value()
        if has_arguments and type_.removesuffix("!") in ("String", "Any") and r.random() < 0.9:
            return {"__args": True}
        if not type_.endswith("!") and r.random() < 0.1:
            return None
        type_ = type_.removesuffix("!")
        if type_.startswith("["):
            return [self.data(type_[1:-1], depth) for _ in range(r.randint(0, 3))]
        if type_ in self.enums:
            return r.choice(self.enums[type_])
        if type_ in SCALARS:
            return r.choice(
                {"Int": [0, 7, -12, 3.0, 2147483647], "Float": [1, 1.5, -0.25, 1e-7, 1e21, 12345678.9],
                 "String": ["", "text", 'A "q" \n é 😀 \u2028', "x" * 40], "Boolean": [True, False],
                 "ID": ["id", 17], "Any": [1, "a", [1, {"a": None}], {"k": 1.5, "j": [True]}]}[type_])
        return self.object(r.choice(self.possible(type_) or ["T0"]), depth)

    def object(self, name, depth):
        r = self.random
        value = {"__typename": name} if r.random() > self.faults else {}
        for field, (type_, arguments) in self.objects[name][1].items():
            if depth <= 0 and type_.strip("[]!") in self.composites:
                continue
            if r.random() > self.faults:
                value[field] = self.data(type_, depth - 1, bool(arguments))
        return value

    # Documents

    def literal(self, type_, depth, variables):
        """A literal that fits the type, or a variable where there may be one."""
        r = self.random
        if variables and r.random() < 0.3:
            known = [n for n, (t, d) in self.variables.items() if t == type_]
            if known and r.random() < 0.6:
                return "$" + r.choice(known)
            name = f"v{len(self.variables)}"
            # A variable with a default may stand where null may not.
            plain = type_.removesuffix("!")
            default = self.literal(plain, 1, False) if r.random() < 0.35 else None
            declared = plain if default not in (None, "null") and r.random() < 0.6 else type_
            self.variables[name] = (declared, default)
            return "$" + name
        if not type_.endswith("!") and r.random() < 0.1:
            return "null"
        type_ = type_.removesuffix("!")
        if type_.startswith("["):
            if r.random() < 0.25 and not type_.startswith("[["):
                return self.literal(type_[1:-1].removesuffix("!") + "!", depth - 1, False)
            return "[" + ", ".join(self.literal(type_[1:-1], depth - 1, False) for _ in range(r.randint(0, 3))) + "]"
        if type_ in self.enums:
            return r.choice(self.enums[type_])
        if type_ in self.inputs:
            fields = self.inputs[type_]
            names = list(fields)
            if type_ == "In2":
                name = r.choice(names)
                return f"{{ {name}: {self.literal(fields[name][0] + '!', depth - 1, False)} }}"
            names = [n for n in names if (fields[n][0].endswith("!") and fields[n][1] is None) or r.random() < 0.5]
            r.shuffle(names)
            return "{ " + ", ".join(f"{n}: {self.literal(fields[n][0], depth - 1, False)}" for n in names) + " }"
        return r.choice(
            {"Int": ["0", "7", "-12"], "Float": ["1", "1.5", "-2.5e3"], "String": ['"s"', '"é \\"q\\" \\n"', '"""b\n  c"""'],
             "Boolean": ["true", "false"], "ID": ['"i"', "17"], "Any": ["1", '"a"', "[1, { a: null }]", "RED", "1.50"]}[type_])

    def json(self, type_):
        """A value for a variable."""
        r = self.random
        if r.random() < self.faults:
            return r.choice([None, True, 7, 2147483648, 1.5, "a", "RED", "REDD", [], [1, "a", None], {}, {"x": 1}, {"zz": {}}])
        if not type_.endswith("!") and r.random() < (0.4 if type_ == "Boolean" else 0.1):
            return None
        type_ = type_.removesuffix("!")
        if type_.startswith("["):
            return [self.json(type_[1:-1]) for _ in range(r.randint(0, 3))]
        if type_ in self.enums:
            return r.choice(self.enums[type_])
        if type_ in self.inputs:
            fields = self.inputs[type_]
            if type_ == "In2":
                name = r.choice(list(fields))
                return {name: self.json(fields[name][0] + "!")}
            names = [n for n in fields if (fields[n][0].endswith("!") and fields[n][1] is None) or r.random() < 0.5]
            r.shuffle(names)
            return {n: self.json(fields[n][0]) for n in names}
        return r.choice({"Int": [0, 7, 3.0], "Float": [1, 1.5, -2.25], "String": ["a", 'é "q"'], "Boolean": [True, False],
                         "ID": ["x", 17], "Any": [1, "a", [1, {"a": None}], 2.5]}[type_])

    def directives(self):
        r = self.random
        if r.random() > 0.12:
            return ""
        condition = self.literal("Boolean!", 2, True)
        if r.random() < 0.3:
            # May stand here for its default, and be null all the same: what it decides about fails.
            name = f"v{len(self.variables)}"
            self.variables[name] = ("Boolean", r.choice(["true", "false"]))
            condition = "$" + name
        return f" @{r.choice(['skip', 'include'])}(if: {condition})"

    def selections(self, type_, depth):
        r = self.random
        parts = []
        fields = self.fields_of(type_)
        for _ in range(r.randint(1, 5)):
            kind = r.random()
            fitting = [n for n, on in self.fragments.items() if set(self.possible(on)) & set(self.possible(type_))]
            if kind < 0.25 and fitting:
                name = r.choice(fitting)
                self.spread.add(name)
                parts.append(f"...{name}{self.directives()}")
            elif kind < 0.4 and depth > 0:
                possible = self.possible(type_)
                pool = [type_, *possible] + [c for p in possible for c in self.objects[p][0]]
                on = r.choice(pool)
                condition = f" on {on}" if r.random() < 0.85 else ""
                parts.append(f"...{condition}{self.directives()} {self.selections(on if condition else type_, depth - 1)}")
            elif kind < 0.45 or not fields:
                parts.append("__typename")
            else:
                name = r.choice(list(fields))
                target, arguments = fields[name]
                inner = target.strip("[]!")
                if inner in self.composites and depth <= 0:
                    parts.append("__typename")
                    continue
                given = [
                    f"{n}: {self.literal(t, 2, True)}" for n, (t, d) in arguments.items()
                    if (t.endswith("!") and d is None) or r.random() < 0.6]
                # Fields with arguments get keys of their own, so that they need not agree with one another.
                alias = ""
                if given or r.random() < 0.1:
                    self.aliases += 1
                    alias = f"{name}{self.aliases}: "
                text = alias + name + (f"({', '.join(given)})" if given else "") + self.directives()
                parts.append(text + (f" {self.selections(inner, depth - 1)}" if inner in self.composites else ""))
        if type_ == "Query" and r.random() < 0.1:
            parts.append(r.choice([
                "__schema { queryType { name } types { name kind fields(includeDeprecated: true) { name args { name defaultValue type { name ofType { name kind } } } } enumValues { name } possibleTypes { name } interfaces { name } isOneOf } directives { name isRepeatable locations } }",
                '__type(name: "In0") { name inputFields { name type { kind name ofType { name } } defaultValue } }',
                '__type(name: "Nope") { name }']))
        return "{ " + " ".join(parts) + " }"

    def document(self):
        r = self.random
        self.variables, self.aliases = {}, 0
        kind = r.choice(["query"] * 4 + ["mutation"])
        self.fragments, self.spread = {}, set()
        made = []
        for number in range(r.randint(0, 3)):
            on = r.choice(self.composites[:7] + [kind.capitalize()] * 4)
            body = self.selections(on, 2)
            # Known only to what follows: no fragment spreads itself.
            self.fragments[f"F{number}"] = on
            made.append(f"fragment F{number} on {on} {body}")
        body = self.selections(kind.capitalize(), r.randint(2, 4))
        # Fragments that nothing spreads yet are spread by one another, or by the operation.
        unused = [name for name in self.fragments if name not in self.spread]
        spreads = "".join(f" ...{n}" for n in unused if self.fragments[n] == kind.capitalize())
        made = [text for name, text in zip(self.fragments, made) if name not in unused or name in spreads.split(" ...")]
        body = body[:-2] + spreads + " }"
        text = body + "".join(made)
        self.variables = {n: v for n, v in self.variables.items() if re.search(rf"\${n}\b", text)}
        given = ", ".join(
            f"${n}: {t}" + (f" = {d}" if d is not None else "") for n, (t, d) in self.variables.items())
        values = {
            n: self.json(t) for n, (t, d) in self.variables.items()
            if r.random() < (0.6 if d is not None or not t.endswith("!") else 1 - self.faults / 2)}
        return f"{kind} Q{f'({given})' if given else ''} {body}\n" + "\n".join(made), values, kind.capitalize()

    def cases(self, count, depth):
        sdl = self.sdl()
        for number in range(count):
            document, variables, root = self.document()
            yield {"id": str(number), "action": "execute", "schema": sdl, "document": document,
                   "variables": variables, "rootValue": self.object(root, depth)}



def cases(seed, worlds, per_world, depth=4):
    for number in range(worlds):
        world = World(seed * 1_000_003 + number, [0, 0.02, 0.1][number % 3])
        for case in world.cases(per_world, depth):
            case["id"] = f"{seed}.{number}.{case['id']}"
            yield case


if __name__ == "__main__":
    import sys

    for case in cases(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(json.dumps(case, ensure_ascii=False))
