import GraphQL
import Logging
import Synchronization
import TestSupport
import Testing

@testable import PorticoApp

@Suite("An internal error")
struct ErrorLoggingTests {
    private struct Broken: Error { let secret: String }

    private struct Query: GraphQLObject {
        typealias Context = EmptyContext

        static let graphQL = ObjectType<Query>("Query") {
            Field("now") { _ throws -> Int in throw Broken(secret: "token=abc") }
        }
    }

    @Test("is replaced by the id of the request with which it is logged")
    func requestID() async throws {
        let lines = LoggedLines()
        var options = ExecutionOptions()
        options.errorPresenter = ErrorFormatter(logger: Logger(label: "test") { _ in lines })
        let schema = try ExecutableSchema(
            Schema.build("type Query { now: Int! }"), query: Query(), context: EmptyContext.self,
            options: options)
        let response = try await CurrentRequest.$id.withValue("00000000deadbeef") {
            try await schema.respond(to: GraphQLRequest("{ now }"), context: EmptyContext.shared).value()
        }
        let error = try JSONValue(parsing: response.body)["errors"]?[0]
        #expect(error?["message"] == "Internal server error")
        #expect(
            error?["extensions"]?.members == [
                "code": "INTERNAL_SERVER_ERROR", "requestId": "00000000deadbeef",
            ])
        let logged = try #require(lines.all.first)
        #expect(logged["requestID"] == "00000000deadbeef")
        #expect(logged["path"] == "now")
        #expect(logged["error"]?.contains("Broken") == true)
        #expect(!logged.values.contains { $0.contains("token=abc") })
    }
}

/// Keeps the metadata of what is logged.
private final class LoggedLines: LogHandler {
    private let lines = Mutex<[[String: String]]>([])

    var all: [[String: String]] { lines.withLock { $0 } }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .info }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let line = (event.metadata ?? [:]).mapValues { "\($0)" }
        lines.withLock { $0.append(line) }
    }
}
