import Brokerage
import Upstream
import Web

extension UpstreamCall {
    /// What clients and those who run the server are told of a provider's call.
    init(_ record: CallRecord) {
        self.init(
            provider: record.provider.rawValue, call: record.operation, outcome: Outcome(record.outcome),
            start: record.start, duration: record.duration, status: record.status, attempts: record.attempts)
    }
}

extension UpstreamCall.Outcome {
    fileprivate init(_ outcome: CallRecord.Outcome) {
        switch outcome {
        case .cached: self = .cached
        case .stale: self = .stale
        case .coalesced: self = .joined
        case .succeeded: self = .fetched
        case .failed: self = .failed
        }
    }
}
