import Brokerage

/// Who may ask, and how often.
struct FakeAlphaVantageAuthenticator: Sendable {
    let settings: FakeAlphaVantageSettings
    let budget: CallQuota

    /// Lets one call in, and takes it from its key's budget; throws what is said instead.
    func admit(_ key: String?, at now: Instant) throws(FakeAlphaVantageNotice)
        -> FakeAlphaVantageSettings.Plan
    {
        guard let key, !key.isEmpty else { throw .missingKey(settings.missingKeyMember) }
        guard key != "demo" else { throw .demoKey }
        guard let plan = settings.keys[key] ?? (settings.acceptsAnyKey ? .free : nil) else {
            throw .missingKey(settings.missingKeyMember)
        }
        let isFree = plan == .free
        let refusal = budget.consume(
            for: key, at: now, windows: windows(of: plan), interval: isFree ? settings.burstInterval : nil)
        switch refusal {
        case nil: return plan
        case .tooSoon: throw .tooSoon(perDay: settings.requestsPerDay ?? 25)
        case .exhausted(let window):
            switch window.period {
            case .minute: throw .minuteIsUsedUp(limit: window.limit, perDay: settings.requestsPerDay ?? 500)
            case .dayInNewYork, .dayInUTC:
                throw .dayIsUsedUp(limit: window.limit, key: settings.dailyNoticeEchoesKey ? key : nil)
            }
        }
    }

    private func windows(of plan: FakeAlphaVantageSettings.Plan) -> [CallQuota.Window] {
        switch plan {
        case .premium: return [.init(period: .minute, limit: settings.premiumRequestsPerMinute)]
        case .free:
            let day: CallQuota.Window.Period = settings.dayEnds == .newYork ? .dayInNewYork : .dayInUTC
            return [
                settings.requestsPerDay.map { .init(period: day, limit: $0) },
                settings.requestsPerMinute.map { .init(period: .minute, limit: $0) },
            ].compactMap { $0 }
        }
    }
}
