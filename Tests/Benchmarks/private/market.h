// The symbols and prices of the simulated Alpaca, and the positions of its users.
#include <string.h>

enum { SYMBOLS = 60, HELD = 12 };

static const char *const symbols[SYMBOLS] = {
    "AAPL", "ABT",  "ADBE", "AMD",  "AMZN", "AVGO", "AXP", "BA",   "BAC",  "BLK",  "C",    "CAT",  "COP",  "COST", "CRM",
    "CSCO", "CVX",  "DE",   "DIS",  "GE",   "GOOG", "GS",  "HD",   "HON",  "IBM",  "INTC", "JNJ",  "JPM",  "KO",   "LLY",
    "LOW",  "MA",   "MCD",  "META", "MMM",  "MRK",  "MS",  "MSFT", "NFLX", "NKE",  "NVDA", "ORCL", "PEP",  "PFE",  "PG",
    "QCOM", "SBUX", "SLB",  "T",    "TGT",  "TSLA", "TXN", "UBER", "UNH",  "UPS",  "V",    "VZ",   "WFC",  "WMT",  "XOM"};

// Prices in cents, which never end in a zero: a price has one form in JSON.
static inline int price(int symbol) { return 3011 + symbol * 713 + (symbol * 713 + 3011) % 10 * 10 + 1 + (symbol % 9); }
static inline int previous_close(int symbol) { return price(symbol) - 97 + symbol % 5 * 31; }
static inline int held_symbol(long user, int place) { return (int)((user * 11 + place * 5) % SYMBOLS); }
static inline int quantity(long user, int place) { return 1 + (int)((user * 5 + place * 13) % 80); }

// The number of a symbol; -1 for another text.
static inline int find_symbol(const char *name, int length) {
    for (int symbol = 0; symbol < SYMBOLS; symbol++)
        if ((int)strlen(symbols[symbol]) == length && !memcmp(symbols[symbol], name, (size_t)length)) return symbol;
    return -1;
}
