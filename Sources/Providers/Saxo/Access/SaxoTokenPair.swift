package import Brokerage
import Upstream

/// The response of Saxo's token endpoint: an access token, and a refresh token, which is valid once.
package struct SaxoTokenPair: Hashable, Sendable {
    package var access: SaxoToken
    package var accessEndsAt: Instant
    /// When the tokens are renewed: so long before their end that no call in progress has a token that ends.
    package var renewAt: Instant
    package var refresh: String
    package var refreshEndsAt: Instant
    /// Of the key that the user's consent was given to, which each renewal proves again; nil for consent without one.
    package var verifier: String?
    /// The user's choice that the connection takes the real-time prices of the user's other sessions.
    package var takesTradeLevel = false
}

extension SaxoTokenPair: CustomStringConvertible, CustomReflectable {
    package var description: String { "Saxo tokens \(Redaction.placeholder) until \(accessEndsAt)" }
    package var customMirror: Mirror { Mirror(self, children: ["tokens": description]) }
}

// MARK: From Saxo

/// The response of the token endpoint.
package struct SaxoTokenResponse: JSONDecodable {
    var access: SaxoToken
    /// Seconds; below zero for a token that has ended already, which Saxo sends to who comes late.
    package var accessSeconds: Int
    var refresh: String
    package var refreshSeconds: Int

    init(json reader: inout JSONReader) throws(JSONError) {
        var (access, refresh) = (SaxoToken?.none, String?.none)
        var (accessSeconds, refreshSeconds) = (Int?.none, Int?.none)
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "access_token":
                access = try reader.required(SaxoToken(readable: try reader.string()), "visible ASCII")
            case "expires_in": accessSeconds = try reader.int()
            case "refresh_token": refresh = try reader.string()
            case "refresh_token_expires_in": refreshSeconds = try reader.intOrNil()
            default: try reader.skip()
            }
        }
        self.access = try reader.required(access, "access_token")
        self.accessSeconds = try reader.required(accessSeconds, "expires_in")
        self.refresh = try reader.required(refresh, "refresh_token")
        // If Saxo does not state it: about an hour, as in its examples.
        self.refreshSeconds = refreshSeconds ?? 3_600
    }

    /// The tokens, whose lifetimes are counted from the start of the request, so that the duration of the
    /// call does not extend them.
    package func tokens(asOf start: Instant, verifier: String?) -> SaxoTokenPair {
        let span = Self.span(accessSeconds)
        let ahead = min(max(span / 4, .zero), .seconds(60))
        return SaxoTokenPair(
            access: access, accessEndsAt: start + span, renewAt: start + (span - ahead), refresh: refresh,
            refreshEndsAt: start + Self.span(refreshSeconds), verifier: verifier)
    }

    /// At most a year, so that no number in a response exceeds the range of instants.
    private static func span(_ seconds: Int) -> Duration {
        .seconds(min(max(seconds, -31_536_000), 31_536_000))
    }
}

extension SaxoToken {
    fileprivate init?(readable text: String) {
        guard let token = try? SaxoToken(text) else { return nil }
        self = token
    }
}

// MARK: For the keeper

extension SaxoTokenPair: JSONDecodable {
    /// Reads the form that ``stored`` writes.
    init(json reader: inout JSONReader) throws(JSONError) {
        var (access, refresh, verifier) = (SaxoToken?.none, String?.none, String?.none)
        var (accessEndsAt, renewAt, refreshEndsAt) = (Instant?.none, Instant?.none, Instant?.none)
        var takesTradeLevel = false
        try reader.object { key, reader throws(JSONError) in
            switch key {
            case "access": access = SaxoToken(readable: try reader.string())
            case "accessEndsAt": accessEndsAt = try reader.instant()
            case "renewAt": renewAt = try reader.instant()
            case "refresh": refresh = try reader.string()
            case "refreshEndsAt": refreshEndsAt = try reader.instant()
            case "verifier": verifier = try reader.stringOrNil()
            case "takesTradeLevel": takesTradeLevel = try reader.boolOrNil() ?? false
            default: try reader.skip()
            }
        }
        self.access = try reader.required(access, "access")
        self.accessEndsAt = try reader.required(accessEndsAt, "accessEndsAt")
        self.renewAt = try reader.required(renewAt, "renewAt")
        self.refresh = try reader.required(refresh, "refresh")
        self.refreshEndsAt = try reader.required(refreshEndsAt, "refreshEndsAt")
        self.verifier = verifier
        self.takesTradeLevel = takesTradeLevel
    }

    /// The form in which the tokens are stored, as a secret.
    package var stored: [UInt8] {
        var text = JSONObjectText()
        text.add("access", access.secret)
        text.add("accessEndsAt", accessEndsAt.description)
        text.add("renewAt", renewAt.description)
        text.add("refresh", refresh)
        text.add("refreshEndsAt", refreshEndsAt.description)
        text.add("verifier", verifier)
        if takesTradeLevel { text.add("takesTradeLevel", true) }
        return text.bytes
    }

    /// Nil for bytes that ``stored`` has not written.
    package init?(stored: [UInt8]) {
        guard let tokens = try? SaxoTokenPair(json: stored) else { return nil }
        self = tokens
    }
}
