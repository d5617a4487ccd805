package import GraphQL

/// The locations of the definitions in the text of a schema, for reports about its elements.
package struct SchemaLocations {
    private let locations: [SchemaCoordinate: SourceLocation]

    /// - Parameter source: The text; there are no locations if it is not a schema.
    package init(_ source: SourceText) {
        let document = try? Document.read(source)
        let elements = document?.schemaDefinitions ?? []
        let found = source.locations(of: elements.map(\.name.span))
        // The definition precedes its extensions only by custom; an element itself is defined once.
        locations = Dictionary(
            zip(elements, found).map { ($0.coordinate, $1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The location of an element.
    ///
    /// If the schema does not have it, that of the element that contained it, or line 1, column 1.
    package func location(of element: SchemaCoordinate) -> SourceLocation {
        if let location = locations[element] { return location }
        switch element {
        case .type, .directive: return SourceLocation(line: 1, column: 1)
        case .member(let type, _): return location(of: .type(type))
        case .argument(let type, let field, _): return location(of: .member(type: type, name: field))
        case .directiveArgument(let directive, _): return location(of: .directive(directive))
        }
    }
}
