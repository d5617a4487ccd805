import GraphQL
import TestSupport

/// Runs every mutation of a schema until it is answered without an error, and holds the answers against the schema.
///
/// Nothing is listed by hand: arguments are made from their types, in one way after another until each alternative of
/// each `@oneOf` was taken; what one mutation makes is what another one changes. Those that delete come last.
struct MutationRun {
    private let schema: Schema
    private let answer: (_ query: String, _ token: String?) async throws -> JSONValue
    private var examples: InputExamples
    /// Of the newest session.
    private var token: String?
    /// How a session was made, the newest last.
    private var openings: [String] = []
    /// Mutations that were answered without an error.
    private(set) var done: Set<String> = []
    /// Alternatives, as `OrderSize.notional`, that were part of such a mutation.
    private(set) var taken: Set<String> = []
    /// Inputs that need not be given, and were part of such a mutation.
    private var given: Set<String> = []
    /// Fields that were asked for, as `Type.field`.
    private(set) var asked: Set<String> = []
    /// What is wrong with answers that came without an error.
    private(set) var violations: [String] = []
    /// The last answer to each mutation that was refused.
    private(set) var refusals: [String: String] = [:]
    private var number = 0

    /// So many ways are tried only for inputs that need not be given: some never make sense.
    private static let spares = 30

    /// - Parameters:
    ///   - schema: Whose mutations are run.
    ///   - ask: Answers a mutation under a session's token.
    init(
        _ schema: Schema, ask: @escaping (_ query: String, _ token: String?) async throws -> JSONValue
    ) {
        self.schema = schema
        answer = ask
        examples = InputExamples(schema)
    }

    /// Runs everything; `followUp` does what a user does between two mutations, and tells what came of it by name.
    mutating func run(followUp: ([String: String]) async throws -> [String: String]) async throws {
        guard let root = schema.mutationType else { return }
        let fields = schema[root].fields
        let making = fields.filter { !deletes($0) }
        for field in making { try await attempt(field, followUp) }
        for field in making where !done.contains(field.name) {
            try await attempt(field, after: making.filter { done.contains($0.name) }, followUp)
        }
        let deleting = fields.filter { deletes($0) }
        // What takes away the ground that others stand on comes last: a session, then the user.
        let ordered =
            deleting.filter { $0.arguments.contains(where: \.isRequired) }
            + deleting.filter { !$0.arguments.contains(where: \.isRequired) }
        for field in ordered { try await attempt(field, followUp) }
    }

    /// The mutations of the schema that no answer came to without an error, each with the last answer.
    var undone: [String] {
        guard let root = schema.mutationType else { return [] }
        return schema[root].fields.map(\.name).filter { !done.contains($0) }
            .map { "\($0): \(refusals[$0] ?? "its arguments cannot be made")" }
    }

    /// Alternatives of `@oneOf` types, reachable from mutations, that were part of none.
    var untaken: [String] {
        schema.types.flatMap { type -> [String] in
            guard case .inputObject(let definition) = type.kind, definition.isOneOf else { return [] }
            return definition.fields.map { "\(type.name).\($0.name)" }.filter { !taken.contains($0) }
        }
    }

    /// Whether it says what was deleted.
    private func deletes(_ field: SchemaField) -> Bool {
        schema[field.type.type].field(named: "deletedId") != nil
    }

    // MARK: - Running

    private mutating func attempt(
        _ field: SchemaField, ways: Int = 200, _ followUp: ([String: String]) async throws -> [String: String]
    ) async throws {
        var spares = Self.spares
        var refused: Set<String> = []
        for way in 0..<ways {
            number += 1
            var choices = Choices(way)
            guard let arguments = examples.arguments(of: field, &choices, number: number) else { continue }
            if done.contains(field.name), choices.alternatives.isSubset(of: taken) {
                guard spares > 0, !choices.optionals.isSubset(of: given) else { continue }
                spares -= 1
            }
            let query = "mutation { \(field.name)\(arguments) \(selection(of: field)) }"
            guard !refused.contains(query) else { continue }
            guard try await send(query, field) else {
                refused.insert(query)
                continue
            }
            taken.formUnion(choices.alternatives)
            given.formUnion(choices.optionals)
            for (name, value) in try await followUp(examples.told) { examples.told[name] = value }
        }
    }

