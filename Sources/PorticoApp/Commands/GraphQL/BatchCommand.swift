import ArgumentParser
import Foundation
import GraphQL
import GraphQLTools
import PorticoCore

/// `portico graphql batch`.
struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Run test cases in the GraphQL engine: NDJSON in, NDJSON out.",
        discussion: HelpText.paragraphs(
            """
            Reads one case per line from standard input and writes one result per line, in the same order, each as soon
            as it is available. For a line that is not a case, the result is an error, and the next line is read.

            Case:   {"id", "action": "parse" | "print" | "validate" | "execute" | "introspect" | "incremental",
                     "schema": SDL, "document", "operationName", "variables", "rootValue",
                     "format": "incrementalSpec=v0.2" | "deferSpec=20220824"}
            Result: {"id", "ok", "printed", "errors": [{"message", "locations", "path"}], "data"}
                    or {"id", "payloads": [first, …]} of the action incremental

            In incremental, @defer and @stream are built in, and no part with them is in the first payload.

            Without a document, validate checks only the schema. Fields resolve from rootValue by property name.
            "__typename" sets the type of an object, {"__error": "m"} fails with the message m, and {"__args": true}
            becomes the JSON text of the field's arguments. A document may have 64 MiB and 10,000 levels (50,000 if it
            is only parsed; a schema 1,000).

            Example:
              echo '{"id":"1","action":"print","document":"{a}"}' | portico graphql batch
            """))

    func run() async throws {
        try await LargeStackThread.run {
            var input = LineReader(descriptor: FileHandle.standardInput.fileDescriptor)
            var batch = BatchRunner()
            while let line = try input.next() {
                let output = batch.outputLine(for: line) + [UInt8(ascii: "\n")]
                try Terminal.write(output)
            }
        }
    }
}
