const query = /* GraphQL */ `
  subscription BrowserPrices {
    quotes(symbols: ["AAPL", "MSFT"]) { id symbol price }
  }
`;
// By symbol: the id of a quote changes with its source.
const rows = new Map();
const events = new EventSource(`/graphql?query=${encodeURIComponent(query)}`);
events.addEventListener("next", (event) => {
  const quote = JSON.parse(event.data).data?.quotes;
  if (!quote) return;
  if (!rows.has(quote.symbol)) {
    const [name, value] = [document.createElement("dt"), document.createElement("dd")];
    name.textContent = quote.symbol;
    document.querySelector("#prices").append(name, value);
    rows.set(quote.symbol, value);
  }
  rows.get(quote.symbol).textContent = quote.price;
});
events.addEventListener("complete", () => events.close());
