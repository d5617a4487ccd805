"""What the checks of the SDKs have in common: raw responses of the sandbox, comparisons, and the list of results."""
import datetime
import decimal
import json
import traceback
import urllib.request
import warnings


class Sandbox:
    """The sandbox, without a client library."""

    # Whether limits are reset around each call: those of free plans allow a few. It also removes orders and lists.
    has_limits = False

    def __init__(self, base):
        self.base = base.rstrip("/")

    def get(self, path, headers=None):
        """The body of a response, as JSON; it does not count against a limit."""
        self.reset()
        try:
            request = urllib.request.Request(self.base + path, headers=headers or {})
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        finally:
            self.reset()

    def reset(self):
        """Sets the counts of the limits to zero, if there are any."""
        if not self.has_limits:
            return
        with urllib.request.urlopen(urllib.request.Request(self.base + "/_sandbox/reset", method="POST"), timeout=60):
            pass

    def websocket(self, path):
        return self.base.replace("http://", "ws://") + path


class Report:
    """The results of one SDK."""

    def __init__(self, sdk, sandbox):
        self.sdk, self.sandbox, self.passed, self.failed, self.missing = sdk, sandbox, [], [], []

    def check(self, name, call):
        """Records whether a call succeeds; it raises an error if a value differs."""
        self.sandbox.reset()
        try:
            # What a library uses although another one deprecates it; some set their own filters.
            with warnings.catch_warnings(action="ignore"):
                call()
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            self.failed.append(f"{name}: {type(error).__name__}: {str(error)[:400]} ({place.name}, line {place.lineno})")
        else:
            self.passed.append(name)

    def lacks(self, name, call):
        """Records a call whose endpoint the sandbox does not have, which must fail."""
        self.sandbox.reset()
        try:
            call()
        except (AttributeError, ImportError, NameError, TypeError) as error:
            self.failed.append(f"{name}: {type(error).__name__}: {error}")
        except Exception:
            self.missing.append(name)
        else:
            self.failed.append(f"{name}: the sandbox has it now: move it to the checks, and remove it from docs/sandbox.md")


def number(value):
    """A value of an SDK or of a body as an exact decimal; a binary number by its shortest digits."""
    return None if value is None else decimal.Decimal(str(value)).normalize()


def moment(value):
    """A time in seconds since 1970, to the microsecond."""
    if isinstance(value, str):
        whole, _, rest = value.replace("Z", "+00:00").partition(".")
        if rest:
            digits, zone = rest[:-6], rest[-6:]
            value = f"{whole}.{digits[:6].ljust(6, '0')}{zone}"
        else:
            value = whole
        value = datetime.datetime.fromisoformat(value)
    return round(value.timestamp(), 6)


def equal(found, expected, what="value"):
    if found != expected:
        raise AssertionError(f"{what}: {found!r} instead of {expected!r}")


def numbers(found, expected, what="number"):
    equal(number(found), number(expected), what)


def members(model, body, names, convert=number):
    """Compares members of a model with those of a body; `names` are pairs, or one name for both."""
    for name in names:
        attribute, member = name if isinstance(name, tuple) else (name, name)
        found = model[attribute] if isinstance(model, dict) else getattr(model, attribute)
        equal(convert(found), convert(body.get(member)), attribute)
