import GraphQL
import TestSupport

/// Asks for every field of every type that queries reach, and holds the answers against the schema.
///
/// The operations are made from the schema alone: from each type that an answer had an object of, the fields that lead
/// on are followed to the types behind them. A field that is added is asked for without anything being changed here,
/// unless it has an argument of which `ArgumentExamples` has not heard; then it is named as one that could not be asked
/// for.
struct ContractRun {
    private let schema: Schema
    private let answer: (String) async throws -> JSONValue
    /// One id for each type of which a response had an object.
    private(set) var ids: [String: String] = [:]
    /// All ids of each type, that of ``ids`` first.
    private var allIDs: [String: [String]] = [:]
    /// The way by which an object of the type was answered.
    private(set) var paths: [String: ContractPath] = [:]
    /// Fields that were asked for, as `Type.field`.
    private(set) var asked: Set<String> = []
    /// What is wrong with answers, by the type that was asked about.
    private(set) var violations: [String] = []
    /// Ways that were tried in vain, by the type at their end.
    private var attempts: [String: [String]] = [:]
    /// The operations that were asked and how many of each field's own types they reached, for reports.
    private(set) var operations: [String] = []

    init(_ schema: Schema, ask: @escaping (String) async throws -> JSONValue) {
        self.schema = schema
        answer = ask
    }

    /// Asks for everything.
    mutating func run() async throws {
        guard let root = schema.queryType else { return }
        let waiting = try await askRoot(schema[root])
        var open = [(schema[root], ContractPath())]
        while !open.isEmpty {
            let (type, path) = open.removeFirst()
            for field in type.fields {
                for target in targets(of: field) where paths[schema[target].name] == nil {
                    let condition = schema[field.type.type].isAbstract ? schema[target].name : nil
                    let way = path.appending(ContractPath.Step(field: field, condition: condition))
                    if let found = try await askAbout(schema[target], by: way) {
                        open.append((schema[target], found))
                    }
                }
            }
        }
        // By now there are ids of most types.
        for field in waiting {
            if try await ask(field, ofRoot: schema[root]) { continue }
            violations.append("\(schema[root].name).\(field.name): there is no example for its arguments")
        }
        try await askInterfaces()
    }

    /// Object types that queries can lead to, and of which no answer had an object.
    var unanswered: [String] {
        guard let root = schema.queryType else { return [] }
        var reachable: Set<TypeID> = []
        var open = [root]
        while let type = open.popLast() {
            for field in schema[type].fields {
                for target in targets(of: field) where reachable.insert(target).inserted {
                    open.append(target)
                }
            }
        }
        return reachable.map { schema[$0].name }.filter { paths[$0] == nil }.sorted().map { name in
            "\(name) (tried: \(attempts[name]?.joined(separator: ", ") ?? "no way"))"
        }
    }

    /// The object types that values of a field may have.
    private func targets(of field: SchemaField) -> [TypeID] {
        schema[field.type.type].isComposite ? schema.possibleTypes(of: field.type.type) : []
    }

    // MARK: - Asking

    /// Asks for each field of the root on its own; those that need an id which nobody knows yet are handed back.
    private mutating func askRoot(_ root: NamedType) async throws -> [SchemaField] {
        var waiting: [SchemaField] = []
        for field in root.fields {
            if try await !ask(field, ofRoot: root) { waiting.append(field) }
        }
        return waiting
    }

    private mutating func ask(_ field: SchemaField, ofRoot root: NamedType) async throws -> Bool {
        guard let selection = selection(of: field, variant: 0) else { return false }
        try await send("{ \(selection) }", about: "\(root.name).\(field.name)")
        return true
    }

    /// Asks for all fields of a type by a way to it, in each variant until an object of it is answered.
    private mutating func askAbout(_ type: NamedType, by way: ContractPath) async throws -> ContractPath? {
        for variant in 0..<ArgumentExamples.variants {
            var way = way
            way.variant = variant
            let selection = type.fields.compactMap { self.selection(of: $0, variant: variant) }
                .joined(separator: " ")
            guard let query = way.query(selecting: selection, in: schema, ids: ids(ofVariant: variant))
            else { return nil }
            let check = try await check(query)
            guard check.typesSeen.contains(type.name) else {
                let fault = check.violations.first.map { ": \($0)" } ?? ""
                attempts[type.name, default: []].append("\(way.description) #\(variant)\(fault)")
                continue
            }
            accept(check, query, about: type.name)
            paths[type.name] = way
            return way
        }
        return nil
    }

    /// One id of each type, another one in each variant: not every account has objects of every type.
    private func ids(ofVariant variant: Int) -> [String: String] {
        allIDs.compactMapValues { $0.isEmpty ? nil : $0[variant % $0.count] }
    }

    /// Asks for the fields of interfaces as such, on an object that implements them.
    private mutating func askInterfaces() async throws {
        for type in schema.types {
            guard case .interface = type.kind else { continue }
            let implementation = schema.possibleTypes(of: type.id).lazy.compactMap { [schema, paths] id in
                paths[schema[id].name]
            }.first
            guard let path = implementation else { continue }
            let selection = type.fields.compactMap { self.selection(of: $0, variant: path.variant) }
            let text = "... on \(type.name) { \(selection.joined(separator: " ")) }"
            if let query = path.query(selecting: text, in: schema, ids: ids(ofVariant: path.variant)) {
                try await send(query, about: type.name)
            }
        }
    }

    private mutating func send(_ query: String, about subject: String) async throws {
        accept(try await check(query), query, about: subject)
    }

    private mutating func check(_ query: String) async throws -> AnswerCheck {
        let valid = try validate(parse(SourceText(query)), against: schema)
        for use in valid.schemaUses {
            if case .member = use.coordinate { asked.insert(use.coordinate.description) }
        }
        let check = AnswerCheck(try await answer(query), to: valid)
        ids.merge(check.ids) { known, _ in known }
        for (id, type) in check.ids.map({ ($1, $0) }) + check.typesByID.sorted(by: { $0.key < $1.key })
        where allIDs[type]?.contains(id) != true { allIDs[type, default: []].append(id) }
        return check
    }

    private mutating func accept(_ check: AnswerCheck, _ query: String, about subject: String) {
        operations.append(query)
        violations += check.violations.map { "\(subject): \($0)" }
    }

    // MARK: - Selecting

    /// A field with its arguments, and, where it has objects, all their leaves; nil where an argument has no example.
    private func selection(of field: SchemaField, variant: Int) -> String? {
        guard
            let arguments = ArgumentExamples.arguments(
                of: field, variant: variant, in: schema, ids: ids(ofVariant: variant))
        else { return nil }
        let type = schema[field.type.type]
        if type.isLeaf { return field.name + arguments }
        let leaves = type.fields.filter { field in
            schema[field.type.type].isLeaf && !field.arguments.contains(where: \.isRequired)
        }
        return "\(field.name)\(arguments) { __typename \(leaves.map(\.name).joined(separator: " ")) }"
    }
}
