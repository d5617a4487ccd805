import GraphQL
import Testing

@Suite("Guards of fields")
struct FieldGuardTests {
    private func schema(_ sdl: String = vaultSDL) throws -> ExecutableSchema<Vault> {
        try ExecutableSchema(
            Schema.build(sdl), query: VaultQuery(), mutation: VaultMutation(),
            subscription: VaultSubscription(),
            context: Vault.self, guards: [.needs])
    }

    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let query: String
        var variables: InputObject = [:]
        var keys: Set<String> = []
        let answer: String
        let calls: [String]
    }

    @Test(
        "refuse before anything is called",
        arguments: [
            Example(
                testDescription: "a loaded field", query: "{ open gold(grams: 5) }",
                answer: #"""
                    {"data":{"open":1,"gold":null},"errors":[{"message":"It needs the key gold.",\#
                    "locations":[{"line":1,"column":8}],"path":["gold"]}]}
                    """#, calls: ["asked for gold"]),
            Example(
                testDescription: "a loaded field, to who has the key", query: "{ gold(grams: 5) }",
                keys: ["gold"], answer: #"{"data":{"gold":5}}"#, calls: ["asked for gold", "gold 5"]),
            Example(
                testDescription: "a field that cannot be null", query: "{ open must }",
                answer: #"""
                    {"data":null,"errors":[{"message":"It needs the key gold.",\#
                    "locations":[{"line":1,"column":8}],"path":["must"]}]}
                    """#, calls: ["asked for gold"]),
            Example(
                testDescription: "a field whose arguments are wrong: they are not looked at",
                query: "query ($g: Int!) { gold(grams: $g) }", variables: ["g": .int(-1)],
                answer: #"""
                    {"data":{"gold":null},"errors":[{"message":"It needs the key gold.",\#
                    "locations":[{"line":1,"column":20}],"path":["gold"]}]}
                    """#, calls: ["asked for gold"]),
            Example(
                testDescription: "wrong arguments, of who has the key",
                query: "query ($g: Int!) { gold(grams: $g) }", variables: ["g": .int(-1)], keys: ["gold"],
                answer: #"""
                    {"data":{"gold":null},"errors":[{"message":"There is no negative gold.",\#
                    "locations":[{"line":1,"column":20}],"path":["gold"]}]}
                    """#, calls: ["asked for gold"]),
            Example(
                testDescription: "properties of several objects, asked once for all",
                query: "{ boxes { id weight } }",
                answer: #"""
                    {"data":{"boxes":[{"id":1,"weight":null},{"id":2,"weight":null}]},\#
                    "errors":[{"message":"It needs the key box.","locations":[{"line":1,"column":14}],\#
                    "path":["boxes",0,"weight"]},{"message":"It needs the key box.",\#
                    "locations":[{"line":1,"column":14}],"path":["boxes",1,"weight"]}]}
                    """#, calls: ["asked for box"]),
            Example(
                testDescription: "properties, to who has the key", query: "{ boxes { weight sealed } }",
                keys: ["box", "gold"],
                answer: #"{"data":{"boxes":[{"weight":10,"sealed":100},{"weight":20,"sealed":200}]}}"#,
                calls: ["asked for box", "asked for gold", "asked for box"]),
            Example(
                testDescription: "with the first of several directives that is against it",
                query: "{ boxes { sealed } thing { ... on Box { id } } }", keys: ["gold"],
                answer: #"""
                    {"data":{"boxes":[{"sealed":null},{"sealed":null}],"thing":{"id":3}},\#
                    "errors":[{"message":"It needs the key box.","locations":[{"line":1,"column":11}],\#
                    "path":["boxes",0,"sealed"]},{"message":"It needs the key box.",\#
                    "locations":[{"line":1,"column":11}],"path":["boxes",1,"sealed"]}]}
                    """#, calls: ["asked for gold", "asked for box"]),
            Example(
                testDescription: "all below a refused field",
                query: "{ boxes { inner(id: 5) { id weight inner(id: 1) { id } } } }",
                answer: #"""
                    {"data":{"boxes":[{"inner":null},{"inner":null}]},\#
                    "errors":[{"message":"It needs the key box.","locations":[{"line":1,"column":11}],\#
                    "path":["boxes",0,"inner"]},{"message":"It needs the key box.",\#
                    "locations":[{"line":1,"column":11}],"path":["boxes",1,"inner"]}]}
                    """#, calls: ["asked for box"]),
            Example(
                testDescription: "nothing below a field that is granted",
                query: "{ boxes { inner(id: 5) { id inner(id: 1) { id } } } }", keys: ["box"],
                answer: #"""
                    {"data":{"boxes":[{"inner":{"id":6,"inner":{"id":7}}},{"inner":{"id":7,"inner":{"id":8}}}]}}
                    """#,
                calls: ["asked for box", "asked for box", "inner of [1, 2]", "inner of [6, 7]"]),
            Example(
                testDescription: "fields of a union's type",
                query: "{ thing { ... on Box { id weight inner(id: 1) { id } } } }",
                answer: #"""
                    {"data":{"thing":{"id":3,"weight":null,"inner":null}},\#
                    "errors":[{"message":"It needs the key box.","locations":[{"line":1,"column":27}],\#
                    "path":["thing","weight"]},{"message":"It needs the key box.",\#
                    "locations":[{"line":1,"column":34}],"path":["thing","inner"]}]}
                    """#, calls: ["asked for box", "asked for box"]),
            Example(
                testDescription: "one of several mutations: the others are done",
                query: "mutation { a: look put(grams: 1) b: look }",
                answer: #"""
                    {"data":{"a":0,"put":null,"b":0},"errors":[{"message":"It needs the key gold.",\#
                    "locations":[{"line":1,"column":20}],"path":["put"]}]}
                    """#, calls: ["asked for gold", "look", "look"]),
            Example(
                testDescription: "mutations after the key was removed: their guards are checked again",
                query: "mutation { a: put(grams: 1) drop b: put(grams: 2) look }", keys: ["gold"],
                answer: #"""
                    {"data":{"a":1,"drop":0,"b":null,"look":0},"errors":[{"message":"It needs the key gold.",\#
                    "locations":[{"line":1,"column":34}],"path":["b"]}]}
                    """#,
                calls: [
                    "asked for gold", "asked for gold", "asked for gold", "put 1", "drop", "asked for gold",
                    "look",
                ]),
        ])
    func refuse(_ example: Example) async throws {
        let vault = Vault(example.keys)
        let response = try await schema().respond(
            to: GraphQLRequest(example.query, variables: example.variables), context: vault
        ).value()
        #expect(String(decoding: response.body, as: UTF8.self) == example.answer)
        #expect(vault.log == example.calls)
    }

    @Test("are asked anew in each execution of a plan")
    func asksAnew() async throws {
        let schema = try schema()
        let request = GraphQLRequest("{ gold(grams: 5) }")
        for keys in [[], ["gold"], []] as [Set<String>] {
            let response = try await schema.respond(to: request, context: Vault(keys)).value()
            #expect(response.outcome == (keys.isEmpty ? .partial : .complete))
        }
    }

    @Test("refuse a subscription before its stream begins")
    func refuseSubscription() async throws {
        let locked = Vault([])
        let refused = try await schema().subscribe(
            to: GraphQLRequest("subscription { ticks }"), context: locked)
        guard case .failure(let refusal) = refused else {
            Issue.record("it began")
            return
        }
        #expect(
            String(decoding: refusal.response.body, as: UTF8.self)
                == #"{"errors":[{"message":"It needs the key gold."}]}"#)
        #expect(locked.log == ["asked for gold"])
        let open = Vault(["gold"])
        var count = 0
        for await _ in try await schema().subscribe(
            to: GraphQLRequest("subscription { ticks }"), context: open
        )
        .get() {
            count += 1
        }
        #expect(count == 1)
    }

    @Test("of a directive that the schema does not have would guard nothing: they do not bind")
    func unknownDirective() throws {
        let schema = try Schema.build(vaultSDL)
        let error = #expect(throws: BindingError.self) {
            try ExecutableSchema(
                schema, query: VaultQuery(), mutation: VaultMutation(), subscription: VaultSubscription(),
                context: Vault.self, guards: [FieldGuard("requires") { _ in { _ in nil } }])
        }
        #expect(
            error?.differences.map(\.description) == [
                "@requires: it is bound, but the schema does not have it"
            ])
    }
}
