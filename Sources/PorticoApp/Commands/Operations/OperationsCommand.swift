import ArgumentParser
import Contract
import GraphQL
import GraphQLTools

/// `portico operations`.
struct OperationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Check the operations of a front end, as its continuous integration does, or list them.",
        subcommands: [OperationsCheckCommand.self, OperationsManifestCommand.self])
}

/// `portico operations check`.
struct OperationsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: """
            Hold operations against a schema: are they valid, what do they cost, how long are their answers kept.
            """,
        discussion: """
            Every file that ends in .graphql, in folders within too, is a document of its own. Where a file of the same
            name ends in .json, it holds example variables, which are held against the operation's and which its cost
            is told for. Without --schema and --url the schema is this Portico's own.

            Exit status 0 when all is well; 1 when an operation is not valid, asks for more than the default limits
            allow, or, with --strict, uses what is deprecated; 2 when the command was used wrongly, or
            there is no schema: the file or address cannot be read, or defines none.

            Examples:
              portico operations check operations
              portico operations check --schema schema.graphql operations
              portico operations check --strict --url http://127.0.0.1:8080 operations
            """)

    @Option(help: "A file with the schema; - is standard input.")
    var schema: String?

    @Option(help: "The address of a running Portico, of which the schema is asked.")
    var url: String?

    @Flag(help: "Count what is deprecated among the faults.")
    var strict = false

    @Flag(
        help:
            "Write {\"operations\": [{\"file\", \"name\", \"errors\", \"deprecated\", \"cost\", \"cache\"}]}."
    )
    var json = false

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The folder with the operations.")
    var folder: String

    func validate() throws {
        if schema != nil, url != nil {
            throw ValidationError("--schema and --url each name a schema; give one of them.")
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
        let folder = try OperationsFolder(path: folder)
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
        abstract: "Write the manifest of operations by which clients name documents instead of sending them.",
        discussion: """
            Every file that ends in .graphql, in folders within too, is a document of its own. The manifest has the form of
            Apollo's: {"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "name", "type",
            "body"}]}; an id is the SHA-256 of the document. A server trusts the documents of the folder, or of the
            manifest, that PORTICO_DOCUMENTS names.

            Exit status 0, or 1 when a document cannot be read or has an operation without a name.

            Examples:
              portico operations manifest operations > operations.json
              PORTICO_DOCUMENTS=operations.json PORTICO_DOCUMENTS_ONLY=true portico serve
            """)

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The folder with the operations.")
    var folder: String

    func run() async throws {
        let folder = folder
        let result = try await LargeStackThread.run {
            let documents = try OperationsFolder(path: folder).documents
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
