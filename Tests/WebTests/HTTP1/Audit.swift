import Testing

/// An audit of graphql-http, the reference test of the GraphQL-over-HTTP specification, by its id.
///
/// The ids and requirements are those of `src/audits/server.ts` of graphql/graphql-http; requests and
/// expectations are our own.
struct Audit: Sendable, CustomTestStringConvertible {
    let id: String
    let demand: String
    let request: AuditRequest
    let expectations: [Expectation]

    var testDescription: String { "\(id) \(demand)" }

    /// The required response.
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

/// A request, as `fetch` sends it.
struct AuditRequest: Sendable {
    private let method: String
    private let query: String
    private var fields: [String] = []
    private let body: String?

    /// A `POST` of a body, by default in JSON.
    static func post(
        _ body: String?, accepting type: String? = nil, as contentType: String? = "application/json"
    ) -> AuditRequest {
        var fields: [String] = []
        if let contentType { fields.append("Content-Type: \(contentType)") }
        if let type { fields.append("Accept: \(type)") }
        return AuditRequest(method: "POST", query: "", fields: fields, body: body)
    }

    /// A `GET` of escaped parameters.
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
