extension Decimal {
    /// The shortest decimal number of which this one is a binary32 number (IEEE 754) widened to binary64.
    ///
    /// A source that computes with 32 bits and writes 64 bits sends 73.79750061035156 for 73.7975. The result has seven
    /// significant digits, or eight or nine if fewer do not identify the binary32 number, without zeros at the end. A number
    /// that was never a binary32 number is changed by at most 6 · 10⁻⁸ of its size. `digits` after the point are kept in any
    /// case: those in which the source displays the number.
    package func narrowedToSinglePrecision(keeping digits: Int) -> Decimal {
        let length = coefficient.magnitude.digitCount
        guard length > 7, scale > 0 else { return self }
        for significant in 7...9 {
            let kept = max(scale - (length - significant), digits, 0)
            guard kept < scale else { return self }
            let candidate = rounded(to: kept, .halfEven)
            if significant == 9 || isBinary32Neighbor(of: candidate) { return candidate.withoutTrailingZeros }
        }
        return self
    }

    /// Whether a shorter number differs from this one by at most half of the distance of binary32 numbers.
    ///
    /// For a number of 2^e or more and less than 2^(e+1), that is 2^(e-24). False if the comparison exceeds 128 bits, as for
    /// numbers of more than some twenty digits.
    private func isBinary32Neighbor(of candidate: Decimal) -> Bool {
        guard let difference = try? (self - candidate).magnitude.coefficient.magnitude else { return false }
        let unit = PowersOfTen[scale].magnitude
        let magnitude = coefficient.magnitude
        // 2^e as a multiple of 10^-scale: `unit` shifted by e, the number of doublings or halvings up to the number.
        let whole = magnitude / unit
        if whole > 0 {
            let exponent = UInt128.bitWidth - 1 - whole.leadingZeroBitCount
            return difference.leadingZeroBitCount > 24 && difference &<< 24 <= unit &<< UInt128(exponent)
        }
        var halvings = 0
        while halvings < magnitude.leadingZeroBitCount, magnitude &<< UInt128(halvings) < unit {
            halvings += 1
        }
        return difference.leadingZeroBitCount > 24 + halvings && difference &<< UInt128(24 + halvings) <= unit
    }
}
