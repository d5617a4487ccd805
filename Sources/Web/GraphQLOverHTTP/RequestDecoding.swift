import GraphQL
import NIOCore

extension GraphQLRequest {
    /// The request in the parameters of a URL (GraphQL over HTTP, "GET").
    ///
    /// - Throws: `.invalidParameter`, or `.invalidRequest` if there is no query.
    init(_ parameters: QueryParameters, jsonLimits: JSONLimits) throws(HTTPError) {
        let variables = try parameters.object("variables", jsonLimits)
        let extensions = try parameters.object("extensions", jsonLimits)
        let query = try parameters.value(of: "query")
        let id = try parameters.value(of: "documentId")
        guard query != nil || id != nil || extensions["persistedQuery"] != nil else {
            throw .invalidRequest(.noQuery)
        }
        let name = try parameters.value(of: "operationName")
        self.init(
            query ?? "", operationName: name?.isEmpty == true ? nil : name, variables: variables,
            extensions: extensions)
        documentID = id
    }
}

extension RequestBody {
    /// Decodes a JSON body.
    ///
    /// - Throws: `.invalidRequest`.
    init(_ body: ByteBuffer, jsonLimits: JSONLimits, batchLimit: Int) throws(HTTPError) {
        do {
            try self.init(json: body.readableBytesUInt8Span, limits: jsonLimits, batchLimit: batchLimit)
        } catch {
            throw .invalidRequest(error)
        }
    }
}

extension QueryParameters {
    /// The value of a parameter that is a JSON object; empty if the parameter is null, empty or missing.
    fileprivate func object(_ name: String, _ limits: JSONLimits) throws(HTTPError) -> InputObject {
        guard let text = try value(of: name), !text.isEmpty else { return InputObject() }
        let value: InputValue
        do {
            value = try InputValue(json: text.utf8Span.span, limits: limits)
        } catch {
            throw .invalidParameter(name, reason: "is no JSON: \(error.message)".droppingFullStop)
        }
        switch value {
        case .object(let object): return object
        case .null: return InputObject()
        case .boolean, .int, .number, .string, .enum, .list:
            throw .invalidParameter(name, reason: "must be a JSON object")
        }
    }
}

extension String {
    fileprivate var droppingFullStop: String {
        hasSuffix(".") ? String(dropLast()) : self
    }
}
