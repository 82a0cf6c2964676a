#!/usr/bin/env python3
"""workloads/python/perfgate.py in programs of its own processes: what they print, how they end, what they leave behind.

Standard library only. PERFGATE_PROGRAM names a built perfgate, which then reads the results files; the fakes of this
folder are compiled where there is a C compiler. Tests that lack either say so and are skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
MODULE = FOLDER.parents[1] / "workloads" / "python"
PROGRAM = os.environ.get("PERFGATE_PROGRAM", "")
COMPILER = shutil.which("cc") or shutil.which("gcc")

LOOP = """
for number in perfgate.steps("decode"):
    time.sleep(0.001)
perfgate.result(tokens=16, output_hash="ab")
print("done")
"""


class Outcome:
    def __init__(self, process, results):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.results = results  # text of the file; None: there is none

    def lines(self):
        return [json.loads(line) for line in self.results.splitlines()]

    def steps(self):
        return [line["ms"] for line in self.lines() if "step" in line]

    def work(self):
        return next((line["work"] for line in self.lines() if "work" in line), None)


class Programs(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def run_program(self, text, warmup=2, steps=5, results=None, **variables):
        """Runs the text as a program under perfgate; `variables` with None are left out of its environment."""
        path = self.folder / "program.py"
        path.write_text("import os, sys, threading, time\nimport perfgate\n" + textwrap.dedent(text), encoding="utf-8")
        results = results or self.folder / "results.jsonl"
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("PERFGATE") and name not in ("NVTX_INJECTION64_PATH", "RANK")}
        environment.update(PYTHONPATH=str(MODULE), PYTHONDONTWRITEBYTECODE="1", PERFGATE="1", PERFGATE_ROLE="timing",
                           PERFGATE_WARMUP=str(warmup), PERFGATE_STEPS=str(steps), PERFGATE_RESULTS=str(results))
        environment.update(variables)
        process = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, cwd=self.folder,
                                 env={name: str(value) for name, value in environment.items() if value is not None})
        there = pathlib.Path(results).is_file()
        return Outcome(process, pathlib.Path(results).read_text(encoding="utf-8") if there else None)

    def compiled(self, source, *options):
        if COMPILER is None:
            self.skipTest("no C compiler")
        path = self.folder / (pathlib.Path(source).stem + ".so")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", *options, "-o", path, FOLDER / source], check=True)
        return path

    def assert_no_results(self, outcome, why, code=0):
        self.assertEqual(outcome.code, code, outcome.err)
        self.assertIsNone(outcome.results)
        self.assertIn(why, outcome.err)
        self.assertIn("no results are written", outcome.err)


class ResultsFile(Programs):
    def test_a_loop_of_three_lines_writes_the_whole_file(self):
        outcome = self.run_program(LOOP)
        self.assertEqual((outcome.code, outcome.out, outcome.err), (0, "done\n", ""))
        lines = outcome.lines()
        self.assertEqual(lines[0], {"perfgate_results": 1, "clock": "CLOCK_REALTIME", "boundary": "host"})
        self.assertEqual([line["step"] for line in lines if "step" in line], [0, 1, 2, 3, 4])
        self.assertEqual(lines[-2:], [{"work": {"tokens": 16, "output_hash": "ab"}}, {"end": True, "steps": 5}])

    def test_steps_last_from_start_to_start(self):
        outcome = self.run_program("""
            for number in range(8):
                with perfgate.step("decode"):
                    time.sleep(0.002)
                time.sleep(0.004)
        """)
        self.assertTrue(all(ms >= 6 for ms in outcome.steps()[:-1]), outcome.steps())
        block = next(line["block"] for line in outcome.lines() if "block" in line)
        self.assertGreaterEqual(block["end_ns"] - block["start_ns"], 4 * 6e6 + 2e6)

    def test_items_are_fetched_inside_their_step(self):
        outcome = self.run_program("""
            def slow():
                while True:
                    time.sleep(0.003)
                    yield 1
            for item in perfgate.steps("train", slow()):
                pass
        """)
        self.assertTrue(all(ms >= 3 for ms in outcome.steps()), outcome.steps())

    def test_warmup_and_steps_say_how_many_items_are_taken(self):
        outcome = self.run_program('print(list(perfgate.steps("s", iter(range(100)))))', warmup=1, steps=3)
        self.assertEqual(outcome.out, "[0, 1, 2, 3]\n")
        self.assertEqual(len(outcome.steps()), 3)

    def test_steps_count_over_epochs_and_what_is_between_them_belongs_to_the_last_one(self):
        for epoch in (2, 3, 4):  # ends inside, at the end and before the end of the warm-up
            with self.subTest(epoch):
                outcome = self.run_program(f"""
                    seen = 0
                    for epoch in range(20):
                        for item in perfgate.steps("train", [1] * {epoch}):
                            seen += 1
                        time.sleep(0.003)
                    print(seen)
                """, warmup=3)
                self.assertEqual((outcome.out, outcome.err, len(outcome.steps())), ("8\n", "", 5))
                self.assertGreaterEqual(max(outcome.steps()), 3)

    def test_steps_inside_a_step_yield_all_items(self):
        outcome = self.run_program("""
            for outer in perfgate.steps():
                print(len(list(perfgate.steps("inner", range(50)))), end=" ")
        """)
        self.assertEqual((outcome.out, len(outcome.steps())), ("50 " * 7, 5))

    def test_no_warmup_is_fine(self):
        self.assertEqual(len(self.run_program(LOOP, warmup=0).steps()), 5)

    def test_figures_come_with_unit_and_direction(self):
        outcome = self.run_program(LOOP + """
