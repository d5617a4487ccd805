import Brokerage
import Contract
import GraphQL
import Sandbox
import TestSupport
import Testing

/// Compares the number of provider calls of a response, without data in memory, with the recorded number: an
/// additional call is a line of the difference.
// The clock is stopped, so a call that does not end would wait for ever.
@Suite("The upstream calls of a response", .timeLimit(.minutes(20)))
struct UpstreamCallTests {
    @Test(
        "to an operation of a real screen equal the recorded ones; `make golden` records them",
        arguments: OperationDocument.recorded)
    func document(_ document: OperationDocument) async throws {
        try await withTestGatewayWithoutLimits(settings: [:]) { gateway in
            if !document.isMutation { try await Self.createUserData(gateway) }
            try await document.prepare(gateway)
            let variables = try await document.variables { try await gateway.ask($0) }
            let events = try await document.countOfFirstEvents { try await gateway.ask($0) }
            let asked = try await gateway.restarted()
            let before = asked.sandbox.calls
            if document.isSubscription {
                var responses = try await asked.follow(document.text, variables: variables)
                for _ in 0..<events {
                    let failures = try #require(try await responses.next()).failures
                    #expect(failures.isEmpty, "\(failures)")
                }
                // The list is read again after the stream is connected, which no event shows.
                try await Self.untilQuiet(asked)
            } else {
                let failures = try await asked.ask(document.text, variables: variables).failures
                #expect(failures.isEmpty, "\(failures)")
            }
            #expect(try ParameterCheck(asked.sandbox.calls).undocumented.isEmpty)
            let calls = Self.calls(of: asked, since: before).joined(separator: "\n")
            try Golden.compare(calls + "\n", with: "operations/\(document.name).calls.txt")
        }
    }

    /// Waits until no call was made for a second, at most a minute.
    private static func untilQuiet(_ gateway: TestGateway) async throws {
        var known = -1
        for _ in 1...60 where known != gateway.sandbox.calls.total {
            known = gateway.sandbox.calls.total
            try await Task.sleep(for: .seconds(1))
        }
    }

    @Test("to each pair of a root field and an object that it links to equal the recorded ones")
    func pairs() async throws {
        let schema = try Schema.build(Contract.schemaText)
        let root = schema[try #require(schema.queryType)]
        try await withTestGatewayWithoutLimits(settings: [:]) { gateway in
            try await Self.createUserData(gateway)
            let ids = try await Self.ids(root, schema, gateway)
            var blocks: [String] = []
            for field in root.fields {
                let arguments = try #require(
                    ArgumentExamples.arguments(of: field, variant: 0, in: schema, ids: ids), "\(field.name)")
                for arguments in [arguments] + Self.brokerArguments(of: field) {
                    for (link, selection) in Self.selections(of: field, schema, ids) {
                        let asked = try await gateway.restarted()
                        let before = asked.sandbox.calls
                        let answer = try await asked.ask("{ \(field.name)\(arguments) \(selection) }")
                        let name = "\(field.name)\(arguments)\(link)"
                        #expect(answer["data"]?[field.name] != .null, "\(name): \(answer.failures)")
                        let calls = Self.calls(of: asked, since: before).map { "  " + $0 }
                        blocks.append(([Self.withoutIDs(name, ids)] + calls).joined(separator: "\n"))
                    }
                }
            }
            try Golden.compare(blocks.joined(separator: "\n") + "\n", with: "operations/pairs.calls.txt")
            // The mutations above and all reads.
            try ParameterCheck.compare(gateway.sandbox.calls, with: "operations/parameters.txt")
        }
    }

    /// The calls since a time, as lines.
    ///
    /// A response that reads a list for many instruments reads others one by one: at Alpaca until the list of assets has arrived,
    /// at Saxo those that a slower account needs in addition. How many depends on the order in which responses arrive, so these
    /// calls are then not compared.
    private static func calls(of gateway: TestGateway, since before: Calls) -> [String] {
        let lines = gateway.sandbox.calls.lines(since: before)
        let uncounted = [
            ("alpaca GET /v2/assets: ", "alpaca GET /v2/assets/{symbol_or_asset_id}: "),
            (
                "saxo GET /ref/v1/instruments/details: ",
                "saxo GET /ref/v1/instruments/details/{uic}/{asset_type}: "
            ),
        ].filter { list, _ in lines.contains { $0.hasPrefix(list) } }.map(\.1)
        return lines.filter { line in !uncounted.contains { line.hasPrefix($0) } }
    }

