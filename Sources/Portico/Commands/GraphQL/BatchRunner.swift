import GraphQL

/// Answers the cases of a batch, one after the other.
struct BatchRunner {
    private var schemas = SchemaCache()

    /// The result line for a line of the input, without its line feed.
    mutating func outputLine(for line: LineReader.Line) -> [UInt8] {
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
            let schema = try test.schema.map { text throws(GraphQLErrors) in try schemas.schema(text) }
            return BatchOutput(id: test.id, try outcome(of: test, schema))
        } catch {
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
        }
    }

    private func run(
        _ test: BatchCase, _ schema: Schema?, rootValue: InputValue
    ) throws(GraphQLErrors) -> GraphQLResponse {
        let schema = DynamicSchema(try needed(schema, "schema", for: test), options: BatchRunner.options)
        let request = GraphQLRequest(
            try needed(test.document, "document", for: test), operationName: test.operationName,
            variables: test.variables)
        return try schema.run(request, rootValue: rootValue)
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

    /// As many errors as the reference implementation reports by default.
    private static let options: ExecutionOptions = {
        var options = ExecutionOptions()
        options.parserLimits = LargeStackThread.limits
        options.limits = .unlimited
        options.validation = ValidationOptions(maximumErrors: 100)
        return options
    }()
}