perfgate.result(weights_bytes=15e9, ttft_ms=(12.5, "ms"), rate=(812, "1/s", "higher"), plain=3)
perfgate.metric("größe µ", -1.5, "ms")
""")
        metrics = [line for line in outcome.lines() if "metric" in line]
        self.assertEqual(metrics, [
            {"metric": "ttft_ms", "value": 12.5, "unit": "ms", "better": "lower"},
            {"metric": "rate", "value": 812, "unit": "1/s", "better": "higher"},
            {"metric": "plain", "value": 3, "unit": "", "better": "lower"},
            {"metric": "größe µ", "value": -1.5, "unit": "ms", "better": "lower"}])
        self.assertEqual(outcome.work(), {"tokens": 16, "weights_bytes": 15000000000, "output_hash": "ab"})

    def test_a_result_before_the_last_step_is_kept(self):
        self.assertEqual(self.run_program("perfgate.result(tokens=7)\n" + LOOP.replace("tokens=16, ", "")).work(),
                         {"tokens": 7, "output_hash": "ab"})

    def test_a_process_that_is_killed_after_the_steps_leaves_them(self):
        outcome = self.run_program(LOOP + "os.kill(os.getpid(), 9)")
        self.assertEqual(outcome.code, -9)
        self.assertEqual(len(outcome.steps()), 5)

    def test_names_that_are_no_unicode_are_written_as_unicode(self):
        outcome = self.run_program(LOOP.replace('"decode"', '"d\\udc80"').replace('"ab"', '"h\\udc80"'))
        self.assertEqual((outcome.code, outcome.work()["output_hash"]), (0, "h?"))

    def test_a_loop_of_ones_own_may_go_on(self):
        outcome = self.run_program("""
            for number in range(50):
                with perfgate.step():
                    pass
            perfgate.result(tokens=1)
        """)
        self.assertEqual((len(outcome.steps()), outcome.work()), (5, {"tokens": 1}))

    @unittest.skipUnless(PROGRAM, "PERFGATE_PROGRAM names no built perfgate")
    def test_perfgate_takes_what_is_written(self):
        (self.folder / "program.py").write_text(
            "import sys, time\nsys.path.insert(0, %r)\nimport perfgate\n%s\nperfgate.metric('größe', 2, 'ms')\n"
            % (str(MODULE), LOOP), encoding="utf-8")
        (self.folder / "w.yaml").write_text(
            "perfgate: 1\nname: w\nrun: {command: {argv: [%s, program.py]}}\nsteps: {range: decode, warmup: 2, measure: 20}\n"
            "timing: {processes: [2]}\ngates: [{metric: step_time_p50}, {metric: 'reported/größe'}]\n"
            % json.dumps(sys.executable), encoding="utf-8")
        process = subprocess.run([PROGRAM, "run", "w.yaml", "--gpu", "none", "--out", "out", "--store", "s.db", "--record"],
                                 cwd=self.folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        result = json.loads((self.folder / "out" / "result.json").read_text(encoding="utf-8"))
        metrics = {metric["id"]: metric["value"] for metric in result["metrics"]}
        self.assertGreater(metrics["step_time_p50"], 1)
        self.assertEqual(metrics["reported/größe"], 2)
        timing = next(process for process in result["processes"] if process["role"] == "timing")
        self.assertEqual((timing["n"], timing["results"]["work"]["tokens"], timing["results"]["boundary"]), (20, 16, "host"))


class WithoutPerfgate(Programs):
    def test_nothing_is_written_and_all_items_come(self):
        for absent in ({"PERFGATE": None}, {"PERFGATE": "0"}):
            outcome = self.run_program("""
                print(list(perfgate.steps("s", range(9))), list(perfgate.steps()), perfgate.active())
                with perfgate.window(), perfgate.step("a"), perfgate.phase("b"):
                    perfgate.result(tokens="no number", anything=float("nan"))
                    perfgate.metric("", None)
            """, **absent)
            self.assertEqual((outcome.code, outcome.err, outcome.results), (0, "", None))
            self.assertEqual(outcome.out, "[0, 1, 2, 3, 4, 5, 6, 7, 8] [0] False\n")

    def test_exceptions_pass_through(self):
        outcome = self.run_program('with perfgate.step("s"):\n    raise SystemExit(7)', PERFGATE=None)
        self.assertEqual(outcome.code, 7)


class Problems(Programs):
    def test_an_exception_of_the_program_stays_its_own_and_voids_the_results(self):
        outcome = self.run_program("""
            for number in range(8):
                with perfgate.step():
                    if number == 4:
                        raise KeyError("mine")
        """)
        self.assert_no_results(outcome, "KeyError in measured step 3 of 5", code=1)
        self.assertIn("KeyError: 'mine'", outcome.err)

    def test_an_exception_that_the_program_survives_voids_the_results_too(self):
        outcome = self.run_program("""
            for number in range(8):
                try:
                    with perfgate.step():
                        if number == 4:
                            raise KeyError
                except KeyError:
                    pass
            perfgate.result(tokens=1)
        """)
        self.assert_no_results(outcome, "KeyError in measured step 3 of 5")

    def test_an_exception_in_the_warmup_does_not(self):
        outcome = self.run_program("""
            for number in range(8):
                try:
                    with perfgate.step():
                        if number == 1:
                            raise KeyError
                except KeyError:
                    pass
        """)
        self.assertEqual((outcome.code, outcome.err, len(outcome.steps())), (0, "", 5))

    def test_a_loop_that_is_left_is_no_run(self):
        outcome = self.run_program("for number in perfgate.steps():\n    if number == 4: break\nperfgate.result(tokens=1)")
        self.assert_no_results(outcome, "the loop was left in measured step 3 of 5")

    def test_an_exception_in_a_loop_is_no_run(self):
        self.assert_no_results(self.run_program("for number in perfgate.steps():\n    if number == 4: 1 / 0"),
                               "measured step 3 of 5", code=1)

    def test_items_that_end_early_are_no_run(self):
        self.assert_no_results(self.run_program("for item in perfgate.steps('s', [1, 2, 3]): pass\nprint('on')"),
                               "1 of 5 measured steps were begun")

    def test_too_few_steps_are_no_run(self):
        self.assert_no_results(self.run_program("with perfgate.step(): pass"), "0 of 5 measured steps were begun")

    def test_a_result_without_a_step_is_said(self):
        self.assert_no_results(self.run_program("perfgate.result(tokens=1)"), "a result without a step")

    def test_a_value_that_is_none_voids_the_results(self):
        for bad, why in (("tokens='12'", "tokens is a text"), ("tokens=-1", "tokens is -1"), ("x=float('nan')", "x is nan"),
                         ("x=(1, 'ms', 'faster')", "better of x"), ("x=[]", "TypeError"), ("flops=1e30", "flops is 1e+30"),
                         ("**{'a\\n': 1}", "cannot be a metric's name"), ("**{'é' * 100: 1}", "cannot be a metric's name")):
            with self.subTest(bad):
                self.assert_no_results(self.run_program(LOOP + f"perfgate.result({bad})\nprint('on')"), why)

    def test_a_full_disk_is_said_and_changes_nothing_else(self):
        outcome = self.run_program(LOOP, results="/dev/full")
        self.assertEqual((outcome.code, outcome.out), (0, "done\n"))
        self.assertIn("cannot write /dev/full: No space left on device", outcome.err)
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())

    def test_a_file_that_did_not_fit_goes_again(self):
        outcome = self.run_program("import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
                                   "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n" + LOOP)
        self.assert_no_results(outcome, "results.jsonl: File too large")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["program.py"])

    def test_a_folder_that_is_not_there_is_said(self):
        outcome = self.run_program(LOOP, results=self.folder / "none" / "results.jsonl")
        self.assert_no_results(outcome, "No such file or directory")

    def test_a_number_of_steps_that_is_none_is_said(self):
        for variables in ({"steps": "many"}, {"steps": "0"}, {"warmup": "-1"}, {"steps": "²"}):
            with self.subTest(variables):
                outcome = self.run_program("for _ in perfgate.steps('s', range(300)): pass", **variables)
                self.assert_no_results(outcome, "not a number of steps")

    def test_a_closed_standard_error_does_no_harm(self):
        outcome = self.run_program("sys.stderr.close()\nos.close(2)\n" + LOOP + "perfgate.result(tokens='x')\nprint('on')")
        self.assertEqual((outcome.code, outcome.out, outcome.results), (0, "done\non\n", None))

    def test_ranks_other_than_the_first_write_nothing(self):
        self.assertIsNone(self.run_program(LOOP, RANK="1").results)
        self.assertIsNotNone(self.run_program(LOOP, RANK="0").results)


class ThreadsAndChildren(Programs):
    def test_steps_of_other_threads_are_not_counted(self):
        outcome = self.run_program("""
            def beside():
                for number in range(100):
                    with perfgate.step("other"):
                        pass
            for number in perfgate.steps("decode"):
                thread = threading.Thread(target=beside)
                thread.start()
                thread.join()
        """)
        self.assertEqual((outcome.code, len(outcome.steps())), (0, 5))
        self.assertEqual(outcome.err.count("steps of a second thread"), 1)

    def test_a_step_inside_a_step_is_a_part_of_it(self):
        outcome = self.run_program("""
            for number in perfgate.steps("train"):
                with perfgate.step("inner"), perfgate.step("innermost"), perfgate.phase("forward"):
                    pass
        """)
        self.assertEqual((outcome.err, len(outcome.steps())), ("", 5))

    def test_a_forked_child_writes_nothing_and_says_nothing(self):
        outcome = self.run_program("""
            for number in perfgate.steps("decode"):
                child = os.fork()
                if child == 0:
                    perfgate.result(tokens=99)
                    with perfgate.step():
                        pass
                    sys.exit(0)
                assert os.waitpid(child, 0)[1] == 0
            perfgate.result(tokens=1)
        """)
        self.assertEqual((outcome.code, outcome.err), (0, ""))
        self.assertEqual((len(outcome.steps()), outcome.work()), (5, {"tokens": 1}))

    def test_a_child_forked_after_the_steps_leaves_the_file_alone(self):
        outcome = self.run_program(LOOP + """
