import Brokerage
import Sandbox

/// A way in which the provider fails, and what clients may be told of it.
struct FaultPhase {
    let faults: [Fault]
    let codes: Set<String>

    static var all: [FaultPhase] {
        let short = [
            FaultPhase(
                [half(.status(500)), half(.status(503))], codes: ["PROVIDER_UNAVAILABLE"]),
            FaultPhase([half(.status(429, retryAfter: 1))], codes: ["QUOTA_EXHAUSTED"]),
            FaultPhase(
                [half(.closedConnection), half(.truncatedBody), half(.disconnect)],
                codes: ["PROVIDER_UNAVAILABLE"]),
            FaultPhase([half(.malformedBody)], codes: ["PROVIDER_RESPONSE_INVALID"]),
            FaultPhase(
                [Fault(.lostResponse, provider: .alpaca, endpoint: "POST /v2/orders")],
                codes: ["PROVIDER_UNAVAILABLE"]),
        ]
        // Who waits for an answer that never comes does so for many seconds.
        let hangs = FaultPhase(
            [
                Fault(.hang, provider: .alpaca, percent: 5),
                Fault(.latency(.milliseconds(500)), provider: .alpaca, percent: 30),
            ], codes: ["PROVIDER_TIMEOUT", "PROVIDER_UNAVAILABLE"])
        return Soak.minutes == nil ? short : short + [hangs]
    }

    private init(_ faults: [Fault], codes: Set<String>) {
        self.faults = faults
        self.codes = codes
    }

    /// Reads are tried three times: with less, hardly a failure would reach a client.
    private static func half(_ effect: Fault.Effect) -> Fault {
        Fault(effect, provider: .alpaca, percent: 50)
    }
}
