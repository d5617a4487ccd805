import Brokerage
import Gateway
import GraphQL
import NIOHTTP1
import Web

/// Every code that clients meet, and what they do about it.
struct ErrorsPage {
    let page: GeneratedPage

    /// - Parameter schema: The contract, which says what each code means.
    init(_ schema: Schema) {
        page = GeneratedPage(name: "Errors.md", text: ErrorsPage.text(schema))
    }

    private static func text(_ schema: Schema) -> String {
        """
        # Errors

        What the codes in an answer mean, and what a client does about them.

        ## Overview

        What could not be read is `null`, with an entry in `errors` that has its path and an `extensions.code`; the rest of
        the answer stands. Beside the code there are, where they are known, `provider` (who failed), `retryAt` (when to try
        again), `argument` (what is wrong, as in `input.allocations[0].symbol`) and `rejection`. The `message` is for people,
        and may be worded otherwise tomorrow.

        This page is made from the code, by `make docs`.

        ## Of a field

        `ErrorCode` in the schema, a closed set.

        \(codes(schema).text)
        ## Of an order

        `RejectionReason`: why a broker refuses, in `Order.rejection.reason` of an order that was not placed, or in
        `extensions.rejection` beside CONFLICT where a change was refused.

        \(reasons(schema).text)
        ## Of an operation that is too large

        Such an operation is refused before anything is called, whatever the variables; only its cost depends on them.
        The bytes of a response are counted after the operation has run: the changes of a mutation stay in
        effect, and a client can read the changed objects with fewer fields.

        A field whose list has no known length gets SLICING_ARGUMENT_REQUIRED: give exactly one of the arguments that the
        message names.

        \(limits.text)
        ## Of a request

        A request that is refused before its operation runs has one error, without a path. Its `extensions` have the
        `code`, the `requestId` (under which the server logs it if the setting `log-answers` is on), and `retryAt` with
        RATE_LIMITED. Operations of a WebSocket get the same codes in an `error` message, streams in an event, both
        without a status and `Retry-After`; requests of a batch get them in their response. Documents and variables
        that are not valid, and an operation name that the document does not have, get errors without a code.

        \(requests.text)
        """
    }

    private static func codes(_ schema: Schema) -> MarkdownTable {
        MarkdownTable(
            columns: ["Code", "What happened", "What a client does"],
            rows: ErrorCode.allCases.map { code in
                ["`\(code.rawValue)`", meaning(of: code.rawValue, in: "ErrorCode", schema), code.remedy]
            })
    }

    private static func reasons(_ schema: Schema) -> MarkdownTable {
        MarkdownTable(
            columns: ["Reason", "What happened", "What a client does"],
            rows: RejectionReason.allCases.map { reason in
                [
                    "`\(reason.rawValue)`", meaning(of: reason.rawValue, in: "RejectionReason", schema),
                    reason.remedy,
                ]
            })
    }

    private static var limits: MarkdownTable {
        MarkdownTable(
            columns: ["Code", "What is counted", "At most"],
            rows: OperationLimit.allCases.map { limit in
                ["`\(limit.code)`", limit.subject, "\(limit.maximum(in: .default))"]
            })
    }

    private static var requests: MarkdownTable {
        MarkdownTable(
            columns: ["Code", "Status", "What happened", "What a client does"],
            rows: HTTPErrorCode.allCases.map { code in
                ["`\(code.rawValue)`", "\(code.status.code)", code.meaning, code.remedy]
            })
    }

    /// What the schema says of an enum's value.
    private static func meaning(of value: String, in type: String, _ schema: Schema) -> String {
        guard case .enum(let definition) = schema.type(named: type)?.kind else { return "" }
        return definition.value(named: value)?.description ?? ""
    }
}
