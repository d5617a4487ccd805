import GraphQL

/// Answers the cases of a batch, one after the other.
struct Batch {
    private var schemas = SchemaCache()

    /// The result line for a line of the input, without its line feed.
    mutating func answer(_ line: LineReader.Line) -> [UInt8] {
        guard case .bytes(let bytes) = line else {
            return BatchResult(
                id: .null, refusing: "The line has more than \(LineReader.longestLine) bytes."
            ).line
        }
        do {
            let test = try BatchCase(bytes)
            return answer(test).line
        } catch {
            return BatchResult(id: error.id, refusing: error.message).line
        }
    }

    private mutating func answer(_ test: BatchCase) -> BatchResult {
        do {
            let schema = try test.schema.map { text throws(GraphQLErrors) in try schemas.schema(text) }
            return BatchResult(id: test.id, try outcome(of: test, schema))
        } catch {
            return BatchResult(id: test.id, .failed(error.errors))
        }
    }

    private func outcome(of test: BatchCase, _ schema: Schema?) throws(GraphQLErrors) -> BatchResult.Outcome {
        switch test.action {
        case .parse:
            _ = try Document.read(document(of: test), within: DeepStack.parseLimits)
            return .succeeded
        case .print:
            let document = try Document.read(document(of: test))
            return .printed(document.print())
        case .validate:
            let schema = try needed(schema, "schema", for: test)
            guard let text = test.document else { return .succeeded }
            _ = try Document.read(SourceText(text)).validated(
                against: schema, options: Batch.options.validation)
            return .succeeded
        case .execute:
            return .response(try run(test, schema, rootValue: test.rootValue))
        case .introspect:
            return .response(try run(test, schema, rootValue: .null))
        }
    }

    private func run(
        _ test: BatchCase, _ schema: Schema?, rootValue: InputValue
    ) throws(GraphQLErrors) -> Response {
        let schema = DynamicSchema(try needed(schema, "schema", for: test), options: Batch.options)
        let request = Request(
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
        options.parserLimits = DeepStack.limits
        options.limits = .unlimited
        options.validation = ValidationOptions(maximumErrors: 100)
        return options
    }()
}
