import ArgumentParser
import Foundation
import GraphQLTools
import PorticoCore
import Storage
import Upstream

/// `portico schema usage`.
struct SchemaUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Print which client has used which field, argument and enum value in which operation.",
        discussion: HelpText.paragraphs(
            """
            A server counts these uses with the setting schema-usage, which is on if it has a data directory and real
            providers. Clients are known by the headers apollographql-client-name and graphql-client-name. The counts are
            in portico-cache.db, and have no values of requests except the names of enum values. At most 100,000
            counts are kept: those that were used longest ago are deleted.

            --data reads the file, also while a server runs; the server adds its counts once a minute. --url reads
            /schema/usage of a server: of its admin port, or with the token of a session with the scope ADMIN in
            PORTICO_TOKEN.

            Examples:
              portico schema usage --data /var/lib/portico
              portico schema usage --url http://127.0.0.1:9090 --since 2026-06-01 --json > usage.json
            """))

    @Option(help: "The server's data directory.")
    var data: String?

    @Option(help: "The address of a server.")
    var url: String?

    @OptionGroup
    var headers: SchemaHeaderOptions

    @Option(
        help: "Print only uses whose last time is not before this date or time, such as 2026-06-01, in UTC.")
    var since: String?

    @Flag(
        help: """
            Write {"since", "uncounted", "uses": [{"client", "operation", "coordinate", "count", "last"}]}, which \
            `schema diff --usage` reads.
            """)
    var json = false

    func validate() throws {
        if (data == nil) == (url == nil) { throw ValidationError("Set either --data or --url.") }
    }

    func run() async throws {
        let start = try since.map { try UsageStart($0) }
        let source: SchemaUsageSource
        if let url {
            source = try SchemaUsageSource(url, headers: headers.header)
        } else {
            source = .directory(data ?? "")
        }
        var usage = try await source.usage()
        if let start { usage = usage.used(since: start.text) }
        try Terminal.write(json ? usage.json + "\n" : usage.text)
    }
}

/// Where counted uses come from.
enum SchemaUsageSource {
    /// The JSON of `portico schema usage`.
    case file(String)
    /// A data directory.
    case directory(String)
    case server(HTTPURL, HTTPClientHeaders)

    /// - Throws: `UsageError` for an invalid address or header.
    init(_ text: String, headers: [String]) throws {
        if text.contains("://") {
            let url = try HTTPURL.read(text, like: "http://127.0.0.1:9090", canHaveHeader: true)
            self = .server(url, try SchemaSource.headers(headers))
        } else if FileManager.default.fileExists(atPath: text + "/.") {
            self = .directory(text)
        } else {
            self = .file(text)
        }
    }

    /// Reads the uses.
    ///
    /// - Throws: `UsageError` or `StorageError` if they cannot be read.
    func usage() async throws -> RecordedUsage {
        switch self {
        case .file(let path):
            let file = try InputFile(path: path)
            return try RecordedUsage(json: file.bytes, name: file.name)
        case .directory(let path):
            guard FileManager.default.fileExists(atPath: path + "/" + CacheDatabase.name) else {
                throw UsageError(
                    "The directory \"\(path)\" has no \(CacheDatabase.name). A server counts uses there with real providers; with the sandbox, in its subdirectory sandbox."
                )
            }
            let file = try CacheDatabase.existing(in: DataDirectory(existing: path))
            return RecordedUsage(try await SchemaUseStore(in: file).contents())
        case .server(let url, let headers): return try await SchemaUsageSource.fetch(url, headers)
        }
    }

    private static func fetch(_ url: HTTPURL, _ headers: HTTPClientHeaders) async throws -> RecordedUsage {
        guard let address = url.appending(path: "schema", "usage") else {
            throw UsageError("\(url) is not the address of a server.")
        }
        let request = HTTPClientRequest(
            .get, address, headers: headers, deadline: .now + .seconds(30), maximumResponseBytes: 64 << 20)
        let response = try await HTTPClient.with(userAgent: "portico/\(Version.current)") {
            try await SchemaSource.send(request, $0)
        }
        guard response.isSuccess else {
            let reason =
                switch response.status {
                case 401: "it needs the admin port, or a session with the scope ADMIN in PORTICO_TOKEN"
                case 404: "it does not count uses: set schema-usage and a data directory"
                default: "it responded with status \(response.status)"
                }
            throw UsageError("\(url) has no uses of a schema: \(reason).")
        }
        return try RecordedUsage(json: response.body, name: "\(address)")
    }
}
