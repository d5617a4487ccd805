import GraphQL

/// Compares the arguments of a call with the input schema of its tool, where the coercion of variables accepts more.
///
/// GraphQL accepts an item in place of a list, an integer as an `ID`, and other forms of custom scalars. The schema
/// has one form of each value (``VariableSchema``), and is enforced. All else is left to the coercion, except fields
/// that are missing in an object.
struct ArgumentForm {
    /// The schemas of input objects and enums by name.
    private let definitions: InputObject
    private let patterns: [String: ToolRules.PatternCheck]

    /// The maximum length in bytes of a text with a pattern.
    private static let longestText = 64

    private init(_ schema: InputObject, _ patterns: [String: ToolRules.PatternCheck]) {
        definitions = schema.member("$defs") ?? [:]
        self.patterns = patterns
    }

    /// Compares the arguments of a call with the input schema of its tool.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the call.
    ///   - schema: The input schema of the tool.
    ///   - patterns: The checks of the schema's patterns.
    /// - Returns: The reason of a refusal, which names the first argument with another form; nil if all have the form of
    ///   the schema.
    static func refusal(
        of arguments: InputObject, by schema: InputObject, _ patterns: [String: ToolRules.PatternCheck]
    ) -> String? {
        ArgumentForm(schema, patterns).refusal(of: .object(arguments), by: schema, at: "")
    }

    private func refusal(of value: InputValue, by schema: InputObject, at place: String) -> String? {
        if case .string(let reference)? = schema["$ref"] {
            let name = String(reference.dropFirst("#/$defs/".count))
            return definitions.member(name).flatMap { refusal(of: value, by: $0, at: place) }
        }
        if case .list(let options)? = schema["anyOf"], case .object(let option)? = options.first {
            return refusal(of: value, by: option, at: place)
        }
        guard case .string(let type)? = schema["type"], value != .null else { return nil }
        switch (type, value) {
        case ("array", .list(let items)):
            guard let schema = schema.member("items") else { return nil }
            for (index, item) in items.enumerated() {
                if let refusal = refusal(of: item, by: schema, at: "\(place)[\(index)]") { return refusal }
            }
            return nil
        case ("array", _): return "The argument \"\(place)\" must be a list."
        case ("object", .object(let object)):
            if !place.isEmpty, let refusal = missingFields(of: object, by: schema, at: place) {
                return refusal
            }
            let properties = schema.member("properties") ?? [:]
            for field in object.fields {
                guard let schema = properties.member(field.name) else { continue }
                let place = place.isEmpty ? field.name : "\(place).\(field.name)"
                if let refusal = refusal(of: field.value, by: schema, at: place) { return refusal }
            }
            return nil
        case ("string", .string(let text)):
            guard case .string(let pattern)? = schema["pattern"], let isValid = patterns[pattern] else {
                return nil
            }
            guard text.utf8.count <= Self.longestText else {
                return "The argument \"\(place)\" has more than \(Self.longestText) bytes."
            }
            return isValid(text) ? nil : "The argument \"\(place)\" must have the form \(pattern)."
        case ("string", .int), ("string", .number): return "The argument \"\(place)\" must be a string."
        default: return nil
        }
    }

    /// The coercion would print the object with the fields that the server sets.
    private func missingFields(of object: InputObject, by schema: InputObject, at place: String) -> String? {
        guard case .list(let names)? = schema["required"] else { return nil }
        let missing = names.compactMap { name -> String? in
            guard case .string(let name) = name, object[name] == nil else { return nil }
            return "\"\(name)\""
        }
        guard !missing.isEmpty else { return nil }
        return "The argument \"\(place)\" needs \(missing.joined(separator: ", "))."
    }
}

extension InputObject {
    /// The object with a name; nil if it is missing, or another value.
    fileprivate func member(_ name: String) -> InputObject? {
        guard case .object(let object)? = self[name] else { return nil }
        return object
    }
}
