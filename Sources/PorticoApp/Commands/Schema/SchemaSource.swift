import ArgumentParser
import Contract
import Foundation
import GraphQL
import GraphQLTools
import PorticoCore
import Upstream

/// The options of commands that read a schema.
struct SchemaSourceOptions: ParsableArguments {
    @Option(
        name: [.customLong("schema"), .customLong("url")],
        help: """
            The schema: a file, - for standard input, git:REVISION:PATH, or the address of a server, which serves \
            /schema.graphql or allows introspection. Without it, the schema of this executable.
            """)
    var schema: String?

    @OptionGroup
    var headers: SchemaHeaderOptions

    /// Reads the schema; without the option that at `path`, or that of this executable if `path` is nil.
    ///
    /// - Throws: `UsageError` if it cannot be read.
    func source(default path: String?) async throws -> SourceText {
        guard let schema = schema ?? path else {
            return SourceText(Contract.schemaText, name: "schema.graphql")
        }
        return try await SchemaSource(schema, headers: headers.header).text()
    }
}

/// The headers of requests for a schema.
struct SchemaHeaderOptions: ParsableArguments {
    @Option(
        help: """
            A header of requests for the schema, such as 'X-Api-Key: …'; may be given more than once. PORTICO_TOKEN in \
            the environment is sent as `Authorization: Bearer`.
            """)
    var header: [String] = []
}

/// Where a schema comes from.
enum SchemaSource {
    case file(String)
    /// A file at a revision of the git repository in the working directory.
    case git(revision: String, path: String)
    case server(HTTPURL, HTTPClientHeaders)

    /// - Throws: `UsageError` for an invalid address, header or revision.
    init(_ text: String, headers: [String]) throws {
        if text.hasPrefix("git:") {
            let parts = text.dropFirst(4).split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, !parts[0].hasPrefix("-") else {
                throw UsageError(
                    "\(text) is not like git:REVISION:PATH, for example git:main:schema.graphql.")
            }
            self = .git(revision: parts[0], path: parts[1])
        } else if text.contains("://") {
            let url = try HTTPURL.read(text, like: "http://127.0.0.1:8080", canHaveHeader: true)
            self = .server(url, try SchemaSource.headers(headers))
        } else {
            self = .file(text)
        }
    }
}

extension SchemaSource {
    /// Reads the text of the schema.
    ///
    /// - Throws: `UsageError` if it cannot be read.
    func text() async throws -> SourceText {
        switch self {
        case .file(let path): return try InputFile(path: path).source
        case .git(let revision, let path): return try SchemaSource.show(revision, path)
        case .server(let url, let headers): return try await SchemaSource.fetch(url, headers)
        }
    }

    /// Reads headers as options give them, and adds the token of the environment.
    ///
    /// - Throws: `UsageError` for an invalid header.
    static func headers(_ headers: [String]) throws -> HTTPClientHeaders {
        var fields = HTTPClientHeaders()
        if let token = ProcessInfo.processInfo.environment["PORTICO_TOKEN"], !token.isEmpty {
            guard fields.add("Authorization", "Bearer \(token)") else {
                throw UsageError("PORTICO_TOKEN contains characters that no header can have.")
            }
        }
        for header in headers {
            let parts = header.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            // The message has no value, which may be secret.
            guard parts.count == 2, fields.add(parts[0], parts[1]) else {
                throw UsageError("--header is not like 'Name: value'.")
            }
        }
        return fields
    }

    // MARK: - Git

    private static func show(_ revision: String, _ path: String) throws -> SourceText {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "show", "\(revision):./\(path)"]
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw UsageError("git cannot be started: \(error.localizedDescription)")
        }
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let message = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason = String(decoding: message, as: UTF8.self).trimmingCharacters(
                in: .whitespacesAndNewlines)
            throw UsageError("git:\(revision):\(path) cannot be read: \(reason)")
        }
        return SourceText(bytes: [UInt8](text), name: "\(revision):\(path)")
    }

    // MARK: - Servers

    /// Fetches `/schema.graphql` below the address, or introspects a GraphQL endpoint at the address itself.
    private static func fetch(_ url: HTTPURL, _ headers: HTTPClientHeaders) async throws -> SourceText {
        try await HTTPClient.with(userAgent: "portico/\(Version.current)") { client in
            if let text = try await schemaText(url, headers, client) { return text }
            return try await introspect(url, headers, client)
        }
    }

    /// Returns the response to `/schema.graphql`; nil if the server has no such path.
    private static func schemaText(
        _ url: HTTPURL, _ headers: HTTPClientHeaders, _ client: HTTPClient
    ) async throws(UsageError) -> SourceText? {
        guard let address = url.text.hasSuffix(".graphql") ? url : url.appending(path: "schema.graphql")
        else { return nil }
        let request = HTTPClientRequest(.get, address, headers: headers, deadline: .now + .seconds(10))
        let response = try await send(request, client)
        guard response.isSuccess else { return nil }
        return SourceText(bytes: response.body, name: "\(address)")
    }

    private static func introspect(
        _ url: HTTPURL, _ headers: HTTPClientHeaders, _ client: HTTPClient
    ) async throws(UsageError) -> SourceText {
        var headers = headers
        headers.add("Content-Type", "application/json")
        headers.add("Accept", "application/graphql-response+json, application/json")
        func ask(_ query: String) async throws(UsageError) -> InputValue {
            let body = InputValue.object(["query": .string(query)]).json
            let request = HTTPClientRequest(
                .post, url, headers: headers, body: body, deadline: .now + .seconds(30))
            let response = try await send(request, client)
            do {
                return try InputValue(json: response.body, limits: LargeStackThread.jsonLimits)
            } catch {
                throw UsageError(
                    "\(url) has no /schema.graphql, and responded to introspection with status \(response.status). Check "
                        + "that the address is that of a GraphQL server.")
            }
        }
        let typeFields = try await ask(IntrospectionResult.typeFieldsQuery)
        let result = try await ask(IntrospectionResult.query(typeFields: typeFields))
        do {
            return SourceText(try IntrospectionResult.schema(of: result), name: "\(url)")
        } catch {
            throw UsageError("\(url) has no schema: \(error.description)")
        }
    }

    /// Sends a request; a failure names the address.
    static func send(
        _ request: HTTPClientRequest, _ client: HTTPClient
    ) async throws(UsageError) -> HTTPClientResponse {
        do {
            return try await client.send(request)
        } catch {
            throw UsageError("\(request.url) did not respond: \(error).")
        }
    }
}
