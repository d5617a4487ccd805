import Gateway
import GraphQL
import NIOCore
import NIOHTTP1
import OpenIDConnect
import PorticoCore
import Web

/// `POST /oidc/back-channel-logout`: the identity provider ends sessions (OpenID Connect Back-Channel Logout 1.0).
///
/// The logout token is signed, so that the request needs no other credential.
struct BackChannelLogoutRoute: Route {
    static let path = "/oidc/back-channel-logout"
    /// The form has one token, of at most 16 KB, and little else.
    private static let maximumBody = 32_768

    let service: IdentityProviderService

    func admit(_ head: RequestHead, id: RequestID) -> Result<RequestHandler, RequestRejection> {
        guard head.method == .POST else {
            return .failure(RequestRejection(.methodNotAllowed(head.method, allowed: [.POST]), id: id))
        }
        return .success { body, _ in
            guard body.readableBytes <= Self.maximumBody,
                let token = Self.logoutToken(in: String(decoding: body.readableBytesView, as: UTF8.self))
            else { return .ready(Self.refusal(.malformedToken)) }
            return .async { [service] in
                // It may wait for the keys of the identity provider.
                switch await AdmissionSlot.released(during: { await service.logOut(with: token) }) {
                case .success:
                    var response = HTTPResponse(.ok)
                    response.headers = [HTTPResponse.Header("cache-control", "no-store")]
                    return response
                case .failure(let reason): return Self.refusal(reason)
                }
            }
        }
    }

    /// The parameter `logout_token` of a form; nil if it is missing or occurs twice.
    private static func logoutToken(in form: String) -> String? {
        let values = form.split(separator: "&").filter { $0.hasPrefix("logout_token=") }
        guard values.count == 1, let value = values.first?.dropFirst("logout_token=".count) else {
            return nil
        }
        return PercentEncoding.decode(value, plusIsSpace: true)
    }

    /// The response 400 for a token that is refused (section 2.8).
    ///
    /// A failure of the server gets 503, so that the provider repeats the request.
    private static func refusal(_ reason: SignInRejection) -> HTTPResponse {
        let isFailure = reason == .keysUnavailable || reason == .providerUnavailable
        let error: InputObject = [
            "error": .string("invalid_request"),
            "error_description": .string("\(reason.rawValue): \(reason.message)"),
        ]
        var response = HTTPResponse(
            isFailure ? .serviceUnavailable : .badRequest, "application/json",
            body: InputValue.object(error).json)
        response.headers = [HTTPResponse.Header("cache-control", "no-store")]
        return response
    }
}
