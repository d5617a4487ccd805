import Foundation
import TestSupport
import Testing

@Suite("The documents of sessions and connections")
struct SessionScreenTests {
    private static let credentials = #""username":"ann","password":"correct horse battery""#
    private static let redirectURI = "http://localhost:3000/connected"

    @Test("sign up, sign in, connect a broker by its consent page, disconnect it, and sign out")
    func whole() async throws {
        try await withServer(environment: ["PORTICO_PASSWORD_COST": "4"]) { server in
            /// The payload of a document of users, which must have no error.
            func run(_ name: String, _ variables: String = "{}", _ token: String?) async throws -> JSONValue {
                let answer = try await server.show(Screen("users/\(name)"), variables, token: token)
                #expect(answer.failures.isEmpty, "\(name): \(answer.body)")
                return try #require(answer.json?["data"]?.members?.values.first, "\(name)")
            }

            let signedUp = try await run("sign-up", "{\"input\":{\(Self.credentials)}}", nil)
            #expect(signedUp.at("viewer.username") == "ann")
            #expect(signedUp.at("session.scopes")?.elements == ["READ", "WRITE"])

            let scopes = #""scopes":["READ","WRITE","TRADE"]"#
            let signedIn = try await run("sign-in", "{\"input\":{\(Self.credentials),\(scopes)}}", nil)
            #expect(signedIn.at("session.scopes")?.elements == ["READ", "WRITE", "TRADE"])
            let token = try #require(signedIn["token"]?.string)

            let begun = try await run(
                "begin-connection", #"{"provider":"saxo","redirectUri":"\#(Self.redirectURI)"}"#, token)
            let back = try await Browser.approve(try #require(begun["url"]?.string), as: "demo")
            #expect(back["state"] == begun["state"]?.string)
            let authorization = """
                {"code":"\(back["code"] ?? "")","state":"\(back["state"] ?? "")","redirectUri":"\(Self.redirectURI)"}
                """
            let input = #"{"provider":"saxo","credential":{"authorization":\#(authorization)}}"#
            let connected = try await run("connect-broker", "{\"input\":\(input)}", token)
            #expect(connected.at("connection.status") == "ACTIVE")
            #expect(connected.at("connection.accounts")?.elements?.isEmpty == false)

            let page = try await server.show(Screen("accounts/overview"), "{}", token: token)
            #expect(page.json?["data"]?.at("portfolio.missing")?.elements?.isEmpty == true)
            let id = try #require(connected.at("connection.id")?.string)
            let ended = try await run("disconnect-broker", #"{"id":"\#(id)"}"#, token)
            #expect(ended["deletedId"]?.string == id)

            _ = try await run("sign-out", "{}", token)
            let after = try await server.show(Screen("users/connections"), "{}", token: token)
            #expect(after.failures.first?.code == "UNAUTHENTICATED", "\(after.body)")
        }
    }
}
