/// Ends the run, and so makes a finding of the input, unless what is claimed holds.
public func claim(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { fatalError(message()) }
}
