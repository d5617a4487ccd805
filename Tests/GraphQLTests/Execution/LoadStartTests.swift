import GraphQL
import Synchronization
import TestSupport
import Testing

@Suite("The start of loads")
struct LoadStartTests {
    @Test("begins all loads of a layer in the current thread, before one of them is awaited")
    func beginsAll() async throws {
        let loads = HeldLoads()
        let schema = try ExecutableSchema(
            Schema.build("type Query { a: String b: String c: String }"), query: HeldQuery(),
            context: HeldLoads.self)
        let response = schema.respond(to: GraphQLRequest("{ a b c }"), context: loads)
        let task = Task.immediate { try await response.value() }
        #expect(loads.begun == ["a", "b", "c"])
        loads.permission.happen()
        let body = try await task.value.body
        #expect(String(decoding: body, as: UTF8.self) == #"{"data":{"a":"a","b":"b","c":"c"}}"#)
    }

    @Test("begins the loads of several sources in the current thread")
    func beginsEach() async throws {
        let loads = HeldLoads()
        let results = MaybeAsync.each(["a", "b", "c"]) { loads.load($0) }
        let task = Task.immediate { try await results.value().map { try $0.get() } }
        #expect(loads.begun == ["a", "b", "c"])
        loads.permission.happen()
        #expect(try await task.value == ["a", "b", "c"])
    }
}

/// Loads that end when the test permits it.
private final class HeldLoads: Sendable {
    let permission = Event<Void>()
    private let names = Mutex<[String]>([])

    /// The loads that have begun, in their order.
    var begun: [String] { names.withLock(\.self) }

    func load(_ name: String) -> MaybeAsync<String?> {
        .async { [self] in
            names.withLock { $0.append(name) }
            await permission.wait()
            return name
        }
    }
}

private struct HeldQuery: GraphQLObject {
    typealias Context = HeldLoads

    static let graphQL = ObjectType<HeldQuery>("Query") {
        Field("a", once: { $0.load("a") })
        Field("b", once: { $0.load("b") })
        Field("c", once: { $0.load("c") })
    }
}
