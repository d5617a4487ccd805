package import GraphQL

/// The context of a schema with a slow field, whose value is available after the source is opened.
package final class SlowBoxSource: Sendable {
    private let gate = Event<Void>()
    private let end = Event<Void>()
    private let onValue: @Sendable () -> Void

    /// - Parameter onValue: Is called when the value is available.
    package init(onValue: @escaping @Sendable () -> Void = {}) { self.onValue = onValue }

    package func open() { gate.happen() }

    /// Returns the value after ``open()``; records that its load is cancelled.
    fileprivate func value() async -> Int {
        await withTaskCancellationHandler {
            await gate.wait()
        } onCancel: {
            end.happen()
            gate.happen()
        }
        onValue()
        return 1
    }

    /// Waits until the load of the value is cancelled.
    package func cancelled() async { await end.wait() }

    /// `{ box { name slow } }`, with `@defer` and `@stream`.
    package static func schema(
        options: ExecutionOptions = ExecutionOptions()
    ) throws -> ExecutableSchema<SlowBoxSource> {
        try ExecutableSchema(
            Schema.build(
                "type Query { box: Box } type Box { name: String slow: Int }", incrementalDelivery: true),
            query: SlowBoxQuery(), context: SlowBoxSource.self, options: options)
    }
}

private struct SlowBoxQuery: GraphQLObject {
    typealias Context = SlowBoxSource

    static let graphQL = ObjectType<SlowBoxQuery>("Query") {
        Field("box") { _ in Optional(SlowBox()) }
    }
}

private struct SlowBox: GraphQLObject {
    typealias Context = SlowBoxSource

    static let graphQL = ObjectType<SlowBox>("Box") {
        Field("name") { _ in Optional("n") }
        Field(
            "slow",
            load: { boxes, source in
                .async {
                    let value = await source.value()
                    return boxes.map { _ in .success(Optional(value)) }
                }
            })
    }
}
