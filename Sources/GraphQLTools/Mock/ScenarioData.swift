import GraphQL
import PorticoCore

/// Compares the data of a scenario with the schema: each key is a field of its type or an alias, and lists and objects are where
/// the schema has them.
///
/// The document of the operation is not known, so that values below an alias are not compared, and a key may be that of a query,
/// of a mutation or of a subscription.
struct ScenarioData {
    let file: String
    let schema: Schema
    /// The response keys that are no names of fields.
    let aliases: Set<String>

    /// - Throws: `UsageError` with the place of the first key or value that the schema does not have.
    func check(_ data: InputValue, at place: String) throws {
        let roots = [OperationType.query, .mutation, .subscription].compactMap(schema.rootType)
        try check(data, of: roots, at: place)
    }

    /// Compares an object of one of some types.
    private func check(_ value: InputValue, of types: [TypeID], at place: String) throws {
        guard case .object(let object) = value else {
            throw UsageError("\(file): \(place) is not an object, as \(names(of: types)) is.")
        }
        if object["__error"] != nil { return }
        // An object of an interface has the fields of its type.
        let all = unique(types + types.flatMap(schema.possibleTypes))
        for (name, value) in object.fields where !name.hasPrefix("__") && !aliases.contains(name) {
            let fields = all.compactMap { schema[$0].field(named: name)?.type }
            guard !fields.isEmpty else {
                let known = all.flatMap { schema[$0].fields.map(\.name) }
                throw UsageError(
                    "\(file): \(place).\(name) is no field of \(names(of: types))."
                        + Suggestions.didYouMean(name, among: known)
                        + " If it is an alias, add it to `aliases` of the operation.")
            }
            try check(value, of: fields, at: "\(place).\(name)")
        }
    }

    /// Compares the value of one of some fields.
    private func check(_ value: InputValue, of types: [GraphQLType], at place: String) throws {
        if value == .null { return }
        let items = types.compactMap { type in type.wrapping.item.map { GraphQLType(type.type, $0) } }
        if case .list(let values) = value, !items.isEmpty {
            for (index, value) in values.enumerated() {
                try check(value, of: items, at: "\(place)[\(index)]")
            }
            return
        }
        let single = types.filter { $0.wrapping.item == nil }
        guard !single.isEmpty else {
            if case .object(let object) = value, object["__error"] != nil { return }
            throw UsageError("\(file): \(place) is not a list.")
        }
        // A scalar can have any form.
        if single.allSatisfy({ schema[$0.type].isComposite }) {
            try check(value, of: single.map(\.type), at: place)
        }
    }

    private func names(of types: [TypeID]) -> String {
        unique(types).map { schema[$0].name }.joined(separator: ", ")
    }

    /// Each type once, because several fields and types can have the same one.
    private func unique(_ types: [TypeID]) -> [TypeID] {
        types.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
