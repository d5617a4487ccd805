import FuzzSupport
import GraphQL

/// Complete requests: a document, then a zero byte, then the variables in JSON.
///
/// Each runs on a schema without Swift types, with invalid values of all kinds, and on one with bound types,
/// whose fields load synchronously, asynchronously and with failures.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzExecutor(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let (document, variables) = unsafe fuzzInput(start, count).parts
    var request = GraphQLRequest(String(decoding: document, as: UTF8.self))
    if case .object(let object)? = try? InputValue(json: variables) { request.variables = object }
    dynamic.execute(request, rootValue: FuzzSchema.root).check()
    finished(bound.respond(to: request, context: EmptyContext.shared)).check()
    return 0
}

private let dynamic = DynamicSchema(FuzzSchema.schema)

private let bound: ExecutableSchema<EmptyContext> = {
    do {
        return try ExecutableSchema(
            try Schema.build(boundSchema), query: Query(), mutation: Mutation(), context: EmptyContext.self)
    } catch {
        fatalError("The bound types of the fuzz target are wrong: \(error)")
    }
}()
