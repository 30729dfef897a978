#!/usr/bin/env python3
"""serve.py MODEL.gguf [--embed]: a llama.cpp server on loopback; prints its base URL when it is
ready, and ends when its standard input does. The key it wants is 'test-key-of-the-llama-server'."""
import sys
import time
import urllib.request

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = 0
params.n_ctx = 4096
params.n_parallel = 2  # two slots of 2,048 tokens each
# One thread: two spin and collapse when the machine is busy.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.warmup = False
params.api_keys = ["test-key-of-the-llama-server"]
if "--embed" in sys.argv:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(params)
url = server.listening_address
for _ in range(600):
    try:
        if urllib.request.urlopen(url + "/health", timeout=2).status == 200:
            break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("serve.py: the server did not become ready")
print(url, flush=True)
sys.stdin.read()
