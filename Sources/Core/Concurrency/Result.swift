extension Result {
    /// The result of an asynchronous operation, as `init(catching:)` returns that of a synchronous one.
    ///
    /// `defer` cannot wait. Instead, the result is stored, the resources of the operation are released, and then its error is
    /// thrown:
    ///
    /// ```swift
    /// let sandbox = try await Sandbox.start()
    /// let result = await Result.of { try await test(sandbox) }
    /// await sandbox.stop()
    /// return try result.get()
    /// ```
    ///
    /// An operation with one type of error states it, `{ () throws(UsageError) in … }`; without it, the type is `any Error`.
    ///
    /// - Parameter body: The operation.
    /// - Returns: The value of the operation, or the error that it has thrown.
    package static func of(_ body: () async throws(Failure) -> Success) async -> Result {
        do throws(Failure) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
