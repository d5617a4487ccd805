import Foundation
import GraphQL
import GraphQLTools
import PorticoApp
import TestSupport
import Testing
import Web

@Suite("The manifest of operations")
struct OperationManifestTests {
    private static let schemaFolder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../schema").standardizedFileURL

    @Test("of this repository equals that of its documents")
    func current() async throws {
        let folder = Self.schemaFolder.appending(path: "operations").path
        let run = try await Program.run(["operations", "manifest", folder])
        #expect(run.status == 0, "\(run.errors)")
        let kept = try String(
            contentsOf: Self.schemaFolder.appending(path: "operations.json"), encoding: .utf8)
        #expect(
            run.output == kept,
            "renew it: portico operations manifest schema/operations > schema/operations.json")
    }

    @Test("has the SHA-256 of each document, and reads back unchanged")
    func roundTrip() throws {
        let body = "# café\r\nquery A { b }\nmutation C { d }\n"
        let manifest = try OperationManifest(of: [Self.document(body, "a.graphql")])
        #expect(manifest.operations.map(\.name) == ["A", "A", "C", "C"])
        #expect(manifest.operations.map(\.type) == [.query, .query, .mutation, .mutation])
        #expect(
            manifest.operations.map(\.body) == [body, "query A {\n  b\n}", body, "mutation C {\n  d\n}"])
        // As sha256sum has it.
        let id = "b7a000c19f9ac1cfa0577f72fff52ecd5c3196b4c1fce7bcd8ad3a24f01ca4b3"
        #expect(manifest.operations[2].id.description == id)
        let json = try JSONValue(parsing: manifest.text)
        #expect(json["format"] == "apollo-persisted-query-manifest")
        #expect(json["version"] == 1)
        #expect(json["operations"]?[2]?["id"] == .string(id))
        #expect(json["operations"]?[2]?["type"] == "mutation")
        #expect(try OperationManifest(json: Array(manifest.text.utf8)) == manifest)
    }

    static func document(_ text: String, _ name: String) -> DocumentFiles.Document {
        let source = SourceText(text, name: name)
        return DocumentFiles.Document(text: source, file: source, isEmbedded: false)
    }

    @Test(
        "has the documents of Apollo's and of urql's clients, which differ in empty lines and before strings")
    func forms() throws {
        let source = #"query A { b(c: "d") { ...F } } fragment F on B { e }"#
        let manifest = try OperationManifest(of: [Self.document(source, "a.graphql")])
        let apollo = """
            query A {
              b(c: "d") {
                ...F
                __typename
              }
            }

            fragment F on B {
              e
              __typename
            }
            """
        let urql = apollo.replacing("\n\n", with: "\n").replacing("(c: ", with: "(c: \n")
        #expect(manifest.operations.map(\.body) == [source, urql, apollo])
    }

    @Test("has the document of a file, and the one that clients with a normalised cache send")
    func typenames() async throws {
        let run = try await CommandRun.run(
            ["operations", "manifest", "@src"],
            among: [
                "src/a.graphql": "query A { b { ...F ... on C { d } } }\n",
                "src/whole.graphql": "query Whole { b { c } }\n",
                "src/b.ts": "gql`fragment F on B @inline { e @client id } ${X}`",
            ])
        #expect(run.status == 0, "\(run.errors)")
        let operations = try #require(try JSONValue(parsing: run.output)["operations"])
        #expect(
            operations[1]?["body"] == """
                query A {
                  b {
                    ...F
                    ... on C {
                      d
                      __typename
                    }
                    __typename
                  }
                }

                fragment F on B {
                  __typename
                  id
                }
                """)
        #expect(operations[2]?["body"] == "query Whole { b { c } }\n")
        #expect(operations[3]?["body"] == "query Whole {\n  b {\n    c\n    __typename\n  }\n}")
        #expect(operations[4] == nil)
    }

    private static let head = #"{"format":"apollo-persisted-query-manifest","version":1,"operations":"#

    static let faults = [
        ("[", "is not JSON: "),
        ("{}", "is not a manifest, which has the form {\"format\": \"apollo-persisted-query-manifest\", "),
        (head + "3}", "is not a manifest, "),
        (head + "[{}]}", "has no {\"id\", \"name\", \"type\", \"body\"} at operations[0]."),
        (
            head + #"[{"id":"1","name":"A","type":"wish","body":"query A { b }"}]}"#,
            "has no {\"id\""
        ),
        (
            head + #"[{"id":"1","name":"A","type":"query","body":"query A { b }"}]}"#,
            "has the operation \"A\" with an id other than the SHA-256 of its body, "
        ),
    ]

    @Test("that cannot be used is rejected with the reason", arguments: faults)
    func faulty(_ text: String, _ beginning: String) {
        let fault = #expect(throws: OperationManifest.Fault.self) {
            try OperationManifest(json: Array(text.utf8))
        }
        #expect(fault?.description.hasPrefix(beginning) == true, "\(fault?.description ?? "")")
    }

    @Test(
        "is not written for a document that clients could not name",
        arguments: [
            ("{ a }", "error: Name the operation: clients find it by its name.\n\na/b.graphql:1:1\n"),
            ("fragment A on B { c }", "error: There is no operation.\n\nthe documents\n"),
            ("query A {", "error: Syntax Error: Expected Name, found <EOF>.\n\na/b.graphql:1:10\n"),
        ])
    func refused(_ document: String, _ errors: String) async throws {
        let run = try await CommandRun.run(
            ["operations", "manifest", "@a"], among: ["a/b.graphql": document])
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.errors.hasPrefix(errors), "\(run.errors)")
    }
}

