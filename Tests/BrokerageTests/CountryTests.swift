import Brokerage
import Testing

@Suite("A country")
struct CountryTests {
    @Test(
        "has one name for all texts of providers that mean it",
        arguments: [
            ("US", ["US", "USA", "usa", "U.S.", "U.S.A.", "United States", "UNITED STATES OF AMERICA"]),
            ("GB", ["GB", "GBR", "UK", "United Kingdom", "the United Kingdom", "Great Britain"]),
            ("NL", ["NLD", "Netherlands", "The Netherlands", "Netherlands (Kingdom of the)"]),
            ("KR", ["KOR", "South Korea", "Korea, Republic of", "Korea (the Republic of)"]),
            ("CZ", ["Czechia", "Czech Republic"]), ("TR", ["Türkiye", "Turkey", "TURKEY"]),
            ("CI", ["Côte d'Ivoire", "Cote D'Ivoire", "Ivory Coast"]), ("MO", ["Macao", "Macau"]),
            ("VG", ["British Virgin Islands", "Virgin Islands (British)"]),
            ("TT", ["Trinidad and Tobago", "Trinidad & Tobago"]), ("LC", ["Saint Lucia", "St. Lucia"]),
            ("AD", ["AND", "Andorra"]), ("ST", ["ST", "Sao Tome and Principe"]),
        ])
    func texts(code: String, texts: [String]) throws {
        let country = try #require(Country.all.first { $0.code == code })
        for text in texts { #expect(Country(text) == country, "\(text)") }
    }

    @Test("has the usual English name", arguments: [("USA", "United States"), ("gbr", "United Kingdom")])
    func name(text: String, name: String) {
        #expect(Country(text)?.name == name)
    }

    @Test(
        "is none for a text that means none, or several",
        arguments: ["", " ", "-", "the", "Europe", "EU", "Korea", "Virgin Islands", "Atlantis", "United"])
    func none(text: String) {
        #expect(Country(text) == nil)
    }

    @Test("has a code and a name that no other one has")
    func distinct() {
        #expect(Country.all.count == 249)
        for country in Country.all {
            #expect(Country(country.code) == country && Country(country.name) == country, "\(country)")
        }
    }
}
