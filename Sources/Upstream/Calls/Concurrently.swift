/// Does something with each item, so many at the same time, and returns what came of them in order.
///
/// It ends when all have ended; one that fails does not stop the others.
package func concurrently<Item: Sendable, Value: Sendable>(
    _ items: [Item], atMost width: Int,
    _ body: @escaping @Sendable (Item) async throws(ProviderFailure) -> Value
) async -> [Result<Value, ProviderFailure>] {
    await withTaskGroup(of: (Int, Result<Value, ProviderFailure>).self) { group in
        var results: [Int: Result<Value, ProviderFailure>] = [:]
        for (index, item) in items.enumerated() {
            if index >= width, let (done, result) = await group.next() { results[done] = result }
            group.addTask {
                do throws(ProviderFailure) {
                    return (index, .success(try await body(item)))
                } catch {
                    return (index, .failure(error))
                }
            }
        }
        for await (done, result) in group { results[done] = result }
        return items.indices.compactMap { results[$0] }
    }
}
