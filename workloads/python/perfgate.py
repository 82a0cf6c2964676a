"""What a Python program tells perfgate: where its steps are, and what one of them does.

One file without dependencies: copy it beside your program. Three lines make a loop measurable:

    import perfgate
    for batch in perfgate.steps("train", loader):     # warm-up and measured steps, as perfgate wants them
        train(batch)
    perfgate.result(tokens=8192, output_hash=digest)  # what ONE step does, and what came out of the measured ones

A loop of one's own, which must run at least the warm-up and the measured steps:

    while running:
        with perfgate.step("decode"):
            decode()

- `phase(name)`: a part of a step ("forward", "backward"), as an NVTX range. Inside a step `step` is a phase too.
- `window()`: what is traced where the workload file says `trace: {window: profiler}`.
- `result(ttft_ms=(12.5, "ms"), rate=(812, "1/s", "higher"))`: own figures, gated as `reported/ttft_ms`; `metric` takes
  names that Python's syntax does not.

Steps count over all loops (epochs): where perfgate has enough of them, `steps` ends. Without perfgate (no PERFGATE in
the environment) all of this does nothing: `steps` yields what it is given, or one step. With it, nothing here raises or
changes what the program does; whatever goes wrong is a line on standard error, and then no results file is written, so
that the run is invalid and not wrong.

A step lasts from its start to the next one's start. Where PyTorch uses the GPU, CUDA events on its current stream mark
the boundaries and the program is never made to wait; elsewhere the host's clock does, after a wait for the GPU at each
boundary (JAX: for all live arrays). Both ends of the block of measured steps follow such a wait. Steps are those of
the first thread that opens one. In traced processes steps and phases are NVTX ranges, whether or not a package for
NVTX is installed. Processes with RANK other than 0, and forked children, write nothing.
"""
import atexit
import ctypes
import itertools
import json
import math
import os
import sys
import threading
import time

__all__ = ["active", "metric", "phase", "result", "step", "steps", "window"]

_WORK = ("tokens", "weights_bytes", "kv_bytes", "flops")
_LONGEST_NAME = 128  # bytes, as the reader of the file has it
_LARGEST = 1e24
_SHORTEST_MS = 1e-6
_LEAST_COVER = 0.98  # device marks that cover less of the block are on a stream without the work


def active():
    """Is perfgate there? For a program that prints or checks less while it is measured."""
    return _session is not None


def steps(name="step", items=None):
    """Yields the items, each a step, until perfgate has enough, over all loops; without items, numbers from 0."""
    session = _session
    if session is None or session.is_inside_step():
        yield from (range(1) if items is None else items)
        return
    fetched = items is not None and not isinstance(items, range)
    source = iter(itertools.count() if items is None else items)
    for _ in range(session.total):
        if session.has_all():
            return
        with session.step(name):
            try:
                # A data loader's time is part of the step, and has a name.
                with session.phase("next") if fetched else _NOTHING:
                    item = next(source)
            except StopIteration:
                session.guarded(session.take_back)  # another loop may follow
                return
            yield item


def step(name="step"):
    """A context manager around one step."""
    return _NOTHING if _session is None else _session.step(name)


def phase(name):
    """A context manager around a part of a step."""
    return _NOTHING if _session is None else _session.phase(name)


def window():
    """A context manager around the steps to trace; `trace: {window: profiler}` makes it count."""
    return _NOTHING if _session is None else _session.window()


def result(*, tokens=None, weights_bytes=None, kv_bytes=None, flops=None, output_hash=None, **metrics):
    """What one step does, and figures of the program's own: a value, (value, unit) or (value, unit, better)."""
    if _session is not None:
        work = dict(zip(_WORK, (tokens, weights_bytes, kv_bytes, flops)))
        _session.take_result(work, output_hash, metrics)


def metric(name, value, unit="", better="lower"):
    """One figure of the program's own."""
    if _session is not None:
        _session.take_result({}, None, {name: (value, unit, better)})


class _Around:
    """A context manager of two functions that do not raise; the second one is told what the block raised."""

    def __init__(self, before, after):
        self._before, self._after = before, after

    def __enter__(self):
        self._before()

    def __exit__(self, kind, error, trace):
        self._after(kind)
        return False


_NOTHING = _Around(lambda: None, lambda kind: None)


