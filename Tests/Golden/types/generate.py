"""Random type systems, operations and variables from a seed, mostly right and sometimes wrong in one or more ways."""

import random

SCALARS = ["Int", "Float", "String", "Boolean", "ID"]
NAMES = ["a", "b", "c", "first", "name", "value", "__hidden", "field2", "field10"]


class TypeSystem:
    """One random SDL document. `wildness` is the chance, at every step, to do something that may break a rule."""

    def __init__(self, seed, wildness):
        self.random = random.Random(seed)
        self.wildness = wildness
        kinds = ["object", "interface", "union", "enum", "input", "scalar"]
        self.types = {"Query": "object"}
        for number in range(self.random.randint(2, 9)):
            kind = self.random.choice(kinds)
            self.types[f"{kind.capitalize()}{number}"] = kind
        self.fields = {}
        self.directives = {}

    def wild(self):
        return self.random.random() < self.wildness

    def of(self, *kinds):
        return [name for name, kind in self.types.items() if kind in kinds]

    def pick_type(self, kinds, scalars=True):
        pool = self.of(*kinds) + (SCALARS if scalars else [])
        if self.wild():
            pool = list(self.types) + SCALARS + ["Unknown", "Sting", "__Type", "Input"]
        return self.random.choice(pool or ["String"])

    def wrap(self, name):
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2])):
            if self.random.random() < 0.4:
                name += "!"
            name = f"[{name}]"
        return name + ("!" if self.random.random() < 0.3 else "")

    def name(self):
        names = [name for name in NAMES if name != "__hidden"]
        return self.random.choice(NAMES if self.wild() else names)

    def distinct(self, low, high):
        count = self.random.randint(low, high)
        names = []
        for _ in range(count):
            name = self.name()
            if name not in names or self.wild():
                names.append(name)
        return names or ["a"]

    def description(self, indent=""):
        choice = self.random.random()
        if choice < 0.85:
            return ""
        if choice < 0.93:
            return f'{indent}"What \\"it\\" is \\u00e9"\n'
        return f'{indent}"""\n{indent}Several\n{indent}  lines "quoted"\n{indent}"""\n'

    def value(self, depth=0):
        r = self.random
        kind = r.choice(["int", "int", "string", "boolean", "null", "enum", "float", "list", "object"])
        if kind in ("list", "object") and depth > 2:
            kind = "int"
        match kind:
            case "int":
                return r.choice(["0", "7", "-12", "2147483647", "2147483648", "12345678901234567890"])
            case "float":
                return r.choice(["1.5", "1.0", "-2.50", "1e3", "1.25e-10"])
            case "string":
                return r.choice(['"a"', '""', '"A \\"q\\" \\n"', '"""block\n  text"""', '"RED"'])
            case "boolean":
                return r.choice(["true", "false"])
            case "null":
                return "null"
            case "enum":
                return r.choice(["RED", "GREEN", "BLUE", "REDD"])
            case "list":
                return "[" + ", ".join(self.value(depth + 1) for _ in range(r.randint(0, 3))) + "]"
            case _:
                return "{" + ", ".join(f"{n}: {self.value(depth + 1)}" for n in self.distinct(0, 3)) + "}"

    def fitting(self, type_, depth=0):
        """A literal that fits the type, unless it is a wild one."""
        r = self.random
        if self.wild():
            return self.value(depth)
        if type_.endswith("!"):
            return self.fitting_inner(type_[:-1], depth)
        if r.random() < 0.15:
            return "null"
        return self.fitting_inner(type_, depth)

    def fitting_inner(self, type_, depth):
        r = self.random
        if type_.startswith("["):
            item = type_[1:-1]
            if r.random() < 0.2:
                return self.fitting_inner(item.rstrip("!"), depth) if not item.startswith("[") else "[]"
            return "[" + ", ".join(self.fitting(item, depth + 1) for _ in range(r.randint(0, 3))) + "]"
        match self.types.get(type_, type_):
            case "Int":
                return r.choice(["0", "7", "-12", "2147483647"])
            case "Float":
                return r.choice(["1", "1.5", "-2.50", "1e3"])
            case "String":
                return r.choice(['"a"', '"A \\"q\\" \\n"', '"""block\n  text"""'])
            case "Boolean":
                return r.choice(["true", "false"])
            case "ID":
                return r.choice(['"x"', "17"])
            case "enum":
                return r.choice(["RED", "GREEN", "BLUE"])
            case "input":
                fields = self.fields.get(type_)
                if not fields or depth > 3:
                    return "{}"
                given = [(n, t) for n, t in fields.items() if t.endswith("!") or r.random() < 0.5]
                return "{" + ", ".join(f"{n}: {self.fitting(t, depth + 1)}" for n, t in given) + "}"
            case _:
                return self.value(depth)

    def applied(self, location):
        r = self.random
        text = ""
        if location in ("FIELD_DEFINITION", "ENUM_VALUE", "ARGUMENT_DEFINITION", "INPUT_FIELD_DEFINITION"):
            if r.random() < 0.1:
                text += r.choice([" @deprecated", ' @deprecated(reason: "Old \\"one\\"")'])
        if r.random() < 0.06 or self.wild() and r.random() < 0.3:
            text += r.choice([" @tag", ' @tag(name: "x")', " @cost(weight: 3)", ' @cost(weight: 3, name: {a: 1})'])
        if self.wild() and r.random() < 0.3:
            text += r.choice(
                [
                    " @deprecated",
                    " @nothing",
                    ' @tag(nam: "x")',
                    " @cost",
                    " @skip(if: true)",
                    ' @tag(name: "x", name: "y")',
                    " @cost(weight: 1) @cost(weight: 2)",
                    " @cost(weight: 1, name: {a: 1, a: 2})",
                ]
            )
        return text

    def arguments(self, location="ARGUMENT_DEFINITION"):
        if self.random.random() < 0.6:
            return ""
        items = [self.input_value(name, location) for name in self.distinct(1, 3)]
        return "(" + ", ".join(items) + ")"

    def input_value(self, name, location, type_=None):
        type_ = type_ or self.wrap(self.pick_type(["enum", "input", "scalar"]))
        default = f" = {self.fitting(type_)}" if self.random.random() < 0.3 else ""
        return f"{name}: {type_}{default}{self.applied(location)}"

    def interfaces(self, own):
        pool = [name for name in self.of("interface") if name != own or self.wild()]
        if self.wild():
            pool += list(self.types)
        if not pool or self.random.random() < 0.5:
            return []
        return [self.random.choice(pool) for _ in range(self.random.randint(1, 2))]

    def composite(self, keyword, name, extend=""):
        interfaces = self.interfaces(name)
        if not self.wild():
            interfaces = list(dict.fromkeys(interfaces))
        lines = []
        if extend and not self.wild():
            interfaces = []
        for interface in interfaces:
            if not self.wild():
                lines += self.bodies.get(interface, [])
                interfaces += [i for i in self.parents.get(interface, []) if i not in interfaces]
        own = {line.strip().split("(")[0].split(":")[0] for line in lines}
        for field in self.distinct(1, 4):
            if extend and not self.wild():
                field = "x" + field
            if field in own and not self.wild():
                continue
            type_ = self.wrap(self.pick_type(["object", "interface", "union", "enum", "scalar"]))
            lines.append(
                f"{self.description('  ')}  {field}{self.arguments()}: {type_}{self.applied('FIELD_DEFINITION')}"
            )
        if not self.wild():
            seen, unique = set(), []
            for line in lines:
                key = line.split("\n")[-1].strip().split("(")[0].split(":")[0]
                if key not in seen:
                    seen.add(key)
                    unique.append(line)
            lines = unique
        if keyword == "interface" and not extend:
            self.bodies[name] = lines
            self.parents[name] = interfaces
        implements = f" implements {' & '.join(interfaces)}" if interfaces else ""
        body = " {\n" + "\n".join(lines) + "\n}" if lines and not (self.wild() and self.wild()) else ""
        location = "OBJECT" if keyword == "type" else "INTERFACE"
        return f"{extend}{keyword} {name}{implements}{self.applied(location)}{body}"

    def definition(self, name, kind, extend=""):
        r = self.random
        head = extend or self.description()
        match kind:
            case "object":
                text = self.composite("type", name, extend)
                return text if extend else head + text
            case "interface":
                text = self.composite("interface", name, extend)
                return text if extend else head + text
            case "union":
                pool = self.of("object") if not self.wild() else list(self.types) + ["Int"]
                if extend and not self.wild():
                    return f"{extend}union {name} @tag"
                members = [r.choice(pool) for _ in range(r.randint(1, 3))]
                if not self.wild():
                    members = list(dict.fromkeys(members))
                tail = f" = {' | '.join(members)}" if not (self.wild() and self.wild()) else ""
                return f"{head}union {name}{self.applied('UNION')}{tail}"
            case "enum":
                values = ["RED", "GREEN", "BLUE"] if not extend else ["CYAN", "MAGENTA"]
                if self.wild():
                    values.append(r.choice(["RED", "__X"]))
                body = "\n".join(f"  {v}{self.applied('ENUM_VALUE')}" for v in values)
                return f"{head}enum {name}{self.applied('ENUM')} {{\n{body}\n}}"
            case "input":
                one_of = r.random() < 0.2 and not extend
                fields = {}
                lines = []
                for field in self.distinct(1, 4):
                    if extend:
                        field = "x" + field
                    type_ = self.wrap(self.pick_type(["enum", "input", "scalar"]))
                    if one_of and not self.wild():
                        type_ = type_.rstrip("!")
                        lines.append(f"  {field}: {type_}")
                    else:
                        lines.append("  " + self.input_value(field, "INPUT_FIELD_DEFINITION", type_))
                    fields[field] = type_
                self.fields.setdefault(name, {}).update(fields)
                body = "\n".join(lines)
                return f"{head}input {name}{' @oneOf' if one_of else ''}{self.applied('INPUT_OBJECT')} {{\n{body}\n}}"
            case _:
                url = r.choice(["", "", ' @specifiedBy(url: "https://example.com/a\\"b")'])
                if extend and not url:
                    url = " @tag"
                return f"{head}scalar {name}{url}{'' if extend else self.applied('SCALAR')}"

    def text(self):
        r = self.random
        self.bodies, self.parents = {}, {}
        order = sorted(self.types.items(), key=lambda item: {"enum": 0, "input": 1, "interface": 2}.get(item[1], 3))
        # Fields of input types are known to what comes later, so the definitions are made in this order.
        made = [self.definition(name, kind) for name, kind in order]
        for name, kind in list(self.types.items()):
            if r.random() < 0.15:
                made.append(self.definition(name, kind, "extend "))
            if self.wild() and r.random() < 0.2:
                made.append(self.definition(name, r.choice(list(self.types.values())), r.choice(["", "extend "])))
        if self.wild() and r.random() < 0.3:
            made.append("extend type Missing { a: Int }")
        locations = "FIELD_DEFINITION | OBJECT | INTERFACE | UNION | ENUM | ENUM_VALUE | SCALAR | INPUT_OBJECT"
        locations += " | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | SCHEMA | FIELD"
        made.append(f"{self.description()}directive @tag(name: String = \"none\") repeatable on {locations}")
        made.append(f"directive @cost(weight: Int!, name: {self.pick_type(['input', 'scalar'])}) on {locations}")
        if self.wild():
            made.append(f"directive @{self.name()}{self.arguments()} on FIELD | QUERY")
            made.append("directive @tag on FIELD")
        if r.random() < 0.3:
            query = "Query" if not self.wild() else r.choice(list(self.types))
            mutation = r.choice(self.of("object")) if not self.wild() else r.choice(list(self.types))
            lines = [f"  query: {query}"]
            if mutation != query or self.wild():
                lines.append(f"  mutation: {mutation}")
            if self.wild():
                lines.append(r.choice(["  query: Query", "  subscription: Query"]))
            made.append(f"{self.description()}schema{self.applied('SCHEMA')} {{\n" + "\n".join(lines) + "\n}")
        if self.wild() and r.random() < 0.5:
            made.append(r.choice(["extend schema @tag", "extend schema { subscription: Query }", "schema { query: Query }"]))
        if self.wild() and r.random() < 0.2:
            made.append("query Q($x: Unknown, $y: String) { a(x: 1, x: {b: 1, b: 2}) @cost ...F } fragment F on Nope { b }")
        r.shuffle(made)
        return "\n\n".join(made) + "\n"

    def operation(self, fields):
        """An operation, values for its variables, and the arguments of some fields.

        `fields` are the fields of the query type with the types of their arguments.
        """
        r = self.random
        pool = self.of("enum", "input", "scalar") + SCALARS
        definitions, variables, types = [], {}, []
        for number in range(r.randint(1, 4)):
            type_ = self.wrap(r.choice(pool))
            default = f" = {self.fitting(type_)}" if r.random() < 0.3 else ""
            definitions.append(f"$v{number}: {type_}{default}")
            types.append(type_)
            if r.random() < 0.8:
                variables[f"v{number}"] = self.json(type_)
        selections = ["__typename"]
        for name, arguments in fields.items():
            for number in range(r.randint(0, 3)):
                given = []
                for argument, type_ in arguments.items():
                    if not type_.endswith("!") and r.random() < 0.3 or self.wild():
                        continue
                    fitting = [n for n, t in enumerate(types) if t.rstrip("!") == type_.rstrip("!")]
                    literal = f"$v{r.choice(fitting)}" if fitting and r.random() < 0.8 else self.fitting(type_)
                    if type_.startswith("[") and fitting and r.random() < 0.3:
                        literal = f"[$v{r.choice(fitting)}]"
                    given.append(f"{argument}: {literal}")
                selections.append(f"{name}{number}: {name}" + (f"({', '.join(given)})" if given else ""))
        return f"query ({', '.join(definitions)}) {{ {' '.join(selections)} }}", variables

    def json(self, type_, depth=0):
        r = self.random
        if self.wild():
            return r.choice([None, True, 0, 7, -5, 2147483648, 1.5, 2.0, "a", "RED", "", [], [1, "a", None], {}, {"a": 1}, {"a": {"b": [1]}, "firts": 2}])
        if not type_.endswith("!") and r.random() < 0.1:
            return None
        type_ = type_.rstrip("!") if not type_.startswith("[") else type_.removesuffix("!")
        if type_.startswith("["):
            if r.random() < 0.2:
                return self.json(type_[1:-1], depth + 1)
            return [self.json(type_[1:-1], depth + 1) for _ in range(r.randint(0, 3))]
        match self.types.get(type_, type_):
            case "Int":
                return r.choice([0, 7, -12, 2147483647, 3.0])
            case "Float":
                return r.choice([1, 1.5, -2.25, 1e21, 1e-7])
            case "String":
                return r.choice(["a", 'A "q" \n é'])
            case "Boolean":
                return r.choice([True, False])
            case "ID":
                return r.choice(["x", 17])
            case "enum":
                return r.choice(["RED", "GREEN", "BLUE"])
            case "input":
                fields = self.fields.get(type_, {})
                if depth > 3:
                    return {}
                return {n: self.json(t, depth + 1) for n, t in fields.items() if t.endswith("!") or r.random() < 0.5}
            case _:
                return r.choice([1, "a", [1, {"a": None}]])
