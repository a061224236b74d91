"""A program at a terminal of its own (a pty), for tests."""

import fcntl
import os
import pty
import re
import select
import struct
import termios

ANSWER_SECONDS_MAX = 60  # then the program hangs, and the test fails


class Terminal:
    """Starts `command` in `folder` with nothing but `env` around it."""

    def __init__(self, command, folder, env, rows=24, columns=80):
        self.seen = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            size = struct.pack("HHHH", rows, columns, 0, 0)
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.chdir(folder)
            os.execvpe(command[0], [str(word) for word in command], env)

    def send(self, text):
        os.write(self.terminal, text.encode())

    def read(self):
        """What is shown next; nothing once the program has ended."""
        ready, _, _ = select.select([self.terminal], [], [], ANSWER_SECONDS_MAX)
        if not ready:
            raise RuntimeError(f"nothing for {ANSWER_SECONDS_MAX} s behind {self.text()!r}")
        try:
            return os.read(self.terminal, 65536)
        except OSError:  # how Linux says that nobody is there any more
            return b""

    def text(self):
        return self.seen.decode(errors="replace")

    def until(self, pattern):
        """The match of `pattern` in what was shown since the last one."""
        while True:
            found = re.search(pattern, self.text(), re.S)
            if found:
                self.seen = b""
                return found
            more = self.read()
            if not more:
                raise RuntimeError(f"it ended without {pattern!r}: {self.text()!r}")
            self.seen += more

    def end(self):
        """All that is shown up to the program's end, and its exit code."""
        while more := self.read():
            self.seen += more
        os.close(self.terminal)
        _, status = os.waitpid(self.pid, 0)
        return self.text().replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)
