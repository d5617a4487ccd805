import ArgumentParser
import Foundation
import GraphQL
import GraphQLTools

/// `portico graphql batch`.
struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Run many cases through the query engine: NDJSON in, NDJSON out.",
        discussion: """
            Reads one case a line from standard input and writes one result a line, in the same order, as soon as it
            is known. A line that is no case is answered with an error, and the next is read.

            Case:   {"id", "action": "parse" | "print" | "validate" | "execute" | "introspect",
                     "schema": SDL, "document", "operationName", "variables", "rootValue"}
            Result: {"id", "ok", "printed", "errors": [{"message", "locations", "path"}], "data"}

            Without a document, validate checks the schema alone. Fields resolve from rootValue by property name; an
            object says by "__typename" which type it has, {"__error": "m"} fails with m, and {"__args": true}
            becomes the JSON text of the field's arguments. Documents may be of any length and shape up to 64 MiB
            and 10,000 levels (only parsed, 50,000; schemas, 1,000).

            Example:
              echo '{"id":"1","action":"print","document":"{a}"}' | portico graphql batch
            """)

    func run() async throws {
        try await LargeStackThread.run {
            var input = LineReader(descriptor: FileHandle.standardInput.fileDescriptor)
            var batch = BatchRunner()
            while let line = try input.next() {
                let answer = batch.outputLine(for: line) + [UInt8(ascii: "\n")]
                try FileHandle.standardOutput.write(contentsOf: Data(answer))
            }
        }
    }
}
