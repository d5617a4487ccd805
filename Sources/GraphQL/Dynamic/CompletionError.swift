/// Why a value cannot become what the schema says it is, in the words of the reference implementation.
enum CompletionError: ClientVisibleError, Hashable {
    /// The data say that the field fails, with this message.
    case resolver(String)
    case nullInNonNull(_ coordinate: String)
    case notIterable(_ coordinate: String)
    /// The value of an interface or union does not say which type it has.
    case unresolvedType(of: String, at: String)
    case unknownType(String, of: String)
    case notAnObjectType(String, of: String)
    case impossibleType(String, of: String)
    /// The selections come to more fields than are planned.
    case planTooLarge(limit: Int)

    var message: String {
        switch self {
        case .resolver(let message): message
        case .nullInNonNull(let coordinate): "Cannot return null for non-nullable field \(coordinate)."
        case .notIterable(let coordinate):
            "Expected Iterable, but did not find one for field \"\(coordinate)\"."
        case .unresolvedType(let name, let coordinate):
            """
            Abstract type "\(name)" must resolve to an Object type at runtime for field "\(coordinate)". \
            Either the "\(name)" type should provide a "resolveType" function or each possible type should \
            provide an "isTypeOf" function.
            """
        case .unknownType(let type, let name):
            "Abstract type \"\(name)\" was resolved to a type \"\(type)\" that does not exist inside the schema."
        case .notAnObjectType(let type, let name):
            "Abstract type \"\(name)\" was resolved to a non-object type \"\(type)\"."
        case .impossibleType(let type, let name):
            "Runtime Object type \"\(type)\" is not a possible type for \"\(name)\"."
        case .planTooLarge(let limit):
            "The operation selects more than \(limit) fields on the types that it meets; select less at once."
        }
    }

    var extensions: InputObject {
        guard case .planTooLarge(let limit) = self else { return InputObject() }
        return ["code": .string(OperationLimit.fields.code), "limit": .int(limit)]
    }
}
