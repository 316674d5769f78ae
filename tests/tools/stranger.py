#!/usr/bin/env python3
"""stranger.py: somebody on the network who wants a master no good; plain sockets, ZMTP 3.0 by hand.

    stranger.py learn COMMAND...          prints, in hex, the HELLO that a worker says to us
    stranger.py MODE ADDRESS [HEX] SECONDS

Modes: hellos (frames of many HELLOs each, nothing is read), knocks (a HELLO a frame, nothing is
read), silent (1,100 connections that say nothing), greeted (1,100 that say nothing after the
handshake), garbage (200 connections of random bytes), large (frames of 60 MB and messages without
end).  Prints how many connections were made, and how many of those that were kept open the master
closed.
"""
import random
import select
import socket
import subprocess
import sys
import time

MANY = 1100
GREETING = (b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))


def ready(kind):
    body = b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind + b"\x08Identity" + bytes(4)
    return b"\x04" + bytes([len(body)]) + body


def frame(data, flags=0):
    return bytes([flags | 2]) + len(data).to_bytes(8, "big") + data


def receive(peer, count):
    data = b""
    while len(data) < count:
        piece = peer.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


def learn(command):
    """The first message of a worker, which takes us for its master."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        worker = subprocess.Popen([*command, "--connect", address], stderr=subprocess.DEVNULL)
        try:
            peer, _ = server.accept()
            peer.settimeout(60)
            peer.sendall(GREETING)
            receive(peer, 64)
            peer.sendall(ready(b"ROUTER"))
            while True:
                flags = receive(peer, 1)[0]
                length = int.from_bytes(receive(peer, 8 if flags & 2 else 1), "big")
                data = receive(peer, length)
                if not flags & 4:
                    return data
        finally:
            worker.kill()
            worker.wait()


class Strangers:
    def __init__(self, address, seconds):
        host, port = address.removeprefix("tcp://").rsplit(":", 1)
        self.place = (host, int(port))
        self.until = time.monotonic() + seconds
        self.made = 0

    def is_over(self):
        return time.monotonic() > self.until

    def connect(self):
        peer = socket.create_connection(self.place, timeout=10)
        self.made += 1
        return peer

    def greet(self):
        peer = self.connect()
        peer.sendall(GREETING + ready(b"DEALER"))
        return peer

    def repeat(self, open_one, data):
        """Sends the data again and again, on a new connection when the old one is closed."""
        while not self.is_over():
            try:
                with open_one() as peer:
                    peer.settimeout(1)
                    while not self.is_over():
                        peer.sendall(data())
            except OSError:
                pass

    def hold(self, open_one, count):
        """How many of the connections were closed by the other side."""
        peers = []
        for _ in range(count):
            try:
                peers.append(open_one())
            except OSError:
                pass
        closed = 0
        poll = select.poll()
        numbers = {}
        for peer in peers:
            poll.register(peer, select.POLLIN)
            numbers[peer.fileno()] = peer
        while closed < len(peers) and not self.is_over():
            for number, _ in poll.poll(1000):
                try:
                    if numbers[number].recv(4096):
                        continue
                except OSError:
                    pass
                poll.unregister(number)
                closed += 1
        return closed


def main(words):
    if words[0] == "learn":
        print(learn(words[1:]).hex())
        return 0
    mode, address, hello, seconds = words[0], words[1], bytes.fromhex(words[2]), float(words[3])
    strangers = Strangers(address, seconds)
    closed = 0
    if mode == "hellos":
        data = frame(hello * ((16 << 20) // len(hello)))
        strangers.repeat(strangers.greet, lambda: data)
    elif mode == "knocks":
        data = frame(hello) * 1000
        strangers.repeat(strangers.greet, lambda: data)
    elif mode == "garbage":
        chance = random.Random(7)
        for _ in range(200):
            try:
                with strangers.connect() as peer:
                    peer.sendall(chance.randbytes(chance.randrange(1, 5000)))
            except OSError:
                pass
    elif mode == "large":
        large, part = frame(bytes(60 << 20)), frame(bytes(1 << 20), flags=1)
        strangers.repeat(strangers.greet, lambda: large)
        strangers.until += seconds
        strangers.repeat(strangers.greet, lambda: part)
    elif mode in ("silent", "greeted"):
        closed = strangers.hold(strangers.connect if mode == "silent" else strangers.greet, MANY)
    else:
        return 2
    print(strangers.made, closed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
