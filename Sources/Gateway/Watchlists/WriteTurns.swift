/// Lets one after the other do what must not overlap, for each key.
///
/// An actor, since what waits is in an order over time.
actor WriteTurns {
    private var last: [String: (number: Int, task: Task<Void, Never>)] = [:]
    private var count = 0

    /// Does something once all that was given before under the same key has been done.
    ///
    /// In a task of its own: a client that hangs up must not undo what was done for it.
    func run<Value: Sendable>(
        _ key: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let before = last[key]?.task
        let task = Task.detached {
            await before?.value
            return try await body()
        }
        count &+= 1
        let number = count
        last[key] = (number, Task.detached { _ = try? await task.value })
        defer { if last[key]?.number == number { last[key] = nil } }
        return try await task.value
    }
}
