"""Ports of this machine: which are free, and who holds one that is not."""

from __future__ import annotations

import random
import socket

import psutil

# Below the range that Linux gives to outgoing connections (32768 and up), so that none takes a port between our look
# and the server's bind; Dynamo also reads its system port as a 16-bit signed number.
_FIRST, _LAST = 20_000, 32_767
_ATTEMPTS = 1000


def free_ports(count: int) -> list[int]:
    """Return `count` different TCP ports that are free on all addresses right now. Raises OSError if there are none."""
    held: list[socket.socket] = []
    try:
        for port in random.sample(range(_FIRST, _LAST + 1), _ATTEMPTS):
            if len(held) == count:
                break
            holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                holder.bind(("", port))
            except OSError:
                holder.close()
                continue
            held.append(holder)
        if len(held) < count:
            raise OSError(f"no {count} free ports between {_FIRST} and {_LAST}")
        return [holder.getsockname()[1] for holder in held]
    finally:
        for holder in held:
            holder.close()


def holder_of(port: int) -> str | None:
    """Return who listens on a TCP port, as "pid 123 (name)" where the system tells; None when it is free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port whose last connections are still closing counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
            return None
        except OSError:
            pass
    try:
        for connection in psutil.net_connections("tcp"):
            # laddr is (address, port), or empty for an unbound socket.
            listens = connection.status == psutil.CONN_LISTEN and tuple(connection.laddr)[1:] == (port,)
            if listens and connection.pid:
                return f"pid {connection.pid} ({psutil.Process(connection.pid).name()})"
    except psutil.Error:
        pass
    return "another process"
