private let graphQL = "application/graphql-response+json"
private let json = "application/json"

/// The request of many audits.
private let typename = #"{"query":"{ __typename }"}"#
private let named = #"{"operationName":"Query","query":"query Query { __typename }"}"#
private let withVariables =
    #"{"query":"query Type($name: String!) { __type(name: $name) { name } }","variables":{"name":"sometype"}}"#
private let withVariablesInURL =
    "query=query+Type%28%24name%3A+String%21%29+%7B+__type%28name%3A+%24name%29+%7B+name+%7D+%7D"
    + "&variables=%7B%22name%22%3A%22sometype%22%7D"
private let withExtensions = #"{"query":"{ __typename }","extensions":{"some":"value"}}"#
private let misspelt = #"{"qeury":"{ __typename }"}"#
private let brokenJSON = #"{ "not a JSON"#
private let brokenDocument = #"{"query":"{"}"#
private let unknownField = #"{"query":"{ 8f31403dfe404bccbb0e835f2629c6a7 }"}"#
private let wrongVariable =
    #"{"query":"query CoerceFailure($id: ID!){ __typename }","variables":{"id":null}}"#

extension Audit {
    static let all = mediaTypes + methods + parameters + wrongParameters + answersAsJSON + answersAsGraphQL

    static let mediaTypes = [
        Audit(
            "22EB", "SHOULD accept application/graphql-response+json and match the content-type",
            .post(typename, accepting: graphQL), .success, .type(graphQL)),
        Audit(
            "4655", "MUST accept application/json and match the content-type",
            .post(typename, accepting: json), .success, .type(json)),
        Audit(
            "47DE", "SHOULD accept */* and use application/json for the content-type",
            .post(typename, accepting: "*/*"), .success, .type(json)),
        Audit(
            "80D8", "SHOULD assume application/json content-type when accept is missing",
            .post(typename), .success, .type(json)),
        // The test client decodes responses as UTF-8, and replaces invalid bytes with U+FFFD.
        Audit("82A3", "MUST use utf-8 encoding when responding", .post(typename), .success, .errors(false)),
        Audit(
            "BF61", "MUST accept utf-8 encoded request",
            .post(
                #"{"query":"{ __type(name: \"Run🏃Swim🏊\") { name } }"}"#,
                as: "application/json; charset=utf-8"),
            .success),
        Audit("78D5", "MUST assume utf-8 in request if encoding is unspecified", .post(typename), .success),
    ]

    static let methods = [
        Audit("2C94", "MUST accept POST requests", .post(typename), .success),
        Audit(
            "5A70", "MAY accept application/x-www-form-urlencoded formatted GET requests",
            .get("query=%7B+__typename+%7D"), .success),
        Audit(
            "9C48", "MAY NOT allow executing mutations on GET requests",
            .get("query=mutation+%7B+__typename+%7D", accepting: graphQL), .clientError),
        Audit(
            "9ABE", "MAY respond with 4xx status code if content-type is not supplied on POST requests",
            .post(nil, as: nil), .clientError),
        Audit("03D4", "MUST accept application/json POST requests", .post(typename), .success),
        Audit(
            "A5BF", "MAY use 400 status code when request body is missing on POST", .post(nil), .badRequest),
    ]

    static let parameters =
        [
            Audit(
                "34A2", "SHOULD allow string {query} parameter when accepting \(graphQL)",
                .post(typename, accepting: graphQL), .success),
            Audit(
                "13EE", "MUST allow string {query} parameter when accepting \(json)",
                .post(typename, accepting: json), .success, .errors(false)),
            Audit(
                "8161", "SHOULD allow string {operationName} parameter when accepting \(graphQL)",
                .post(named, accepting: graphQL), .success),
            Audit(
                "B8B3", "MUST allow string {operationName} parameter when accepting \(json)",
                .post(named, accepting: json), .success, .errors(false)),
            Audit(
                "2EA1", "SHOULD allow map {variables} parameter when accepting \(graphQL)",
                .post(withVariables, accepting: graphQL), .success),
            Audit(
                "28B9", "MUST allow map {variables} parameter when accepting \(json)",
                .post(withVariables, accepting: json), .success, .errors(false)),
            Audit(
                "D6D5",
                "MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting \(graphQL)",
                .get(withVariablesInURL, accepting: graphQL), .success),
            Audit(
                "6A70",
                "MAY allow URL-encoded JSON string {variables} parameter in GETs when accepting \(json)",
                .get(withVariablesInURL, accepting: json), .success, .errors(false)),
            Audit(
                "428F", "SHOULD allow map {extensions} parameter when accepting \(graphQL)",
                .post(withExtensions, accepting: graphQL), .success),
            Audit(
                "1B7A", "MUST allow map {extensions} parameter when accepting \(json)",
                .post(withExtensions, accepting: json), .success, .errors(false)),
        ] + nulls

