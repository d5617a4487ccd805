import Foundation
package import GraphQL

/// A thread for work on documents of any shape.
///
/// The parser takes any depth; what walks the tree afterwards (validation, planning, the write pass) calls itself
/// once a level. Memory is taken for as much of the stack as is used, so a large one costs nothing.
package enum LargeStackThread {
    /// 2 GiB: 40 KiB for each level that is let in, of which the dearest walk uses less than half even in a debug
    /// build.
    private static let size = 2 << 30

    /// How deep documents and JSON values may be nested: no document of 100,000 tokens goes deeper.
    private static let deepest = 50_000

    /// How large documents may be that are only parsed.
    ///
    /// Their length and nesting are limited, because memory and stack are; their tokens and names have no
    /// limit.
    static let parseLimits = ParserLimits(
        bytes: 64 << 20, tokens: .max, depth: deepest, nameBytes: .max)

    /// How large documents may be that are printed, validated or run.
    ///
    /// The canonical form indents each level more than the last, so it needs memory that grows with the square of the
    /// depth, some hundred megabytes here.
    package static let limits = ParserLimits(bytes: 64 << 20, tokens: .max, depth: 10_000, nameBytes: .max)

    /// The same for schemas, whose default values are printed for introspection.
    static let schemaLimits = ParserLimits(bytes: 64 << 20, tokens: .max, depth: 1_000)

    /// The same for JSON.
    package static let jsonLimits = JSONLimits(depth: deepest, bytes: 256 << 20, values: .max)

    /// Runs work there and waits for it.
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