class _Session:
    """This process as perfgate sees it: counts steps, marks their boundaries, writes the results file."""

    def __init__(self, environment):
        self._said = set()
        self._problem = ""  # why no results are written
        self._silent = False
        self._lock = threading.RLock()
        self._thread = None  # the one whose steps count
        self._depth = 0  # of that thread
        self._begun = 0  # outermost steps
        self._ended = False
        self._marks = None
        self._times_ms, self._boundary, self._block = [], "host", [0, 0]
        self._work, self._metrics, self._hash = {}, {}, ""
        of_first_rank = environment.get("RANK", "0") in ("", "0")
        self._path = environment.get("PERFGATE_RESULTS", "") if of_first_rank else ""
        self._profiler = environment.get("PERFGATE_WINDOW", "") == "profiler"
        self.warmup = self._number(environment, "PERFGATE_WARMUP", 20, 0)
        self.count = self._number(environment, "PERFGATE_STEPS", 200, 1)
        self.total = self.warmup + self.count
        nvtx = environment.get("NVTX_INJECTION64_PATH")
        self._nvtx = self.guarded(_Nvtx.load, nvtx) if nvtx else None

    # --- called by the program, through guards

    def step(self, name):
        return self._around(name, True)

    def phase(self, name):
        return self._around(name, False)

    def _around(self, name, is_step):
        return _Around(lambda: self.guarded(self._enter, name, is_step),
                       lambda kind: self.guarded(self._leave, is_step, kind))

    def window(self):
        return _Around(lambda: self.guarded(self._profile, "cuProfilerStart"),
                       lambda kind: self.guarded(self._profile, "cuProfilerStop"))

    def guarded(self, call, *arguments):
        try:
            return call(*arguments)
        except Exception as error:  # the program's result stays its own, whatever we met
            self.give_up(f"{type(error).__name__} in perfgate.py: {error}")
            return None

    def _enter(self, name, is_step):
        if self._silent:
            return
        try:
            if is_step and self._is_counted_thread():
                self._depth += 1
                if self._depth == 1:
                    self._begin_step()
        finally:  # `_leave` pops it
            if self._nvtx is not None:
                self._nvtx.push(name)

    def _leave(self, is_step, error):
        if self._silent:
            return
        if self._nvtx is not None:
            self._nvtx.pop()
        if not is_step or threading.get_ident() != self._thread:
            return
        self._depth -= 1
        if self._depth > 0 or self._ended:
            return
        measured = self._begun - self.warmup
        if error is not None and measured > 0:
            what = "the loop was left" if error is GeneratorExit else error.__name__
            self.give_up(f"{what} in measured step {measured} of {self.count}")
        elif measured == self.count and not self._problem:
            self._end_block()

    def take_result(self, work, output_hash, metrics):
        if self._silent:
            return
        with self._lock:
            self.guarded(self._take, work, output_hash, metrics)
            self.guarded(self._save)

    def _profile(self, function):
        if self._silent or not self._profiler:
            return
        if in_each_context(lambda cuda: getattr(cuda, function)(), most=1) == 0:
            self.give_up(f"{function} before the first use of the GPU: nothing can be traced there")

    # --- steps

    def is_inside_step(self):
        return self._depth > 0 and threading.get_ident() == self._thread

    def has_all(self):
        return self._begun >= self.total and not self._silent

    def take_back(self):
        """The step that began last has nothing to do."""
        if self._depth == 1 and threading.get_ident() == self._thread and not self._silent:
            self._begun -= 1
            if self._marks is not None:
                self._marks.take_back()

    def _is_counted_thread(self):
        here = threading.get_ident()
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = here
        if self._thread != here:
            self.say("steps of a second thread are NVTX ranges only; the first thread's are timed")
        return self._thread == here

    def _begin_step(self):
        self._begun += 1
        measured = self._begun - self.warmup
        if self._ended or self._problem or measured < 1:
            return
        if measured == 1:  # for the second time where the first one was taken back
            self._marks = _Marks()
            wait_for_gpu()
            self._block[0] = time.time_ns()
        self._marks.add()

    def _end_block(self):
        self._marks.add()
        wait_for_gpu()
        self._block[1] = time.time_ns()
        self._ended = True
        self._times_ms = [max(ms, _SHORTEST_MS) for ms in self._marks.periods_ms()]
        covered = sum(self._times_ms) * 1e6 >= _LEAST_COVER * (self._block[1] - self._block[0])
        self._boundary = self._marks.boundary if covered else "host"
        self._marks = None
        with self._lock:
            self._save()

    # --- results

    def _take(self, work, output_hash, metrics):
        for name, value in work.items():
            if value is not None:
                self._work[name] = self._figure(name, value, least=0.0)
        if output_hash is not None:
            self._hash = _text(output_hash)
        for name, given in metrics.items():
            value, unit, better = (tuple(given) + ("", "lower")[len(given) - 1 :]
                                   if isinstance(given, (tuple, list)) and 1 <= len(given) <= 3
                                   else (given, "", "lower"))
            name = _text(name)
            if not 0 < len(name.encode()) <= _LONGEST_NAME or any(c < " " or c == "\x7f" for c in name):
                raise ValueError(f"{name!r} cannot be a metric's name: 1 to 128 bytes without control characters")
            if better not in ("lower", "higher"):
                raise ValueError(f"better of {name} is lower or higher, not {better!r}")
            self._metrics[name] = {"metric": name, "value": self._figure(name, value, least=-_LARGEST),
                                   "unit": _text(unit), "better": better}

    @staticmethod
    def _figure(name, value, least):
        if isinstance(value, (str, bytes)):
            raise ValueError(f"{name} is a text, not a number")
        number = float(value)
        if not math.isfinite(number) or not least <= number <= _LARGEST:
            raise ValueError(f"{name} is {number}: no amount that could be reported")
        return int(number) if number.is_integer() and abs(number) < 2**53 else number

    def lines(self):
        yield {"perfgate_results": 1, "clock": "CLOCK_REALTIME", "boundary": self._boundary}
        yield {"block": {"start_ns": self._block[0], "end_ns": self._block[1]}}
        for index, ms in enumerate(self._times_ms):
            yield {"step": index, "ms": ms}
        work = dict(self._work, **({"output_hash": self._hash} if self._hash else {}))
        if work:
            yield {"work": work}
        yield from self._metrics.values()
        yield {"end": True, "steps": len(self._times_ms)}

    def _save(self):
        """Whole or not at all; again after each result, so that a process that is killed later leaves a file."""
        if not self._ended or self._problem or self._silent or not self._path:
            return
        text = "".join(json.dumps(line) + "\n" for line in self.lines()).encode()
        special = os.path.exists(self._path) and not os.path.isfile(self._path)  # a device, a pipe
        part = self._path if special else self._path + ".part"
        try:
            with open(part, "wb") as file:
                file.write(text)
            if not special:
                os.replace(part, self._path)
        except OSError as error:
            self.give_up(f"cannot write {self._path}: {error.strerror or error}")
            if not special and os.path.exists(part):
                os.remove(part)

    def at_exit(self):
        if self._silent or self._problem:
            return
        if not self._ended and self._begun > 0:
            measured = max(0, self._begun - self.warmup)
            self.give_up(f"{measured} of {self.count} measured steps were begun")
        elif not self._ended and (self._work or self._metrics or self._hash):
            self.give_up("a result without a step: mark them with perfgate.steps or perfgate.step")

    # --- problems

    def give_up(self, why):
        if self._silent:
            return
        first = not self._problem
        self._problem = self._problem or why
        self.say(why + "; no results are written" if first else why)
        if first and self._ended and os.path.isfile(self._path):
            try:
                os.remove(self._path)
            except OSError as error:
                self.say(f"cannot remove {self._path}: {error.strerror or error}")

    def say(self, text):
        if self._silent or text in self._said:
            return
        self._said.add(text)
        try:
            print("perfgate: " + _text(text), file=sys.stderr, flush=True)
        except Exception:  # no standard error: there is nobody to tell
            pass

    def silence(self):
        self._silent = True

    def _number(self, environment, name, default, least):
        text = environment.get(name, "")
        if not text:
            return default
        if text.isascii() and text.isdigit() and int(text) >= least:
            return int(text)
        self.give_up(f"{name} is {text!r}, not a number of steps")
        return default


