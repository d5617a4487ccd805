import GraphQL

/// Executes the cases of a batch, one after the other.
package struct BatchRunner {
    private var schemas = SchemaCache()

    package init() {}

    /// Returns the result line for an input line, without its line feed.
    package mutating func outputLine(for line: LineReader.Line) -> [UInt8] {
        guard case .bytes(let bytes) = line else {
            return BatchOutput(
                id: .null, error: "The line has more than \(LineReader.maximumLineLength) bytes."
            ).line
        }
        do {
            let test = try BatchCase(bytes)
            return output(for: test).line
        } catch {
            return BatchOutput(id: error.id, error: error.message).line
        }
    }

    private mutating func output(for test: BatchCase) -> BatchOutput {
        do {
            let schema = try test.schema.map { text throws(GraphQLErrors) in
                try schemas.schema(text, incrementalDelivery: test.action == .incremental)
            }
            return BatchOutput(id: test.id, try outcome(of: test, schema))
        } catch {
            if test.action == .incremental {
                return BatchOutput(id: test.id, .payloads([GraphQLResponse(requestErrors: error.errors)]))
            }
            return BatchOutput(id: test.id, .failed(error.errors))
        }
    }

    private func outcome(of test: BatchCase, _ schema: Schema?) throws(GraphQLErrors) -> BatchOutput.Outcome {
        switch test.action {
        case .parse:
            _ = try Document.read(document(of: test), within: LargeStackThread.parseLimits)
            return .succeeded
        case .print:
            let document = try Document.read(document(of: test))
            return .printed(document.print())
        case .validate:
            let schema = try needed(schema, "schema", for: test)
            guard let text = test.document else { return .succeeded }
            _ = try Document.read(SourceText(text)).validated(
                against: schema, options: BatchRunner.options.validation)
            return .succeeded
        case .execute:
            return .response(try run(test, schema, rootValue: test.rootValue))
        case .introspect:
            return .response(try run(test, schema, rootValue: .null))
        case .incremental:
            let (schema, request) = try executable(test, schema)
            return .payloads(try schema.payloads(request, rootValue: test.rootValue, in: test.format))
        }
    }

    private func run(
        _ test: BatchCase, _ schema: Schema?, rootValue: InputValue
    ) throws(GraphQLErrors) -> GraphQLResponse {
        let (schema, request) = try executable(test, schema)
        return try schema.run(request, rootValue: rootValue)
    }

    private func executable(
        _ test: BatchCase, _ schema: Schema?
    ) throws(GraphQLErrors) -> (DynamicSchema, GraphQLRequest) {
        let schema = DynamicSchema(try needed(schema, "schema", for: test), options: BatchRunner.options)
        let request = GraphQLRequest(
            try needed(test.document, "document", for: test), operationName: test.operationName,
            variables: test.variables)
        return (schema, request)
    }

    private func document(of test: BatchCase) throws(GraphQLErrors) -> SourceText {
        SourceText(try needed(test.document, "document", for: test))
    }

    private func needed<Value>(
        _ value: Value?, _ name: String, for test: BatchCase
    ) throws(GraphQLErrors) -> Value {
        guard let value else {
            throw GraphQLErrors([GraphQLError("A case to \(test.action.rawValue) needs a \"\(name)\".")])
        }
        return value
    }

    /// The same maximum number of errors as the reference implementation's default.
    private static let options: ExecutionOptions = {
        var options = ExecutionOptions()
        options.parserLimits = LargeStackThread.limits
        options.limits = .unlimited
        options.validation = ValidationOptions(maximumErrors: 100)
        return options
    }()
}

/// A line of a batch's input.
package struct BatchCase {
    let id: InputValue
    let action: Action
    let schema: String?
    let document: String?
    let operationName: String?
    let variables: InputObject
    let rootValue: InputValue
    /// The format of the payloads of incremental delivery.
    let format: IncrementalFormat

    /// The action on the document or the schema.
    enum Action: String, CaseIterable {
        case parse, print, validate, execute, introspect, incremental
    }

    /// The reason why a line is not a valid case.
    struct Fault: Error {
        /// The id in the line, by which the sender identifies the result.
        let id: InputValue
        let message: String
    }

    /// Parses a line.
    init(_ line: [UInt8]) throws(Fault) {
        let members: InputObject
        do {
            guard case .object(let object) = try InputValue(json: line, limits: LargeStackThread.jsonLimits)
            else {
                throw Fault(id: .null, message: "A case is a JSON object.")
            }
            members = object
        } catch let fault as Fault {
            throw fault
        } catch let error as JSONError {
            throw Fault(id: .null, message: "The line is not JSON: \(error.message)")
        } catch {
            throw Fault(id: .null, message: "The line is not JSON.")
        }
        let reader = BatchFieldReader(members)
        id = reader.id
        action = try reader.action()
        schema = try reader.text("schema")
        document = try reader.text("document")
        operationName = try reader.text("operationName")
        variables = try reader.object("variables")
        rootValue = members["rootValue"] ?? .null
        format = try reader.format()
    }
}

