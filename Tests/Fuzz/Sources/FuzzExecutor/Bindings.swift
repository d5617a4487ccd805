import GraphQL

struct Failure: ClientVisibleError {
    let message: String
}

struct PetsArguments: GraphQLArguments {
    let first: Int
    let filter: Filter?

    init(_ arguments: ArgumentReader) throws {
        first = try arguments["first"]
        filter = try arguments["filter"]
    }
}

struct NameArguments: GraphQLArguments {
    let upper: Bool?

    init(_ arguments: ArgumentReader) throws {
        upper = try arguments["upper"]
    }
}

struct FilterArgument: GraphQLArguments {
    let filter: Filter?

    init(_ arguments: ArgumentReader) throws {
        filter = try arguments["filter"]
    }
}

struct EchoArguments: GraphQLArguments {
    let text: String

    init(_ arguments: ArgumentReader) throws {
        let i: Int? = try arguments["i"]
        let f: Double? = try arguments["f"]
        let s: String? = try arguments["s"]
        let b: Bool? = try arguments["b"]
        let id: String? = try arguments["id"]
        let side: Side? = try arguments["side"]
        let filter: Filter? = try arguments["f2"]
        text = "\(i as Any) \(f as Any) \(s as Any) \(b as Any) \(id as Any) \(side as Any) \(filter as Any)"
    }
}

extension Query: GraphQLObject {
    typealias Context = EmptyContext

    static let graphQL = ObjectType<Query>("Query") {
        Field("pet", once: { _ in .ready(Optional(Pet(1, generations: 2))) })
        Field(
            "pets", PetsArguments.self,
            once: { arguments, _ in
                let count = max(0, min(arguments.first, 4))
                let pets = (0..<count).map { number -> Result<Pet, any Error> in
                    number == 3 ? .failure(Failure(message: "lost")) : .success(Pet(number, generations: 2))
                }
                return .async {
                    await Task.yield()
                    return Optional(pets)
                }
            })
        Field("dogs", once: { _ in .ready([Dog(1), Dog(2), Dog(3)]) })
        Field("box", once: { _ in .ready(Dog?.none) })
        Field("strict", once: { _ -> MaybeAsync<Dog> in throw Failure(message: "no dog") })
        Field("echo", EchoArguments.self) { _, arguments in Optional(arguments.text) }
        Field("failing", throwing: { _ -> String? in throw Failure(message: "failed") })
        Field("failingStrict", throwing: { _ -> String in throw Failure(message: "failed too") })
    }
}

extension Mutation: GraphQLObject {
    typealias Context = EmptyContext

    static let graphQL = ObjectType<Mutation>("Mutation") {
        Field("place", FilterArgument.self, once: { _, _ in .ready(Optional(Dog(1))) })
        Field("count", once: { _ in .ready(3) })
    }
}

extension Dog: GraphQLObject {
    typealias Context = EmptyContext

    static let graphQL = ObjectType<Dog>("Dog") {
        Field("id", \.id)
        Field("name", NameArguments.self) { dog, arguments -> String? in
            arguments.upper == true ? dog.name.uppercased() : dog.name
        }
        Field("barks") { _ in true }
        Field("age", \.age)
        Field(
            "friend",
            load: { dogs, _ in
                .ready(
                    dogs.map { dog -> Result<Pet?, any Error> in
                        guard dog.generations > 0 else { return .success(nil) }
                        return .success(Pet(dog.generations, generations: dog.generations - 1))
                    })
            })
        Field(
            "friends",
            load: { dogs, _ in
                .async {
                    await Task.yield()
                    return dogs.map { dog -> Result<[Pet]?, any Error> in
                        guard dog.generations > 0 else { return .failure(Failure(message: "no friends")) }
                        return .success([0, 1].map { Pet($0, generations: dog.generations - 1) })
                    }
                }
            })
    }
}

extension Cat: GraphQLObject {
    typealias Context = EmptyContext

    static let graphQL = ObjectType<Cat>("Cat") {
        Field("id", \.id)
        Field("meows") { _ in Bool?.none }
        Field("age", \.age)
        Field("sides", \.sides)
        // Sometimes one result is missing: an error of the resolver that the engine must detect.
        Field(
            "owner",
            load: { cats, _ in
                let results = cats.map { cat -> Result<Dog, any Error> in
                    guard cat.generations > 0 else { return .failure(Failure(message: "stray")) }
                    return .success(Dog(2, generations: cat.generations - 1))
                }
                return .ready(cats.count == 3 ? Array(results.dropLast()) : results)
            })
    }
}

extension Pet: GraphQLAbstract {
    static let graphQL = AbstractType<Pet>("Pet") {
        PossibleType(Dog.self) { if case .dog(let dog) = $0 { dog } else { nil } }
        PossibleType(Cat.self) { if case .cat(let cat) = $0 { cat } else { nil } }
    }
}
