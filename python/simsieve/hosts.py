"""Names of hosts, for what listens on one."""

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """A host as it is in addresses."""
    return f"[{host}]" if ":" in host else host
