import Brokerage
import Synchronization
import TestSupport
package import Upstream

/// A list in the responses of a provider, for a property: an unusual row does not change what is read of the other rows.
///
/// The rows are those of the provider's sandbox, in a real response, and are read by the adapter over HTTP.
package struct RowList: Sendable, CustomStringConvertible {
    package let description: String
    /// The members, and indices of arrays, that lead to the list.
    package let path: [String]
    private let omitting: Set<String>
    private let read: @Sendable (ProviderBaseURL, HTTPClient) async throws -> RowReading

    /// - Parameters:
    ///   - description: The name of the list in the test.
    ///   - path: The members, and indices of arrays, that lead from the response to the list: an array, or an object whose
    ///     values are the rows.
    ///   - omitting: The members that can make a row one that is left out, such as a time outside of the requested range.
    ///   - read: Reads the list with a new client of the adapter, so that no cache has it.
    package init(
        _ description: String, at path: String..., omitting: Set<String> = [],
        read: @escaping @Sendable (ProviderBaseURL, HTTPClient) async throws -> RowReading
    ) {
        self.description = description
        self.path = path
        self.omitting = omitting
        self.read = read
    }

    /// Reads three rows, with each variant of the second.
    ///
    /// - Parameter sandbox: The address of the provider in the sandbox.
    /// - Returns: The number of variants, and the violations.
    /// - Throws: The errors of reading the rows as the sandbox sends them.
    package func check(against sandbox: String) async throws -> Check {
        let served = ServedBody()
        return try await CannedServer.run(answering: { _, _ in .body(served.bytes) }) { server, transport in
            guard let url = HTTPURL(server.url) else { throw Unusable(reason: "no address") }
            let read = { [self] (body: JSONValue) async throws -> RowReading in
                served.bytes = Array(body.serialized.utf8)
                return try await self.read(ProviderBaseURL(url), transport)
            }
            _ = try? await read(.object([:]))
            guard let request = server.requests.first else { throw Unusable(reason: "nothing is requested") }
            let body = try await Self.response(to: request, of: sandbox, transport)
            var check = try await check(body, read)
            check.query = Self.queryNames(of: request.target)
            return check
        }
    }

    package struct Check: Sendable {
        /// The number of variants.
        package var cases: Int
        /// Each violation of the property.
        package var violations: [String]
        /// The members without which a row is not read.
        package var required: Set<String>
        /// The names of the query that the adapter has sent.
        package var query: Set<String> = []
    }

    private static func queryNames(of target: String) -> Set<String> {
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return Set(query.split(separator: "&").compactMap { $0.split(separator: "=").first.map(String.init) })
    }

    private struct Unusable: Error {
        let reason: String
    }

    /// The sandbox's response to a request of the adapter.
    private static func response(
        to request: CannedServer.Request, of sandbox: String, _ transport: HTTPClient
    ) async throws -> JSONValue {
        guard let url = HTTPURL(sandbox + request.target) else { throw Unusable(reason: request.target) }
        var headers = HTTPClientHeaders()
        if let key = request.headers["authorization"] { headers.add("Authorization", key) }
        let response = try await transport.send(
            HTTPClientRequest(.get, url, headers: headers, deadline: .now + .seconds(60)))
        guard response.status == 200 else { throw Unusable(reason: "status \(response.status)") }
        return try JSONValue(parsing: response.body)
    }

    private func check(
        _ body: JSONValue, _ read: (JSONValue) async throws -> RowReading
    ) async throws -> Check {
        guard let rows = body.value(at: path[...]).flatMap(Rows.init) else {
            throw Unusable(reason: "no list at \(path)")
        }
        let whole = try await read(body.replacing(path[...], with: rows.list))
        let others = try await read(body.replacing(path[...], with: rows.others)).rows
        guard whole.rows.count == 3, whole.failures.isEmpty, others.count == 2 else {
            throw Unusable(reason: "\(whole), others \(others)")
        }
        let variants =
            RowVariant.all(of: rows.varied)
            + ["null", "7", "[]", "{}", "true", "\"\(RowVariant.longText)\""].map {
                RowVariant(path: [], change: "", text: $0)
            }
        var violations: [String] = []
        var required: Set<String> = []
        for variant in variants {
            let list = try rows.list(with: JSONValue(parsing: variant.text))
            do {
                let reading = try await read(body.replacing(path[...], with: list))
                if variant.change == "absent", !reading.failures.isEmpty { required.insert(variant.member) }
                if let reason = violation(reading, others, variant) {
                    violations.append("\(variant.member) \(variant.change): \(reason)")
                }
            } catch {
                violations.append("\(variant.member) \(variant.change): the list has failed: \(error)")
            }
        }
        return Check(cases: variants.count, violations: violations, required: required)
    }

    /// What is wrong with a reading; nil if nothing is.
    private func violation(_ reading: RowReading, _ others: [String], _ variant: RowVariant) -> String? {
        var rest = reading.rows
        for other in others {
            guard let index = rest.firstIndex(of: other) else { return "\(other) is missing" }
            rest.remove(at: index)
        }
        let member = variant.outerMember
        if rest.count + reading.failures.count > 1 { return "\(rest), \(reading.failures)" }
        if rest.isEmpty, reading.failures.isEmpty, !omitting.contains(member) {
            return "neither a row nor an error"
        }
        for failure in reading.failures {
            if !member.isEmpty, !failure.contains(member) {
                return "the error does not name the member: \(failure)"
            }
            for value in ["private value", "UNHEARD_OF", "1e120"] where failure.contains(value) {
                return "the error has a value: \(failure)"
            }
        }
        return nil
    }
}

