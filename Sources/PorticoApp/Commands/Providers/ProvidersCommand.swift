import ArgumentParser
import Brokerage
import Contract
import PorticoCore
import ProviderFile

/// `portico providers`.
struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "Verify providers with your own keys; check and test provider files.",
        subcommands: [
            ProvidersVerifyCommand.self, ProvidersCheckCommand.self, ProvidersTestCommand.self,
            ProvidersSchemaCommand.self,
        ])
}

/// `portico providers check`.
struct ProvidersCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Report every error of provider files, with line and column.",
        discussion: HelpText.paragraphs(
            """
            Exit status 0: no errors; 1: errors.

            Examples:
              portico providers check providers.yaml
            """))

    // GraphQL has a type of that name too.
    @ArgumentParser.Argument(help: "The provider files, in YAML or JSON.")
    var files: [String]

    func run() async throws {
        var hasErrors = false
        for path in files {
            let file: ProviderFile
            do throws(FileProblems) {
                file = try ProviderFile(path: path, compiled: ProviderRegistry.ids)
            } catch {
                hasErrors = true
                Terminal.report("\(error)\n")
                continue
            }
            let names = file.providers.map(\.name.text).joined(separator: ", ")
            try Terminal.write("\(path): no errors (\(names))\n")
        }
        if hasErrors { throw ExitCode(1) }
    }
}

/// `portico providers test`.
struct ProvidersTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract:
            "Run the examples beside a provider file: requests, recorded responses and the expected values.",
        discussion: HelpText.paragraphs(
            """
            The examples of providers.yaml are in providers.examples.yaml. Nothing is sent.

            Exit status 0: all pass; 1: one fails; 2: a file has errors.

            Examples:
              portico providers test providers.yaml
            """))

    @ArgumentParser.Argument(help: "The provider file, in YAML or JSON.")
    var file: String

    func run() async throws {
        let results: [ProviderExamples.Result]
        do throws(FileProblems) {
            let providers = try ProviderFile(path: file)
            let path = ProviderExamples.path(beside: file)
            results = try ProviderExamples(ProviderFile.text(of: path), file: path, of: providers).run()
        } catch {
            Terminal.report("\(error)\n")
            throw ExitCode(2)
        }
        for result in results {
            try Terminal.write("\(result.problems.isEmpty ? "passed" : "failed"): \(result.name)\n")
            for problem in result.problems { Terminal.report("\(problem)\n") }
        }
        let failed = results.filter { !$0.problems.isEmpty }.count
        try Terminal.write("\(results.count - failed) of \(results.count) examples passed\n")
        if failed > 0 { throw ExitCode(1) }
    }
}

/// `portico providers schema`.
struct ProvidersSchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of provider files.",
        discussion: HelpText.paragraphs(
            """
            Examples:
              portico providers schema > providers.schema.json
            """))

    func run() async throws {
        try Terminal.write(Contract.providerFileSchema)
    }
}