if os.fork() == 0:
    perfgate.result(tokens="bad")
    sys.exit(0)
os.wait()
""")
        self.assertEqual((outcome.err, outcome.work()["tokens"]), ("", 16))


class Nvtx(Programs):
    def calls(self, text, **variables):
        log = self.folder / "nvtx.log"
        outcome = self.run_program(text, warmup=0, steps=1, NVTX_INJECTION64_PATH=self.compiled("fake_nvtx_tool.c"),
                                   FAKE_NVTX_LOG=log, **variables)
        self.assertEqual(outcome.code, 0, outcome.err)
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def test_steps_and_phases_are_ranges(self):
        self.assertEqual(self.calls("""
            for item in perfgate.steps("train", [1]):
                with perfgate.phase("forwärd"):
                    pass
        """), ["push train", "push next", "pop", "push forwärd", "pop", "pop"])

    def test_a_range_ends_where_its_body_fails(self):
        self.assertEqual(self.calls("""
            try:
                with perfgate.step("a"), perfgate.phase("b"):
                    raise KeyError
            except KeyError:
                pass
        """), ["push a", "push b", "pop", "pop"])

    def test_names_end_at_nul(self):
        self.assertEqual(self.calls('with perfgate.step("a\\0b"): pass'), ["push a", "pop"])

    def test_a_tool_that_wants_no_ranges_gets_none(self):
        self.assertEqual(self.calls("with perfgate.step(): pass", FAKE_NVTX_UNWANTED=1), [])

    def test_a_tool_that_is_not_there_is_said(self):
        self.assert_no_results(self.run_program(LOOP, NVTX_INJECTION64_PATH="/nowhere/tool.so"), "/nowhere/tool.so")

    @unittest.skipUnless(os.environ.get("PERFGATE_PROBE"), "PERFGATE_PROBE names no built probe")
    def test_the_probe_sees_the_ranges(self):
        captures = self.folder / "captures"
        captures.mkdir()
        outcome = self.run_program(LOOP, NVTX_INJECTION64_PATH=os.environ["PERFGATE_PROBE"], PERFGATE_WINDOW="ranges",
                                   PERFGATE_CAPTURE_DIR=captures)
        self.assertEqual((outcome.code, outcome.err, len(outcome.steps())), (0, "", 5))
        (capture,) = captures.iterdir()
        said = subprocess.run([PROGRAM, "analyze", capture], capture_output=True, text=True).stdout
        self.assertIn("7 NVTX ranges", said)


class AutogradRanges(Programs):
    def run_wrapped(self, text, role, torch):
        (self.folder / "torch.py").write_text(textwrap.dedent(torch))
        (self.folder / "mine.py").write_text(textwrap.dedent(text))
        environment = dict(os.environ, PERFGATE_ROLE=role, PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run([sys.executable, MODULE / "autograd_ranges.py", "mine.py", "--size", "3"], cwd=self.folder,
                              env=environment, capture_output=True, text=True, timeout=60)

    TORCH = """
        import types
        class emit_nvtx:
            def __enter__(self):
                cuda.synchronize()
                print("ranges")
        def no_gpu(): raise SystemExit("CUDA was started")
        cuda = types.SimpleNamespace(synchronize=no_gpu)
        autograd = types.SimpleNamespace(profiler=types.SimpleNamespace(emit_nvtx=emit_nvtx))
    """
    MINE = "import sys, torch; print(__name__, sys.argv); assert torch.cuda.synchronize is torch.no_gpu; sys.exit(5)"

    def test_a_traced_program_runs_as_it_would_alone_and_has_ranges(self):
        process = self.run_wrapped(self.MINE, "trace", self.TORCH)
        self.assertEqual((process.returncode, process.stdout), (5, "ranges\n__main__ ['mine.py', '--size', '3']\n"), process.stderr)

    def test_a_timed_program_has_none(self):
        process = self.run_wrapped(self.MINE, "timing", self.TORCH)
        self.assertEqual((process.returncode, process.stdout), (5, "__main__ ['mine.py', '--size', '3']\n"), process.stderr)

    def test_a_pytorch_without_nvtx_does_no_harm(self):
        process = self.run_wrapped("print('on')", "trace", "raise RuntimeError('compiled without CUDA')")
        self.assertEqual((process.returncode, process.stdout), (0, "on\n"))
        self.assertIn("perfgate: no ranges of PyTorch's operations: RuntimeError: compiled without CUDA", process.stderr)


class Gpu(Programs):
    def calls(self, text, log="cuda.log", **variables):
        library = self.compiled("fake_cuda.c", "-Wl,-soname,libcuda.so.1")
        log = self.folder / log
        outcome = self.run_program(f"import ctypes\nctypes.CDLL({str(library)!r})\n" + textwrap.dedent(text), warmup=1,
                                   steps=2, FAKE_CUDA_LOG=log, **variables)
        return outcome, log.read_text().splitlines() if log.exists() else []

    def test_each_boundary_of_a_measured_step_waits_for_the_gpu(self):
        outcome, calls = self.calls("for _ in perfgate.steps(): pass")
        self.assertEqual((outcome.code, outcome.err, len(outcome.steps())), (0, "", 2))
        # Both ends of the block and three boundaries.
        self.assertEqual(calls, ["retain", "push", "synchronize", "pop", "release"] * 5)

    def test_a_gpu_that_is_not_used_is_left_alone(self):
        outcome, calls = self.calls("for _ in perfgate.steps(): pass", FAKE_CUDA_UNUSED=1)
        self.assertEqual((outcome.err, len(outcome.steps()), calls), ("", 2, []))

    def test_an_error_of_the_gpu_is_the_programs_to_notice_and_voids_the_results(self):
        outcome, calls = self.calls("for _ in perfgate.steps(): pass\nprint('on')", FAKE_CUDA_FAILS="synchronize")
        self.assertEqual(outcome.out, "on\n")
        self.assert_no_results(outcome, "the CUDA driver answered with error 700")
        self.assertEqual(calls[-2:], ["pop", "release"])

    def test_the_window_starts_and_stops_the_profiler_where_that_is_the_window(self):
        text = "with perfgate.window():\n    with perfgate.phase('a'): pass"
        self.assertEqual(self.calls(text, PERFGATE_WINDOW="profiler")[1],
                         ["retain", "push", "start", "pop", "release", "retain", "push", "stop", "pop", "release"])
        self.assertEqual(self.calls(text, "other.log", PERFGATE_WINDOW="nvtx:s:skip=1,count=3")[1], [])

    def test_a_window_before_the_gpu_is_used_is_said(self):
        outcome, _ = self.calls("with perfgate.window(): pass", PERFGATE_WINDOW="profiler", FAKE_CUDA_UNUSED=1)
        self.assertIn("cuProfilerStart before the first use of the GPU", outcome.err)

    def test_pytorch_marks_steps_by_events_and_is_not_made_to_wait(self):
        outcome, calls = self.calls(FAKE_TORCH + "for _ in perfgate.steps(): time.sleep(0.002)")
        self.assertEqual((outcome.err, outcome.lines()[0]["boundary"]), ("", "device"))
        self.assertTrue(all(ms >= 3 for ms in outcome.steps()), outcome.steps())
        self.assertEqual(calls.count("synchronize"), 2)  # the ends of the block

    def test_events_of_a_stream_without_the_work_count_as_marks_of_the_host(self):
        outcome, _ = self.calls(FAKE_TORCH.replace("1.5e3", "1e2") + "for _ in perfgate.steps(): time.sleep(0.002)")
        self.assertEqual((outcome.err, outcome.lines()[0]["boundary"]), ("", "host"))

    def test_pytorch_without_cuda_is_timed_by_the_host(self):
        outcome, _ = self.calls(FAKE_TORCH.replace("return True", "return False") + "for _ in perfgate.steps(): pass")
        self.assertEqual((outcome.err, outcome.lines()[0]["boundary"]), ("", "host"))

    def test_jax_is_waited_for_by_its_live_arrays(self):
        outcome, _ = self.calls("""
            import types
            waited = []
            sys.modules["jax"] = types.SimpleNamespace(live_arrays=lambda: ["x"], block_until_ready=waited.append)
            for _ in perfgate.steps(): pass
            print(waited)
        """)
        self.assertEqual((outcome.err, outcome.out), ("", "[['x'], ['x'], ['x'], ['x'], ['x']]\n"))

    def test_a_framework_that_raises_does_no_harm(self):
        outcome, _ = self.calls(FAKE_TORCH.replace("self.at =", "raise RuntimeError('stream is capturing')\n            self.at =")
                                + "for _ in perfgate.steps(): pass\nprint('on')")
        self.assertEqual(outcome.out, "on\n")
        self.assert_no_results(outcome, "RuntimeError in perfgate.py: stream is capturing")


FAKE_TORCH = """
import types

class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
            self.at = time.perf_counter()

    def elapsed_time(self, later):
        return (later.at - self.at) * 1.5e3  # longer than the block, whatever the machine does beside

def is_initialized():
    return True

sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(Event=Event, is_initialized=is_initialized))
"""


if __name__ == "__main__":
    unittest.main()
