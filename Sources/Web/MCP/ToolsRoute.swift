import Cryptography
import GraphQL
import NIOCore
import NIOHTTP1
import PorticoCore

/// `/mcp`: trusted documents as tools of the Model Context Protocol, by its transport "Streamable HTTP".
///
/// Each request is complete in itself, and the server stores no protocol session (revision 2026-07-28). Clients of
/// earlier revisions can begin with `initialize`, whose result does not depend on earlier requests either. A
/// response is one JSON object, or a stream of events for the call of a tool whose client asks for its progress. The
/// server sends no other messages, so GET and DELETE are refused. A tool is executed by
/// ``GraphQLRoute``, so that sessions, limits, costs, caches and logs are those of any operation.
struct ToolsRoute: Route {
    private let catalog: ToolCatalog
    private let graphQL: GraphQLRoute
    /// Whether the schema is a resource.
    private let showsSchema: Bool
    /// Where clients get tokens; nil if no identity provider issues any.
    private let resource: ProtectedResource?

    init(
        _ catalog: ToolCatalog, over graphQL: GraphQLRoute, showsSchema: Bool,
        _ resource: ProtectedResource? = nil
    ) {
        (self.catalog, self.graphQL, self.resource) = (catalog, graphQL, resource)
        self.showsSchema = showsSchema
    }

