import Brokerage
import Gateway
import PorticoCore
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
        try await HTTPClient.with(userAgent: "portico-test") { client in
            let deliverer = WebhookDeliverer(gateway.services, over: client, clock: clock, settings: settings)
            let task = Task { await deliverer.run(reporting: report) }
            let result = await Result.of(test)
            task.cancel()
            await task.value
            try result.get()
        }
    }
}
