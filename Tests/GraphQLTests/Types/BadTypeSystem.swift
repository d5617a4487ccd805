import GraphQL
import Testing

/// A type system that breaks one rule, with the expected message and its locations as `line:column`.
struct BadTypeSystem: CustomTestStringConvertible {
    var sdl: String
    var errors: [String]

    var testDescription: String { sdl }

    init(_ sdl: String, _ errors: String...) {
        self.sdl = sdl
        self.errors = errors
    }

    /// Our errors, in the same format.
    func found() -> [String] {
        do throws(GraphQLErrors) {
            _ = try Schema.build(sdl)
            return []
        } catch {
            return error.errors.map { error in
                let places = error.locations.map { "\($0.line):\($0.column)" }.joined(separator: " ")
                return places.isEmpty ? error.message : "\(places) \(error.message)"
            }
        }
    }
}
