import ArgumentParser
import Foundation
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico client-kit`: writes the files that connect a GraphQL client library with Portico.
struct ClientKitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client-kit",
        abstract:
            "Write the configuration of a GraphQL client library: cache, scalars, sign-in, subscriptions.",
        discussion: HelpText.paragraphs(
            """
            The files are generated from the schema. They contain the possible types of interfaces, the types without an
            id, the lists that are read in pages, and the types of the scalars; and a client with a token, subscriptions
            and partial data. docs/clients has a page for each library.

            Files that were changed since they were written are not overwritten, unless --force is given.

            Exit status 0: the files were written, or are current (--check). 1: a file is missing or outdated (--check),
            or was changed. 2: wrong usage, or there is no schema.

            Examples:
              portico client-kit --for apollo --out src/portico
              portico client-kit --for codegen --decimal-library big.js --out src/portico
              portico client-kit --for relay --schema https://portico.example.com --out src/portico
              portico client-kit --for apollo --check --out src/portico
            """))

    @Option(
        name: .customLong("for"),
        help: "The library: apollo, urql, relay, apollo-ios or codegen (graphql-codegen).")
    var client: ClientLibrary

    @Option(help: "The directory for the files; it is created if it is missing.")
    var out: String

    @OptionGroup
    var source: SchemaSourceOptions

    @Option(
        help: """
            The module of a decimal library for TypeScript whose default export is a class with a constructor that takes \
            a string, such as big.js; the files then have a function that converts a Decimal.
            """)
    var decimalLibrary: String?

    @Flag(help: "Write nothing; exit with status 1 if a file is missing or outdated.")
    var check = false

    @Flag(help: "Overwrite files that were changed.")
    var force = false

    func validate() throws {
        guard let decimalLibrary else { return }
        guard client.language == .typeScript else {
            throw ValidationError(
                "--decimal-library is for TypeScript; Apollo iOS uses Foundation's Decimal.")
        }
        let allowed = decimalLibrary.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "@"), UInt8(ascii: "/"),
                UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard allowed, !decimalLibrary.isEmpty else {
            throw ValidationError(
                "'\(decimalLibrary)' is not the name of a module, such as big.js or decimal.js.")
        }
    }

    func run() async throws {
        let files = ClientKit(try await readSchema(), decimalLibrary: decimalLibrary).files(for: client)
        let directory = URL(filePath: out, directoryHint: .isDirectory)
        let present = Dictionary(
            files.map { file in
                let path = directory.appending(path: file.name)
                return (file.name, try? String(contentsOf: path, encoding: .utf8))
            }, uniquingKeysWith: { $1 }
        ).compactMapValues(\.self)
        let outdated = files.filter { present[$0.name] != $0.text }
        if check {
            if outdated.isEmpty { return }
            Terminal.report(
                "Missing or outdated in \(out): \(outdated.map(\.name).joined(separator: ", ")). "
                    + "The same command without --check writes them.\n")
            throw ExitCode(1)
        }
        let changed = outdated.filter { file in present[file.name].map { !file.isUnchanged($0) } ?? false }
        guard force || changed.isEmpty else {
            Terminal.report(
                "Changed in \(out) since the command wrote them: \(changed.map(\.name).joined(separator: ", ")). "
                    + "Nothing was written. Move the changes to files of your own, or overwrite them with --force.\n"
            )
            throw ExitCode(1)
        }
        do {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for file in outdated {
                try file.text.write(
                    to: directory.appending(path: file.name), atomically: true, encoding: .utf8)
            }
        } catch {
            throw UsageError("\(out) cannot be written: \(error.localizedDescription)")
        }
        for file in files { try Terminal.write("\(out)/\(file.name)\n") }
    }
}

extension ClientKitCommand {
    /// - Throws: `UsageError` if there is no valid schema.
    private func readSchema() async throws -> Schema {
        let text = try await source.source(default: nil)
        do {
            return try await LargeStackThread.run { try SchemaFile(source: text).result.get() }
        } catch let errors as GraphQLErrors {
            throw UsageError("\(text.name) is not a valid schema: \(errors)")
        }
    }
}

/// A GraphQL client library.
enum ClientLibrary: String, ExpressibleByArgument, CaseIterable {
    case apollo
    case urql
    case relay
    case apolloIOS = "apollo-ios"
    case codegen

    enum Language {
        case typeScript
        case swift
    }

    var language: Language { self == .apolloIOS ? .swift : .typeScript }
}
