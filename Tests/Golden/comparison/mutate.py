"""Random edits of a schema's document, one kind of node after the other."""

import random
from copy import deepcopy

from graphql import language as ast
from graphql.language import parse, parse_type, print_ast, visit


def name(text):
    return ast.NameNode(value=text)


def description(dice):
    return dice.choice([None, ast.StringValueNode(value=dice.choice(["one", "two"]), block=False)])


class Edits(ast.Visitor):
    """Visits every definition and does something to a few of them; the dice decide."""

    def __init__(self, seed, often):
        super().__init__()
        self.dice = random.Random(seed)
        self.often = often
        self.fresh = 0

    def hit(self):
        return self.dice.random() < self.often

    def some_name(self, prefix):
        self.fresh += 1
        return name(f"{prefix}{self.fresh}New")

    def less(self, nodes):
        return tuple(node for node in nodes or () if not self.hit())

    def rewrapped(self, node):
        text = print_ast(node)
        return parse_type(self.dice.choice([text.rstrip("!"), text.rstrip("!") + "!", f"[{text}]", text.replace("!", ""), "Int"]))

    def changed(self, node, **members):
        """A copy of the node: those of a document are not to be edited in place."""
        fields = {key: getattr(node, key) for key in node.keys}
        return type(node)(**{**fields, **members})

    def leave_field_definition(self, node, *_):
        if self.hit():
            node = self.changed(node, type=self.rewrapped(node.type))
        if self.hit():
            node = self.changed(node, description=description(self.dice))
        if self.hit():
            node = self.changed(node, arguments=self.less(node.arguments))
        if self.hit():
            kind = parse_type(self.dice.choice(["Int", "Int!", "[String!]"]))
            node = self.changed(
                node, arguments=(*(node.arguments or ()), ast.InputValueDefinitionNode(
                    name=self.some_name("arg"), type=kind, description=None, directives=(), default_value=None)))
        return node

    def leave_input_value_definition(self, node, _key, _parent, _path, ancestors):
        if self.hit():
            node = self.changed(node, type=self.rewrapped(node.type))
        if self.hit():
            node = self.changed(node, default_value=None)
        in_directive = any(isinstance(one, ast.DirectiveDefinitionNode) for one in ancestors if not isinstance(one, (list, tuple)))
        if self.hit() and not in_directive:
            node = self.changed(node, description=description(self.dice))
        return node

    def leave_enum_type_definition(self, node, *_):
        if self.hit() and len(node.values) > 1:
            node = self.changed(node, values=node.values[1:])
        if self.hit():
            node = self.changed(
                node, values=(*node.values, ast.EnumValueDefinitionNode(name=self.some_name("V"), description=None, directives=())))
        return node

    def leave_union_type_definition(self, node, *_):
        if self.hit() and len(node.types) > 1:
            node = self.changed(node, types=node.types[1:])
        return node

    def fields(self, node):
        if self.hit() and len(node.fields) > 1:
            node = self.changed(node, fields=self.less(node.fields) or node.fields)
        if self.hit() and not isinstance(node, ast.InputObjectTypeDefinitionNode):
            node = self.changed(node, interfaces=self.less(node.interfaces))
        return node

    def leave_object_type_definition(self, node, *_):
        return self.fields(node)

    def leave_interface_type_definition(self, node, *_):
        return self.fields(node)

    def leave_input_object_type_definition(self, node, *_):
        return self.fields(node)

    def leave_directive_definition(self, node, *_):
        if self.hit():
            node = self.changed(node, repeatable=not node.repeatable)
        if self.hit():
            node = self.changed(node, arguments=self.less(node.arguments))
        if self.hit() and len(node.locations) > 1:
            node = self.changed(node, locations=node.locations[1:])
        return node

    def leave_document(self, node, *_):
        keep = [one for one in node.definitions if not (self.dice.random() < self.often / 2)]
        return self.changed(node, definitions=tuple(keep))


def mutated(sdl, seed, often):
    return print_ast(visit(parse(sdl), Edits(seed, often)))
