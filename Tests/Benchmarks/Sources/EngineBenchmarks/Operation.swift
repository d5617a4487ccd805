import GraphQL
import Workload

/// An operation of the workload, and the steps of answering it that are measured.
struct Operation {
    /// The steps, in the order of the report.
    enum Step: String, CaseIterable, Codable, CodingKeyRepresentable {
        /// The whole, with the document parsed, validated and planned before.
        case cached
        /// The whole, of a document never seen before.
        case cold
        case parse
        case validate
    }

    let name: String
    private let workload: LoadedWorkload
    private let request: GraphQLRequest
    private let document: Document

    init(_ name: String, of workload: LoadedWorkload) throws {
        self.name = name
        self.workload = workload
        request = try GraphQLRequest(json: Array(try workload.files.text("\(name).json").utf8))
        document = try parse(request.document)
    }

    static func all() throws -> [Operation] {
        let workload = try LoadedWorkload()
        return try ["w1", "w2", "w3", "w4"].map { try Operation($0, of: workload) }
    }

    /// The step as a closure to be called again and again.
    ///
    /// Where it answers, the answer has been seen to be right.
    func measured(_ step: Step) throws -> () throws -> Void {
        switch step {
        case .cached:
            let schema = workload.schema
            try check(try answer(schema, request))
            return { _ = try answer(schema, request) }
        case .cold:
            var documents = ColdDocuments(of: request)
            let schema = workload.forgetfulSchema
            for _ in 0..<ColdDocuments.count { try check(try answer(schema, documents.next())) }
            return { _ = try answer(schema, documents.next()) }
        case .parse:
            let text = request.document
            return { _ = try parse(text) }
        case .validate:
            let (document, schema) = (document, workload.schema.schema)
            return { _ = try validate(document, against: schema) }
        }
    }

    private func answer(_ schema: ExecutableSchema<WorkloadStore>, _ request: GraphQLRequest) throws
        -> GraphQLResponse
    {
        guard case .ready(let response) = schema.respond(to: request, context: workload.store) else {
            throw BenchmarkError("\(name): the engine waits for data, although all of it is in memory")
        }
        return response
    }

    private func check(_ response: GraphQLResponse) throws {
        let expected = try JSONValue(text: try workload.files.text("expected.\(name).json"))
        let answer = try JSONValue(bytes: response.body)
        guard response.outcome == .complete, answer["data"]?.comparable() == expected else {
            throw BenchmarkError(
                "\(name): wrong answer: \(String(decoding: response.body.prefix(500), as: UTF8.self))")
        }
    }
}

/// The workload's files, data and schema in memory.
struct LoadedWorkload {
    let files = Workload()
    let store: WorkloadStore
    let schema: ExecutableSchema<WorkloadStore>
    /// Keeps next to no document, so that one of many in turn is never at hand.
    let forgetfulSchema: ExecutableSchema<WorkloadStore>

    init() throws {
        store = try files.store()
        schema = try files.schema()
        var options = ExecutionOptions()
        options.documentCacheCapacity = 1
        forgetfulSchema = try files.schema(options: options)
    }
}

/// One request in as many spellings as no small cache can hold: they differ in a comment.
struct ColdDocuments {
    static let count = 64
    private let requests: [GraphQLRequest]
    private var position = 0

    init(of request: GraphQLRequest) {
        requests = (0..<ColdDocuments.count).map { number in
            GraphQLRequest(
                "\(request.document)\n# \(number)", operationName: request.operationName,
                variables: request.variables)
        }
    }

    mutating func next() -> GraphQLRequest {
        position = (position + 1) % requests.count
        return requests[position]
    }
}
