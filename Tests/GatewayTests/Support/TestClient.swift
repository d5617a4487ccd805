import Coordination
import Gateway
import GraphQL
import Storage
import TestSupport
import Testing
import Upstream

/// Somebody at the door of a gateway, with a token or without.
struct TestClient {
    let gateway: TestGateway
    let backends: GatewayServices
    let origin: ClientOrigin
    /// As the front door would send it.
    var token: String?

    init(_ gateway: TestGateway, from origin: UInt64 = 1, token: String? = nil) throws {
        self.gateway = gateway
        self.origin = ClientOrigin(origin)
        self.token = token
        backends = try gateway.backends([])
    }

    /// The session of the token, which the server looks up before any other step; nil if it refuses the
    /// token.
    var session: Session? {
        guard let token else { return .anonymous }
        return gateway.userData.authentication.sessions.session(ofToken: token).map { Session($0) }
    }

    func ask(_ query: String) async throws -> JSONValue {
        let session = try #require(session, "the token is unknown")
        let response = gateway.respond(to: query, in: session, backends, from: origin)
        return try JSONValue(parsing: try await response.value().body)
    }

    /// Does what gives a token, and has it from then on.
    @discardableResult
    mutating func enter(_ mutation: String) async throws -> JSONValue {
        let answer = try await ask(
            "mutation { it: \(mutation) { token session { id } viewer { id username } } }")
        token = try #require(answer["data"]?["it"]?["token"]?.string, "\(answer)")
        return try #require(answer["data"]?["it"])
    }

    static func signUp(_ name: String, invitation: String? = nil) -> String {
        let code = invitation.map { ", invitation: \"\($0)\"" } ?? ""
        return #"signUp(input: { username: "\#(name)", password: "correct horse battery"\#(code) })"#
    }

    static func signIn(
        _ name: String, _ password: String = "correct horse battery", scopes: String? = nil
    ) -> String {
        let scopes = scopes.map { ", scopes: [\($0)]" } ?? ""
        return #"signIn(input: { username: "\#(name)", password: "\#(password)"\#(scopes) })"#
    }

    /// What a mutation that gives a token is refused with.
    func refusal(of mutation: String) async throws -> JSONValue {
        let answer = try await ask("mutation { it: \(mutation) { token } }")
        #expect(answer["data"]?["it"] == .null)
        return try #require(answer["errors"]?[0], "\(answer)")
    }
}
