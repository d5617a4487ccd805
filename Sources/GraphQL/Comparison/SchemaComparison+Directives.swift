extension SchemaComparison {
    var directiveChanges: [SchemaChange] {
        let directives = NamedListDiff(older.directives, newer.directives, by: \.name)
        return directives.removed.map { SchemaChange(.directiveRemoved, .directive($0.name)) }
            + directives.added.map { SchemaChange(.directiveAdded, .directive($0.name)) }
            + directives.kept.flatMap { changes($0, $1) }
    }

    private func changes(_ old: DirectiveType, _ new: DirectiveType) -> [SchemaChange] {
        let subject = SchemaCoordinate.directive(old.name)
        let lost = old.locations.filter { !new.locations.contains($0) }
        let gained = new.locations.filter { !old.locations.contains($0) }
        var changes = argumentChanges(old, new)
        if old.isRepeatable != new.isRepeatable {
            changes.append(
                SchemaChange(
                    old.isRepeatable ? .directiveRepeatableRemoved : .directiveRepeatableAdded, subject))
        }
        return changes + description(old.description, new.description, of: subject)
            + lost.map { SchemaChange(.directiveLocationRemoved, subject, before: $0.rawValue) }
            + gained.map { SchemaChange(.directiveLocationAdded, subject, after: $0.rawValue) }
    }

    private func argumentChanges(_ old: DirectiveType, _ new: DirectiveType) -> [SchemaChange] {
        func coordinate(_ argument: SchemaInputValue) -> SchemaCoordinate {
            .directiveArgument(directive: old.name, name: argument.name)
        }
        let arguments = NamedListDiff(old.arguments, new.arguments, by: \.name)
        return arguments.added.map { argument in
            SchemaChange(
                argument.isRequired ? .requiredDirectiveArgumentAdded : .optionalDirectiveArgumentAdded,
                coordinate(argument))
        }
            + arguments.removed.map { SchemaChange(.directiveArgumentRemoved, coordinate($0)) }
            + arguments.kept.flatMap { old, new in
                valueChanges(old, new, of: coordinate(old), .argument)
                    + annotations(old, new, of: coordinate(old))
            }
    }
}
