import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore
import UnixSignals
import Upstream
import Web

/// `portico mock record`.
struct MockRecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract:
            "Forward operations to a server, and write their responses as a scenario, until interrupted.",
        discussion: HelpText.paragraphs(
            """
            Point the application at the printed address, use it, and interrupt the command. The file then has each named
            operation with its variables, its responses in order, their latencies, and the events of subscriptions with
            their times. `portico mock --scenario FILE` replays it. Operations without a name are forwarded and not
            recorded.

            No secret is recorded: no header and no document, and no value of a variable, argument or field whose name has
            a word such as token, secret or password, or which is in an input object or type with such a field.

            The schema is that of /schema.graphql or of introspection; --schema names another source. PORTICO_TOKEN in the
            environment is sent for clients that send no token.

            Examples:
              portico mock record http://127.0.0.1:8080
              portico mock record https://portico.example.com/graphql --schema schema.graphql --out home.yaml
            """))

    @ArgumentParser.Argument(help: "The address of the server, or of its GraphQL endpoint.")
    var url: String

    @Option(help: "The file of the scenario, which must not exist.")
    var out = "scenario.yaml"

    @OptionGroup
    var source: SchemaSourceOptions

    @OptionGroup
    var options: MockServerOptions

    func run() async throws {
        let address = try HTTPURL.read(url, like: "http://127.0.0.1:8080", canHaveHeader: true)
        // A file that cannot be created is reported before the server is asked.
        try ScenarioFile(creating: out).remove()
        let text = try await source.source(default: url)
        let schema: Schema
        do throws(DiagnosticReports) {
            schema = try DiagnosticReports.schemas(of: [SchemaFile(source: text)])[0]
        } catch {
            Terminal.report(error.text)
            throw ExitCode(2)
        }
        let (endpoint, headers) = (
            try MockRecordCommand.endpoint(of: address), try SchemaSource.headers(source.headers.header)
        )
        // After the schema is read: an interruption before it leaves no file.
        let (recording, file) = (ScenarioRecording(of: schema), try ScenarioFile(creating: out))
        let result = await Result.of {
            try await HTTPClient.with(userAgent: "portico/\(Version.current)") { client in
                let server = RecordedServer(endpoint: endpoint, ownHeaders: headers, client: client)
                try await serve(server, recording, schemaText: text)
            }
        }
        // What is recorded is written also if the server has failed.
        if recording.summary.responses > 0 {
            try write(recording, to: file)
        } else {
            file.remove()
            Terminal.report("Nothing was recorded, so \(out) was not written.\n")
        }
        try result.get()
    }

    /// The address itself, or `/graphql` at an address without a path.
    private static func endpoint(of address: HTTPURL) throws -> HTTPURL {
        guard address.target == "/" else { return address }
        guard let endpoint = address.appending(path: "graphql") else {
            throw UsageError("\(address) is not the address of a server.")
        }
        return endpoint
    }

    private func serve(
        _ server: RecordedServer, _ recording: ScenarioRecording, schemaText: SourceText
    ) async throws {
        var service = GraphQLService(schemaText: String(decoding: schemaText.bytes, as: UTF8.self)) { token in
            MockRecordSession(server, recording, token: token)
        }
        service.prepare = { request in
            let document = try? GraphQL.parse(SourceText(request.document))
            return PreparedRequest(
                unprepared: request, operationType: document?.operationType(named: request.operationName))
        }
        try await options.serve(
            service, log: "record", reportsUpstream: false, until: [.sigterm, .sigint, .sighup]
        ) { url in
            "Operations at \(url) are forwarded to \(server.endpoint) and recorded\n"
        }
    }

    private func write(_ recording: ScenarioRecording, to file: ScenarioFile) throws {
        do throws(UsageError) {
            try file.write(recording.yaml)
        } catch {
            Terminal.report("\(error.message) The scenario is on standard output instead.\n")
            try Terminal.write(recording.yaml)
            throw ExitCode(1)
        }
        let summary = recording.summary
        Terminal.report(
            "\(out) has \(summary.responses) responses to \(summary.operations) operations."
                + (summary.omitted == 0 ? "" : " \(summary.omitted) exceeded the limits and are missing.")
                + "\n")
    }
}

extension Document {
    /// The type of the operation that a request names; nil if there is none.
    fileprivate func operationType(named name: String?) -> OperationType? {
        var operations: [OperationDefinition] = []
        for case .operation(let operation) in definitions { operations.append(operation) }
        guard let name else { return operations.count == 1 ? operations[0].type : nil }
        return operations.first { $0.name.map { text($0) } == name }?.type
    }
}
