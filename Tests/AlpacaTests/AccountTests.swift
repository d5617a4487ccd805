import Alpaca
import Brokerage
import Testing
import Upstream

@Suite("An account")
struct AccountTests {
    private let fetchedAt = Instant(nanosecondsSince1970: 1_795_000_000_000_000_000)

    @Test("has the figures of the answer, digit by digit")
    func figures() throws {
        let account = try AlpacaAccount(json: example("account")).account(fetchedAt: fetchedAt)
        #expect(account.id == "6f1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31")
        #expect(account.number == "PA3ABCDEF12")
        #expect(account.currency == "USD")
        #expect(account.status == "ACTIVE")
        #expect(account.canTrade == true)
        #expect(account.equity?.description == "104377.62")
        #expect(account.lastEquity?.description == "103902.115")
        #expect(account.cash?.description == "48211.04")
        #expect(account.availableCash?.description == "48211.04")
        #expect(account.buyingPower?.description == "150344.28")
        #expect(account.marginUsed?.description == "28083.29")
        #expect(account.provenance == Provenance(source: .alpaca, fetchedAt: fetchedAt))
    }

    @Test(
        "cannot trade where one block is on, and does not say so where a block is missing",
        arguments: [
            (#""trading_blocked":false"#, #""trading_blocked":true"#, false),
            (#""account_blocked":false"#, #""account_blocked":true"#, false),
            (#""trade_suspended_by_user":false"#, #""trade_suspended_by_user":true"#, false),
            (#""transfers_blocked":false"#, #""transfers_blocked":true"#, true),
            (#""account_blocked":false"#, #""account_blocked":null"#, nil),
            (#""account_blocked":false,"#, "", nil),
        ] as [(String, String, Bool?)])
    func blocks(old: String, new: String, canTrade: Bool?) throws {
        let account = try AlpacaAccount(json: example("account").replacing(old, with: new))
        #expect(account.account(fetchedAt: fetchedAt).canTrade == canTrade)
    }

    @Test(
        "can spend no more cash than it has, and none of a debt",
        arguments: [
            (cash: "48211.04", free: "50000", available: "48211.04"), ("48211.04", "1.5", "1.5"),
            ("-310.2", "900", "0"), ("100", "-3", "0"),
        ])
    func availableCash(cash: String, free: String, available: String) throws {
        let body = try example("account")
            .replacing(#""cash":"48211.04""#, with: #""cash":"\#(cash)""#)
            .replacing(
                #""non_marginable_buying_power":"48211.04""#,
                with: #""non_marginable_buying_power":"\#(free)""#)
        let account = try AlpacaAccount(json: body).account(fetchedAt: fetchedAt)
        #expect(account.availableCash?.description == available)
    }

    @Test("takes numbers for numeric strings, and keeps every digit of both")
    func numbers() throws {
        let body = try example("account").replacing(
            #""equity":"104377.62""#, with: #""equity":104377.620000000000001"#)
        #expect(try AlpacaAccount(json: body).equity.description == "104377.620000000000001")
    }

    @Test(
        "that lacks what every account has is refused by name",
        arguments: [
            (#""id":"6f1de4b1-7ad5-4d0e-9c57-0a6b2f0f8a31","#, "", #"no "id" (byte 1040)"#),
            (#""equity":"104377.62","#, "", #"no "equity" (byte 1063)"#),
            (
                #""equity":"104377.62""#, #""equity":null"#,
                "equity: expected a decimal, found null (byte 698)"
            ),
            (
                #""cash":"48211.04""#, #""cash":"48,211""#,
                "cash: expected a decimal, found a string that is none (byte 359)"
            ),
            (
                #""trading_blocked":false"#, #""trading_blocked":"no""#,
                "trading_blocked: expected true or false, found a string (byte 517)"
            ),
        ])
    func refusals(old: String, new: String, message: String) throws {
        let body = try example("account").replacing(old, with: new)
        let error = #expect(throws: JSONError.self) { try AlpacaAccount(json: body) }
        #expect(error?.description == message)
    }
}
