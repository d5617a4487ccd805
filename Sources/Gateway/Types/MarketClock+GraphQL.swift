package import Brokerage
package import GraphQL

extension MarketClock: GraphQLObject {
    package typealias Context = GatewayContext

    package static let graphQL = ObjectType<MarketClock>("MarketClock") {
        Field("provider", \.provider)
        Field("open", \.isOpen)
        Field("state", \.state)
        Field("nextOpen", \.nextOpen)
        Field("nextClose", \.nextClose)
        Field("now", \.now)
    }
}
