/// A row does not say what Portico wrote there: somebody else has changed the file.
///
/// It is no row to skip: what is left out without a word would be taken for nothing.
struct CorruptedRow: Error {}
