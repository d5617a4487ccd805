import ArgumentParser
import Foundation
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico operations`.
struct OperationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations",
        abstract: "Validate the operations of a front end, or write their manifest.",
        subcommands: [OperationsCheckCommand.self, OperationsManifestCommand.self])
}

extension Finding.Severity: ExpressibleByArgument {}

/// `portico operations check`.
struct OperationsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: """
            Validate operations against a schema, and print their cost and how long their responses are cached.
            """,
        discussion: HelpText.paragraphs(
            """
            Documents are files that end in .graphql or .gql, and literals with the tag gql or graphql, or after the
            comment /* GraphQL */, in TypeScript, JavaScript, Vue, Svelte, Swift and Kotlin. PATHS are files, directories
            and patterns such as 'src/**/*.{ts,tsx}'; a pattern that begins with ! excludes files. Directories whose
            names begin with a dot, node_modules, Pods and __generated__ are skipped. Without PATHS, the files are those
            of the graphql.config file in the working directory, which may name the schema, too.

            A fragment is visible in all documents; if its name is not unique, #import "PATH" selects one. Selections
            with @client are not checked. Other directives of Apollo and Relay are known, and fragments with
            @argumentDefinitions are checked with the arguments of each spread.

            A file with the name of a .graphql file that ends in .json contains example variables: they are validated,
            and the cost is computed for them. If the document has several operations, it contains those of each by name.

            Exit status 0: no findings. 1: findings with the severity of --fail-on, or a higher one: breaking (an operation
            cannot be run, or costs more than in the baseline), dangerous (two operations with one name, an unused
            fragment), or deprecated. 2: wrong usage, or there is no schema: the file or address cannot be read, or
            defines none.

            Examples:
              portico operations check operations
              portico operations check --schema schema.graphql 'src/**/*.tsx'
              portico operations check --fail-on deprecated --schema http://127.0.0.1:8080 operations
              portico operations check --format json operations > costs.json
              portico operations check --cost-baseline costs.json operations
            """))

    /// The forms of the report.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, junit, sarif, github
    }

    @OptionGroup
    var source: SchemaSourceOptions

    @Option(help: "A graphql.config file in YAML or JSON, instead of PATHS.")
    var config: String?

    @Option(help: "The project of the config file.")
    var project: String?

    @Option(help: "The lowest severity at which the command fails: deprecated, dangerous or breaking.")
    var failOn = Finding.Severity.breaking

    @Option(help: "The form of the report: text, json, junit, sarif or github.")
    var format = Format.text

    @Option(help: "A report in the form json; the cost of no operation may be higher than in it.")
    var costBaseline: String?

    @Option(help: "The maximum cost of an operation.")
    var maxCost = OperationLimits.default.cost

    @Option(help: "The maximum depth of an operation, in levels of fields.")
    var maxDepth = OperationLimits.default.depth

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "Files, directories and patterns with operations.")
    var paths: [String] = []

    func validate() throws {
        if !paths.isEmpty, config != nil {
            throw ValidationError("--config and PATHS exclude each other: leave one of them out.")
        }
        if maxCost < 0 { throw ValidationError("--max-cost is \(maxCost); it is at least 0.") }
        if maxDepth < 1 { throw ValidationError("--max-depth is \(maxDepth); it is at least 1.") }
    }

    func run() async throws {
        let config = try graphQLConfig()
        let source = try await source.source(default: source.schema == nil ? config?.schemaPath() : nil)
        let command = self
        let outcome = try await LargeStackThread.run { try command.check(source, config) }
        switch outcome {
        case .failure(let faults):
            Terminal.report(faults.text)
            throw ExitCode(2)
        case .success(let result):
            switch format {
            case .text: try Terminal.write(result.report.text)
            case .json: try Terminal.write(result.report.json + "\n")
            case .junit: try Terminal.write(result.report.findings.junit(failingAt: failOn))
            case .sarif:
                try Terminal.write(result.report.findings.sarif(failingAt: failOn, version: Version.current))
            case .github: try Terminal.write(result.report.findings.github(failingAt: failOn))
            }
            if result.checks.contains(where: { $0.hasFindings(failOn) }) { throw ExitCode(1) }
        }
    }

    private func graphQLConfig() throws -> GraphQLConfig? {
        guard paths.isEmpty else { return nil }
        guard let path = config ?? GraphQLConfig.path(in: ".") else {
            throw ValidationError("Name the directories, files or patterns with operations, or set --config.")
        }
        return try GraphQLConfig(path: path, project: project)
    }

    private func check(
        _ source: SourceText, _ config: GraphQLConfig?
    ) throws -> Result<(checks: [OperationCheck], report: OperationReport), DiagnosticReports> {
        let files = try config.map { try DocumentFiles($0) } ?? DocumentFiles(paths)
        let documents = try files.documents()
        let checker: OperationChecker
        do {
            var limits = OperationLimits.default
            limits.cost = maxCost
            limits.depth = maxDepth
            checker = try OperationChecker(source, limits: limits, baseline: baseline())
        } catch let error as GraphQLErrors {
            let report = DiagnosticReport(source: source, errors: error.errors)
            return .failure(DiagnosticReports(reports: [report]))
        }
        let checks = try checker.checks(DocumentSet(documents), variables: DocumentFiles.exampleVariables)
        return .success((checks, OperationReport(checks, files: documents, fileCount: files.paths.count)))
    }

    private func baseline() throws -> [String: Cost] {
        guard let costBaseline else { return [:] }
        guard let baseline = CostBaseline(try InputFile(path: costBaseline)) else {
            throw UsageError("\(costBaseline) is not a report of `portico operations check --format json`.")
        }
        return baseline.costs
    }
}

/// `portico operations manifest`.
struct OperationsManifestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifest",
        abstract: "Write the manifest of operations, with the ids that clients send in place of documents.",
        discussion: HelpText.paragraphs(
            """
            Documents and PATHS are those of `portico operations check`. The manifest has Apollo's format: {"format":
            "apollo-persisted-query-manifest", "version": 1, "operations": [{"id", "name", "type", "body"}]}; an id is the
            SHA-256 of the body. An operation has up to two entries: the text of its .graphql file, if it contains all
            fragments of the operation, and the printed operation with its fragments and __typename in each selection
            set, as Apollo's and urql's clients send it. A server trusts the documents of the directory or the manifest
            that PORTICO_DOCUMENTS names.

            Exit status 0; 1 if a document cannot be parsed or has an operation without a name; 2 if a file cannot be
            read.

            Examples:
              portico operations manifest operations > operations.json
              portico operations manifest 'src/**/*.tsx' > operations.json
              PORTICO_DOCUMENTS=operations.json PORTICO_DOCUMENTS_ONLY=true portico serve
            """))

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "Files, directories and patterns with operations.")
    var paths: [String]

    func run() async throws {
        let paths = paths
        do {
            let manifest = try await LargeStackThread.run {
                try OperationManifest(of: DocumentFiles(paths).documents())
            }
            try Terminal.write(manifest.text)
        } catch let errors as DiagnosticReports {
            Terminal.report(errors.text)
            throw ExitCode(1)
        }
    }
}
