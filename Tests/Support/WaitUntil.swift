/// Waits until a condition holds that other tasks or processes cause without a notification.
///
/// The condition is evaluated again every few milliseconds.
///
/// - Parameters:
///   - timeout: The longest time to wait.
///   - fileID: The file that the error names.
///   - line: The line that the error names.
///   - condition: The condition.
/// - Throws: ``ConditionTimeout`` if the condition does not hold in time; `CancellationError` if the task is
///   cancelled; the error that the condition throws.
package func waitUntil(
    timeout: Duration = .seconds(60), fileID: StaticString = #fileID, line: UInt = #line,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + timeout
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw ConditionTimeout(timeout: timeout, location: "\(fileID):\(line)")
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// A condition that ``waitUntil(timeout:fileID:line:_:)`` waited for did not hold in time.
package struct ConditionTimeout: Error, CustomStringConvertible {
    let timeout: Duration
    let location: String

    package var description: String { "The condition at \(location) did not hold within \(timeout)." }
}
