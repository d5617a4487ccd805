import Brokerage
import Foundation
import TestSupport
import Testing

/// A screen of an app: its document in `schema/operations`.
struct Screen {
    let document: String

    /// Reads the document with a path like `accounts/home`.
    init(_ path: String) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "schema/operations/\(path).graphql")
        document = try String(contentsOf: file, encoding: .utf8)
    }
}

extension RunningServer {
    /// Asks for a screen with variables, which are JSON.
    func show(_ screen: Screen, _ variables: String = "{}", token: String? = ownerToken) async throws
        -> RawResponse
    {
        let query = RawRequest.query(screen.document).dropLast()
        let fields = token.map { ["Authorization: Bearer \($0)"] } ?? []
        return try await send(RawRequest.post("\(query),\"variables\":\(variables)}", fields: fields))
    }
}

extension JSONValue {
    /// The value at a path like `account.positions`; nil where there is none.
    func at(_ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(self) { value, key in
            Int(key).map { value?[$0] } ?? value?[String(key)]
        }
    }

    /// A number, written as one or in a string.
    var exact: Brokerage.Decimal? {
        (string ?? digits).flatMap { Brokerage.Decimal($0) }
    }
}
