package import Brokerage

/// Reads what a broker has booked in a user's accounts.
package protocol ActivitySource: Sendable {
    /// The shortest time between two changes of the broker's reports.
    ///
    /// A complete read contains all activities of the broker for this time.
    var activityReportInterval: Duration { get }

    /// Reads a page of the activities of an account.
    ///
    /// - Parameters:
    ///   - account: The broker's account id.
    ///   - query: The selection, and the page.
    ///   - call: The deadline and the recorder of the operation.
    /// - Returns: The page; the read is complete after the page without a next one.
    /// - Throws: `ProviderFailure`, with the cause `notFound` for an account that the credential cannot access.
    func activities(
        of account: String, _ query: ActivityQuery, in call: CallContext
    ) async throws(ProviderFailure) -> ActivityPage
}
