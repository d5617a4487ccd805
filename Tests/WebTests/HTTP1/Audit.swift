import Testing

/// An audit of graphql-http, the reference test of the GraphQL-over-HTTP specification, by its id.
///
/// The ids and what they demand are those of `src/audits/server.ts` of graphql/graphql-http; requests and
/// expectations are written anew.
struct Audit: Sendable, CustomTestStringConvertible {
    let id: String
    let demand: String
    let request: AuditRequest
    let expectations: [Expectation]

    var testDescription: String { "\(id) \(demand)" }

    /// What an answer must be.
    enum Expectation: Sendable {
        case status(ClosedRange<Int>)
        case type(String)
        case errors(Bool)
        case noData
    }

    init(_ id: String, _ demand: String, _ request: AuditRequest, _ expectations: Expectation...) {
        self.id = id
        self.demand = demand
        self.request = request
        self.expectations = expectations
    }
}

extension Audit.Expectation {
    static let success = Audit.Expectation.status(200...200)
    static let badRequest = Audit.Expectation.status(400...400)
    static let clientError = Audit.Expectation.status(400...499)
    static let anyError = Audit.Expectation.status(400...599)
}

/// A request as `fetch` would send it.
struct AuditRequest: Sendable {
    private let method: String
    private let query: String
    private var fields: [String] = []
    private let body: String?

    /// A `POST` of a body, in JSON unless told otherwise.
    static func post(
        _ body: String?, accepting type: String? = nil, as contentType: String? = "application/json"
    ) -> AuditRequest {
        var fields: [String] = []
        if let contentType { fields.append("Content-Type: \(contentType)") }
        if let type { fields.append("Accept: \(type)") }
        return AuditRequest(method: "POST", query: "", fields: fields, body: body)
    }

    /// A `GET` of parameters that are escaped already.
    static func get(_ query: String, accepting type: String? = nil) -> AuditRequest {
        let fields = [type.map { "Accept: \($0)" }].compactMap(\.self)
        return AuditRequest(method: "GET", query: "?\(query)", fields: fields, body: nil)
    }

    var bytes: String {
        var lines = ["\(method) /graphql\(query) HTTP/1.1", "Host: portico"] + fields
        if method == "POST" { lines.append("Content-Length: \(body?.utf8.count ?? 0)") }
        return (lines + ["", body ?? ""]).joined(separator: "\r\n")
    }
}
