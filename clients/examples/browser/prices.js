const query = /* GraphQL */ `
  subscription BrowserPrices {
    quotes(symbols: ["AAPL", "MSFT"]) { id symbol price }
  }
`;
const rows = new Map();
const events = new EventSource(`/graphql?query=${encodeURIComponent(query)}`);
events.addEventListener("next", (event) => {
  const quote = JSON.parse(event.data).data?.quotes;
  if (!quote) return;
  if (!rows.has(quote.id)) {
    const [name, value] = [document.createElement("dt"), document.createElement("dd")];
    name.textContent = quote.symbol;
    document.querySelector("#prices").append(name, value);
    rows.set(quote.id, value);
  }
  rows.get(quote.id).textContent = quote.price;
});
events.addEventListener("complete", () => events.close());
