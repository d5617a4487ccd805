import ArgumentParser
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico graphql execute`.
struct ExecuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "execute",
        abstract: "Run an operation on a schema and a JSON value, without a server.",
        discussion: HelpText.paragraphs(
            """
            Fields resolve by property name; "__typename" sets the type of an object whose field has an interface or
            union type. The response is written to standard output. Exit status 1 if it has errors, 2 if there is no
            response: a file cannot be read, or defines no schema.

            Examples:
              portico graphql execute --schema schema.graphql --data root.json --query '{ account { id } }'
              portico graphql execute --schema schema.graphql --query home.graphql --variables '{"last": 5}'
            """))

    @Option(help: "The file with the schema.")
    var schema: String

    @Option(help: "A file with the root value of operations, in JSON. (default: null)")
    var data: String?

    @Option(help: "The document: a file, -, or its text.")
    var query: String

    @Option(help: "The values of the variables, a JSON object: a file, -, or its text.")
    var variables: String?

    @Option(help: "The name of the operation to run, if the document has several.")
    var operation: String?

    func run() async throws {
        let command = self
        guard let response = try await LargeStackThread.run({ try command.execute() }) else {
            throw ExitCode(2)
        }
        try Terminal.write(String(decoding: response.body, as: UTF8.self) + "\n")
        if response.outcome != .complete { throw ExitCode(1) }
    }

    /// The response; nil if the schema is invalid, which has been reported.
    private func execute() throws -> GraphQLResponse? {
        let schemaFile = try SchemaFile(path: schema)
        let root = try data.map { try ExecuteCommand.json(InputFile(path: $0)) } ?? .null
        let request = try GraphQLRequest(
            String(decoding: InputFile.named(query, of: "--query").bytes, as: UTF8.self),
            operationName: operation, variables: variableValues())
        switch schemaFile.result {
        case .success(let schema):
            var options = ExecutionOptions()
            options.parserLimits = LargeStackThread.limits
            options.limits = .unlimited
            return DynamicSchema(schema, options: options).execute(request, rootValue: root)
        case .failure(let errors):
            Terminal.report(DiagnosticReport(source: schemaFile.source, errors: errors.errors).text)
            return nil
        }
    }

    private func variableValues() throws -> InputObject {
        guard let variables else { return InputObject() }
        let file = try InputFile.named(variables, of: "--variables")
        guard case .object(let values) = try ExecuteCommand.json(file) else {
            throw UsageError("\(file.name): the variables are not a JSON object, as in {\"last\": 5}")
        }
        return values
    }

    private static func json(_ file: InputFile) throws -> InputValue {
        do {
            return try InputValue(json: file.bytes, limits: LargeStackThread.jsonLimits)
        } catch {
            throw UsageError("\(file.name) is not JSON: \(error.message)")
        }
    }
}