    /// Creates the objects that users create, so that every field has a value.
    private static func createUserData(_ gateway: TestGateway) async throws {
        for document in OperationDocument.mutations {
            let failures = try await document.ask(gateway).failures
            #expect(failures.isEmpty, "\(document.name): \(failures)")
        }
    }

    /// An id for each type of the root fields without an id.
    private static func ids(
        _ root: NamedType, _ schema: Schema, _ gateway: TestGateway
    ) async throws -> [String: String] {
        var ids: [String: String] = [:]
        for field in root.fields {
            guard let arguments = ArgumentExamples.arguments(of: field, variant: 0, in: schema, ids: ids)
            else { continue }
            let query = "{ \(field.name)\(arguments) \(items(of: field, schema) { "{ __typename \($0) }" }) }"
            let valid = try validate(parse(SourceText(query)), against: schema)
            ids.merge(AnswerCheck(try await gateway.ask(query), to: valid).ids) { known, _ in known }
        }
        return ids
    }

    /// Replaces ids, so that the name is the same in every run.
    private static func withoutIDs(_ name: String, _ ids: [String: String]) -> String {
        ids.reduce(name) { $0.replacing($1.value, with: "id of \($1.key)") }
    }

    /// A private field with a broker argument is requested from Saxo too, which needs calls of its own for
    /// each account.
    private static func brokerArguments(of field: SchemaField) -> [String] {
        let isPrivate = field.appliedDirectives.first(named: "requires") != nil
        return isPrivate && field.arguments.contains { $0.name == "provider" } ? ["(provider: \"saxo\")"] : []
    }

    /// A selection on the objects of a field, or of its pages if it has pages.
    ///
    /// `select` gets `id` if the objects have one.
    private static func items(
        of field: SchemaField, _ schema: Schema, _ select: (_ id: String) -> String
    ) -> String {
        let type = schema[field.type.type]
        let item = type.field(named: "nodes").map { schema[$0.type.type] }
        let selection = select((item ?? type).field(named: "id") == nil ? "" : "id")
        return item == nil ? selection : "{ nodes \(selection) }"
    }

    /// For a field: its objects alone, and with each object that they link to, of which either nothing or
    /// every leaf is selected.
    private static func selections(
        of field: SchemaField, _ schema: Schema, _ ids: [String: String]
    ) -> [(link: String, selection: String)] {
        let type = schema[field.type.type]
        let item = type.field(named: "nodes").map { schema[$0.type.type] } ?? type
        var selections = [("", items(of: field, schema) { _ in "{ __typename }" })]
        for link in item.fields {
            let target = schema[link.type.type]
            guard target.isComposite,
                let arguments = ArgumentExamples.arguments(of: link, variant: 0, in: schema, ids: ids)
            else { continue }
            let leaves = target.fields.filter { leaf in
                schema[leaf.type.type].isLeaf && !leaf.arguments.contains(where: \.isRequired)
            }.map(\.name).joined(separator: " ")
            for (suffix, selected) in [("", ""), (" with its leaves", leaves)] {
                let selection = items(of: field, schema) { _ in
                    "{ \(link.name)\(arguments) { __typename \(selected) } }"
                }
                selections.append((".\(link.name)\(suffix)", selection))
            }
        }
        return selections
    }
}

extension Calls {
    /// The calls that have been added: a line for each endpoint, with the number of calls.
    ///
    /// Calls that open a stream are left out: they do not belong to a response, and their time is not
    /// determined.
    fileprivate func lines(since before: Calls) -> [String] {
        ProviderID.allCases.flatMap { provider in
            let old = Dictionary(uniqueKeysWithValues: before.all(of: provider).map { ($0.name, $0.count) })
            return all(of: provider).compactMap { name, count in
                let added = count - (old[name] ?? 0)
                let opensStream = ["/stream", "/connect", "/subscriptions"].contains { name.contains($0) }
                return added > 0 && !opensStream ? "\(provider.name.text) \(name): \(added)" : nil
            }
        }
    }
}
