import GraphQL
import TestSupport

/// Holds an answer against the types of its schema: which keys there are, what may be null, the values of enums, the
/// forms of scalars, and the rules of connections.
struct AnswerCheck {
    private let schema: Schema
    private let document: Document
    /// What is wrong, each with its path in the answer.
    private(set) var violations: [String] = []
    /// The object types that the answer has objects of.
    private(set) var typesSeen: Set<String> = []
    /// An id of an object, by its type.
    private(set) var ids: [String: String] = [:]
    /// The types of the objects with an id in the response, by the id.
    private(set) var typesByID: [String: String] = [:]

    /// Checks the answer to the only operation of a document.
    init(_ answer: JSONValue, to valid: ValidDocument) {
        schema = valid.schema
        document = valid.document
        for error in answer["errors"]?.elements ?? [] {
            if isDocumented(error, in: document) { continue }
            let path = error["path"]?.elements?.map { $0.string ?? $0.digits ?? "?" }.joined(separator: ".")
            violations.append("\(path ?? "the request"): \(error["message"]?.string ?? "an error")")
        }
        for case .operation(let operation) in document.definitions {
            guard let root = schema.rootType(for: operation.type), let data = answer["data"] else {
                violations.append("there is no data")
                continue
            }
            check(data, as: GraphQLType(root), [operation.selectionSet], at: "data")
        }
    }

    /// Whether an error is UNSUPPORTED at a field whose description states that it may be.
    private func isDocumented(_ error: JSONValue, in document: Document) -> Bool {
        guard error["extensions"]?["code"] == "UNSUPPORTED" else { return false }
        var types = document.definitions.compactMap { definition -> TypeID? in
            guard case .operation(let operation) = definition else { return nil }
            return schema.rootType(for: operation.type)
        }
        var last: SchemaField?
        for name in error["path"]?.elements?.compactMap(\.string) ?? [] {
            last = types.lazy.compactMap { [schema] in schema[$0].field(named: name) }.first
            guard let field = last else { return false }
            types = schema[field.type.type].isComposite ? schema.possibleTypes(of: field.type.type) : []
        }
        return last?.description?.contains("UNSUPPORTED") == true
    }

    private mutating func check(
        _ value: JSONValue, as type: GraphQLType, _ sets: [SelectionSet], at path: String
    ) {
        if value == .null {
            if type.wrapping.isNonNull { violations.append("\(path): null in \(schema.describe(type))") }
            return
        }
        if let item = type.wrapping.item {
            guard let items = value.elements else {
                violations.append("\(path): no list, but \(schema.describe(type))")
                return
            }
            for (index, value) in items.enumerated() {
                check(value, as: GraphQLType(type.type, item), sets, at: "\(path).\(index)")
            }
            return
        }
        switch schema[type.type].kind {
        case .scalar(let scalar): check(value, named: schema[type.type].name, scalar, at: path)
        case .enum(let definition):
            if value.string.flatMap({ definition.value(named: $0) }) == nil {
                violations.append("\(path): \(value) is no value of \(schema[type.type].name)")
            }
        case .object, .interface, .union: checkObject(value, type.type, sets, at: path)
        case .inputObject: violations.append("\(path): no field has an input type")
        }
    }

    private mutating func check(
        _ value: JSONValue, named name: String, _ scalar: ScalarType, at path: String
    ) {
        guard let form = ScalarForm(name, scalar) else {
            violations.append("\(path): nobody has said what a \(name) looks like")
            return
        }
        if !form.holds(value) { violations.append("\(path): \(value) is no \(name)") }
    }

    private mutating func checkObject(
        _ value: JSONValue, _ type: TypeID, _ sets: [SelectionSet], at path: String
    ) {
        guard let members = value.members else {
            violations.append("\(path): no object, but \(schema[type].name)")
            return
        }
        guard let runtimeType = runtimeType(of: value, type) else {
            violations.append("\(path): an object without a type that \(schema[type].name) may have")
            return
        }
        let name = schema[runtimeType].name
        typesSeen.insert(name)
        if let id = value["id"]?.string {
            ids[name] = ids[name] ?? id
            typesByID[id] = name
        }
        var selected: [String: Selected] = [:]
        for set in sets { collect(set, on: runtimeType, isCertain: true, into: &selected) }
        for key in members.keys.sorted() where selected[key] == nil {
            violations.append("\(path).\(key): nobody asked for it")
        }
        for (key, field) in selected.sorted(by: { $0.key < $1.key }) {
            guard let member = members[key] else {
                if field.isCertain { violations.append("\(path).\(key): missing") }
                continue
            }
            guard let definition = schema[runtimeType].field(named: field.name) else {
                if member.string != name { violations.append("\(path).\(key): \(member) is not \(name)") }
                continue
            }
            check(member, as: definition.type, field.sets, at: "\(path).\(key)")
        }
        violations += ConnectionRules.violations(in: value).map { "\(path): \($0)" }
    }

    /// The type that an object says it has, or the only one that it may have.
    private func runtimeType(of value: JSONValue, _ type: TypeID) -> TypeID? {
        let possible = schema.possibleTypes(of: type)
        if let name = value["__typename"]?.string {
            return schema.typeID(named: name).flatMap { possible.contains($0) ? $0 : nil }
        }
        return possible.count == 1 ? possible.first : nil
    }
}

// MARK: - What is selected

extension AnswerCheck {
    /// A field that an answer is to have.
    private struct Selected {
        let name: String
        var sets: [SelectionSet]
        /// False where a directive may have left it out.
        var isCertain: Bool
    }

    private func collect(
        _ set: SelectionSet, on type: TypeID, isCertain: Bool, into selected: inout [String: Selected]
    ) {
        for index in set.selections.indices {
            switch document.selections[index] {
            case .field(let field):
                let key = document.text(field.responseKey)
                let isCertain = isCertain && field.directives.isEmpty
                let sets = field.selectionSet.map { [$0] } ?? []
                var entry =
                    selected[key] ?? Selected(name: document.text(field.name), sets: [], isCertain: false)
                entry.sets += sets
                entry.isCertain = entry.isCertain || isCertain
                selected[key] = entry
            case .inlineFragment(let fragment):
                guard applies(fragment.typeCondition, to: type) else { continue }
                let isCertain = isCertain && fragment.directives.isEmpty
                collect(fragment.selectionSet, on: type, isCertain: isCertain, into: &selected)
            case .fragmentSpread(let spread):
                for case .fragment(let fragment) in document.definitions
                where fragment.name.id == spread.name.id && applies(fragment.typeCondition, to: type) {
                    let isCertain = isCertain && spread.directives.isEmpty
                    collect(fragment.selectionSet, on: type, isCertain: isCertain, into: &selected)
                }
            }
        }
    }

    private func applies(_ condition: Name?, to type: TypeID) -> Bool {
        guard let condition else { return true }
        return schema.typeID(named: document.text(condition)).map { schema.isSubtype(type, of: $0) } ?? false
    }
}
