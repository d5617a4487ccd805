import Sandbox
import TestSupport
import Testing

@Suite("A script that cannot be meant is refused with what is wrong and what is right")
struct ScriptRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        let message: String
        var testDescription: String { "\(path) \(body)" }

        static func faults(_ body: String, _ message: String) -> Case {
            Case(path: "/_sandbox/faults", body: body, message: message)
        }

        static func market(_ body: String, _ message: String) -> Case {
            Case(path: "/_sandbox/market", body: body, message: message)
        }

        static func disconnect(_ body: String, _ message: String) -> Case {
            Case(path: "/_sandbox/disconnect", body: body, message: message)
        }

        static func oauth(_ body: String, _ message: String) -> Case {
            Case(path: "/_sandbox/oauth", body: body, message: message)
        }

        static func saxo(_ body: String, _ message: String) -> Case {
            Case(path: "/_sandbox/saxo/streams", body: body, message: message)
        }

        static let providers = "must be one of alpaca, saxo, alpha-vantage, yahoo, polygon"
        static let effects =
            "must be one of latency, status, malformed_body, duplicate_key, unreadable_row, truncated_body, "
            + "lost_answer, proxy_response, closed_connection, hang, disconnect, expired_token, absent_member, "
            + "other_type, extra_member, unknown_name"
        static let list = "GET /_sandbox/endpoints lists them"

        static let all: [Case] = [
            faults("", "not JSON: expected a value at byte 0"),
            faults("{", "not JSON: expected a member name at byte 1"),
            faults("[]", "an object is expected"),
            faults(
                #"{"effect":"hang","tims":1}"#,
                #"unknown member "tims"; known are ["effect", "endpoint", "every", "member", "milliseconds", "percent", "#
                    + #""provider", "remaining", "retry_after", "status"]"#),
            faults(#"{"effect":"hang","effect":"status"}"#, #""effect" stands there twice"#),
            faults(#"{}"#, #""effect" \#(effects)"#),
            faults(#"{"effect":"fire"}"#, #""effect" \#(effects)"#),
            faults(#"{"effect":7}"#, #""effect" must be a string such as "hang""#),
            faults(#"{"effect":"status"}"#, #""status" needs a "status" of 400 ... 599"#),
            faults(
                #"{"effect":"proxy_response"}"#, #""proxy_response" needs a "status" of 400 ... 599"#),
            faults(
                #"{"effect":"hang","status":400}"#, #""status" belongs to the effects status, proxy_response"#
            ),
            faults(
                #"{"effect":"proxy_response","status":400,"retry_after":5}"#,
                #""retry_after" belongs to the effect "status""#),
            faults(
                #"{"effect":"status","status":200}"#, #""status" must be a whole number of 400 ... 599"#),
            faults(
                #"{"effect":"status","status":429,"retry_after":-1}"#,
                #""retry_after" must be a whole number of 0 ... 86400"#),
            faults(#"{"effect":"latency"}"#, #""latency" needs "milliseconds""#),
            faults(
                #"{"effect":"latency","milliseconds":1.5}"#,
                #""milliseconds" must be a whole number of 0 ... 600000"#),
            faults(
                #"{"effect":"hang","milliseconds":5}"#, #""milliseconds" belongs to the effect "latency""#),
            faults(#"{"effect":"hang","retry_after":5}"#, #""retry_after" belongs to the effect "status""#),
            faults(
                #"{"effect":"hang","provider":"alpakka"}"#,
                #"there is no provider "alpakka"; "provider" \#(providers)"#),
            faults(#"{"effect":"hang","provider":1}"#, #""provider" must be a string such as "alpaca""#),
            faults(
                #"{"effect":"hang","endpoint":7}"#, #""endpoint" must be a string such as "GET /v2/account""#),
            faults(
                #"{"effect":"hang","endpoint":"GET /v2/acount"}"#,
                #"there is no endpoint "GET /v2/acount"; \#(list)"#),
            faults(
                #"{"effect":"hang","provider":"saxo","endpoint":"GET /v2/account"}"#,
                #"there is no endpoint "GET /v2/account" of saxo; \#(list)"#),
            faults(
                #"{"effect":"hang","remaining":0}"#, #""remaining" must be a whole number of 1 ... 1000000"#),
            faults(#"{"effect":"hang","every":0}"#, #""every" must be a whole number of 1 ... 1000000"#),
            faults(#"{"effect":"hang","percent":101}"#, #""percent" must be a whole number of 1 ... 100"#),
            market(#"{"hours":"shut"}"#, #""hours" must be one of ["as_scheduled", "open", "closed"]"#),
            market(#"{"unpriced":"AAPL"}"#, #""unpriced" must be a list of symbols"#),
            market(
                #"{"unpriced":["AAPL","AAPPL"]}"#,
                #""unpriced": "AAPPL" is not listed; symbols are spelled AAPL, BRK.B, SPX, EUR/USD"#),
            market(
                #"{"provider":"nasdaq"}"#, #"there is no provider "nasdaq"; "provider" \#(providers)"#),
            disconnect("", "not JSON: expected a value at byte 0"),
            disconnect(
                #"{"stream":"all"}"#, #"unknown member "stream"; known are ["endpoint", "provider"]"#),
            disconnect(
                #"{"provider":"alpaca","endpoint":"GET /v2/account"}"#,
                #"there is no stream "GET /v2/account" of alpaca; \#(list)"#),
            oauth(#"{"decision":"perhaps"}"#, #""decision" must be one of ask, approve, refuse"#),
            oauth(#"{"decision":"approve"}"#, #""approve" needs a "user", one of ["demo", "second"]"#),
            oauth(
                #"{"decision":"approve","user":"nobody"}"#,
                #""approve" needs a "user", one of ["demo", "second"]"#),
            oauth(#"{"decision":"refuse","user":"demo"}"#, #""user" belongs to "approve""#),
            saxo(#"{"demand":"stop"}"#, #""demand" must be one of reset, disconnect"#),
            saxo(
                #"{"demand":"reset","references":"p1"}"#, #""references" must be a list of reference ids"#),
            saxo(
                #"{"demand":"disconnect","references":["p1"]}"#,
                #""references" belong to the demand "reset""#),
        ]
    }

    @Test("in a body", arguments: Case.all)
    func refuses(_ wanted: Case) async throws {
        try await withSandbox { fixture in
            let reply = try await fixture.client.post(wanted.path, wanted.body)
            #expect(reply.status == 400)
            #expect(try JSONValue(parsing: reply.body) == .object(["error": .string(wanted.message)]))
            #expect(fixture.sandbox.faults.faults.isEmpty)
            #expect(fixture.sandbox.script == MarketScript())
            #expect(fixture.sandbox.oauth.decision == .prompt)
        }
    }

    @Test(
        "in a query",
        arguments: [
            ("?providr=saxo", #"unknown parameter "providr"; known are provider, endpoint"#),
            (
                "?provider=sacso",
                #"there is no provider "sacso"; "provider" \#(Case.providers)"#
            ),
            (
                "?provider=saxo&endpoint=GET+/v2/account",
                #"there is no endpoint "GET /v2/account" of saxo; \#(Case.list)"#
            ),
        ])
    func refusesQuery(query: String, message: String) async throws {
        let reply = try await withSandbox { try await $0.client.get("/_sandbox/calls" + query) }
        #expect(reply.status == 400)
        #expect(try JSONValue(parsing: reply.body) == .object(["error": .string(message)]))
    }

    @Test(
        "on a path or with a method that is not there, with those that are",
        arguments: [
            ("GET", "/_sandbox/fault", 404, "no such path"),
            ("PUT", "/_sandbox/faults", 405, "no such method"),
        ])
    func lost(method: String, path: String, status: Int, reason: String) async throws {
        let reply = try await withSandbox { try await $0.client.send(method, path) }
        #expect(reply.status == status)
        let error = try #require(try JSONValue(parsing: reply.body)["error"]?.string)
        #expect(error.hasPrefix("\(reason); there are GET /_sandbox/endpoints, GET /_sandbox/calls, "))
        #expect(error.hasSuffix("POST /_sandbox/saxo/disclaimers, POST /_sandbox/saxo/trade-level"))
    }
}
