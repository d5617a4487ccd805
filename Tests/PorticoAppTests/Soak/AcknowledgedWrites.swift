import Synchronization
import TestSupport
import Testing

/// What a server was asked to keep, by name, and what it must know of that when it has been killed and stands again.
///
/// A write that was acknowledged must be there. One whose answer is missing may have happened or not; which of the two is
/// learnt by the next ``check(_:_:)``, and holds from then on.
final class AcknowledgedWrites: Sendable {
    private struct Thing {
        /// As it was acknowledged last; nil where there is none.
        var value: String?
        /// What it may be instead.
        var doubtful: [String?] = []

        var possible: [String?] { [value] + doubtful }
    }

    // Several kinds of things are written at once.
    private let things = Mutex<[String: Thing]>([:])

    /// Sends a write that gives a thing a value; nil deletes it.
    ///
    /// - Returns: what the write was answered with.
    /// - Throws: what `send` throws, after which it is in doubt whether it was done.
    @discardableResult
    func write(
        _ value: String?, as name: String, _ send: () async throws -> JSONValue
    ) async throws -> JSONValue {
        begin(value, as: name)
        let answer = try await send()
        acknowledged(value, as: name)
        return answer
    }

    /// A write is under way.
    func begin(_ value: String?, as name: String) {
        things.withLock { $0[name, default: Thing()].doubtful.append(value) }
    }

    /// A thing has a value for certain.
    func acknowledged(_ value: String?, as name: String) {
        things.withLock { $0[name] = Thing(value: value) }
    }

    /// A write was refused, so that it certainly was not done.
    func refused(_ value: String?, as name: String) {
        things.withLock { things in
            guard let index = things[name]?.doubtful.lastIndex(of: value) else { return }
            things[name]?.doubtful.remove(at: index)
        }
    }

    /// The names that begin with a prefix.
    func names(under prefix: String) -> [String] {
        things.withLock { $0.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }

    /// How many things were acknowledged, be it that they are gone.
    var count: Int { things.withLock(\.count) }

    /// Holds what there is against what must be.
    func check(_ actual: [String: String], _ comment: String) {
        let known = things.withLock(\.self)
        for (name, thing) in known {
            #expect(
                thing.possible.contains(actual[name]),
                "\(comment): \(name) is \(actual[name] ?? "gone"), not \(thing.value ?? "gone")")
        }
        for name in actual.keys where known[name] == nil {
            Issue.record("\(comment): nobody made \(name)")
        }
        things.withLock { $0 = known.reduce(into: [:]) { $0[$1.key] = Thing(value: actual[$1.key]) } }
    }
}
