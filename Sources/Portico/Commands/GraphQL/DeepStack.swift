import Foundation
import GraphQL

/// A thread for work on documents of any shape.
///
/// The parser takes any depth; what walks the tree afterwards (validation, planning, the write pass) calls itself
/// once a level. Memory is taken for as much of the stack as is used, so a large one costs nothing.
enum DeepStack {
    /// 2 GiB. The dearest walk takes less than 16 KiB a level, even in a debug build; see `deepest`.
    private static let size = 2 << 30

    /// How deep documents and JSON values may be nested where work runs here: deeper than 100,000 tokens can go.
    static let deepest = 50_000

    /// How large documents may be: their nesting and length are bounded, as memory is; their tokens are not.
    static let limits = ParserLimits(bytes: 64 << 20, tokens: .max, depth: deepest)

    /// JSON likewise.
    static let jsonLimits = JSONLimits(depth: deepest, bytes: 256 << 20)

    /// Runs work there and waits for it.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: work)) }
            thread.stackSize = size
            thread.start()
        }
    }
}