/// What an adapter reads of a list.
package struct RowReading: Sendable, CustomStringConvertible {
    /// The readable rows, each as a text of its values.
    package var rows: [String]
    /// The errors of the others.
    package var failures: [String]

    package init(_ rows: [String] = [], _ failures: [String] = []) {
        self.rows = rows
        self.failures = failures
    }

    package var description: String { "rows \(rows), failures \(failures)" }
}

/// The body of all responses of a server.
private final class ServedBody: Sendable {
    // The server reads it on its event loop; held for a copy.
    private let body = Mutex<[UInt8]>([])

    var bytes: [UInt8] {
        get { body.withLock(\.self) }
        set { body.withLock { $0 = newValue } }
    }
}

/// Three rows of a list; the last is repeated in a shorter list.
private struct Rows {
    let varied: JSONValue
    private let keys: [String]?
    private let elements: [JSONValue]

    /// Nil unless the value is an array or an object with rows.
    init?(_ value: JSONValue) {
        let members = value.members?.sorted { $0.key > $1.key }
        guard let rows = value.elements ?? members?.map(\.value), let last = rows.last else { return nil }
        elements = (0..<3).map { $0 < rows.count ? rows[$0] : last }
        varied = elements[1]
        keys = members.map { members in
            // The keys of repeated rows are later times.
            (0..<3).map { index in
                index < members.count
                    ? members[index].key : String((Int(members[members.count - 1].key) ?? 0) + index)
            }
        }
    }

    var list: JSONValue { list(of: [0, 1, 2], varied) }
    var others: JSONValue { list(of: [0, 2], varied) }

    func list(with row: JSONValue) -> JSONValue { list(of: [0, 1, 2], row) }

    private func list(of indices: [Int], _ row: JSONValue) -> JSONValue {
        let rows = indices.map { $0 == 1 ? row : elements[$0] }
        guard let keys else { return .array(rows) }
        return .object(Dictionary(uniqueKeysWithValues: zip(indices.map { keys[$0] }, rows)))
    }
}

extension JSONValue {
    fileprivate func value(at path: ArraySlice<String>) -> JSONValue? {
        guard let step = path.first else { return self }
        return (Int(step).flatMap { self[$0] } ?? self[step])?.value(at: path.dropFirst())
    }

    fileprivate func replacing(_ path: ArraySlice<String>, with value: JSONValue) -> JSONValue {
        guard let step = path.first else { return value }
        if var elements, let index = Int(step), elements.indices.contains(index) {
            elements[index] = elements[index].replacing(path.dropFirst(), with: value)
            return .array(elements)
        }
        guard var members else { return self }
        members[step] = members[step]?.replacing(path.dropFirst(), with: value)
        return .object(members)
    }
}