    var checksOriginOfPOST: Bool { true }

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        let metadata = resource?.metadataURL(for: head)
        do throws(HTTPError) {
            guard head.method == .POST else { throw .methodNotAllowed(head.method, allowed: [.POST]) }
            try head.checkContentType()
            guard ContentNegotiation.acceptsJSON(head.fields.accept) else {
                throw .notAcceptable(head.fields.accept ?? "", offered: [.json])
            }
            let context = try graphQL.resources.authentication.context(
                of: head, id: id, accepted: AcceptedResponses(accept: nil))
            if let rejection = context.session.tokenRejection { throw .unauthorized(rejection) }
            let protocolHead = ProtocolHead(head.fields)
            let acceptsEvents = ContentNegotiation.streamFormat(accept: head.fields.accept) == .eventStream
            return .success { body, _ in
                graphQL.resources.authentication.verified(context) { context in
                    // The token may have ended since the head arrived, or been refused by its verification.
                    if let rejection = context.session.tokenRejection {
                        return .ready(Self.response(.unauthorized(rejection), id: id, metadata))
                    }
                    return respond(
                        to: body, protocolHead, acceptsEvents: acceptsEvents, in: context, metadata)
                }
            }
        } catch {
            return .failure(RequestRejection(response: Self.response(error, id: id, metadata)))
        }
    }

    /// An error of HTTP with its status and header fields, and a body of JSON-RPC.
    private static func response(_ error: HTTPError, id: RequestID, _ metadata: String?) -> HTTPResponse {
        var response = error.response(as: .json, id: id)
        if case .unauthorized(let refusal) = error {
            response.headers = [
                HTTPResponse.Header("www-authenticate", refusal.challenge(resourceMetadata: metadata))
            ]
        }
        let body = JSONRPCError(
            .refused, error.message,
            data: ["code": .string(error.code.rawValue), "requestId": .string("\(id)")])
        response.body = .complete(InputValue.object(body.body).json)
        return response
    }

    // MARK: - Messages

    private func respond(
        to body: ByteBuffer, _ head: ProtocolHead, acceptsEvents: Bool, in context: RequestContext,
        _ metadata: String?
    ) -> MaybeAsync<HTTPResponse> {
        do throws(JSONRPCError) {
            let message = try JSONRPCMessage(
                json: Array(body.readableBytesView), limits: graphQL.resources.jsonLimits)
            let revision = try head.revision(of: message)
            guard let id = message.id else { return .ready(HTTPResponse(.accepted)) }
            if message.method == "tools/call" {
                // The client learns where it gets a token, and calls the tool again with it.
                if let metadata, context.token == nil, let scopes = requiredScopes(of: message) {
                    let refusal = AuthenticationError.missingToken(
                        "The tool needs a token with the scope \(scopes.joined(separator: ", ")).")
                    return .ready(Self.response(.unauthorized(refusal), id: context.requestID, metadata))
                }
                return try call(message, id, revision, acceptsEvents: acceptsEvents, in: context, metadata)
            }
            var result = try result(of: message, revision, in: context)
            if revision.isStateless { result["resultType"] = .string("complete") }
            return .ready(Self.response(JSONRPCMessage.response(InputValue.object(result).json, to: id)))
        } catch {
            return .ready(
                HTTPResponse(
                    head.isStateless || error.code.isOfTransport ? error.status : .ok,
                    ResponseMediaType.json.contentType, body: InputValue.object(error.body).json))
        }
    }

    private static func response(_ message: [UInt8]) -> HTTPResponse {
        HTTPResponse(.ok, ResponseMediaType.json.contentType, body: message)
    }

    private func result(
        of message: JSONRPCMessage, _ revision: ProtocolRevision, in context: RequestContext
    ) throws(JSONRPCError) -> InputObject {
        switch message.method {
        case "initialize" where !revision.isStateless:
            return introduction(["protocolVersion": .string(ProtocolRevision(offeredIn: message).rawValue)])
        case "server/discover" where revision.isStateless:
            var result = introduction(["supportedVersions": .list(ProtocolRevision.stateless)])
            result["_meta"] = .object(["io.modelcontextprotocol/serverInfo": .object(catalog.server)])
            return result.cacheable(revision, isPublic: true)
        case "ping" where !revision.isStateless: return [:]
        case "tools/list":
            let tools = catalog.tools.filter { $0.isPermitted(to: context.session) }
            let result: InputObject = ["tools": .list(tools.map { .object($0.listing) })]
            return result.cacheable(revision, isPublic: false)
        case "resources/list":
            let resources = resources(of: context.session)
            let result: InputObject = ["resources": .list(resources.map { .object($0.listing) })]
            return result.cacheable(revision, isPublic: false)
        case "resources/templates/list":
            let result: InputObject = ["resourceTemplates": .list([])]
            return result.cacheable(revision, isPublic: true)
        case "resources/read":
            let uri = try message.text("uri")
            guard let resource = resources(of: context.session).first(where: { $0.uri == uri }) else {
                throw JSONRPCError(
                    revision.isStateless ? .invalidParams : .resourceNotFound,
                    "There is no resource \"\(uri)\". `resources/list` lists all.",
                    id: message.id, data: ["uri": .string(uri)])
            }
            let result: InputObject = ["contents": .list([.object(resource.contents)])]
            return result.cacheable(revision, isPublic: false)
        default:
            throw JSONRPCError(
                .methodNotFound, "There is no method \"\(message.method)\" in revision \(revision.rawValue).",
                id: message.id)
        }
    }

    /// The resources of a session: the documents of its tools, and the schema where the server shows it.
    private func resources(of session: any GraphQLSession) -> [Resource] {
        let schema = Resource(uri: "portico://schema.graphql", name: "schema", text: catalog.schemaText)
        let documents = catalog.tools.filter { $0.isPermitted(to: session) }.map { tool in
            Resource(uri: "portico://documents/\(tool.name).graphql", name: tool.name, text: tool.document)
        }
        return (showsSchema ? [schema] : []) + documents
    }

    /// The capabilities of the server, in addition to other members of a result.
    private func introduction(_ members: InputObject) -> InputObject {
        var result = members
        result["capabilities"] = .object(["tools": .object([:]), "resources": .object([:])])
        result["serverInfo"] = .object(catalog.server)
        result["instructions"] = .string(
            """
            Each tool is a GraphQL operation over brokers and market data. Amounts are exact decimals in strings. A \
            value that could not be read is null, with an entry in "errors" that has its path and a code.
            """)
        return result
    }

    // MARK: - Calls

    /// The scopes that a called tool needs; nil if it needs none, or does not exist.
    private func requiredScopes(of message: JSONRPCMessage) -> [String]? {
        guard let name = try? message.text("name"), let tool = catalog.tool(named: name) else { return nil }
        let scopes = Array(tool.requiredScopes)
        return scopes.isEmpty ? nil : scopes
    }

    private func call(
        _ message: JSONRPCMessage, _ id: InputValue, _ revision: ProtocolRevision, acceptsEvents: Bool,
        in context: RequestContext, _ metadata: String?
    ) throws(JSONRPCError) -> MaybeAsync<HTTPResponse> {
        let name = try message.text("name")
        guard let tool = catalog.tool(named: name) else {
            throw JSONRPCError(
                .invalidParams, "There is no tool \"\(name)\". `tools/list` lists those of this session.",
                id: id)
        }
        let arguments: InputObject
        switch message.parameters["arguments"] {
        case .object(let object)?: arguments = object
        case nil, .null?: arguments = [:]
        default: throw JSONRPCError(.invalidParams, "\"arguments\" must be an object.", id: id)
        }
        if let refusal = tool.refusal(of: arguments, for: context.session) {
            return .ready(Self.response(ToolResult.refusal(refusal).message(id: id, revision)))
        }
        let request = GraphQLRequest(tool.document, variables: tool.variables(from: arguments, call: id))
        var context = context
        context.isToolCall = true
        if acceptsEvents, let token = message.progressToken {
            let format = ToolCallFormat(tool, id: id, progressToken: token, revision)
            do throws(HTTPError) {
                return .ready(try graphQL.stream(request, as: .toolCall(format), in: context))
            } catch {
                return .ready(Self.response(error, id: context.requestID, metadata))
            }
        }
        return graphQL.execute(request, in: context).map { response in
            let result = ToolResult.response(response.completeBody)
            return Self.response(result.message(id: id, revision))
        }
    }
}

