import Brokerage
import Gateway
import Testing
import Upstream

/// The delivery of messages to webhooks, as the server runs it.
enum RunningDeliverer {
    /// Delivers the messages of all webhooks around a test.
    ///
    /// - Parameters:
    ///   - gateway: The gateway with the webhooks.
    ///   - clock: The clock of pauses and attempts.
    ///   - edit: Changes the settings.
    ///   - report: Called for failures; without it, storage errors fail the test.
    ///   - test: The test.
    /// - Throws: The error of the test.
    static func run(
        for gateway: TestGateway, clock: TimeSource = .system,
        _ edit: (inout WebhookDeliverer.Settings) -> Void = { _ in },
        reporting report: @escaping @Sendable (WebhookDeliverer.Report) -> Void = { report in
            if case .storage(let error) = report { Issue.record(error) }
        },
        _ test: () async throws -> Void
    ) async throws {
        var settings = WebhookDeliverer.Settings()
        edit(&settings)
        let client = try HTTPClient(userAgent: "portico-test")
        let deliverer = WebhookDeliverer(gateway.services, over: client, clock: clock, settings: settings)
        let task = Task { await deliverer.run(reporting: report) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await test())
        } catch {
            result = .failure(error)
        }
        task.cancel()
        await task.value
        await client.shutDown()
        try result.get()
    }
}
