/// The answer of a resolver: at hand, or still to be fetched.
///
/// Where every load of an operation answers `ready`, the whole operation runs without a task or a suspension.
public enum Loading<Value: Sendable>: Sendable {
    /// The value is at hand.
    case ready(Value)
    /// The value must be waited for.
    case later(@Sendable () async throws -> Value)
}

extension Loading {
    /// The same, with another value made of it.
    @inlinable
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Other
    ) rethrows -> Loading<Other> {
        switch self {
        case .ready(let value): .ready(try transform(value))
        case .later(let fetch): .later { try transform(try await fetch()) }
        }
    }

    /// The value, waited for where it must be.
    @inlinable
    public func value() async throws -> Value {
        switch self {
        case .ready(let value): value
        case .later(let fetch): try await fetch()
        }
    }
}

extension Loading {
    /// A load for each of several sources, side by side: an answer for each, in their order.
    ///
    /// It is at hand where all of them are.
    public static func each<Source: Sendable, Answer: Sendable>(
        _ sources: [Source], _ load: (Source) throws -> Loading<Answer>
    ) -> Loading where Value == Answers<Answer> {
        var answers: [Result<Answer, any Error>?] = []
        var fetches: [(position: Int, fetch: @Sendable () async throws -> Answer)] = []
        for (position, source) in sources.enumerated() {
            switch Result(catching: { try load(source) }) {
            case .success(.ready(let answer)): answers.append(.success(answer))
            case .failure(let error): answers.append(.failure(error))
            case .success(.later(let fetch)):
                answers.append(nil)
                fetches.append((position, fetch))
            }
        }
        if fetches.isEmpty { return .ready(answers.compactMap(\.self)) }
        let (known, pending) = (answers, fetches)
        return .later { await fill(known, from: pending) }
    }

    private static func fill<Answer: Sendable>(
        _ answers: [Result<Answer, any Error>?],
        from fetches: [(position: Int, fetch: @Sendable () async throws -> Answer)]
    ) async -> Answers<Answer> {
        await withTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
            for (position, fetch) in fetches {
                group.addTask {
                    do {
                        return (position, .success(try await fetch()))
                    } catch {
                        return (position, .failure(error))
                    }
                }
            }
            var answers = answers
            for await (position, answer) in group { answers[position] = answer }
            return answers.compactMap(\.self)
        }
    }
}