/// Reads and removes the members of a case one by one.
private struct BatchFieldReader {
    let members: InputObject
    let id: InputValue

    init(_ members: InputObject) {
        self.members = members
        id = members["id"] ?? .null
    }

    func action() throws(BatchCase.Fault) -> BatchCase.Action {
        guard let name = try text("action") else { throw fault("A case has an \"action\": \(known).") }
        guard let action = BatchCase.Action(rawValue: name) else {
            throw fault("There is no action \"\(name)\". The actions are \(known).")
        }
        return action
    }

    /// Reads the format of incremental payloads; v0.2 by default.
    func format() throws(BatchCase.Fault) -> IncrementalFormat {
        switch try text("format") {
        case nil, "incrementalSpec=v0.2": return .pendingAndCompleted
        case "deferSpec=20220824": return .labelAndPath
        case let name?:
            throw fault(
                "There is no format \"\(name)\". The formats are \"incrementalSpec=v0.2\" and "
                    + "\"deferSpec=20220824\".")
        }
    }

    private var known: String {
        BatchCase.Action.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }

    func text(_ name: String) throws(BatchCase.Fault) -> String? {
        switch members[name] {
        case .string(let text): return text
        case nil, .null: return nil
        case .boolean, .int, .number, .enum, .list, .object: throw fault("\"\(name)\" is not a string.")
        }
    }

    func object(_ name: String) throws(BatchCase.Fault) -> InputObject {
        switch members[name] {
        case .object(let object): return object
        case nil, .null: return InputObject()
        case .boolean, .int, .number, .string, .enum, .list: throw fault("\"\(name)\" is not an object.")
        }
    }

    private func fault(_ message: String) -> BatchCase.Fault {
        BatchCase.Fault(id: id, message: message)
    }
}

/// A line of a batch's output.
package struct BatchOutput {
    let id: InputValue
    let outcome: Outcome

    enum Outcome {
        case succeeded
        case printed(String)
        /// The action failed, with at least one error.
        case failed([GraphQLError])
        /// An operation ran; its response may contain field errors.
        case response(GraphQLResponse)
        /// An operation ran with incremental delivery; the errors are in the payloads.
        case payloads([GraphQLResponse])
    }

    init(id: InputValue, _ outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }

    /// Creates the output for an invalid line.
    init(id: InputValue, error message: String) {
        self.init(id: id, .failed([GraphQLError(message)]))
    }

    /// The result as JSON.
    var line: [UInt8] {
        switch outcome {
        case .succeeded: return object(ok: true, ["errors": .list([])])
        case .printed(let text): return object(ok: true, ["printed": .string(text), "errors": .list([])])
        case .failed(let errors): return object(ok: false, ["errors": .list(errors.map(\.json))])
        case .response(let response):
            // The response is an object with `data` and, if fields failed, `errors`; its members are copied
            // unchanged.
            let isComplete = response.outcome == .complete
            let head = object(ok: isComplete, isComplete ? ["errors": .list([])] : [:])
            return head.dropLast() + [UInt8(ascii: ",")] + response.body.dropFirst()
        case .payloads(let payloads):
            var line = Array(InputValue.object(["id": id]).json.dropLast())
            line += ",\"payloads\":[".utf8
            line += payloads.map(\.body).joined(separator: [UInt8(ascii: ",")])
            line += "]}".utf8
            return line
        }
    }

    private func object(ok: Bool, _ members: InputObject) -> [UInt8] {
        InputValue.object(InputObject([("id", id), ("ok", .boolean(ok))] + members.fields)).json
    }
}

extension GraphQLError {
    /// The error with its locations, also if there are none, and its path.
    var json: InputValue {
        var members: InputObject = [
            "message": .string(message),
            "locations": .list(
                locations.map { .object(["line": .int($0.line), "column": .int($0.column)]) }),
        ]
        if let path {
            members["path"] = .list(
                path.map { segment in
                    switch segment {
                    case .key(let key): .string(key)
                    case .index(let index): .int(index)
                    }
                })
        }
        return .object(members)
    }
}
