"""Tests sign-in by OpenID Connect with a provider of others, oidc-provider-mock.

    oidc.py PORTICO

Starts the provider, and the executable with the sandbox. Signs in by a code as a browser does, uses an ID token of the
provider as a bearer token, and checks refusals: a replayed state, a replayed code, another browser, and a changed token.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import httpx

portico = sys.argv[1]
CLIENT, SECRET, REDIRECT = "portico", "a secret", "http://localhost:3000/signed-in"
USER = {"sub": "subject-1", "preferred_username": "ann", "roles": ["traders", "other"]}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(what, attempt):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (result := attempt()) is not None:
            return result
        time.sleep(0.1)
    raise SystemExit(f"{what} did not start.")


def approve(url):
    """Signs in on the provider's page, and returns the parameters of the redirect."""
    response = httpx.post(url, data={"sub": USER["sub"]}, follow_redirects=False)
    assert response.status_code == 302, response.text
    query = urllib.parse.urlparse(response.headers["location"]).query
    return dict(urllib.parse.parse_qsl(query))


def id_token(issuer):
    """An ID token, by a sign-in of another program with the same client."""
    query = {
        "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "scope": "openid profile",
        "state": "s", "nonce": "n",
    }
    back = approve(f"{issuer}/oauth2/authorize?{urllib.parse.urlencode(query)}")
    form = {"grant_type": "authorization_code", "code": back["code"], "redirect_uri": REDIRECT}
    return httpx.post(f"{issuer}/oauth2/token", data=form, auth=(CLIENT, SECRET)).json()["id_token"]


def check(base, issuer):
    def ask(document, token=None, **variables):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        body = {"query": document, "variables": variables}
        return httpx.post(f"{base}/graphql", json=body, headers=headers, timeout=30).json()

    def begin():
        document = """mutation($uri: String!) { beginSignIn(input: { redirectUri: $uri scopes: [TRADE] }) {
            url state browserSecret } }"""
        return ask(document, uri=REDIRECT)["data"]["beginSignIn"]

    def complete(code, start):
        document = """mutation($input: CompleteSignInInput!) { completeSignIn(input: $input) {
            token session { scopes } viewer { id username } } }"""
        given = {"code": code, "state": start["state"], "browserSecret": start["browserSecret"]}
        return ask(document, input=given)

    def reason(answer):
        return answer["errors"][0]["extensions"].get("reason")

    start = begin()
    back = approve(start["url"])
    assert back["state"] == start["state"], back
    other = begin()
    stolen = complete(back["code"], {"state": start["state"], "browserSecret": other["browserSecret"]})
    assert reason(stolen) == "OTHER_BROWSER", stolen
    answer = complete(back["code"], start)
    payload = answer["data"]["completeSignIn"]
    assert payload, answer
    assert payload["viewer"]["username"] == "ann" and payload["session"]["scopes"] == ["READ", "TRADE"], payload
    assert reason(complete(back["code"], start)) == "UNKNOWN_STATE"
    assert reason(complete(back["code"], other)) == "CODE_REFUSED"

    token = id_token(issuer)
    viewer = "{ viewer { id session { scopes expiresAt } } }"
    own = ask(viewer, token)
    assert own["data"]["viewer"]["id"] == payload["viewer"]["id"], own
    assert own["data"]["viewer"]["session"]["scopes"] == ["READ", "TRADE"], own
    head, claims, signature = token.split(".")
    assert reason(ask(viewer, f"{head}.{claims}.{signature[:-6]}AAAAAA")) in ("INVALID_SIGNATURE", "MALFORMED_TOKEN")
    print("OpenID Connect: a sign-in by a code, a bearer token, and refusals.")


provider_port = free_port()
issuer = f"http://127.0.0.1:{provider_port}"
environment = dict(
    os.environ, PORTICO_OIDC_ISSUER=issuer, PORTICO_OIDC_CLIENT_ID=CLIENT, PORTICO_OIDC_CLIENT_SECRET=SECRET,
    PORTICO_OIDC_CREATE_USERS="true", PORTICO_OIDC_BEARER="true", PORTICO_OIDC_REQUEST_SCOPES="profile",
    PORTICO_OIDC_SCOPES_CLAIM="roles", PORTICO_OIDC_SCOPES="traders=READ,traders=TRADE")
command = [
    os.path.join(os.path.dirname(sys.executable), "oidc-provider-mock"), "--port", str(provider_port),
    "--require-nonce", "true", "--user-claims", json.dumps(USER),
]
processes = []
with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as log:
    try:
        processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        server = subprocess.Popen([portico, "serve", "--sandbox", "--port", "0"], stdout=output, env=environment)
        processes.append(server)

        def is_up():
            try:
                return httpx.get(f"{issuer}/jwks").status_code == 200 or None
            except httpx.TransportError:
                return None

        def address():
            # `pread` does not move the position at which the server writes.
            found = re.search(rb"(http://[^/\s]*)/graphql", os.pread(output.fileno(), 1 << 16, 0))
            return found and found[1].decode()

        wait_for("The provider", is_up)
        check(wait_for("Portico", address), issuer)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