    /// Attempts one in whose way stands what the others did last: after each of them, done once more.
    private mutating func attempt(
        _ field: SchemaField, after others: [SchemaField],
        _ followUp: ([String: String]) async throws -> [String: String]
    ) async throws {
        // What answers with the same is of the same thing.
        let kin = others.filter { $0.type == field.type } + others.filter { $0.type != field.type }
        for other in kin {
            for way in 0..<30 {
                number += 1
                var choices = Choices(way)
                guard let arguments = examples.arguments(of: other, &choices, number: number) else {
                    continue
                }
                let query = "mutation { \(other.name)\(arguments) \(selection(of: other)) }"
                guard try await send(query, other) else { continue }
                for (name, value) in try await followUp(examples.told) { examples.told[name] = value }
                try await attempt(field, ways: 48, followUp)
                if done.contains(field.name) { return }
            }
        }
    }

    /// Whether it was answered without an error.
    private mutating func send(_ query: String, _ field: SchemaField) async throws -> Bool {
        let valid = try validate(parse(SourceText(query)), against: schema)
        for use in valid.schemaUses {
            if case .member = use.coordinate { asked.insert(use.coordinate.description) }
        }
        var value = try await answer(query, token)
        let needsSession = field.appliedDirectives.first(named: "requires") != nil
        if needsSession, value.wantsOtherSession, try await reopen() {
            value = try await answer(query, token)
        }
        if let errors = value["errors"]?.elements {
            refusals[field.name] = errors.first?["message"]?.string ?? "an error"
            return false
        }
        let check = AnswerCheck(value, to: valid)
        violations += check.violations.map { "\(field.name): \($0)" }
        note(check)
        learn(from: value["data"]?[field.name], query)
        done.insert(field.name)
        return true
    }

    /// Keeps the ids that an answer has.
    private mutating func note(_ check: AnswerCheck) {
        for (type, id) in check.ids { examples.add(id: id, of: type) }
    }

    /// Keeps what an answer tells under a name, for arguments of that name.
    private mutating func learn(from payload: JSONValue?, _ query: String) {
        for (name, value) in payload?.members ?? [:] {
            if let text = value.string { examples.told[name] = text }
        }
        if let token = payload?["token"]?.string {
            self.token = token
            openings.append(query)
        }
    }

    /// Opens a session again as one was opened before.
    private mutating func reopen() async throws -> Bool {
        token = nil
        for query in openings.reversed() {
            let value = try await answer(query, nil)
            note(AnswerCheck(value, to: try validate(parse(SourceText(query)), against: schema)))
            let payload = value["data"]?.members?.values.first
            if let token = payload?["token"]?.string {
                self.token = token
                return true
            }
        }
        return false
    }

    // MARK: - Selecting

    /// All leaves of what comes back, and those of what these lead to, twice.
    private func selection(of field: SchemaField, depth: Int = 2) -> String {
        let type = schema[field.type.type]
        if type.isLeaf { return "" }
        let fields = type.fields.filter { !$0.arguments.contains(where: \.isRequired) }
            .filter { depth > 0 || schema[$0.type.type].isLeaf }
        return
            "{ __typename \(fields.map { "\($0.name) \(selection(of: $0, depth: depth - 1))" }.joined(separator: " ")) }"
    }
}

extension JSONValue {
    /// Whether the session was missing, had ended, or may not do this.
    fileprivate var wantsOtherSession: Bool {
        self["errors"]?.elements?.contains { error in
            ["UNAUTHENTICATED", "FORBIDDEN"].contains(error["extensions"]?["code"])
        } ?? false
    }
}
