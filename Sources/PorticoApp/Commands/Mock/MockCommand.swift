import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore
import Web

/// The command `portico mock`.
struct MockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mock",
        abstract: "Serve mock responses for any schema, or record them from a server.",
        discussion: HelpText.paragraphs(
            """
            Without a subcommand it serves: `portico mock --schema schema.graphql`.

            Examples:
              portico mock --schema schema.graphql --scenario home.yaml
              portico mock record http://127.0.0.1:8080 --out home.yaml
            """),
        subcommands: [MockServeCommand.self, MockRecordCommand.self],
        defaultSubcommand: MockServeCommand.self)
}

/// `portico mock serve`, which `portico mock` runs.
struct MockServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve mock responses of the right types for any schema, until interrupted.",
        discussion: HelpText.paragraphs(
            """
            The same seed gives the same responses. The file of --answers is a JSON object with values for fields, by
            coordinate: {"Query.account": {"equity": "1200.50"}, "Account.name": "Main"}. An object may have only some
            of its fields; the others are generated. {"__error": "message"} makes a field fail, null makes it null.

            The value of a field depends on its arguments: quote(symbol: "AAPL") has the symbol AAPL, and first: 10 gives a
            list of ten. An object has the same fields wherever it is, and node(id:) finds it. A subscription has an event
            each --interval milliseconds, in which numbers change.

            The file of --scenario has responses for operations by name and variables, in YAML or JSON: data, errors of
            fields and of the whole response, latency, the events of subscriptions with their times, and another response
            for the second call. docs/mock.md describes it.

            Any bearer token is accepted, and pages of all sites may read the responses.

            Examples:
              portico mock --schema schema.graphql
              portico mock --schema schema.graphql --answers answers.json --seed 7 --port 9000
            """))

    @Option(help: "The file with the schema; - is standard input.")
    var schema: String

    @Option(help: "A file with values for some fields, in JSON.")
    var answers: String?

    @Option(help: "A file with the responses of operations, in YAML or JSON.")
    var scenario: String?

    @Option(help: "The seed of the generated values.")
    var seed: UInt64 = 1

    @Option(help: "The milliseconds between events of a subscription.")
    var interval: UInt32 = 1000

    @OptionGroup
    var options: MockServerOptions

    @Option(help: "More host names by which clients reach the mock, separated by commas; * for any.")
    var hosts: String?

    func validate() throws {
        if interval == 0 { throw ValidationError("--interval is 0; it is at least 1.") }
    }

    func run() async throws {
        let command = self
        let built = try await LargeStackThread.run { try command.mock() }
        switch built {
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(1)
        case .success(let (mock, text)):
            let scenario = try scenario.map { try MockScenario(path: $0, for: mock.schema) }
            try await serve(mock, scenario ?? MockScenario(), schemaText: text)
        }
    }

    private func mock() throws -> Result<(MockSchema, text: String), DiagnosticReports> {
        let file = try SchemaFile(path: schema)
        let given = try answers.map { try MockResponsesFile(path: $0).responses } ?? InputObject()
        do throws(DiagnosticReports) {
            let schema = try DiagnosticReports.schemas(of: [file])[0]
            let text = String(decoding: file.source.bytes, as: UTF8.self)
            do throws(GraphQLErrors) {
                return .success((try MockSchema(schema, seed: seed, responses: given), text: text))
            } catch {
                let source = SourceText("", name: answers ?? "")
                throw DiagnosticReports(reports: [DiagnosticReport(source: source, errors: error.errors)])
            }
        } catch {
            return .failure(error)
        }
    }

    private func serve(_ mock: MockSchema, _ scenario: MockScenario, schemaText: String) async throws {
        let session = MockSession(mock, scenario, interval: .milliseconds(Int64(interval)))
        var service = GraphQLService(schemaText: schemaText, session: { _ in session })
        service.prepare = { request in
            let operation = mock.operation(of: request)
            var named = request
            named.operationName = request.operationName ?? operation?.name
            return PreparedRequest(unprepared: named, operationType: operation?.type)
        }
        try await options.serve(service, log: "mock", hosts: hosts) { url in
            "The mock of \(schema) listens on \(url)\n"
        }
    }
}
