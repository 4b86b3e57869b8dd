"""Lambda functions as child processes of LocalStack, where it would start containers (LAMBDA_RUNTIME_EXECUTOR=local).

Node functions in zip packages only: no layers, no images, no isolation, no limit of memory. It reaches into LocalStack
2026.3.0: pin that version.
"""

import json
import os
import queue
import subprocess
import threading
import time

from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

BOOTSTRAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bootstrap.ts")

#: Seconds in which a function's module must load, as on Lambda.
INIT_SECONDS = 10


class Sandbox:
    """A process with a loaded function: requests go to its standard input, answers come from a pipe, a line each."""

    def __init__(self, folder, env, lines):
        read_end, write_end = os.pipe()
        self.process = subprocess.Popen(
            [os.environ["LOCALEXEC_NODE"], BOOTSTRAP, str(write_end)],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[write_end],
            start_new_session=True,
        )
        os.close(write_end)
        self.answers = queue.Queue()
        self._follow(self._read_answers, os.fdopen(read_end))
        self._follow(self._read_lines, self.process.stdout, lines)

    @staticmethod
    def _follow(target, *args):
        threading.Thread(target=target, args=args, daemon=True).start()

    def _read_answers(self, pipe):
        for line in pipe:
            self.answers.put(json.loads(line))
        self.answers.put({"kind": "exited"})

    @staticmethod
    def _read_lines(pipe, lines):
        for line in pipe:
            lines.append(line.decode(errors="replace"))

    @property
    def is_alive(self):
        return self.process.poll() is None

    def answer(self, timeout):
        """The next answer; `timed-out` after so many seconds."""
        try:
            return self.answers.get(timeout=timeout)
        except queue.Empty:
            return {"kind": "timed-out"}

    def ask(self, request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has exited, which its last answer says.

    def kill(self):
        self.process.kill()
        self.process.wait()


class LocalExecutor(RuntimeExecutor):
    def __init__(self, id, function_version):
        super().__init__(id, function_version)
        self.sandbox = None
        self.env = {}
        self.lines = []
        self.lock = threading.Lock()

    def start(self, env_vars):
        config = self.function_version.config
        folder = str(config.code.get_unzipped_code_location())
        self.env = {
            **{name: str(value) for name, value in env_vars.items() if value is not None},
            "LAMBDA_TASK_ROOT": folder,
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{config.runtime}",
        }
        self.env.pop("LAMBDA_RUNTIME_DIR", None)
        self._load()

    def _load(self):
        """Starts a process, as Lambda does for the first invocation and after one that ended its process."""
        self.sandbox = Sandbox(self.env["LAMBDA_TASK_ROOT"], self.env, self.lines)
        answer = self.sandbox.answer(INIT_SECONDS)
        if answer["kind"] == "ready":
            return
        self.stop()
        error = answer.get("error") or {
            "errorType": "Runtime.ExitError",
            "errorMessage": f"the function did not load: {answer['kind']}",
        }
        raise StatusErrorException(
            "Environment startup failed", payload=json.dumps(error).encode()
        )

    def stop(self):
        if self.sandbox is not None:
            self.sandbox.kill()
        self.sandbox = None

    def invoke(self, payload):
        with self.lock:
            if self.sandbox is None or not self.sandbox.is_alive:
                self._load()
            began, said = time.time(), len(self.lines)
            is_error, body = self._answer_to(payload)
            milliseconds = (time.time() - began) * 1000
            time.sleep(0.005)  # What it printed last comes through another pipe.
            return InvocationResult(
                payload["invoke-id"],
                body.encode(),
                is_error,
                self._log(payload["invoke-id"], self.lines[said:], milliseconds),
            )

    def _answer_to(self, payload):
        """Whether the invocation failed, and what it answered."""
        request, seconds = payload["invoke-id"], self.function_version.config.timeout
        self.sandbox.ask(
            {
                "id": request,
                "arn": payload["invoked-function-arn"],
                "payload": payload["payload"] or "{}",
                "trace": payload.get("trace-id") or "",
                "deadline": int((time.time() + seconds) * 1000),
            }
        )
        answer = self.sandbox.answer(seconds)
        if answer["kind"] in ("returned", "threw"):
            return answer["kind"] == "threw", answer["body"]
        self.stop()
        return True, json.dumps(self._lost(request, answer["kind"], seconds))

    @staticmethod
    def _lost(request, kind, seconds):
        if kind == "exited":
            name, what = "Runtime.ExitError", "Runtime exited without providing a reason"
        else:
            name, what = "Sandbox.Timedout", f"Task timed out after {seconds:.2f} seconds"
        return {"errorType": name, "errorMessage": f"RequestId: {request} Error: {what}"}

    def _log(self, request, lines, milliseconds):
        version = self.function_version.id.qualifier
        return (
            f"START RequestId: {request} Version: {version}\n"
            + "".join(lines)
            + f"END RequestId: {request}\n"
            + f"REPORT RequestId: {request}\tDuration: {milliseconds:.2f} ms\n"
        )

    def get_logs(self):
        return "".join(self.lines)

    def get_address(self):
        return "127.0.0.1"

    def get_endpoint_from_executor(self):
        return "127.0.0.1"

    def get_runtime_endpoint(self):
        return "http://127.0.0.1:0"

    @classmethod
    def prepare_version(cls, function_version):
        if function_version.config.code:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version):
        pass


class LocalExecutorPlugin(RuntimeExecutorPlugin):
    name = "local"

    def load(self, *args, **kwargs):
        return LocalExecutor
