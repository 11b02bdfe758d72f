"""Commands that hear Ctrl-C even where these tests run in the background and a shell has it ignored.

`preexec_fn` would do it too, but forks, which JAX warns of in a process that has loaded it.
"""

import sys

_RUN = (
    "import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); del sys.argv[0]; "
    "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


def hearing(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", _RUN, module, *arguments]
