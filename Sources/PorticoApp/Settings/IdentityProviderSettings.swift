import Foundation
import Gateway
import OpenIDConnect
import PorticoCore
import Storage
import Upstream

struct IdentityProviderSettingGroup: SettingGroup {
    let title = "OpenID Connect"
    let introduction: String? = "[Sign-in by OpenID Connect](sign-in.md) describes these settings."

    let issuer = Setting(
        "oidc-issuer", .url,
        "The identifier of the identity provider, exactly as its tokens name it in `iss`; `http` for this machine only."
    )
    let clientID = Setting(
        "oidc-client-id", .text("a text"), "The id of Portico as a client of the identity provider.")
    let clientSecret = SecretSetting(
        "oidc-client-secret", "The secret of this client.", unset: "none; the client is public")
    let requestedScopes = Setting(
        "oidc-request-scopes", .list(of: "scopes of the identity provider"), unset: "none except `openid`",
        "Scopes of the identity provider to request besides `openid`, such as `profile` and those that add the claim of `oidc-scopes-claim`."
    )
    let bearer = Setting(
        "oidc-bearer", .boolean, default: false,
        "Accept tokens of the identity provider (JWT) as tokens of requests.")
    let audiences = Setting(
        "oidc-audiences", .list(of: "audiences"), unset: "the client id",
        "Audiences (`aud`) of tokens of requests; a token needs one of them.")
    let scopesClaim = Setting(
        "oidc-scopes-claim", .text("the path of a claim"),
        unset: "none; each user of the identity provider gets READ and WRITE",
        "The claim whose values give the scopes, such as `roles` or `realm_access.roles`.")
    let scopes = Setting(
        "oidc-scopes", .list(of: "values of the claim with a scope, like `traders=TRADE`"),
        unset: "the names of the scopes",
        "The scope of each value of the claim: READ, WRITE, TRADE or ADMIN. A value with several scopes is listed several times; each scope includes READ."
    )
    let createsUsers = Setting(
        "oidc-create-users", .boolean, default: false,
        "Create a user at the first sign-in, bound to the issuer and the subject (`iss`, `sub`).")
    let clockSkew = Setting(
        "oidc-clock-skew", .integer(0...600), default: 60,
        "Seconds by which the clocks of the server and of the identity provider may differ.")
    let keyLifetime = Setting(
        "oidc-key-lifetime", .integer(60...604_800), default: 86_400,
        "Seconds for which the keys of the identity provider stay valid if they cannot be fetched again.")
}

/// The identity provider of a server.
struct IdentityProviderSettings: Sendable {
    let configuration: IdentityProviderConfiguration
    let policy: IdentityPolicy

    /// Nil if none is set.
    ///
    /// - Throws: `UsageError` for an invalid setting, and if the issuer or the client id is missing.
    init?(_ values: SettingValues) throws(UsageError) {
        let group = Settings.identityProvider
        // All are read first, so that an invalid value is reported before a missing one.
        let issuer = try values.secureURL(group.issuer, for: "code of a sign-in")
        let clientID = try values[group.clientID]
        let secret = try values[group.clientSecret]
        let requestedScopes = try values[group.requestedScopes]
        let audiences = try values[group.audiences]
        var policy = IdentityPolicy()
        policy.acceptsBearerTokens = try values[group.bearer]
        policy.createsUsers = try values[group.createsUsers]
        policy.mapping = try ScopeMapping(values)
        let (skew, lifetime) = (try values[group.clockSkew], try values[group.keyLifetime])
        if values.names(in: group).isEmpty { return nil }
        guard let issuer, let clientID, !clientID.isEmpty else {
            throw values.incomplete(group, needs: "\(group.issuer.variable) and \(group.clientID.variable)")
        }
        guard !issuer.text.contains("?") else {
            throw UsageError("\(values.name(of: group.issuer)) has a query, which no issuer has.")
        }
        var configuration = IdentityProviderConfiguration(
            issuer: issuer, clientID: clientID, clientSecret: secret.map { Secret($0) })
        configuration.requestedScopes = requestedScopes ?? []
        if let audiences { configuration.audiences = Set(audiences) }
        (configuration.clockSkew, configuration.keyLifetime) = (.seconds(skew), .seconds(lifetime))
        (self.configuration, self.policy) = (configuration, policy)
    }
}

extension ScopeMapping {
    fileprivate init(_ values: SettingValues) throws(UsageError) {
        let group = Settings.identityProvider
        let claim = try values[group.scopesClaim]
        guard let items = try values[group.scopes] else {
            self.init(claim: claim, scopes: ScopeMapping.names)
            return
        }
        guard claim != nil else {
            throw UsageError("\(values.name(of: group.scopes)) needs \(values.name(of: group.scopesClaim)).")
        }
        var scopes: [String: Set<Scope>] = [:]
        for item in items {
            // The value of a claim can contain an equals sign.
            guard let mark = item.lastIndex(of: "="), mark > item.startIndex,
                let scope = Scope(rawValue: item[item.index(after: mark)...].uppercased())
            else {
                throw UsageError(
                    """
                    \(values.name(of: group.scopes)) has "\(item)"; it takes values of the claim with READ, WRITE, TRADE \
                    or ADMIN, like traders=TRADE.
                    """)
            }
            scopes[String(item[..<mark]), default: []].insert(scope)
        }
        self.init(claim: claim, scopes: scopes)
    }
}
