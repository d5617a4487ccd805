import Foundation
package import GraphQL

/// A thread with a large stack, for deeply nested documents.
///
/// The parser handles any depth, but the later passes (validation, planning, the write pass) recurse once
/// per level. Only the used part of the stack takes memory.
package enum LargeStackThread {
    /// The stack size, 2 GiB: 40 KiB for each permitted level.
    ///
    /// The most expensive pass uses less than half of this, even in a debug build.
    private static let size = 2 << 30

    /// The maximum nesting depth of documents and JSON values: no document of 100,000 tokens is deeper.
    private static let maximumDepth = 50_000

    /// The limits of documents that are only parsed.
    ///
    /// Their length and nesting are limited because of memory and stack; their tokens and names have no
    /// limit.
    static let parseLimits = ParserLimits(
        bytes: 64 << 20, tokens: .max, depth: maximumDepth, nameBytes: .max)

    /// The limits of documents that are printed, validated or run.
    ///
    /// The canonical form indents each level, so its size is quadratic in the depth: some hundred megabytes
    /// at this limit.
    package static let limits = ParserLimits(bytes: 64 << 20, tokens: .max, depth: 10_000, nameBytes: .max)

    /// The limits of schemas, whose default values are printed for introspection.
    static let schemaLimits = ParserLimits(bytes: 64 << 20, tokens: .max, depth: 1_000)

    /// The limits of JSON values.
    package static let jsonLimits = JSONLimits(depth: maximumDepth, bytes: 256 << 20, values: .max)

    /// Runs work on the thread and waits for its result.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result(catching: work)) }
            thread.stackSize = size
            thread.start()
        }
    }
}
