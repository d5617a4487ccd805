import Upstream

/// Why the data stream refuses: `{"T":"error","code":402,"msg":"auth failed"}`.
struct AlpacaStreamErrorBody: Hashable {
    let code: Int

    /// What it means for who follows prices.
    var cause: ProviderFailure.Cause {
        switch code {
        // Not authenticated; authentication failed.
        case 401, 402: .unauthorized
        // Authentication took too long.
        case 404: .timedOut
        // Another connection of the user stands, perhaps one that broke and that Alpaca has not noticed yet.
        case 406: .rateLimited(retryAt: nil)
        // Too many symbols, no such plan, no such scope.
        case 405, 408, 409, 411: .notEntitled
        // The feed does not have what was subscribed to.
        case 410: .unsupported
        // Alpaca's own trouble; a client that reads too slowly, for which it is as well to begin anew.
        case 407, 500...: .unavailable
        // Bad syntax, authenticated already: something that this client does not say.
        default: .invalidResponse(nil)
        }
    }
}
