import Brokerage
import ProviderTestSupport
import Testing

/// The instant that a text stands for.
func instant(_ text: String) throws -> Instant { try #require(Instant(text)) }

/// The symbol that a text stands for.
func symbol(_ text: String) throws -> Symbol { try #require(Symbol(text)) }

/// The number that a text stands for.
func decimal(_ text: String) throws -> Decimal { try #require(Decimal(text)) }