extension Tool {
    /// Whether a session has all scopes that the fields of the operation require.
    func isPermitted(to session: any GraphQLSession) -> Bool {
        requiredScopes.allSatisfy { session.scopes.contains($0) }
    }

    /// The reason why a call is refused before its execution; nil if it is not.
    ///
    /// The coercion of variables checks the other properties of values, and names the path of an invalid one.
    fileprivate func refusal(of arguments: InputObject, for session: any GraphQLSession) -> String? {
        let missing = requiredScopes.filter { !session.scopes.contains($0) }
        guard missing.isEmpty else {
            return """
                The tool "\(name)" needs a session with the scope \(missing.joined(separator: ", ")). Send the token \
                of such a session as `Authorization: Bearer <token>`.
                """
        }
        // A longer name than operations have is compared by its beginning.
        let names = arguments.fields.lazy.map { $0.name.shortened() }
        guard let unknown = names.first(where: { !variables.contains($0) }) else {
            return refusalOfServerFields(in: arguments)
                ?? ArgumentForm.refusal(of: arguments, by: inputSchema, patterns)
        }
        let known = variables.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            The tool "\(name)" has no argument "\(unknown)". \
            \(known.isEmpty ? "It has no arguments." : "Its arguments are \(known).")
            """
    }

    private func refusalOfServerFields(in arguments: InputObject) -> String? {
        for (variable, field) in serverFields {
            guard case .object(let object)? = arguments[variable], object[field] != nil else { continue }
            return """
                The tool "\(name)" has no argument "\(variable).\(field)", because the server sets it from the id of \
                the call. Call it without this argument.
                """
        }
        return nil
    }

    /// The variables of a call: its arguments, and the fields that the server sets.
    fileprivate func variables(from arguments: InputObject, call id: InputValue) -> InputObject {
        var variables = arguments
        for (variable, field) in serverFields {
            guard case .object(var object)? = arguments[variable] else { continue }
            object[field] = .string(Base64.url.encoded(HashFunction.sha256.hash(id.json.span)))
            variables[variable] = .object(object)
        }
        return variables
    }
}

extension InputObject {
    /// Adds how long clients may store the result (revision 2026-07-28, "CacheableResult").
    ///
    /// The tools of a session change only with the server's documents.
    fileprivate func cacheable(_ revision: ProtocolRevision, isPublic: Bool) -> InputObject {
        guard revision.isStateless else { return self }
        var result = self
        result["ttlMs"] = .int(60_000)
        result["cacheScope"] = .string(isPublic ? "public" : "private")
        return result
    }
}

extension HTTPResponse {
    /// The bytes of a body that is complete; empty for others.
    fileprivate var completeBody: [UInt8] {
        switch body {
        case .complete(let bytes): bytes
        case .streamed, .upgrade: []
        }
    }
}

/// A resource: the schema, or the document of a tool.
private struct Resource {
    let uri: String
    let name: String
    let text: String

    private static let mediaType = InputValue.string("application/graphql")

    var listing: InputObject {
        ["uri": .string(uri), "name": .string(name), "mimeType": Self.mediaType]
    }

    var contents: InputObject { ["uri": .string(uri), "mimeType": Self.mediaType, "text": .string(text)] }
}