def _text(value):
    return str(value).encode("utf-8", "replace").decode()


class _Marks:
    """Boundaries of steps: CUDA events where PyTorch uses the GPU, else the host's clock after a wait for the GPU."""

    def __init__(self):
        cuda = getattr(sys.modules.get("torch"), "cuda", None)
        self._events = cuda.Event if cuda is not None and cuda.is_initialized() else None
        self.boundary = "device" if self._events else "host"
        self._marks = []

    def add(self):
        if self._events:
            self._marks.append(self._events(enable_timing=True))
            self._marks[-1].record()
        else:
            wait_for_gpu()
            self._marks.append(time.perf_counter_ns())

    def take_back(self):
        del self._marks[-1:]

    def periods_ms(self):
        pairs = zip(self._marks, self._marks[1:])
        return [before.elapsed_time(after) if self._events else (after - before) / 1e6 for before, after in pairs]


def wait_for_gpu():
    """Until all work that this process gave the GPU is done; nothing where it has not used one."""
    jax = sys.modules.get("jax")
    if jax is not None and hasattr(jax, "live_arrays"):
        jax.block_until_ready(jax.live_arrays())  # its dispatch may still be under way on another thread
    in_each_context(lambda cuda: cuda.cuCtxSynchronize())


_driver = []  # the CUDA driver's library, once the program has loaded it; nothing for each time that it had not
_MOST_LOOKS = 8  # a look in vain takes some 50 us, and a program that has no GPU by then uses none


