package import GraphQL

/// The response to the introspection query, as the text of a schema.
///
/// Applied directives other than `@deprecated`, `@specifiedBy` and `@oneOf` are not part of introspection, so the schema
/// has no costs and no cache hints.
package enum IntrospectionResult {
    /// The introspection query of the reference implementation.
    ///
    /// Servers must know deprecated arguments (specification of September 2025, and servers on graphql-js
    /// since version 15).
    ///
    /// - Parameter typeFields: The response to ``typeFieldsQuery``: servers for earlier specifications have no `isOneOf`.
    /// - Returns: The query.
    package static func query(typeFields: InputValue) -> String {
        let names = typeFields["data"]?["__type"]?.list("fields").compactMap { $0["name"]?.text } ?? []
        return names.contains("isOneOf")
            ? query.replacing("specifiedByURL\n", with: "specifiedByURL isOneOf\n") : query
    }

    /// The query for the fields of `__Type`.
    package static let typeFieldsQuery = #"{ __type(name: "__Type") { fields { name } } }"#

    private static let query = """
        query IntrospectionQuery { __schema {
          queryType { name } mutationType { name } subscriptionType { name }
          types { ...FullType }
          directives { name description locations args(includeDeprecated: true) { ...InputValue } }
        } }
        fragment FullType on __Type {
          kind name description specifiedByURL
          fields(includeDeprecated: true) {
            name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated
            deprecationReason
          }
          inputFields(includeDeprecated: true) { ...InputValue }
          interfaces { ...TypeRef }
          enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
          possibleTypes { ...TypeRef }
        }
        fragment InputValue on __InputValue {
          name description type { ...TypeRef } defaultValue isDeprecated deprecationReason
        }
        fragment TypeRef on __Type {
          kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
            kind name ofType { kind name ofType { kind name } } } } } } }
        }
        """

    /// Why a response contains no schema.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns the schema of a response, in the schema definition language.
    ///
    /// - Throws: ``Failure`` with the response's errors, or the part that it lacks.
    package static func schema(of response: InputValue) throws(Failure) -> String {
        if case .list(let errors)? = response["errors"], let message = errors.first?["message"]?.text {
            throw Failure(description: message)
        }
        guard let schema = response["data"]?["__schema"] ?? response["__schema"] else {
            throw Failure(description: "the response has no data.__schema.")
        }
        var definitions: [String] = [rootTypes(of: schema)]
        for directive in schema.list("directives") {
            guard let name = directive["name"]?.text, !omittedDirectives.contains(name) else { continue }
            let locations = directive.list("locations").compactMap(\.text).joined(separator: " | ")
            definitions.append(
                description(of: directive)
                    + "directive @\(name)\(try arguments(directive.list("args"))) on \(locations)")
        }
        for type in schema.list("types") {
            guard let name = type["name"]?.text, !name.hasPrefix("__"), !builtInScalars.contains(name) else {
                continue
            }
            definitions.append(description(of: type) + (try definition(of: type, name)))
        }
        return definitions.joined(separator: "\n\n") + "\n"
    }

    /// Those of the specification and of its proposal for incremental delivery, and those whose uses introspection does
    /// not show.
    private static let omittedDirectives: Set<String> = [
        "skip", "include", "deprecated", "specifiedBy", "oneOf", "defer", "stream", "cost", "listSize",
        "cacheControl",
    ]
    private static let builtInScalars: Set<String> = ["Int", "Float", "String", "Boolean", "ID"]

    private static func rootTypes(of schema: InputValue) -> String {
        let roots = ["query", "mutation", "subscription"].compactMap { operation in
            schema["\(operation)Type"]?["name"]?.text.map { "  \(operation): \($0)" }
        }
        return "schema {\n\(roots.joined(separator: "\n"))\n}"
    }

    private static func definition(of type: InputValue, _ name: String) throws(Failure) -> String {
        let interfaces = type.list("interfaces").compactMap { $0["name"]?.text }
        let implements = interfaces.isEmpty ? "" : " implements \(interfaces.joined(separator: " & "))"
        switch type["kind"]?.text {
        case "SCALAR":
            let address = type["specifiedByURL"]?.text.map { " @specifiedBy(url: \(literal($0)))" }
            return "scalar \(name)\(address ?? "")"
        case "OBJECT": return "type \(name)\(implements) \(try fields(of: type))"
        case "INTERFACE": return "interface \(name)\(implements) \(try fields(of: type))"
        case "UNION":
            let members = type.list("possibleTypes").compactMap { $0["name"]?.text }
            return "union \(name) = \(members.joined(separator: " | "))"
        case "ENUM":
            let values = type.list("enumValues").map { value in
                "  \(description(of: value))\(value["name"]?.text ?? "")\(deprecation(of: value))"
            }
            return "enum \(name) {\n\(values.joined(separator: "\n"))\n}"
        case "INPUT_OBJECT":
            var values: [String] = []
            for field in type.list("inputFields") { values.append("  \(try inputValue(field))") }
            let oneOf = type["isOneOf"] == .boolean(true) ? " @oneOf" : ""
            return "input \(name)\(oneOf) {\n\(values.joined(separator: "\n"))\n}"
        default: throw Failure(description: "the type \(name) has an unknown kind.")
        }
    }

    private static func fields(of type: InputValue) throws(Failure) -> String {
        var lines: [String] = []
        for field in type.list("fields") {
            guard let name = field["name"]?.text else { throw Failure(description: "a field has no name.") }
            lines.append(
                "  \(description(of: field))\(name)\(try arguments(field.list("args"))): "
                    + "\(try reference(field["type"]))\(deprecation(of: field))")
        }
        return "{\n\(lines.joined(separator: "\n"))\n}"
    }

    private static func arguments(_ values: [InputValue]) throws(Failure) -> String {
        if values.isEmpty { return "" }
        var texts: [String] = []
        for value in values { texts.append(try inputValue(value)) }
        return "(\(texts.joined(separator: ", ")))"
    }

    private static func inputValue(_ value: InputValue) throws(Failure) -> String {
        guard let name = value["name"]?.text else { throw Failure(description: "an argument has no name.") }
        let standard = value["defaultValue"]?.text.map { " = \($0)" } ?? ""
        return
            "\(description(of: value))\(name): \(try reference(value["type"]))\(standard)\(deprecation(of: value))"
    }

    private static func reference(_ type: InputValue?) throws(Failure) -> String {
        switch type?["kind"]?.text {
        case "NON_NULL": return try reference(type?["ofType"]) + "!"
        case "LIST": return "[\(try reference(type?["ofType"]))]"
        default:
            guard let name = type?["name"]?.text else {
                throw Failure(description: "a type is nested deeper than the query.")
            }
            return name
        }
    }

    private static func deprecation(of element: InputValue) -> String {
        guard element["isDeprecated"] == .boolean(true) else { return "" }
        return " @deprecated" + (element["deprecationReason"]?.text.map { "(reason: \(literal($0)))" } ?? "")
    }

    private static func description(of element: InputValue) -> String {
        element["description"]?.text.map { "\(literal($0)) " } ?? ""
    }

    /// A text as a literal; the escapes of JSON are those of GraphQL.
    private static func literal(_ text: String) -> String {
        String(decoding: InputValue.string(text).json, as: UTF8.self)
    }
}

extension InputValue {
    fileprivate subscript(_ name: String) -> InputValue? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    fileprivate func list(_ name: String) -> [InputValue] {
        guard case .list(let values)? = self[name] else { return [] }
        return values
    }
}
