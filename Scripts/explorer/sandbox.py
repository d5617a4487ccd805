"""The control API of the sandbox of a running Portico, with which a test makes a provider fail."""

import json
import urllib.request


def control(address, method, what, about=None):
    """A request to the control API of the sandbox."""
    body = json.dumps(about).encode() if about is not None else None
    request = urllib.request.Request(f"{address}/_sandbox/{what}", body, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read()


async def sandbox_address(page):
    """The address of the sandbox: that of its page on which a user gives consent."""
    url = await page.run("""(async () => {
        const { token } = await (await fetch("/explorer/settings.json")).json();
        const response = await fetch("/graphql", {
            method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
            body: JSON.stringify({
                query: 'mutation($uri: String!) { beginConnection(provider: "saxo", redirectUri: $uri) { url } }',
                variables: { uri: `${location.origin}/example/` } }),
        });
        return (await response.json()).data.beginConnection.url;
    })()""")
    return "/".join(url.split("/")[:3])
