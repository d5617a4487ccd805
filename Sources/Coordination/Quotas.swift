package import Upstream

/// The counts of calls to providers, which all processes with the same credentials share.
///
/// ``QuotaLimiter`` has the contract of a call. It is declared where calls are made, in Upstream; there is also the limiter
/// of one process, because each channel of a provider has one.
///
/// - In each interval of a window's length, all processes together send at most as many calls as the window allows, also if
///   one is stopped or killed.
/// - Both implementations follow the same rules, which a test compares over random calls: ``QuotaWindow/step``
///   defines the only rounding.
/// - Without the database, no call is made, because its count is unknown. A process alone whose cache file cannot be written
///   counts in memory.
package protocol Quotas: QuotaLimiter, CoordinationPart {}

extension QuotaLedger: Quotas {}
