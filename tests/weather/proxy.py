"""proxy.py: a TCP link that can be severed, half-opened or held up, between workers and a master.

One thread, one port; every connection that is made to it is continued to the target.  What a
blocked direction would have carried waits in the kernel, as behind a link that is down.
"""
import selectors
import socket
import threading
import time

BLOCK = 1 << 16


class Link:
    """One connection: two sockets and what waits to be written to each."""

    def __init__(self, near, far):
        self.ends = {"up": (near, far), "down": (far, near)}
        self.waiting = {"up": b"", "down": b""}
        for end in (near, far):
            end.setblocking(False)

    def close(self):
        for end in self.ends["up"]:
            end.close()


class Proxy(threading.Thread):
    """Listens on `port` of loopback; `blocked` holds the directions that carry nothing now."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.blocked, self.is_refusing, self.links = set(), False, []
        self.is_ended, self.must_sever = False, False

    def cut(self, directions):
        """Nothing passes in these directions ("up": to the master) from now on."""
        self.blocked = set(directions)

    def sever(self):
        """Ends every connection, as a router that forgets them, and takes no new one."""
        self.is_refusing = self.must_sever = True

    def heal(self):
        self.blocked, self.is_refusing = set(), False

    def end(self):
        self.is_ended = True
        self.join(5)

    def run(self):
        selector = selectors.DefaultSelector()
        self.listener.setblocking(False)
        while not self.is_ended:
            if self.must_sever:
                self.must_sever = False
                self._drop(list(self.links))
            self._serve(selector)
        self._drop(list(self.links))
        self.listener.close()

    def _drop(self, links):
        for link in links:
            link.close()
            self.links.remove(link)

    def _serve(self, selector):
        """One round: short enough that commands of the other thread act at once."""
        selector.register(self.listener, selectors.EVENT_READ)
        readable = {}
        for link in self.links:
            for way, (source, _) in link.ends.items():
                if way not in self.blocked and len(link.waiting[way]) < BLOCK:
                    selector.register(source, selectors.EVENT_READ)
                    readable[source] = (link, way)
        ready = [key.fileobj for key, _ in selector.select(0.02)]
        for source in [self.listener, *readable]:
            selector.unregister(source)
        for source in ready:
            if source is self.listener:
                self._accept()
            else:
                self._read(*readable[source])
        for link in list(self.links):
            self._write(link)

    def _accept(self):
        near, _ = self.listener.accept()
        if self.is_refusing:
            near.close()
            return
        far = socket.socket()
        try:
            far.connect(self.target)
        except OSError:
            near.close()
            far.close()
            return
        self.links.append(Link(near, far))

    def _read(self, link, way):
        if link not in self.links:
            return
        try:
            data = link.ends[way][0].recv(BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            link.waiting[way] += data
        else:
            self._drop([link])

    def _write(self, link):
        for way, (_, sink) in link.ends.items():
            if not link.waiting[way] or way in self.blocked or link not in self.links:
                continue
            try:
                sent = sink.send(link.waiting[way])
                link.waiting[way] = link.waiting[way][sent:]
            except BlockingIOError:
                pass
            except OSError:
                self._drop([link])


def wait_until(holds, seconds):
    """Whether `holds()` came true within so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