    /// `null` is equivalent to a missing parameter.
    private static let nulls = ["variables", "operationName", "extensions"].enumerated().flatMap {
        (index, parameter) in
        let body = #"{"query":"{ __typename }","\#(parameter)":null}"#
        return [
            Audit(
                "94B\(index)", "SHOULD allow null {\(parameter)} parameter when accepting \(graphQL)",
                .post(body, accepting: graphQL), .success, .errors(false)),
            Audit(
                "022\(index)", "MUST allow null {\(parameter)} parameter when accepting \(json)",
                .post(body, accepting: json), .success, .errors(false)),
        ]
    }

    static let wrongParameters =
        [
            Audit(
                "423L", "MAY use 400 status code on missing {query} parameter",
                .post(#"{"notquery":"{ __typename }"}"#, accepting: graphQL), .badRequest),
            Audit(
                "B6DC", "MAY use 4xx or 5xx status codes on JSON parsing failure", .post(brokenJSON),
                .clientError),
            Audit("BCF8", "MAY use 400 status code on JSON parsing failure", .post(brokenJSON), .badRequest),
            Audit(
                "8764", "MAY use 4xx or 5xx status codes if parameters are invalid", .post(misspelt),
                .anyError),
            Audit("3E3A", "MAY use 400 status code if parameters are invalid", .post(misspelt), .badRequest),
        ] + wrongTypes("LKJ", of: "query", values: [#"{"obj":"ect"}"#, "0", "false", #"["array"]"#])
        + wrongTypes("6C0", of: "operationName", values: [#"{"obj":"ect"}"#, "0", "false", #"["array"]"#])
        + wrongTypes("476", of: "variables", values: [#""string""#, "0", "false", #"["array"]"#])
        + wrongTypes("58B", of: "extensions", values: [#""string""#, "0", "false", #"["array"]"#])

    private static func wrongTypes(_ id: String, of parameter: String, values: [String]) -> [Audit] {
        let query = parameter == "query" ? "" : #""query":"{ __typename }","#
        return values.enumerated().map { index, value in
            Audit(
                "\(id)\(index)", "MAY use 400 status code on \(value) {\(parameter)} parameter",
                .post("{\(query)\"\(parameter)\":\(value)}"), .badRequest)
        }
    }

    static let answersAsJSON = [
        Audit(
            "572B", "SHOULD use 200 status code on document parsing failure when accepting \(json)",
            .post(brokenDocument, accepting: json), .success),
        Audit(
            "FDE2", "SHOULD use 200 status code on document validation failure when accepting \(json)",
            .post(unknownField, accepting: json), .success),
        Audit(
            "7B9B", "SHOULD use a status code of 200 on variable coercion failure when accepting \(json)",
            .post(wrongVariable, accepting: json), .success),
    ]

    static let answersAsGraphQL = [
        Audit(
            "865D",
            "SHOULD use 4xx or 5xx status codes on document parsing failure when accepting \(graphQL)",
            .post(brokenDocument, accepting: graphQL), .anyError),
        Audit(
            "556A", "SHOULD use 400 status code on document parsing failure when accepting \(graphQL)",
            .post(brokenDocument, accepting: graphQL), .badRequest),
        Audit(
            "D586", "SHOULD not contain the data entry on document parsing failure when accepting \(graphQL)",
            .post(brokenDocument, accepting: graphQL), .noData),
        Audit(
            "51FE",
            "SHOULD use 4xx or 5xx status codes on document validation failure when accepting \(graphQL)",
            .post(unknownField, accepting: graphQL), .anyError),
        Audit(
            "74FF", "SHOULD use 400 status code on document validation failure when accepting \(graphQL)",
            .post(unknownField, accepting: graphQL), .badRequest),
        Audit(
            "5E5B",
            "SHOULD not contain the data entry on document validation failure when accepting \(graphQL)",
            .post(unknownField, accepting: graphQL), .noData),
        Audit(
            "86EE", "SHOULD use a status code of 400 on variable coercion failure when accepting \(graphQL)",
            .post(wrongVariable, accepting: graphQL), .badRequest),
    ]
}
