import GraphQL
import Synchronization

// A vault whose fields need keys, for the tests of guards.

let vaultSDL = """
    directive @needs(key: String!) repeatable on FIELD_DEFINITION

    type Query {
      open: Int
      gold(grams: Int!): Int @needs(key: "gold")
      must: Int! @needs(key: "gold")
      boxes: [Box!]
      thing: Thing
    }

    type Box {
      id: Int!
      weight: Int @needs(key: "box")
      sealed: Int @needs(key: "gold") @needs(key: "box")
      inner(id: Int!): Box @needs(key: "box")
    }

    union Thing = Box

    type Mutation {
      put(grams: Int!): Int @needs(key: "gold")
      look: Int
      drop: Int
    }

    type Subscription {
      ticks: Int @needs(key: "gold")
    }
    """

/// The context of the vault's resolvers: the keys of the request, and the calls in order.
final class Vault: Sendable {
    private let held: Mutex<Set<String>>
    private let calls = Mutex<[String]>([])

    init(_ keys: Set<String>) {
        held = Mutex(keys)
    }

    var keys: Set<String> { held.withLock { $0 } }

    /// Removes all keys.
    func drop() { held.withLock { $0 = [] } }

    func note(_ call: String) { calls.withLock { $0.append(call) } }
    var log: [String] { calls.withLock { $0 } }
}

/// The request lacks a key.
struct Locked: ClientVisibleError {
    let key: String

    var message: String { "It needs the key \(key)." }
}

extension FieldGuard<Vault> {
    /// `@needs`: the field needs a key.
    static var needs: FieldGuard {
        FieldGuard("needs") { directive in
            guard case .string(let key)? = directive.arguments["key"] else {
                return { _ in Locked(key: "?") }
            }
            return { vault in
                vault.note("asked for \(key)")
                return vault.keys.contains(key) ? nil : Locked(key: key)
            }
        }
    }
}

struct VaultQuery: GraphQLObject {
    typealias Context = Vault

    static let graphQL = ObjectType<VaultQuery>("Query") {
        Field("open", once: { _ in .ready(Optional(1)) })
        Field(
            "gold", Grams.self,
            once: { arguments, vault in
                vault.note("gold \(arguments.grams)")
                return .async { Optional(arguments.grams) }
            })
        Field("must", once: { _ in .ready(1) })
        Field("boxes") { _ -> [Box]? in [Box(id: 1, weight: 10), Box(id: 2, weight: 20)] }
        Field("thing") { _ -> Thing? in Thing(box: Box(id: 3, weight: 30)) }
    }
}

struct Box: GraphQLObject {
    typealias Context = Vault
    let id: Int
    let weight: Int?

    static let graphQL = ObjectType<Box>("Box") {
        Field("id", \.id)
        Field("weight", \.weight)
        Field("sealed") { Optional($0.id * 100) }
        Field(
            "inner", InnerBox.self,
            load: { boxes, arguments, vault in
                vault.note("inner of \(boxes.map(\.id))")
                return .ready(
                    boxes.map { .success(Box(id: $0.id + arguments.id, weight: nil)) } as BatchResults<Box?>)
            })
    }
}

struct Thing: GraphQLAbstract {
    let box: Box

    static let graphQL = AbstractType<Thing>("Thing") { PossibleType(Box.self) { $0.box } }
}

struct VaultMutation: GraphQLObject {
    typealias Context = Vault

    static let graphQL = ObjectType<VaultMutation>("Mutation") {
        Field(
            "put", Grams.self,
            once: { arguments, vault in
                vault.note("put \(arguments.grams)")
                return .ready(Optional(arguments.grams))
            })
        Field(
            "look",
            once: { vault in
                vault.note("look")
                return .ready(Optional(0))
            })
        Field(
            "drop",
            once: { vault in
                vault.note("drop")
                vault.drop()
                return .ready(Optional(0))
            })
    }
}

struct VaultSubscription: GraphQLObject {
    typealias Context = Vault

    static let graphQL = ObjectType<VaultSubscription>("Subscription") {
        Field(
            "ticks",
            events: { vault in
                vault.note("ticks")
                return AsyncStream<Int?> { continuation in
                    continuation.yield(1)
                    continuation.finish()
                }
            })
    }
}

/// The error of `Grams`.
struct NoGold: ClientVisibleError {
    var message: String { "There is no negative gold." }
}

/// Rejects -1, so that tests can check whether arguments were read.
struct Grams: GraphQLArguments {
    let grams: Int

    init(_ arguments: ArgumentReader) throws {
        grams = try arguments["grams"]
        if grams == -1 { throw NoGold() }
    }
}

struct InnerBox: GraphQLArguments {
    let id: Int

    init(_ arguments: ArgumentReader) throws {
        id = try arguments["id"]
    }
}
