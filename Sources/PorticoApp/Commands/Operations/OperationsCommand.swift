import ArgumentParser
import Contract
import GraphQL
import GraphQLTools

/// `portico operations`.
struct OperationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Validate the operations of a front end, or write their manifest.",
        subcommands: [OperationsCheckCommand.self, OperationsManifestCommand.self])
}

/// `portico operations check`.
struct OperationsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: """
            Validate operations against a schema, and print their cost and how long their responses are cached.
            """,
        discussion: """
            Each file that ends in .graphql, also in subdirectories, is a separate document. A file with the same name
            that ends in .json contains example variables: they are validated, and the cost is computed for them.
            Without --schema and --url, the schema is the one of this executable.

            Exit status 0: all operations are valid. 1: an operation is not valid, exceeds the default limits, or, with
            --strict, uses a deprecated definition. 2: wrong usage, or there is no schema: the file or address cannot be
            read, or defines none.

            Examples:
              portico operations check operations
              portico operations check --schema schema.graphql operations
              portico operations check --strict --url http://127.0.0.1:8080 operations
            """)

    @Option(help: "A file with the schema; - is standard input.")
    var schema: String?

    @Option(help: "The address of a running Portico, whose schema is used.")
    var url: String?

    @Flag(help: "Report uses of deprecated definitions as errors.")
    var strict = false

    @Flag(
        help:
            "Write {\"operations\": [{\"file\", \"name\", \"errors\", \"deprecated\", \"cost\", \"cache\"}]}."
    )
    var json = false

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The directory with the operations.")
    var directory: String

    func validate() throws {
        if schema != nil, url != nil {
            throw ValidationError("--schema and --url exclude each other: leave one of them out.")
        }
    }

    func run() async throws {
        let source = try await schemaSource()
        let command = self
        let outcome = try await LargeStackThread.run { try command.check(source) }
        switch outcome {
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(2)
        case .success(let checks):
            Terminal.write(json ? OperationCheck.json(of: checks) + "\n" : OperationCheck.text(of: checks))
            if checks.contains(where: { $0.hasFaults(strictly: strict) }) { throw ExitCode(1) }
        }
    }

    private func schemaSource() async throws -> SourceText {
        if let url { return try await RemoteSchema(url).source() }
        if let schema { return try InputFile(path: schema).source }
        return SourceText(Contract.schemaText, name: "schema.graphql")
    }

    private func check(_ source: SourceText) throws -> Result<[OperationCheck], DiagnosticReports> {
        let folder = try OperationsFolder(path: directory)
        let checker: OperationChecker
        do {
            checker = try OperationChecker(source)
        } catch {
            let report = DiagnosticReport(source: source, errors: error.errors)
            return .failure(DiagnosticReports(reports: [report]))
        }
        return .success(
            try folder.files.flatMap { path in
                try checker.checks(
                    InputFile(path: path).source, variables: OperationsFolder.variables(of: path))
            })
    }
}

/// `portico operations manifest`.
struct OperationsManifestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Write the manifest of operations, with the ids that clients send in place of documents.",
        discussion: """
            Each file that ends in .graphql, also in subdirectories, is a separate document. The manifest has Apollo's
            format: {"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "name", "type",
            "body"}]}; an id is the SHA-256 of the document. A server trusts the documents of the directory or the
            manifest that PORTICO_DOCUMENTS names.

            Exit status 0, or 1 if a document cannot be parsed or has an operation without a name.

            Examples:
              portico operations manifest operations > operations.json
              PORTICO_DOCUMENTS=operations.json PORTICO_DOCUMENTS_ONLY=true portico serve
            """)

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The directory with the operations.")
    var directory: String

    func run() async throws {
        let directory = directory
        let result = try await LargeStackThread.run {
            let documents = try OperationsFolder(path: directory).documents
            return Result { () throws(DiagnosticReports) in try OperationManifest(of: documents) }
        }
        switch result {
        case .success(let manifest): Terminal.write(manifest.text)
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(1)
        }
    }
}
