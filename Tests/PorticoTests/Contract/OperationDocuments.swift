import Foundation
import GraphQL
import TestSupport
import Testing

/// A document of `schema/operations`, with its example variables.
struct OperationDocument: CustomTestStringConvertible, Sendable {
    /// The file's name without its ending, as in `raven-home`.
    let name: String
    /// The folder that it lies in.
    let app: String
    let text: String
    let variables: [UInt8]

    var testDescription: String { name }

    /// Of the repository, as it lies beside the tests.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../schema/operations").standardizedFileURL

    static let all: [OperationDocument] = {
        do {
            return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(".graphql") }
                .map { path in
                    let file = folder.appending(path: path)
                    return OperationDocument(
                        name: file.deletingPathExtension().lastPathComponent,
                        app: file.deletingLastPathComponent().lastPathComponent,
                        text: try String(contentsOf: file, encoding: .utf8),
                        variables: [UInt8](
                            try Data(contentsOf: file.deletingPathExtension().appendingPathExtension("json")))
                    )
                }
        } catch {
            Issue.record(error)
            return []
        }
    }()

    var examples: InputObject {
        get throws {
            guard case .object(let object) = try InputValue(json: variables) else { return InputObject() }
            return object
        }
    }
}

extension OperationDocument {
    /// Asks a house for it, with its example variables and the house's own account; of a subscription the first answer.
    func ask(_ house: TestHouse) async throws -> JSONValue {
        let account = try await house.ask("{ account { id } }")["data"]?["account"]?["id"]?.string
        let variables = try variables(with: account ?? "")
        guard has(.subscription) else { return try await house.ask(text, variables: variables) }
        try await house.placeOpenOrder()
        var responses = try await house.follow(text, variables: variables)
        return try #require(try await responses.next())
    }

    /// Its example variables, with an account that there is.
    func variables(with account: String) throws -> InputObject {
        var variables = try examples
        variables.replace("accountId", with: .string(account))
        return variables
    }

    var isQuery: Bool { has(.query) }
    var isMutation: Bool { has(.mutation) }

    private func has(_ type: OperationType) -> Bool {
        guard let document = try? parse(SourceText(text)) else { return false }
        return document.definitions.contains { definition in
            if case .operation(let operation) = definition { return operation.type == type }
            return false
        }
    }
}

extension TestHouse {
    /// Places an order that stands, so that there is one to be told of.
    func placeOpenOrder() async throws {
        let account = try await ask("{ account(provider: ALPACA) { id } }")["data"]?["account"]?["id"]?.string
        let answer = try await ask(
            """
            mutation { placeOrder(input: { idempotencyKey: "open" accountId: "\(account ?? "")" side: BUY
                instrument: { symbol: "AMD" } size: { quantity: "1" } timeInForce: GTC price: { limit: "2.50" } }) {
                order { id } } }
            """)
        #expect(answer.failures.isEmpty, "\(answer)")
    }
}

extension InputObject {
    /// Gives every field of a name, however deep, another value: an example cannot know ids.
    fileprivate mutating func replace(_ name: String, with value: InputValue) {
        for field in fields {
            if field.name == name {
                self[name] = value
            } else if case .object(var object) = field.value {
                object.replace(name, with: value)
                self[field.name] = .object(object)
            }
        }
    }
}