def loaded_driver():
    """It is never loaded for us."""
    if len(_driver) < _MOST_LOOKS and not any(_driver):
        try:
            _driver.append(ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD))
        except (OSError, AttributeError):
            _driver.append(None)
    return _driver[-1]


def in_each_context(call, most=1 << 30):
    """Calls with the primary context of each device where it is in use; returns how many there were."""
    cuda, count, called = loaded_driver(), ctypes.c_int(), 0
    if cuda is None or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0  # the driver is not initialised: no work was given to it
    for device in range(count.value):
        flags, in_use, context = ctypes.c_uint(), ctypes.c_int(), ctypes.c_void_p()
        _check(cuda.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(in_use)))
        if not in_use.value or called == most:
            continue
        _check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
        try:
            _check(cuda.cuCtxPushCurrent_v2(context))
            try:
                _check(call(cuda))
            finally:
                cuda.cuCtxPopCurrent_v2(ctypes.byref(context))
        finally:
            cuda.cuDevicePrimaryCtxRelease_v2(device)
        called += 1
    return called


def _check(code):
    if code != 0:
        raise RuntimeError(f"the CUDA driver answered with error {code}")


class _Nvtx:
    """An NVTX client: asks the tool named by NVTX_INJECTION64_PATH for its functions, as the NVTX headers do."""

    # Of nvtxDetail/nvtxTypes.h: NVTX_CB_MODULE_CORE, its size, RangePushA and RangePop in it; NVTX_ETID_CALLBACKS.
    _CORE, _SIZE, _PUSH, _POP, _CALLBACKS = 1, 16, 9, 11, 1
    _GET_MODULE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p),
                                   ctypes.POINTER(ctypes.c_uint))
    _GET_TABLE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)

    class _Callbacks(ctypes.Structure):
        _fields_ = [("struct_size", ctypes.c_size_t), ("get_module", ctypes.c_void_p)]

    _kept = []  # what the tool was given pointers to; it may look again until the process ends

    @classmethod
    def load(cls, path):
        functions = (ctypes.c_void_p * cls._SIZE)()
        table = (ctypes.c_void_p * (cls._SIZE + 1))()
        for index in range(1, cls._SIZE):
            table[index] = ctypes.addressof(functions) + index * ctypes.sizeof(ctypes.c_void_p)

        def get_module(module, out_table, out_size):
            if module != cls._CORE:
                return 0
            out_table[0] = ctypes.addressof(table)
            if out_size:
                out_size[0] = cls._SIZE
            return 1

        module_getter = cls._GET_MODULE(get_module)
        callbacks = cls._Callbacks(ctypes.sizeof(cls._Callbacks),
                                   ctypes.cast(module_getter, ctypes.c_void_p).value)
        table_getter = cls._GET_TABLE(lambda which: ctypes.addressof(callbacks) if which == cls._CALLBACKS else None)
        cls._kept.append((functions, table, module_getter, callbacks, table_getter))
        start = ctypes.CDLL(path).InitializeInjectionNvtx2
        start.argtypes, start.restype = [cls._GET_TABLE], ctypes.c_int
        if start(table_getter) == 0 or not functions[cls._PUSH] or not functions[cls._POP]:
            return None  # a tool that wants no ranges
        return cls(functions)

    def __init__(self, functions):
        # PYFUNCTYPE keeps the interpreter's lock: a range must not be where other threads get their turn.
        self._push = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(functions[self._PUSH])
        self.pop = ctypes.PYFUNCTYPE(ctypes.c_int)(functions[self._POP])

    def push(self, name):
        self._push(_text(name).encode().split(b"\0")[0])


_session = None
if os.environ.get("PERFGATE", "0") not in ("", "0"):
    _session = _Session(os.environ)
    atexit.register(_session.at_exit)
    os.register_at_fork(after_in_child=_session.silence)
