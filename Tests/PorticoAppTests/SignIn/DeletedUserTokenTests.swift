import Foundation
import IssuerSupport
import TestSupport
import Testing

@Suite("A bearer token of a deleted user")
struct DeletedUserTokenTests {
    @Test("does not create the user again")
    func deletedUser() async throws {
        try await withIssuerServer { test in
            let token = try test.issuer.token()
            #expect(
                try await test.server.ask(
                    #"mutation { createWatchlist(input: { name: "A" }) { watchlist { name } } }"#,
                    token: token
                ).failures.isEmpty)
            let signedIn = try await test.signIn()
            let deleted = try await test.server.ask(
                "mutation { deleteUser { deletedId } }", token: signedIn["token"]?.string)
            #expect(deleted.failures.isEmpty, "\(deleted.body)")
            for text in [token, try IssuerKey.otherForm(of: token)] {
                let answer = try await test.server.ask("{ watchlists { name } }", token: text)
                #expect(answer.refusalReason == "SIGNED_OUT", "\(answer.body)")
            }
            // A later sign-in gets another user.
            let again = try await test.signIn()
            #expect(again["viewer"]?["id"] != signedIn["viewer"]?["id"])
            let lists = try await test.server.ask("{ watchlists { name } }", token: again["token"]?.string)
            #expect(lists.json?["data"]?["watchlists"] == .array([]), "\(lists.body)")
        }
    }

    @Test("is refused at each replica after one has deleted the user")
    func tokenOfDeletedUser() async throws {
        try await TestIssuer.with { issuer in
            try await withFolder { folder in
                let environment = try Replicas.environment(IssuerServer.environment(issuer), folder)
                try await Replicas.run(2, environment) { replicas in
                    let token = try issuer.token()
                    for replica in replicas {
                        let read = try await replica.ask("{ watchlists { name } }", token: token)
                        #expect(read.failures.isEmpty, "\(read.body)")
                    }
                    let session = try await IssuerServer(issuer: issuer, server: replicas[0]).sessionToken()
                    let deleted = try await replicas[0].ask(
                        "mutation { deleteUser { deletedId } }", token: session)
                    #expect(deleted.failures.isEmpty, "\(deleted.body)")
                    try await waitUntil {
                        let refused = try await replicas[1].ask("{ watchlists { name } }", token: token)
                        return refused.refusalReason == "SIGNED_OUT"
                    }
                    // The replica that has deleted the user refuses it at once.
                    let refused = try await replicas[0].ask("{ watchlists { name } }", token: token)
                    #expect(refused.refusalReason == "SIGNED_OUT", "\(refused.body)")
                }
            }
        }
    }
}
