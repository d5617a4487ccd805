extension BuiltInType {
    /// The five scalars (specification, section 3.5), as the reference implementation describes them.
    static let scalars = [
        scalar(
            .string,
            """
            The `String` scalar type represents textual data, represented as UTF-8 character sequences. The String \
            type is most often used by GraphQL to represent free-form human-readable text.
            """),
        scalar(
            .int,
            """
            The `Int` scalar type represents non-fractional signed whole numeric values. Int can represent values \
            between -(2^31) and 2^31 - 1.
            """),
        scalar(
            .float,
            """
            The `Float` scalar type represents signed double-precision fractional values as specified by \
            [IEEE 754](https://en.wikipedia.org/wiki/IEEE_floating_point).
            """),
        scalar(.boolean, "The `Boolean` scalar type represents `true` or `false`."),
        scalar(
            .id,
            """
            The `ID` scalar type represents a unique identifier, often used to refetch an object or as key for a \
            cache. The ID type appears in a JSON response as a String; however, it is not intended to be \
            human-readable. When expected as an input type, any string (such as `"4"`) or integer (such as `4`) \
            input value will be accepted as an ID.
            """),
    ]

    private static func scalar(_ scalar: BuiltInScalar, _ description: String) -> BuiltInType {
        BuiltInType(name: scalar.rawValue, description: description, shape: .scalar(scalar))
    }
}