@Suite("The embedded trusted documents")
struct OwnDocumentTests {
    private static func named(_ name: String, variables: String) throws -> String {
        let document = try #require(OperationDocument.all.first { $0.name == name })
        let manifest = try OperationManifest(of: [OperationManifestTests.document(document.text, name)])
        let id = try #require(manifest.operations.first).id
        return RawRequest.post(
            #"{"documentId":"\#(id)","variables":\#(variables)}"#,
            fields: ["Authorization: Bearer \(RunningServer.sandboxToken)"])
    }

    @Test("are run by their ids; if only they are trusted, other documents are not run")
    func named() async throws {
        let request = try Self.named("describe-instrument", variables: #"{"symbol":"KO"}"#)
        try await withServer { server in
            let answer = try await server.send(request)
            #expect(answer.json?["data"]?["instrument"]?["symbol"] == "KO", "\(answer.body)")
            #expect(try await server.ask("{ __typename }").json?["data"]?["__typename"] == "Query")
        }
        try await withServer(environment: ["PORTICO_DOCUMENTS_ONLY": "true"]) { server in
            let answer = try await server.send(request)
            #expect(answer.json?["data"]?["instrument"]?["symbol"] == "KO", "\(answer.body)")
            #expect(try await server.ask("{ __typename }").code == "DOCUMENT_NOT_TRUSTED")
        }
    }

    @Test("are replaced by those of a manifest in the settings")
    func replaced() async throws {
        let request = try Self.named("describe-instrument", variables: #"{"symbol":"KO"}"#)
        let manifest = try OperationManifest(of: [
            OperationManifestTests.document("query T { __typename }", "t.graphql")
        ])
        let id = try #require(manifest.operations.first).id
        try await withFolder { folder in
            let file = folder.appending(path: "operations.json")
            try manifest.text.write(to: file, atomically: true, encoding: .utf8)
            try await withServer(environment: ["PORTICO_DOCUMENTS": file.path]) { server in
                let answer = try await server.send(RawRequest.post(#"{"documentId":"\#(id)"}"#))
                #expect(answer.body == #"{"data":{"__typename":"Query"}}"#)
                #expect(try await server.send(request).code == "DOCUMENT_NOT_FOUND")
            }
        }
    }
}
