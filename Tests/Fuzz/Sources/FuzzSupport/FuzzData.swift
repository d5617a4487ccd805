public import GraphQL

extension FuzzSchema {
    /// The source values of fields: valid ones, ones of a wrong type, missing ones, errors.
    ///
    /// No object contains itself, so that every response is bounded.
    public static let root: InputValue = {
        do throws(JSONError) {
            return try InputValue(json: Array(data.utf8))
        } catch {
            fatalError("The data of the fuzz targets are wrong: \(error.message)")
        }
    }()

    private static let data = #"""
        {
          "node": {"__typename": "Dog", "id": "1", "name": "Rex", "barks": true, "age": 3,
            "friend": {"__typename": "Cat", "id": 2, "name": null, "meows": "no", "age": 1.5, "friends": null},
            "friends": [{"__typename": "Cat", "id": "3", "friends": []}, {"__typename": "Dog", "id": "4"}]},
          "named": {"__typename": "Cat", "id": "5", "name": "Tom \"\\\u0000\u00e9\ud83d\ude00", "age": 1e300,
            "friends": [{"__typename": "Dog", "id": "6", "barks": null}, null, {"__error": "lost"}]},
          "pet": {"__typename": "Nobody", "id": "7"},
          "pets": [{"__typename": "Dog", "id": "8", "barks": false}, {"id": "9"}, null, 5],
          "any": [{"__typename": "Box", "id": "b", "side": "BUY", "sides": ["SELL", "BUY"], "strict": 1},
            {"__typename": "Dog", "id": "10", "barks": true, "age": 2147483648}],
          "box": {"id": "b", "side": "HOLD", "sides": ["BUY", null], "decimal": 1.10, "strict": null,
            "items": [[{"__typename": "Cat", "id": "c", "friends": [null]}, null], null, []]},
          "strict": {"__error": "no box"},
          "echo": {"__args": true},
          "failing": {"__error": "failed"},
          "failingStrict": {"__error": "failed too"},
          "place": {"id": "p", "side": "SELL", "sides": [], "strict": 2},
          "count": 3,
          "ticks": {"__args": true}
        }
        """#
}
