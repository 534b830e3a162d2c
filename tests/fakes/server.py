"""A stand-in for an engine's server: OpenAI-compatible over HTTP, with the faults that its arguments ask for.

server.py PORT MODEL [--never-ready] [--exit-after SECONDS] [--die-on-request N] [--chatty MEGABYTES]
          [--fail-every N] [--no-tokens] [--daemon PIDFILE] [--wrong-model] [--reset-counters]
          [--really-accept LENGTH] [--accept-rates R1,R2,...] [vllm serve --speculative-config JSON]

With vLLM's speculative configuration it counts 1,000 drafts a request, accepted as that configuration forces, or at the
length of --really-accept whatever it says, or by position as --accept-rates says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("model")
    parser.add_argument("--never-ready", action="store_true")
    parser.add_argument("--exit-after", type=float)
    parser.add_argument("--die-on-request", type=int)
    parser.add_argument("--chatty", type=int, default=0)
    parser.add_argument("--fail-every", type=int, default=0)
    parser.add_argument("--no-tokens", action="store_true")
    parser.add_argument("--daemon")
    parser.add_argument("--wrong-model", action="store_true")
    parser.add_argument("--reset-counters", action="store_true")
    parser.add_argument("--really-accept", type=float)
    parser.add_argument("--accept-rates", type=lambda text: [float(rate) for rate in text.split(",")])
    parser.add_argument("--speculative-config", type=json.loads, default={})
    options, _ = parser.parse_known_args()
    if options.daemon:
        # A child in a session of its own, as engines' helpers sometimes are: killing the process group misses it.
        sleeper = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"]
        child = subprocess.Popen(sleeper, start_new_session=True)
        with open(options.daemon, "w") as file:
            file.write(str(child.pid))
    for _ in range(options.chatty):
        sys.stdout.write(("noise " * 16 + "\n") * 10_400)
    print("the server is up", flush=True)
    if options.exit_after is not None:
        threading.Thread(target=lambda: (time.sleep(options.exit_after), os._exit(7)), daemon=True).start()
    state = {"requests": 0, "tokens": 100}
    server = ThreadingHTTPServer(("127.0.0.1", options.port), handler(options, state))
    server.serve_forever()


def acceptance(options: argparse.Namespace, drafts: int) -> str:
    """vLLM's counters after so many drafts, spent on the earliest positions as vLLM does."""
    config = options.speculative_config
    if not config:
        return ""
    length = options.really_accept or config.get("synthetic_acceptance_length", 1.0)
    counts = [rate * drafts for rate in (options.accept_rates or [])[: config["num_speculative_tokens"]]]
    counts = counts or [
        min(max(length - 1 - position, 0), 1) * drafts for position in range(config["num_speculative_tokens"])
    ]
    series = {"drafts_total": drafts, "accepted_tokens_total": sum(counts)}
    series |= {f'accepted_tokens_per_pos_total{{position="{index}"}}': count for index, count in enumerate(counts)}
    name = "vllm:spec_decode_num_"
    return "".join(f"# TYPE {name}{key.split('{')[0]} counter\n{name}{key} {value}\n" for key, value in series.items())


def handler(options: argparse.Namespace, state: dict[str, int]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def answer(self, code: int, body: str) -> None:
            data = body.encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            if self.path == "/health":
                self.answer(503 if options.never_ready else 200, "{}")
            elif self.path == "/v1/models":
                name = "another" if options.wrong_model else options.model
                self.answer(200, json.dumps({"data": [{"id": name}]}))
            elif self.path == "/metrics":
                if options.reset_counters:
                    state["tokens"] -= 50
                lines = "# TYPE vllm:generation_tokens_total counter\n"
                lines += f'vllm:generation_tokens_total{{model_name="m"}} {state["tokens"]}\n'
                self.answer(200, lines + acceptance(options, 1000 * state["requests"]))
            else:
                self.answer(404, "")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state["requests"] += 1
            if state["requests"] == options.die_on_request:
                print("fatal: out of memory", flush=True)
                os._exit(3)
            if options.fail_every and state["requests"] % options.fail_every == 0:
                self.answer(500, json.dumps({"error": {"message": "the engine failed"}}))
                return
            tokens = 0 if options.no_tokens else int(body.get("max_completion_tokens") or body["max_tokens"])
            state["tokens"] += tokens
            if body.get("stream"):
                self.stream(tokens)
                return
            usage = {"completion_tokens": tokens, "prompt_tokens": 10}
            message = {"role": "assistant", "content": "a " * tokens}
            self.answer(200, json.dumps({"choices": [{"message": message}], "usage": usage}))

        def stream(self, tokens: int) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for _ in range(tokens):
                chunk = {"choices": [{"index": 0, "delta": {"content": "ba "}}], "object": "chat.completion.chunk"}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

    return Handler


if __name__ == "__main__":
    main()
